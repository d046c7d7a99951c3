"""Hooks: a server is asked before someone connects, subscribes or reacts. Words: BINARY FOLDER"""

import asyncio
import json
import signal
import threading
import time
import urllib.error
import urllib.request

import websockets

from checks import ABSENT, PATIENCE, Check, Client, equal, main, matches
from receiver import Broker, Receiver, verify

SECRET = "the hooks' secret"


def answer(allow, headers={}, **more):
    return 200, headers, json.dumps({"allow": allow, **more}).encode()


class Backend(Receiver):
    """Decides by `rule(question)`; a slow question waits until it is let go."""

    def __init__(self, **more):
        self.rule = lambda question: answer(True)
        self.gate = threading.Event()
        super().__init__(lambda number, request: self.decide(request), **more)

    def decide(self, request):
        assert verify(SECRET, request.headers, request.body), "the signature is wrong"
        return self.rule(request.json)

    @property
    def questions(self):
        return [request.json for request in self.requests]

    def slowly(self, verdict):
        def rule(question):
            self.gate.wait(60)
            return verdict
        self.gate.clear()
        self.rule = rule


def hook(backend, **more):
    return {"url": backend.url, "secret": SECRET, "timeout_ms": 60_000, **more}


async def refused(url, user):
    try:
        async with await Client.connect(url, user):
            return None
    except websockets.InvalidStatusCode as answer:
        return answer.status_code


async def connecting(broker, backend):
    with Check("connect: the server says who may"):
        backend.rule = lambda question: answer(question["user"] != "eve", reason="no eves")
        equal(await refused(broker.url, "ada"), None)
        equal(await refused(broker.url, "eve"), 403)
        matches(backend.questions[-1], hook="connect", type="connect", user="eve", address="127.0.0.1", channel=ABSENT)
    with Check("connect: 503 where the server gives no answer"):
        backend.rule = lambda question: (500, {}, b"")
        equal(await refused(broker.url, "ada"), 503)
        for garbage in (b"", b"yes", b"{}", b'{"allow": "true"}'):
            backend.rule = lambda question: (200, {}, garbage)
            equal(await refused(broker.url, "ada"), 503)
            backend.rule = lambda question: answer(True)
            equal(await refused(broker.url, "ada"), None)
    with Check("connect: who goes away meanwhile is forgotten"):
        backend.slowly(answer(True))
        task = asyncio.create_task(Client.connect(broker.url, "cy"))
        await asyncio.to_thread(backend.wait, lambda: backend.questions[-1]["user"] == "cy", "the question")
        task.cancel()
        backend.gate.set()
        backend.rule = lambda question: answer(True)
        equal(await refused(broker.url, "ada"), None)


async def subscribing(broker, backend):
    backend.rule = lambda question: answer(not question["channel"].endswith("secret"), reason="not for you")
    async with await Client.connect(broker.url, "ada") as client:
        with Check("subscribe: the server says who may, and its reason is passed on"):
            matches(await client.request("subscribe", channel="chat:open", messages=["m"]), type="subscribed")
            matches(
                backend.questions[-1], hook="subscribe", type="subscribe", user="ada", channel="chat:open",
                messages=["m"], mode="events", connection=client.welcome["connection"], address="127.0.0.1")
            for _ in range(20):
                reply = await client.request("subscribe", channel="chat:secret")
                matches(reply, code="forbidden", message="not for you")
        with Check("subscribe: a refusal takes no place among the subscriptions"):
            for number in range(4):
                matches(await client.request("subscribe", channel="chat:%d" % number), type="subscribed")
            matches(await client.request("subscribe", channel="chat:5"), code="too_many_subscriptions")
            matches(await client.request("unsubscribe", channel="chat:secret"), type="unsubscribed")
        with Check("subscribe: reading and reacting ask nobody about that"):
            before = len([q for q in backend.questions if q["hook"] == "subscribe"])
            matches(await client.request("list", channel="chat:secret"), type="list")
            matches(await client.request("add", channel="chat:secret", message="m", reaction="👍"), code="forbidden")
            equal(len([q for q in backend.questions if q["hook"] == "subscribe"]), before)
        with Check("subscribe: the stream over HTTP is refused with 403"):
            equal(await asyncio.to_thread(status, broker, "GET", "chat:secret/stream"), 403)


def status(broker, method, path, user="ada"):
    request = urllib.request.Request("%s/v1/channels/%s?user=%s" % (broker.http, path, user), method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status
    except urllib.error.HTTPError as error:
        return error.code


async def reacting(broker, backend):
    backend.rule = lambda question: answer(question.get("reaction") != "👎" and "👎" not in question.get("reactions", []))
    words = dict(channel="chat:react", message="m")
    async with await Client.connect(broker.url, "ada") as client:
        with Check("react: add, remove, toggle and set are asked about"):
            matches(await client.request("add", reaction="👍", data={"a": 1}, **words), result="added")
            matches(
                backend.questions[-1], hook="react", type="add", user="ada", channel="chat:react", message="m",
                reaction="👍", data={"a": 1}, connection=client.welcome["connection"])
            matches(await client.request("add", reaction="👎", **words), code="forbidden")
            matches(await client.request("toggle", reaction="👎", **words), code="forbidden")
            matches(await client.request("remove", reaction="👎", **words), code="forbidden")
            matches(await client.request("set", reactions=["❤️", "👎"], **words), code="forbidden")
            matches(await client.request("set", reactions=["❤️"], **words), result="changed", own=["❤️"])
            matches(backend.questions[-1], type="set", reactions=["❤️"])
        with Check("react: over HTTP the refusal is 403"):
            equal(await asyncio.to_thread(status, broker, "PUT", "chat:react/messages/m/reactions/%F0%9F%91%8E"), 403)
            equal(await asyncio.to_thread(status, broker, "PUT", "chat:react/messages/m/reactions/%F0%9F%91%8D"), 200)
        with Check("react: what is refused before costs no question"):
            before = len(backend.requests)
            matches(await client.request("add", channel="nowhere:1", message="m", reaction="👍"), code="forbidden")
            equal(len(backend.requests), before)
    async with await Client.connect(broker.url, "mod") as client:
        with Check("react: moderators' requests are not asked about"):
            before = len(backend.requests)
            matches(await client.request("clear", **words), result="cleared")
            equal(len(backend.requests), before)


async def ordering(broker, backend):
    async with await Client.connect(broker.url, "ada") as client:
        with Check("while an answer is awaited the channel's later requests wait, others go on"):
            backend.slowly(answer(True))
            words = dict(channel="chat:slow", message="m")
            await client.send(type="add", id="a", reaction="👍", **words)
            await client.send(type="list", id="b", channel="chat:slow")
            await client.send(type="remove", id="c", reaction="👍", **words)
            await client.send(type="nonsense", id="d", channel="chat:slow")
            matches(await client.request("add", channel="tap:1", message="m", reaction="👍"), result="added")
            await client.ping()
            equal([m["id"] for m in client.seen if m.get("id") in ("a", "b", "c", "d")], [])
            backend.gate.set()
            await client.until(lambda m: m.get("id") == "d")
            equal([m["id"] for m in client.seen if m.get("id") in ("a", "b", "c", "d")], ["a", "b", "c", "d"])
            matches(next(m for m in client.seen if m.get("id") == "b")["messages"][0], total=1)
            matches(next(m for m in client.seen if m.get("id") == "c"), result="removed")
        with Check("more than may wait is taken later, in order"):
            backend.rule = lambda question: answer(True)
            for number in range(1000):
                await client.send(
                    type="toggle", id=number, channel="chat:many", message="m%d" % (number % 7), reaction="👍")
            await client.until(lambda m: m.get("id") == 999)
            equal([m["id"] for m in client.seen if m.get("channel") == "chat:many"], list(range(1000)))
    with Check("what was sent before the close takes effect"):
        backend.slowly(answer(True))
        gone = await Client.connect(broker.url, "bob")
        for number in range(20):
            await gone.send(type="add", channel="chat:gone", message="m%d" % number, reaction="👍")
        await asyncio.to_thread(backend.wait, lambda: backend.questions[-1]["channel"] == "chat:gone", "the question")
        await gone.close()
        backend.gate.set()
        async with await Client.connect(broker.url, "mod") as client:
            await client.request("subscribe", channel="chat:gone")
            while (await client.request("list", channel="chat:gone"))["seq"] < 20:
                await client.receive()


async def caching(broker, backend):
    async with await Client.connect(broker.url, "ada") as client:
        async def questions(channel, reaction, user=client):
            before = len(backend.requests)
            reply = await user.request("add", channel=channel, message="m", reaction=reaction)
            return len(backend.requests) - before, reply["type"]

        with Check("an answer is taken again for as long as it says, for the same user, channel and reaction"):
            backend.rule = lambda question: answer(True, cache_seconds=100)
            equal([await questions("chat:c", "👍") for _ in range(3)], [(1, "ack"), (0, "ack"), (0, "ack")])
            equal(await questions("chat:c", "🎉"), (1, "ack"))
            equal(await questions("chat:d", "👍"), (1, "ack"))
            async with await Client.connect(broker.url, "bob") as bob:
                equal(await questions("chat:c", "👍", bob), (1, "ack"))
        with Check("so is a refusal, and Cache-Control says the same"):
            backend.rule = lambda question: answer(False, {"cache-control": "private, max-age=100"})
            equal([await questions("chat:e", "👍") for _ in range(2)], [(1, "error"), (0, "error")])
        with Check("never longer than the settings let it"):
            backend.rule = lambda question: answer(True, cache_seconds=100)
            equal((await questions("live:c", "👍"))[0], 1)
            deadline = time.monotonic() + 20
            while (await questions("live:c", "👍"))[0] == 0:
                assert time.monotonic() < deadline
        with Check("not at all where it says nothing"):
            backend.rule = lambda question: answer(True)
            equal([await questions("chat:f", "👍") for _ in range(2)], [(1, "ack"), (1, "ack")])


async def down(broker, backend):
    async with await Client.connect(broker.url, "ada") as client:
        async def add(channel):
            reply = await client.request("add", channel=channel, message="m", reaction="👍")
            return reply.get("code") or reply["type"]

        with Check("without an answer in time: unavailable, or allowed where the settings say so"):
            backend.rule = lambda question: "hang"
            equal([await add("no:down"), await add("yes:down")], ["unavailable", "ack"])
        for word in ("half", "garbage", "vanish"):
            with Check("the same where the server answers " + word):
                backend.rule = lambda question: word
                equal([await add("no:down"), await add("yes:down")], ["unavailable", "ack"])
        with Check("over HTTP that is 503"):
            equal(await asyncio.to_thread(status, broker, "PUT", "no:x/messages/m/reactions/%F0%9F%91%8D"), 503)
        with Check("after some failures the server is asked once a second at most"):
            backend.rule = lambda question: (500, {}, b"")
            before, began = len(backend.requests), time.monotonic()
            for _ in range(300):
                equal(await add("no:down"), "unavailable")
            took = time.monotonic() - began
            assert len(backend.requests) - before <= 5 + took + 1, (len(backend.requests) - before, took)
        with Check("and taken up again when it is back"):
            backend.rule = lambda question: answer(True)
            deadline = time.monotonic() + PATIENCE
            while [await add("no:down") for _ in range(5)] != ["ack"] * 5:
                assert time.monotonic() < deadline
            assert broker.metric('fanfare_hook_results_total{hook="react",result="skipped"}') > 0
            assert broker.metric('fanfare_hook_results_total{hook="react",result="failed"}') > 0


async def scenario(binary, folder):
    backend, gatekeeper = Backend(), Backend()
    react = hook(backend)
    soon = hook(backend, timeout_ms=1000)
    broker = Broker(binary, folder, {
        "limits": {"subscriptions": 5},
        "hooks": {"connect": hook(gatekeeper)},
        "namespaces": {
            "chat": {"hooks": {"subscribe": hook(backend), "react": react}},
            "live": {"hooks": {"react": hook(backend, cache_ms_max=300)}},
            "no": {"hooks": {"react": soon}},
            "yes": {"hooks": {"react": {**soon, "when_down": "allow"}}},
            "tap": {"policy": "unique"},
        }})
    try:
        await connecting(broker, gatekeeper)
        await subscribing(broker, backend)
        await reacting(broker, backend)
        await ordering(broker, backend)
        await caching(broker, backend)
        await down(broker, backend)
        with Check("the broker ends in order"):
            equal(await asyncio.to_thread(broker.end, signal.SIGTERM), 0, "exit code")
    finally:
        broker.process.kill()


main(scenario)
