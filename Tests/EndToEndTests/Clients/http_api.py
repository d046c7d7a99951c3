"""The HTTP API of section 10, by Python's own http.client, beside a WebSocket that watches. Words: URL"""

import http.client
import json
from urllib.parse import quote, urlsplit

from checks import ABSENT, PATIENCE, Check, Client, equal, main, matches

CHANNEL = "chat:http"


class API:
    def __init__(self, url):
        self.parts = urlsplit(url)

    def call(self, method, path, body=None, headers={}):
        """One request on a connection of its own: status, headers, JSON (or text)."""
        connection = http.client.HTTPConnection(self.parts.hostname, self.parts.port, timeout=PATIENCE)
        try:
            data = None if body is None else json.dumps(body, ensure_ascii=False).encode()
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            is_json = answer.headers.get_content_type() == "application/json"
            return answer.status, answer.headers, json.loads(text) if is_json else text
        finally:
            connection.close()


def place(message="m", *rest):
    return "/".join(["/v1/channels", quote(CHANNEL, ""), "messages", quote(message, ""), *rest])


def reaction(emoji, message="m"):
    return place(message, "reactions", quote(emoji, ""))


def refused(answer, status, code):
    equal(answer[0], status, "status")
    equal(answer[2]["code"], code, "code")
    assert isinstance(answer[2]["message"], str) and answer[2]["message"], answer


async def scenario(url):
    api = API(url)
    with Check("healthz, readyz"):
        equal(api.call("GET", "/healthz")[0], 200, "healthz")
        equal(api.call("GET", "/readyz")[0], 200, "readyz")

    async with await Client.connect(url, "bob") as bob:
        await bob.request("subscribe", channel=CHANNEL)
        with Check("a bare message has total 0"):
            status, _, answer = api.call("GET", place() + "?user=ada")
            equal(status, 200, "status")
            matches(answer, channel=CHANNEL, message="m", total=0, reactions=[], seq=0)
            assert isinstance(answer["epoch"], str), answer
        with Check("PUT adds, and the event goes out"):
            status, _, ack = api.call("PUT", reaction("👍") + "?user=ada", {"data": {"x": 1}})
            equal(status, 200, "status")
            matches(ack, result="added", channel=CHANNEL, message="m", reaction="👍", seq=1, count=1, own=["👍"], id=ABSENT)
            matches(await bob.receive(), type="added", user="ada", seq=1, data={"x": 1})
        with Check("PUT needs no body; a heart is one heart"):
            matches(api.call("PUT", reaction("❤") + "?user=bob")[2], result="added", reaction="❤️", seq=2)
        with Check("Idempotency-Key is key"):
            key = {"Idempotency-Key": "retry-1"}
            first = api.call("PUT", reaction("🎉") + "?user=bob", headers=key)[2]
            again = api.call("PUT", reaction("🎉") + "?user=bob", headers=key)[2]
            equal(again, {**first, "duplicate": True}, "second answer")
            refused(api.call("PUT", reaction("🔥") + "?user=bob", headers=key), 409, "key_reused")
            over = await bob.request("add", channel=CHANNEL, message="m", reaction="🎉", key="retry-1")
            matches(over, duplicate=True, seq=first["seq"])
        with Check("toggle, set, DELETE"):
            matches(api.call("POST", reaction("🎉") + "/toggle?user=bob")[2], result="removed")
            answer = api.call("PUT", place("m", "reactions") + "?user=bob", {"reactions": ["🔥"]})[2]
            matches(answer, result="changed", own=["🔥"])
            matches(api.call("DELETE", reaction("🔥") + "?user=bob")[2], result="removed", own=[])
            matches(api.call("DELETE", reaction("🔥") + "?user=bob")[2], result="unchanged")
        with Check("GET message, reactors, messages"):
            summary = api.call("GET", place() + "?user=ada")[2]
            matches(summary, total=1, own=["👍"], seq=7)
            page = api.call("GET", place("m", "reactors") + "?user=ada&reaction=" + quote("👍"))[2]
            equal([r["user"] for r in page["reactors"]], ["ada"], "reactors")
            page = api.call("GET", "/v1/channels/%s/messages?limit=10&user=ada" % quote(CHANNEL, ""))[2]
            equal([m["message"] for m in page["messages"]], ["m"], "messages")
        with Check("the channel itself is written -"):
            matches(api.call("PUT", reaction("👍", "-") + "?user=ada")[2], message="", result="added")
            matches(api.call("GET", place("-") + "?user=ada")[2], message="", total=1)
        with Check("clear and delete are a moderator's; target is the user, never who asks"):
            refused(api.call("DELETE", place("m", "reactions") + "?user=ada"), 403, "forbidden")
            refused(api.call("DELETE", place() + "?user=ada"), 403, "forbidden")
            matches(api.call("DELETE", place("m", "reactions") + "?user=mod&target=nobody")[2], result="unchanged")
            matches(api.call("DELETE", place("m", "reactions") + "?user=mod&target=ada")[2], result="cleared", removed=1)
            matches(api.call("DELETE", place() + "?user=mod")[2], result="deleted")
            refused(api.call("PUT", reaction("👍") + "?user=ada"), 409, "message_deleted")

    with Check("errors"):
        refused(api.call("PUT", reaction("x") + "?user=ada"), 422, "invalid_reaction")
        words = api.call("PUT", reaction("nope<b>") + "?user=ada")[2]["message"]
        equal(words, "'nope\ufffdb\ufffd' is no emoji, and this channel takes emoji only, one at a time")
        refused(api.call("GET", "/v1/channels/nowhere%3A1/messages?user=ada"), 403, "forbidden")
        refused(api.call("GET", place("m", "reactors") + "?user=ada&limit=0"), 400, "bad_request")
        refused(api.call("GET", place("m", "reactors") + "?user=ada&after=x"), 400, "unknown_cursor")
        refused(api.call("GET", "/v1/nothing"), 404, "not_found")
        refused(api.call("POST", place() + "?user=ada"), 405, "method_not_allowed")
        refused(api.call("PUT", reaction("👍") + "?user=ada", {"data": {"x": "a" * 2_000_000}}), 413, "too_large")
        refused(api.call("GET", place() + "?token=a.b.c"), 401, "unauthorized")
        refused(api.call("GET", place() + "?user=ada", headers={"Authorization": "Bearer a.b.c"}), 401, "unauthorized")

    with Check("metrics in Prometheus' text format"):
        status, headers, text = api.call("GET", "/metrics")
        equal(status, 200, "status")
        for name in ("fanfare_reactions_total", "fanfare_connections", "fanfare_deliveries_total"):
            assert any(line.startswith(name) for line in text.splitlines()), name + " is missing"

    with Check("the stream: data, ids, and Last-Event-ID"):
        stream(api)


def stream(api):
    def opened(headers={}):
        connection = http.client.HTTPConnection(api.parts.hostname, api.parts.port, timeout=PATIENCE)
        connection.request("GET", "/v1/channels/chat%3Astream/stream?user=ada", headers=headers)
        answer = connection.getresponse()
        equal((answer.status, answer.headers.get_content_type()), (200, "text/event-stream"), "head")
        return connection, answer

    def next_event(answer):
        id = None
        while True:
            line = answer.readline().decode().rstrip("\n")
            if line.startswith("id:"):
                id = line[3:].strip()
            elif line.startswith("data:"):
                return id, json.loads(line[5:])

    def react(emoji):
        path = "/v1/channels/chat%3Astream/messages/m/reactions/" + quote(emoji)
        return api.call("PUT", path + "?user=bob")[2]

    connection, answer = opened()
    id, first = next_event(answer)
    matches(first, type="subscribed", channel="chat:stream", seq=0)
    react("👍")
    id, event = next_event(answer)
    matches(event, type="added", seq=1, reaction="👍")
    equal(id, "%s/1" % first["epoch"], "id")
    connection.close()
    react("🎉")
    connection, answer = opened({"Last-Event-ID": id})
    matches(next_event(answer)[1], type="subscribed", recovered=True, seq=1)
    id, event = next_event(answer)
    matches(event, type="added", seq=2, reaction="🎉")
    connection.close()


if __name__ == "__main__":
    main(scenario)
