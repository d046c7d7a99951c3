"""The broker's own documents: everything said here, by either side, is what they tell. Words: URL KEY, a server key"""

import asyncio
import http.client
import json
import re

import jsonschema

from checks import Check, Client, equal, main, matches
from http_api import API, quote

DIALECT = jsonschema.Draft202012Validator
MODERATOR = "mod"


class Documents:
    """The documents that the broker serves, and what was seen of each part of them."""

    def __init__(self, api):
        self.openapi, self.asyncapi, self.schemas = (
            self.load(api, name) for name in ("openapi.json", "asyncapi.json", "schemas.json"))
        store = {"schemas.json": self.schemas, "openapi.json": self.openapi, "asyncapi.json": self.asyncapi}
        self.resolver = jsonschema.RefResolver("openapi.json", self.openapi, store=store)
        self.seen_messages, self.seen_answers = set(), set()

    @staticmethod
    def load(api, name):
        status, headers, document = api.call("GET", "/v1/" + name)
        equal((status, headers.get_content_type()), (200, "application/json"), name)
        return document

    def check(self, value, schema):
        error = next(DIALECT(schema, resolver=self.resolver).iter_errors(value), None)
        assert error is None, "%s: %s" % (json.dumps(value, ensure_ascii=False), error.message)

    def messages(self):
        return self.asyncapi["channels"]["webSocket"]["messages"]

    def check_message(self, message, side):
        """A message of the `request` or `message` side has its schema, and only that of its type."""
        name = side + message["type"].capitalize()
        assert name in self.messages(), "%s is not in the document" % name
        self.check(message, self.messages()[name]["payload"]["schema"])
        self.seen_messages.add(name)

    def operation(self, method, path):
        """The operation that a request is, its template's path and its parameters."""
        for template, item in self.openapi["paths"].items():
            pattern = re.sub(r"\\\{[a-z]+\\\}", "[^/]+", re.escape(template))
            if re.fullmatch(pattern, path) and method.lower() in item:
                return template, item[method.lower()]
        raise AssertionError("%s %s is not in the document" % (method, path))

    def response(self, operation, status):
        assert str(status) in operation["responses"], "status %d is not in the document" % status
        response = operation["responses"][str(status)]
        if "$ref" in response:
            response = self.openapi["components"]["responses"][response["$ref"].split("/")[-1]]
        return response

    def check_answer(self, method, target, answer):
        status, headers, body = answer
        template, operation = self.operation(method, target.split("?")[0])
        response = self.response(operation, status)
        if "content" in response:
            kind = headers.get_content_type()
            assert kind in response["content"], "%s is not in the document" % kind
            if kind == "application/json":
                self.check(body, response["content"][kind]["schema"])
        for name in response.get("headers", {}):
            assert name in headers, "no field %s" % name
        self.seen_answers.add((method, template, status))


async def talk(url, documents):
    """A conversation in which nearly everything is said."""
    async def request(client, type, **words):
        documents.check_message(dict(type=type, id=1, **words), "request")
        reply = await client.request(type, **words)
        return reply

    chat = dict(channel="chat:1", message="m")
    clients = {name: await Client.connect(url, name) for name in ["ada", "bob", MODERATOR]}
    ada, bob, mod = clients.values()
    second = await Client.connect(url, "ada")
    await request(bob, "subscribe", channel="chat:1", occupancy=True)
    await request(second, "subscribe", channel="chat:1", mode="summary")
    await request(ada, "add", reaction="👍", data={"source": "ios", "n": 1.5}, key="k1", **chat)
    await request(ada, "add", reaction="👍", data={"source": "ios", "n": 1.5}, key="k1", **chat)
    await request(ada, "add", reaction="👍", data={"source": "web"}, **chat)
    await request(ada, "toggle", reaction="🎉", **chat)
    await request(ada, "set", reactions=["❤️", "🔥"], key="k2", **chat)
    await request(ada, "remove", reaction="🔥", **chat)
    await request(bob, "add", reaction="👎", **chat)
    await request(mod, "clear", reaction="👎", user="bob", **chat)
    await request(mod, "clear", **chat)
    await request(mod, "delete", channel="chat:1", message="gone")
    await request(mod, "freeze", channel="chat:1", frozen=True)
    await request(mod, "freeze", channel="chat:1", frozen=False)
    await request(ada, "reactors", limit=10, **chat)
    await request(ada, "list", channel="chat:1", limit=1)
    await request(ada, "list", channel="chat:1", messages=["m", "gone"])
    await request(bob, "watch", channel="chat:1", messages=["m", "gone"])
    await request(bob, "unsubscribe", channel="chat:1")
    await request(ada, "add", reaction="nonsense", **chat)
    await request(ada, "auth", token="no token")
    await request(ada, "ping")
    await request(second, "subscribe", channel="tap:1")
    for emoji in ["👍", "🎉"]:
        await request(ada, "add", channel="tap:1", message="m", reaction=emoji)
    await request(second, "subscribe", channel="clap:1")
    await request(ada, "add", channel="clap:1", message="m", reaction="👏", count=5)
    await request(ada, "remove", channel="clap:1", message="m", reaction="👏", count=2)
    await request(second, "subscribe", channel="burst:1")
    await request(ada, "add", channel="burst:1", message="m", reaction="👏")
    await second.until(lambda m: m["type"] == "burst")
    await request(second, "subscribe", channel="anon:1")
    await request(ada, "add", channel="anon:1", message="m", reaction="👏")
    await second.until(lambda m: m["type"] == "own" and m["channel"] == "anon:1")
    await bob.ping()
    for _ in range(10):
        await bob.socket.send("{")
    equal(await bob.closed(), 4000, "close code")
    said = [message for client in [ada, bob, mod, second] for message in client.seen]
    for client in [ada, mod, second]:
        await client.close()
    return said


def call_everything(api, documents, server_key):
    """Every operation of the document, with what it refuses in many ways."""
    root = "/v1/channels/" + quote("chat:2", "")
    thumb = "/reactions/" + quote("👍", "")
    m = root + "/messages/m"

    def call(method, target, body=None, headers={}, status=200):
        answer = api.call(method, target, body, headers)
        equal(answer[0], status, "%s %s" % (method, target))
        documents.check_answer(method, target, answer)
        return answer

    key = {"Idempotency-Key": "k"}
    for _ in range(2):
        call("PUT", m + thumb + "?user=ada", {"data": {"a": 1}}, key)
    call("PUT", m + thumb + "?user=bob")
    call("PUT", m + thumb + "?user=ada", {"data": {"a": 2}}, key, status=409)
    call("POST", m + "/reactions/" + quote("🎉", "") + "/toggle?user=ada")
    tag = call("GET", m + "?user=ada")[1]["ETag"]
    call("GET", m + "?user=ada", headers={"If-None-Match": tag}, status=304)
    call("GET", root + "/messages?user=ada&limit=1")
    after = call("GET", m + "/reactors?user=ada&limit=1")[2]["after"]
    call("GET", m + "/reactors?user=ada&limit=1&after=" + quote(after, ""))
    call("PUT", m + "/reactions?user=ada", {"reactions": ["❤️"]})
    call("DELETE", m + "/reactions/" + quote("❤️", "") + "?user=ada")
    call("DELETE", m + "/reactions?target=bob&user=" + MODERATOR)
    call("DELETE", m + "?user=" + MODERATOR)
    call("DELETE", m + "?user=ada", status=403)
    call("PUT", m + thumb + "?user=ada", status=409)
    call("PUT", m + "/reactions/x?user=ada", status=422)
    call("PUT", m + thumb + "?user=ada", {"count": 0}, status=400)
    call("GET", root + "/messages?user=ada&after=nowhere", status=400)
    call("GET", "/v1/channels/nowhere/messages?user=ada", status=403)
    call("GET", root + "/messages?token=bad", status=401)
    bearer = {"Authorization": "Bearer " + server_key}
    call("POST", "/v1/users/mallory/revoke", headers=bearer)
    call("POST", "/v1/users/mallory/revoke?user=ada", status=403)
    for path in ["/v1/status", "/v1/settings"]:
        call("GET", path, headers=bearer)
        call("GET", path, headers={"Authorization": "Bearer wrong"}, status=401)
    call("GET", "/v1/ws", status=426)
    for path in ["/", "/kit/fanfare.js", "/dashboard", "/dashboard/dashboard.js", "/healthz", "/readyz", "/metrics"]:
        call("GET", path)
    for name in ["openapi", "asyncapi", "schemas"]:
        call("GET", "/v1/%s.json" % name)


async def scenario(url, server_key):
    api = API(url)
    documents = Documents(api)
    with Check("the schemas are schemas, and the documents say what they are"):
        DIALECT.check_schema(documents.schemas)
        matches(documents.openapi, openapi="3.1.0")
        matches(documents.asyncapi, asyncapi="3.0.0")
    with Check("a slash behind a page leads to the page, whatever lies before it"):
        status, headers, _ = api.call("GET", "/dashboard/")
        equal((status, headers["Location"]), (308, "../dashboard"), "/dashboard/")
        for path in ["/dashboard//", "/nothing/", "//"]:
            equal(api.call("GET", path)[0], 404, path)
    with Check("every example has the schema beside it"):
        examples = 0
        for message in documents.messages().values():
            for example in message["examples"]:
                documents.check(example["payload"], message["payload"]["schema"])
                examples += 1
        places = [documents.openapi]
        while places:
            place = places.pop()
            if isinstance(place, dict):
                if "example" in place and "schema" in place:
                    documents.check(place["example"], place["schema"])
                    examples += 1
                places.extend(place.values())
            elif isinstance(place, list):
                places.extend(place)
        assert examples > 50, examples
    with Check("every message that is sent and comes has the schema of its type"):
        for message in await talk(url, documents):
            documents.check_message(message, "message")
    with Check("and every message of the document was seen, but for what only slow readers get"):
        equal(set(documents.messages()) - documents.seen_messages, {"messageLagged"}, "not seen")
    with Check("every answer over HTTP has the status and the schema of its operation"):
        call_everything(api, documents, server_key)
    with Check("and every operation of the document was called"):
        asked = {(method, template) for method, template, _ in documents.seen_answers}
        all = {(method.upper(), template) for template, item in documents.openapi["paths"].items()
               for method in item if method in ("get", "put", "post", "delete")}
        equal(all - asked, {("GET", "/v1/channels/{channel}/stream")}, "not called")
    with Check("a stream's data are messages of the document"):
        lines = await asyncio.to_thread(follow, api)
        for line in lines:
            documents.check_message(json.loads(line), "message")
        equal([json.loads(line)["type"] for line in lines], ["subscribed", "added"], "types")


def follow(api):
    """The data of a stream's first two events."""
    connection = http.client.HTTPConnection(api.parts.hostname, api.parts.port, timeout=60)
    connection.request("GET", "/v1/channels/%s/stream?user=eve" % quote("chat:3", ""))
    answer = connection.getresponse()
    equal(answer.headers.get_content_type(), "text/event-stream", "type")
    data = []
    while len(data) < 2:
        line = answer.readline().decode()
        if line.startswith("data: "):
            data.append(line[6:])
            if len(data) == 1:
                api.call("PUT", "/v1/channels/%s/messages/m/reactions/%s?user=ada" % (
                    quote("chat:3", ""), quote("👍", "")))
    connection.close()
    return data


main(scenario)
