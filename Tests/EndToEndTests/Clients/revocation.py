"""Moderation, revocation and the audit. Words: URL FOLDER FANFARE SECRET KEY DATA, and "again" after a restart

The broker takes tokens signed with SECRET and the server's KEY, keeps its store in DATA, and has the namespaces chat, and
anon, which is anonymous. FANFARE is the command. The first time, what is needed later is left in FOLDER.
"""

import asyncio
import http.client
import json
import os
import subprocess
import time
from urllib.parse import urlsplit

import websockets

from checks import PATIENCE, Check, Client, equal, main, matches
from http_api import API
from minting import Place

MODERATOR = [{"pattern": "*", "can": ["subscribe", "react", "query", "moderate"]}]


class World:
    def __init__(self, url, folder, fanfare, secret, key, data):
        self.url, self.fanfare, self.secret, self.key, self.data = url, fanfare, secret, key, data
        self.place = Place(folder)
        self.place.keep_secret(key)
        self.api = API(url)
        self.state = self.place.path("state.json")

    def token(self, user, **claims):
        return self.place.token(self.secret, "HS256", sub=user, **claims)

    async def client(self, user, **claims):
        return await Client.connect(self.url + "?token=" + self.token(user, **claims))

    def run(self, *words, **environment):
        return subprocess.run(
            [self.fanfare, *words], capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, **environment})

    def audit(self, *words):
        done = self.run("audit", "--data", self.data, "--json", *words)
        equal((done.returncode, done.stderr), (0, ""), "end of audit")
        return [json.loads(line) for line in done.stdout.splitlines()]

    async def refused(self, token):
        try:
            async with await Client.connect(self.url + "?token=" + token):
                raise AssertionError("let in")
        except websockets.InvalidStatusCode as answer:
            equal(answer.status_code, 401, "status")
        bearer = {"Authorization": "Bearer " + token}
        equal(self.api.call("GET", "/v1/channels/chat:1/messages/m", headers=bearer)[0], 401, "status over HTTP")


async def session(world):
    """A moderator's morning; gives what the audit has to say of it."""
    expected = []

    def expect(action, by="mod", **fields):
        expected.append({"action": action, "by": by, **fields})

    async with await world.client("mod", channels=MODERATOR) as mod:
        async def moderate(type, result, **fields):
            reply = await mod.request(type, **fields)
            matches(reply, type="ack", result=result)
            return reply

        for user in ("ada", "bob", "mallory"):
            async with await world.client(user) as client:
                for message, reaction in (("m1", "👍"), ("m1", "👎"), ("m2", "🎉"), ("", "👏")):
                    matches(await client.request("add", channel="chat:1", message=message, reaction=reaction), result="added")
        matches(await client_add(world, "ghost", "anon:1"), result="added")
        matches(await client_add(world, "spook", "anon:1"), result="added")

        reply = await moderate("clear", "cleared", channel="chat:1", message="m1", reaction="👎", user="mallory")
        expect("cleared", channel="chat:1", message="m1", reaction="👎", user="mallory", removed=1, seq=reply["seq"])
        await moderate("clear", "unchanged", channel="chat:1", message="m1", reaction="👎", user="mallory")
        reply = await moderate("clear", "cleared", channel="chat:1", message="m1", reaction="👍", key="k")
        expect("cleared", channel="chat:1", message="m1", reaction="👍", removed=3, seq=reply["seq"])
        matches(await mod.request("clear", channel="chat:1", message="m1", reaction="👍", key="k"), duplicate=True)
        reply = await moderate("clear", "cleared", channel="chat:1", message="*", user="mallory")
        expect("cleared", channel="chat:1", message="*", user="mallory", removed=2, seq=reply["seq"])
        reply = await moderate("delete", "deleted", channel="chat:1", message="m2")
        expect("deleted", channel="chat:1", message="m2", removed=2, seq=reply["seq"])
        await moderate("delete", "unchanged", channel="chat:1", message="m2")
        await moderate("freeze", "changed", channel="chat:1", frozen=True)
        expect("frozen", channel="chat:1")
        await moderate("freeze", "unchanged", channel="chat:1", frozen=True)
        await moderate("freeze", "changed", channel="chat:1", frozen=False)
        expect("unfrozen", channel="chat:1")
        reply = await moderate("clear", "cleared", channel="anon:1", message="m", user="ghost")
        expect("cleared", channel="anon:1", message="m", user="", removed=1, seq=reply["seq"])

    bearer = {"Authorization": "Bearer " + world.key}
    place = "/v1/channels/chat:1/messages/-/reactions"
    status, _, reply = world.api.call("DELETE", place + "?target=ada&user=robot", headers=bearer)
    matches(reply, result="cleared", removed=1)
    expect("cleared", by="robot", channel="chat:1", message="", user="ada", removed=1, seq=reply["seq"])
    status, _, reply = world.api.call("DELETE", "/v1/channels/chat:1/messages/m1", headers=bearer)
    matches(reply, result="deleted", removed=2)
    expect("deleted", by="server", channel="chat:1", message="m1", removed=2, seq=reply["seq"])
    return expected


async def client_add(world, user, channel):
    async with await world.client(user) as client:
        return await client.request("add", channel=channel, message="m", reaction="👍")


def stream(world, token):
    """A stream of events, read up to its first one."""
    parts = urlsplit(world.url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)
    connection.request("GET", "/v1/channels/chat:1/stream", headers={"Authorization": "Bearer " + token})
    answer = connection.getresponse()
    equal(answer.status, 200, "status")
    while not answer.readline().startswith(b"data: "):
        pass
    return answer


async def revoke(world):
    old = world.token("mallory", iat=int(time.time()))
    timeless = world.token("mallory", iat=None)
    with Check("revoke ends the user's connections and streams for good"):
        first = await Client.connect(world.url + "?token=" + old)
        second = await Client.connect(world.url + "?token=" + timeless)
        events = stream(world, old)
        other = await world.client("ada")
        done = world.run("revoke", "--user", "mallory", "--by", "mod", "--key", world.key, "--url", world.url)
        equal((done.returncode, done.stderr), (0, ""), "end of revoke")
        for client in (first, second):
            equal(await client.closed(), 4003, "close code")
            matches(client.seen[-1], type="goodbye", code=4003, retry_after_ms=None)
        rest = events.read().decode()
        assert '"type":"goodbye","code":4003' in rest, rest
        await other.ping()
        await other.close()
    with Check("tokens issued before are refused, and newer ones are not"):
        await world.refused(old)
        await world.refused(timeless)
        await asyncio.sleep(0.01)
        new = world.token("mallory")
        async with await Client.connect(world.url + "?token=" + new) as client:
            matches(client.welcome, user="mallory")
            matches(await client.request("auth", token=old), code="unauthorized")
            await client.ping()
            with Check("a revocation with a wrong key ends with 1, changes nothing, and repeats no key"):
                for key in ("a-wrong-key", world.token("mod", channels=MODERATOR)):
                    done = world.run("revoke", "--user", "mallory", "--url", world.url, "--key", key)
                    equal(done.returncode, 1, "end")
                    assert key not in done.stderr + done.stdout, done.stderr
                    equal(done.stderr.count("\n"), 1, "lines")
                await client.ping()
    with Check("the key may come from the environment; nobody there ends with 1, and no words with 2"):
        done = world.run("revoke", "--user", "nobody", "--url", world.url, FANFARE_SERVER_KEY=world.key)
        equal((done.returncode, done.stderr), (0, ""), "end of revoke")
        equal(world.run("revoke", "--user", "nobody", "--key", "k", "--url", "ws://127.0.0.1:1").returncode, 1, "end")
        equal(world.run("revoke", "--user", "nobody", "--url", world.url, FANFARE_SERVER_KEY="").returncode, 2, "end")
    with Check("over HTTP: 401, 403, 400, 405"):
        def call(path, token=None, method="POST"):
            return world.api.call(method, path, headers={"Authorization": "Bearer " + token} if token else {})

        for answer, status, code in (
                (call("/v1/users/ada/revoke"), 401, "unauthorized"),
                (call("/v1/users/ada/revoke", "a.b.c"), 401, "unauthorized"),
                (call("/v1/users/ada/revoke", world.token("mod", channels=MODERATOR)), 403, "forbidden"),
                (call("/v1/users/a%20b/revoke", world.key), 400, "bad_request"),
                (call("/v1/users/ada/revoke", world.key, "GET"), 405, "method_not_allowed")):
            equal((answer[0], answer[2]["code"]), (status, code), "answer")
        before = time.time() * 1000 - 1
        status, _, answer = call("/v1/users/eve/revoke?user=mod", world.key)
        equal(status, 200, "status")
        matches(answer, user="eve")
        assert before <= answer["revoked_before"] <= time.time() * 1000 + 1, answer
    return old, new, [
        {"action": "revoked", "by": "mod", "user": "mallory"}, {"action": "revoked", "by": "server", "user": "nobody"},
        {"action": "revoked", "by": "mod", "user": "eve"}]


def check_audit(world, expected, began):
    found = world.audit()
    equal([{k: v for k, v in entry.items() if k not in ("at", "time")} for entry in found], expected, "audit")
    times = [entry["at"] for entry in found]
    assert times == sorted(times) and began - 1 <= times[0] and times[-1] <= time.time() * 1000 + 1, times
    assert "ghost" not in json.dumps(found), found


async def scenario(url, folder, fanfare, secret, key, data, again=None):
    world = World(url, folder, fanfare, secret, key, data)
    if again:
        with open(world.state) as file:
            old, new, expected, began = json.load(file)
        with Check("a restart forgets no revocation"):
            await world.refused(old)
            async with await Client.connect(url + "?token=" + new) as client:
                matches(client.welcome, user="mallory")
        with Check("a restart forgets nothing of the audit"):
            check_audit(world, expected, began)
        return
    began = time.time() * 1000
    with Check("a moderator's session"):
        expected = await session(world)
    old, new, revoked = await revoke(world)
    expected += revoked
    with Check("the audit has each change by a moderator once, and nobody who reacts unnamed"):
        check_audit(world, expected, began)
    with Check("the audit by channel, user, moderator, time and number"):
        equal(len(world.audit("--channel", "anon:1")), 1, "of a channel")
        equal([entry["action"] for entry in world.audit("--user", "mallory")], ["cleared", "cleared", "revoked"], "of a user")
        equal({entry["by"] for entry in world.audit("--by", "robot")}, {"robot"}, "of a moderator")
        equal(len(world.audit("--limit", "2")), 2, "of the newest")
        equal(len(world.audit("--since", "1h")), len(expected), "since an hour")
        equal(world.audit("--since", "2999-01-01"), [], "since the future")
        lines = world.run("audit", "--data", data).stdout.splitlines()
        equal(len(lines), len(expected), "lines")
        assert "mod cleared 👎 of mallory on m1 in chat:1: 1 removed" in lines[0], lines[0]
    with open(world.state, "w") as file:
        json.dump([old, new, expected, began], file)


main(scenario)
