"""The browser client on pages of headless Chromium, against a broker of its own. Words: FANFARE FOLDER"""

import asyncio
import json
import time

from broker import Broker, blocking_proxy
from checks import Check, equal, main
from devtools import Browser
from tokens import token

MESSAGES = 40
SECRET = "a secret that is long enough for a test of tokens"


class Client:
    """A page with a client `client` and its channel `channel`."""

    def __init__(self, page):
        self.page = page

    @classmethod
    async def open(cls, browser, address, user="ada", channel="chat:1", options="{}", context=None, more=""):
        page = await browser.page(address, context=context)
        self = cls(page)
        await self.start(user, channel, options, more)
        return self

    async def start(self, user="ada", channel="chat:1", options="{}", more=""):
        await self.page.run("""import("/kit/fanfare.js").then(({ connect }) => {
            globalThis.states = []
            globalThis.client = connect({ user: %s, %s })
            client.addEventListener("state", ({ detail }) => states.push(detail.state))
            globalThis.channel = client.channel(%s, %s)
            globalThis.errors = []
            channel.addEventListener("error", ({ detail }) => errors.push(detail.code))
            globalThis.shown = (message) => channel.view(message).reactions
                .map(({ reaction, count, own, status }) => `${reaction}${count}${own ? "!" : ""}${status === "sent" ? "" : status}`).join(" ")
        })""" % (json.dumps(user), more, json.dumps(channel), options))

    async def ready(self):
        await self.page.run("channel.ready.then(() => true)")

    async def run(self, expression):
        return await self.page.run(expression)

    async def until(self, expression):
        return await self.page.until(expression)

    async def shows(self, message, expected):
        await self.until("shown(%s) === %s" % (json.dumps(message), json.dumps(expected)))


async def two_pages(browser, broker):
    ada = await Client.open(browser, broker.page, "ada")
    bob = await Client.open(browser, broker.page, "bob")
    await ada.ready()
    await bob.ready()
    with Check("two pages see each other's reactions"):
        await ada.run("void channel.toggle('m1', '👍')")
        equal(await ada.run("shown('m1')"), "👍1!sending")
        await bob.shows("m1", "👍1")
        await ada.shows("m1", "👍1!")
        await bob.run("channel.toggle('m1', '👍').then(() => true)")
        await ada.shows("m1", "👍2!")
        equal(await ada.run("channel.view('m1').reactions[0].latest"), ["bob", "ada"])
        await ada.run("channel.toggle('m1', '👍').then(() => true)")
        await bob.shows("m1", "👍1!")
    with Check("who reacted is asked page by page"):
        reply = await ada.run("channel.reactors('m1', { limit: 1 })")
        equal([entry["user"] for entry in reply["reactors"]], ["bob"])
    with Check("nothing is thrown"):
        equal(thrown(ada) + thrown(bob), [])
    for client in [ada, bob]:
        await client.page.close()


def thrown(client):
    """The errors of a page, without what the browser says of the network."""
    return [error for error in client.page.errors if "net::" not in error and not error.startswith("Failed to load")]


async def killed(browser, broker):
    ada = await Client.open(browser, broker.page, "ada", "chat:killed")
    bob = await Client.open(browser, broker.page, "bob", "chat:killed")
    await ada.ready()
    await bob.ready()
    with Check("the broker killed and back: resumed, nothing lost, nothing double"):
        await bob.run("(globalThis.seen = [], channel.addEventListener('change', ({ detail }) => seen.push(detail.message)), true)")
        # Twice the connection goes while changes are on their way.
        for half in range(2):
            await ada.run("""(globalThis.acks = 0, void Array.from({ length: %d }, (_, i) =>
                channel.toggle(`m${i}`, "👍").then(() => acks += 1)))""" % MESSAGES)
            await ada.until("acks >= 1")
            await broker.kill()
            await ada.until("states.at(-1) === 'waiting' || states.at(-1) === 'connecting'")
            await ada.run("void channel.toggle('late', '🎉')")
            await broker.start()
            await ada.until("acks === %d" % MESSAGES)
            count = 1 if half == 0 else 0
            for client in [ada, bob]:
                await client.until("Array.from({ length: %d }, (_, i) => channel.view(`m${i}`).total).every(t => t === %d)" % (MESSAGES, count))
                await client.until("channel.view('late').total === %d" % count)
        await ada.until("channel.seq === %d" % (2 * MESSAGES + 2))
        await bob.until("channel.seq === %d" % (2 * MESSAGES + 2))
    for client in [ada, bob]:
        await client.page.close()


async def failed(browser, broker):
    ada = await Client.open(browser, broker.page, "ada", "chat:failed")
    mod = await Client.open(browser, broker.page, "mod", "chat:failed")
    await ada.ready()
    await mod.ready()
    with Check("what is refused has failed, and is kept; retried it is sent"):
        code = await ada.run("channel.add('m1', 'no emoji').catch(({ code }) => code)")
        equal(code, "invalid_reaction")
        equal(await ada.run("shown('m1')"), "no emoji0failed")
        equal(await ada.run("channel.view('m1').reactions[0].error.code"), "invalid_reaction")
        await ada.run("channel.discard('m1', 'no emoji')")
        equal(await ada.run("shown('m1')"), "")
        equal(await ada.run("errors"), ["invalid_reaction"])
    with Check("a frozen channel refuses; retried later it takes the change"):
        await freeze(broker, "chat:failed", True)
        await ada.until("channel.frozen")
        equal(await ada.run("channel.add('m1', '👍').catch(({ code }) => code)"), "frozen")
        equal(await ada.run("shown('m1')"), "👍0failed")
        await freeze(broker, "chat:failed", False)
        await ada.until("!channel.frozen")
        await ada.run("channel.retry('m1', '👍').then(({ result }) => result)")
        await mod.shows("m1", "👍1")
        await ada.shows("m1", "👍1!")
    for client in [ada, mod]:
        await client.page.close()


async def freeze(broker, channel, frozen):
    import websockets
    async with websockets.connect(broker.url + "?user=mod") as socket:
        await socket.send(json.dumps({"type": "freeze", "id": 1, "channel": channel, "frozen": frozen}))
        while "result" not in json.loads(await asyncio.wait_for(socket.recv(), 100)):
            pass


async def tabs(browser, broker):
    context = await browser.context()
    with Check("several tabs of a user share one connection"):
        await broker.empty()
        first, second, third = [
            await Client.open(browser, broker.page, "ada", "chat:tabs", context=context) for _ in range(3)]
        for tab in [first, second, third]:
            await tab.ready()
        equal(await broker.metric("fanfare_connections"), 1)
    with Check("each tab sees what another does, and gets its own answers"):
        equal((await second.run("channel.toggle('m1', '👍')"))["result"], "added")
        for tab in [first, second, third]:
            await tab.shows("m1", "👍1!")
        equal((await third.run("channel.toggle('m1', '🎉')"))["result"], "added")
        await first.shows("m1", "👍1! 🎉1!")
    with Check("tabs with other wishes share a channel"):
        await first.run("client.channel('chat:wishes', { messages: ['a'] }).ready.then(() => true)")
        await second.run("client.channel('chat:wishes', { messages: ['a', 'b'], mode: 'summary' }).ready.then(() => true)")
        await third.run("client.channel('chat:wishes', { messages: ['c'] }).add('c', '👍').then(() => true)")
        await third.run("client.channel('chat:wishes').add('b', '👍').then(() => true)")
        await second.until("client.channel('chat:wishes').view('b').total === 1")
    with Check("the leader's end hands over, and what is on its way survives"):
        await second.run("(globalThis.acks = 0, void Array.from({ length: 20 }, (_, i) => channel.toggle(`n${i}`, '👍').then(() => acks += 1)))")
        await first.page.close()
        await second.run("(void channel.toggle('late', '👍').then(() => acks += 1))")
        await second.until("acks === 21")
        await third.until("channel.view('late').total === 1 && channel.view('n19').total === 1")
        await third.until("channel.seq === 23")
        equal(await broker.metric("fanfare_connections"), 1)
    with Check("a leader that crashes hands over as well"):
        await crash(second)
        await third.run("channel.toggle('m9', '👍').then(() => true)")
        await third.until("channel.seq === 24")
        equal(await third.run("client.state"), "connected")
    with Check("a client that is closed lets the others go on"):
        fourth = await Client.open(browser, broker.page, "ada", "chat:tabs", context=context)
        await fourth.ready()
        await third.run("client.close()")
        equal(await third.run("channel.toggle('m1', '👍').catch(({ code }) => code)"), "closed")
        equal((await fourth.run("channel.toggle('m9', '👍')"))["result"], "removed")
    with Check("another user has a connection apart"):
        other = await Client.open(browser, broker.page, "bob", "chat:tabs", context=context)
        await other.ready()
        equal(await broker.metric("fanfare_connections"), 2)
    for client in [third, fourth, other]:
        await client.page.close()


async def stopped_leader(browser, broker):
    context = await browser.context()
    first, second = [await Client.open(browser, broker.page, "ada", "chat:stopped", context=context) for _ in range(2)]
    for tab in [first, second]:
        await tab.ready()
    with Check("a leader that the browser has stopped loses the lead to a tab that needs it"):
        await first.page.call("Page.setWebLifecycleState", state="frozen")
        equal((await second.run("channel.toggle('m1', '👍')"))["result"], "added")
        await first.page.call("Page.setWebLifecycleState", state="active")
        await first.shows("m1", "👍1!")
        equal((await first.run("channel.toggle('m1', '👍')"))["result"], "removed")
        await second.shows("m1", "")
        await second.until("channel.seq === 2")
    for client in [first, second]:
        await client.page.close()


async def scrolling(browser, broker):
    ada = await Client.open(browser, broker.page, "ada", "chat:scroll", "{ messages: [] }")
    bob = await Client.open(browser, broker.page, "bob", "chat:scroll")
    await ada.ready()
    await bob.ready()
    with Check("messages are watched while they are in view"):
        await bob.run("Promise.all([0, 99].map((i) => channel.add(`m${i}`, '👍'))).then(() => true)")
        await ada.run("""(globalThis.stops = Array.from({ length: 100 }, (_, i) => {
            const line = document.body.appendChild(document.createElement("p"))
            line.style.height = "100px"
            return channel.observe(line, `m${i}`)
        }), true)""")
        await ada.shows("m0", "👍1")
        equal(await ada.run("shown('m99')"), "")
        await bob.run("channel.add('m1', '🎉').then(() => true)")
        await ada.shows("m1", "🎉1")
        await ada.run("document.body.lastChild.scrollIntoView()")
        await ada.shows("m99", "👍1")
        await bob.run("channel.add('m99', '🎉').then(() => channel.add('m1', '👍')).then(() => true)")
        await ada.shows("m99", "👍1 🎉1")
        await ada.run("scrollTo(0, 0)")
        await ada.shows("m1", "🎉1 👍1")
    with Check("what is observed no more is watched no more"):
        await ada.run("(stops.forEach((stop) => stop()), true)")
        await bob.run("channel.add('m0', '🎉').then(() => true)")
        await ada.until("shown('m0') === ''")
    for client in [ada, bob]:
        await client.page.close()


async def tokens(browser, broker):
    def call(pattern="*", **claims):
        return json.dumps(token(SECRET, channels=[{"pattern": pattern, "can": ["subscribe", "react", "query"]}], **claims))

    with Check("a token is renewed by the callback before it runs out, on the same connection"):
        ends = time.time() + 4
        ada = await Client.open(browser, broker.page, "ada", "chat:tokens", more="""
            token: async () => (globalThis.asked = (globalThis.asked ?? 0) + 1) === 1 ? %s : %s""" % (
                call(sub="ada", lives=4), call(sub="ada")))
        await ada.ready()
        equal(await ada.run("client.user"), "ada")
        await ada.until("Date.now() > %d" % ((ends + 2) * 1000))
        equal((await ada.run("channel.toggle('m1', '👍')"))["result"], "added")
        equal(await ada.run("asked"), 2)
        equal(await ada.run("states"), ["connected"])
        await ada.page.close()
    with Check("a token that ran out is asked for anew before the next attempt"):
        ada = await Client.open(browser, broker.page, "ada", "chat:tokens", more="""
            token: () => (globalThis.asked = (globalThis.asked ?? 0) + 1) === 1 ? %s : %s""" % (
                call(sub="ada", lives=-60), call(sub="ada")))
        await ada.ready()
        equal(await ada.run("asked"), 2)
        await ada.page.close()
    with Check("a token that cannot be renewed is the end"):
        ada = await Client.open(browser, broker.page, "ada", "chat:tokens", more="token: %s" % call(sub="ada", lives=-60))
        await ada.until("client.state === 'closed'")
        equal(await ada.run("client.error.code"), "unauthorized")
        equal(await ada.run("channel.ready.catch(({ code }) => code)"), "unauthorized")
        equal(await ada.run("channel.add('m1', '👍').catch(({ code }) => code)"), "closed")
        await ada.page.close()
    with Check("a token is carried by HTTP as well"):
        async with blocking_proxy(broker.address) as proxy:
            ada = await Client.open(browser, "http://%s/healthz" % proxy, "ada", "chat:tokens", more="token: () => %s" % call(sub="eve"))
            await ada.ready()
            equal((await ada.run("channel.toggle('m2', '👍')"))["own"], ["👍"])
            equal(await ada.run("client.user"), "eve")
            await ada.page.close()
    with Check("a channel that the token does not allow is refused, and the others go on"):
        ada = await Client.open(browser, broker.page, "ada", "chat:tokens", more="token: %s" % call("chat:tokens", sub="ada"))
        await ada.ready()
        equal(await ada.run("client.channel('chat:other').ready.catch(({ code }) => code)"), "forbidden")
        equal(await ada.run("client.channel('chat:other').add('m1', '👍').catch(({ code }) => code)"), "forbidden")
        equal(await ada.run("client.state"), "connected")
        await ada.page.close()


async def reload(browser, broker):
    ada = await Client.open(browser, broker.page, "ada", "chat:reload", more="storage: sessionStorage")
    bob = await Client.open(browser, broker.page, "bob", "chat:reload")
    await ada.ready()
    await bob.ready()
    with Check("with a storage, changes without an answer outlive the page"):
        equal(await ada.run("channel.add('m1', 'no emoji').catch(({ code }) => code)"), "invalid_reaction")
        await broker.kill()
        await ada.until("client.state !== 'connected'")
        await ada.run("void channel.toggle('m1', '👍')")
        await broker.start()
        await ada.page.go(broker.page)
        await ada.start("ada", "chat:reload", more="storage: sessionStorage")
        await bob.shows("m1", "👍1")
        await ada.shows("m1", "👍1! no emoji0failed")
        await ada.run("channel.discard('m1', 'no emoji')")
        equal(await ada.run("sessionStorage.length"), 0)
    for client in [ada, bob]:
        await client.page.close()


async def crash(client):
    """Ends the process of a page; the call itself has no answer then."""
    call = asyncio.ensure_future(client.page.call("Page.crash"))
    await asyncio.wait([call], timeout=5)
    call.cancel()


async def blocked(browser, broker):
    async with blocking_proxy(broker.address) as proxy:
        address = "http://%s/healthz" % proxy
        ada = await Client.open(browser, address, "ada", "chat:blocked")
        bob = await Client.open(browser, broker.page, "bob", "chat:blocked")
        with Check("where WebSockets are blocked it goes over Server-Sent Events and HTTP"):
            await ada.ready()
            await bob.ready()
            equal((await ada.run("channel.toggle('m1', '👍')"))["result"], "added")
            await bob.shows("m1", "👍1")
            await bob.run("channel.toggle('m1', '👍').then(() => true)")
            await ada.shows("m1", "👍2!")
            equal((await ada.run("channel.set('m1', ['🎉'])"))["own"], ["🎉"])
            await bob.shows("m1", "👍1! 🎉1")
            equal((await ada.run("channel.remove('m1', '🎉')"))["result"], "removed")
            equal(len((await ada.run("channel.reactors('m1')"))["reactors"]), 1)
            equal(await ada.run("channel.add('m1', 'x').catch(({ code }) => code)"), "invalid_reaction")
            await ada.run("channel.discard('m1', 'x')")
        with Check("without WebSockets the watched messages can change"):
            await ada.run("(channel.watch('m1'), channel.watch('m2'), true)")
            await bob.run("channel.add('m2', '👍').then(() => true)")
            await ada.shows("m2", "👍1")
        with Check("without WebSockets too nothing is missed when the broker is killed"):
            await broker.kill()
            await ada.until("client.state !== 'connected'")
            await ada.run("(globalThis.late = channel.add('m2', '👍').then(({ result }) => result), true)")
            await broker.start()
            await bob.shows("m2", "👍2!")
            equal(await ada.run("late"), "added")
            await ada.shows("m2", "👍2!")
        with Check("nothing is thrown"):
            equal([error for error in thrown(ada) if "WebSocket connection" not in error], [])
        for client in [ada, bob]:
            await client.page.close()


async def offline(browser, broker):
    ada = await Client.open(browser, broker.page, "ada", "chat:offline", more="share: false")
    bob = await Client.open(browser, broker.page, "bob", "chat:offline")
    await ada.ready()
    await bob.ready()
    await ada.run("channel.add('m1', '🎉').then(() => true)")
    with Check("offline: changes are kept, the last of each, and sent when the network is back"):
        await ada.page.call("Network.enable")
        conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        await ada.page.call("Network.emulateNetworkConditions", offline=True, **conditions)
        # What the browser emulates leaves a WebSocket alone that is there already.
        await broker.kill()
        await ada.until("client.state === 'offline'")
        await broker.start()
        await ada.run("""(globalThis.done = Promise.all(["👍", "👍", "👍", "🎉", "🎉", "🎉"].map(
            (reaction) => channel.toggle("m1", reaction))).then((acks) => acks.map(({ result }) => result)), true)""")
        equal(await ada.run("shown('m1')"), "👍1!sending")
        await ada.page.call("Network.emulateNetworkConditions", offline=False, **conditions)
        equal(await ada.run("done"), ["added", "added", "added", "removed", "removed", "removed"])
        await bob.shows("m1", "👍1")
        await bob.until("channel.seq === 3")
    for client in [ada, bob]:
        await client.page.close()


PARTS = [two_pages, killed, failed, tabs, stopped_leader, blocked, offline, scrolling, reload]


async def scenario(binary, folder):
    secret = ["--token-secret", SECRET]
    async with Browser() as browser:
        async with Broker(binary, folder + "/dev", *secret) as broker:
            for part in PARTS:
                await part(browser, broker)
        async with Broker(binary, folder + "/tokens", *secret, development=False) as broker:
            await tokens(browser, broker)


main(scenario)
