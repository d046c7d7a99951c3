"""What is not as it should be: brokers that say nonsense, foreign content in the storage, strict pages. Words: BINARY FOLDER"""

import asyncio
import contextlib
import json

import websockets

from broker import Broker
from chat import badge, body, bubble, is_open, no_errors, picker, react, settled, shows
from checks import Check, equal, main
from client_page import Client, thrown
from devtools import Browser

NONSENSE = ["nonsense", "", "{", b"\0\1"]
# Shapes that a broker never gives such a message; what comes after them still counts.
ODD = ["5", "[]", "{}", '{"type":5}', '{"type":"unknown","channel":"chat:1"}', '{"type":"ack","id":"foreign"}',
       '{"type":"added","channel":"chat:elsewhere"}', '{"type":"error","code":"strange"}']


@contextlib.asynccontextmanager
async def imposter(greeting, answers):
    """What stands for a broker: `greeting()` are the texts that it says at first, `answers(request)` those to a request."""
    connections = []

    async def serve(socket, *_):
        connections.append(socket)
        with contextlib.suppress(websockets.ConnectionClosed):
            for text in greeting(len(connections)):
                await socket.send(text)
            async for text in socket:
                for answer in answers(json.loads(text), len(connections)):
                    await socket.send(answer)

    async with websockets.serve(serve, "127.0.0.1", 0, subprotocols=["fanfare.v1.json"]) as server:
        yield "http://127.0.0.1:%d" % server.sockets[0].getsockname()[1], connections


def welcome(*_):
    return [json.dumps({"type": "welcome", "connection": "c", "user": "ada", "time": 1, "heartbeat_ms": 25000, "limits": {}})]


def subscribed(request, count=1):
    group = {"reaction": "👍", "count": 1, "users": 1, "latest": ["bob"]}
    summary = {"message": "m1", "total": 1, "reactions": [group], "own": []}
    return json.dumps({
        "type": "subscribed", "id": request["id"], "channel": request["channel"], "epoch": "e", "seq": count, "mode": "events",
        "policy": "distinct", "interval_ms": 100, "allowed": None, "limits": {}, "frozen": False, "recovered": False,
        "messages": [summary] if count > 1 else [], "more": None})


async def nonsense(browser, broker):
    for text in NONSENSE:
        def answers(request, count):
            if request["type"] == "subscribe":
                return [subscribed(request, count), *([text] if count == 1 else [])]
            return []
        async with imposter(welcome, answers) as (url, connections):
            with Check("after %r, which may have been an event, the connection is made anew" % text):
                ada = await Client.open(browser, broker.page, more="share: false, url: '%s'" % url)
                await ada.shows("m1", "👍1")
                equal(len(connections), 2)
                equal(thrown(ada), [])
            await ada.page.close()


async def odd(browser, broker):
    def answers(request, count):
        event = {"type": "added", "channel": "chat:1", "seq": 2, "message": "m1", "reaction": "🎉", "user": "bob",
                 "count": 1, "users": 1, "total": 1, "at": 1}
        return [subscribed(request), *ODD, json.dumps(event)] if request["type"] == "subscribe" else []
    async with imposter(welcome, answers) as (url, connections):
        with Check("what has no meaning is passed over"):
            ada = await Client.open(browser, broker.page, more="share: false, url: '%s'" % url)
            await ada.shows("m1", "🎉1")
            equal(len(connections), 1)
            equal(thrown(ada), [])
        await ada.page.close()


async def long_waits(browser, broker):
    def answers(request, count):
        if request["type"] == "subscribe":
            return [subscribed(request)]
        return [json.dumps({"type": "error", "id": request["id"], "code": "rate_limited", "message": "later", "retry_after_ms": 3_000_000_000})]
    async with imposter(welcome, answers) as (url, _):
        with Check("a wait longer than a timer can count is no tight loop"):
            ada = await Client.open(browser, broker.page, more="share: false, url: '%s'" % url)
            await ada.ready()
            await ada.run("(globalThis.timers = 0, globalThis.setTimeout = (set => (...words) => (timers += 1, set(...words)))(setTimeout), true)")
            await ada.run("void channel.add('m1', '👍')")
            await ada.until("shown('m1') === '👍1!sending'")
            timers = await ada.run("new Promise(resolve => requestIdleCallback(() => setInterval(() => resolve(timers), 500)))")
            assert timers < 5, "%d timers in half a second" % timers
        await ada.page.close()


async def storage(browser, broker):
    with Check("what something else has left in the storage is passed over"):
        page = await browser.page(broker.page)
        ada = Client(page)
        for channel, text in [("chat:s1", "{garbage"), ("chat:s2", "null"), ("chat:s3", "[{}, null, 5]")]:
            await page.run("sessionStorage.setItem(%s, %s)" % (
                json.dumps("fanfare http://%s/ ada %s" % (broker.address, channel)), json.dumps(text)))
        await ada.start("ada", "chat:s1", more="storage: sessionStorage")
        await ada.run("Promise.all(['chat:s1', 'chat:s2', 'chat:s3'].map(name => client.channel(name).ready)).then(() => true)")
        equal((await ada.run("channel.toggle('m1', '👍')"))["result"], "added")
        equal(thrown(ada), [])
    await page.close()


PAGE = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<fanfare-bubble message="m1">Shall we launch on Friday?</fanfare-bubble><fanfare-burst><p>Live</p></fanfare-burst>
<script type="module" nonce="abc">
import { connect } from "http://%(address)s/kit/fanfare.js"
import "http://%(address)s/kit/components.js"
window.channel = connect({ user: "ada" }).channel("chat:%(name)s")
for (const one of document.querySelectorAll("fanfare-bubble, fanfare-burst")) one.channel = channel
</script>"""

POLICIES = {
    "listed": "default-src 'none'; script-src 'nonce-abc' http://%(address)s; style-src 'none'; img-src data:; connect-src http://%(address)s ws://%(address)s",
    "dynamic": "default-src 'none'; script-src 'nonce-abc' 'strict-dynamic'; style-src 'none'; img-src data:; connect-src http://%(address)s ws://%(address)s",
    "foreign": "default-src 'self' http://%(address)s; img-src data:; script-src 'nonce-abc' http://%(address)s; connect-src http://%(address)s ws://%(address)s; trusted-types another",
    "trusted": "script-src 'nonce-abc' http://%(address)s; require-trusted-types-for 'script'; trusted-types fanfare",
}


@contextlib.asynccontextmanager
async def site(policy, body):
    """A server of one page under a Content-Security-Policy; gives its address."""
    async def serve(reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):  # a browser connects in advance
            await reader.readuntil(b"\r\n\r\n")
            writer.write(("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n"
                          "Content-Security-Policy: %s\r\n\r\n%s" % (policy, body)).encode())
            await writer.drain()
        writer.close()
    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield "http://127.0.0.1:%d/page" % server.sockets[0].getsockname()[1]


async def strict_pages(browser, broker):
    for name, policy in POLICIES.items():
        words = {"address": broker.address, "name": name}
        async with site(policy % words, PAGE % words) as address:
            with Check("a page without inline style, strict in other ways too (%s), has all of it" % name):
                page = await browser.page(address)
                await page.until("globalThis.channel?.policy")
                await react(page, "m1", 2)
                await shows(page, "m1", ["*👍"])
                equal(await page.style(badge("m1"), "border-radius"), "99px")
                await settled(page, "m1")
                await page.click(body("m1"), "right")
                await page.until(is_open("m1"))
                await page.click(picker("m1", "#more"))
                await page.until("find('%s').children.length > 50" % picker("m1", "#found"))
                await page.key("Escape")
                await page.run("void find('%s').showOverview()" % bubble("m1"))
                await page.until("find('%s >>> fanfare-overview >>> #list')?.children.length === 1" % bubble("m1"))
                await page.run("void find('fanfare-burst').play({ '🎉': 3 })")
                equal(await page.run("find('fanfare-burst >>> #layer').childElementCount"), 3)
                no_errors(page, besides=["Creating a TrustedTypePolicy"])
            await page.close()


async def scenario(binary, folder):
    async with Browser() as browser, Broker(binary, folder) as broker:
        for part in [nonsense, odd, long_waits, storage, strict_pages]:
            await part(browser, broker)


main(scenario)
