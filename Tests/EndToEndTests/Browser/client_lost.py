"""The browser client where something goes: the broker, the connection, the network, WebSockets, the page, the tab that leads.
Words: FANFARE FOLDER"""

import asyncio
import json
import pathlib

from broker import Broker, Cable, blocking_proxy
from checks import Check, equal, main
from client_page import Client, thrown
from devtools import Browser

MESSAGES = 40
KEY = "a-server-key-of-more-than-16-bytes"


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


async def ended(browser, broker):
    ada = await Client.open(browser, broker.page, "ada", "chat:ended")
    await ada.ready()
    with Check("a broker that ends in order says goodbye, and is found again"):
        await ada.run("channel.add('m1', '👍').then(() => true)")
        broker.process.terminate()
        await ada.until("client.state === 'waiting'")
        await broker.process.wait()
        await broker.start()
        await ada.run("channel.add('m1', '🎉').then(() => true)")
        await ada.shows("m1", "👍1! 🎉1!")
    with Check("who is sent away for good is closed, and does not come back"):
        await asyncio.to_thread(broker.post, "/v1/users/ada/revoke?user=mod", KEY)
        await ada.until("client.state === 'closed'")
        equal(await ada.run("client.error.code"), "forbidden")
        await broker.connections(0)
    await ada.page.close()


async def resumed(browser, broker):
    async with Cable(broker.address) as cable:
        ada = await Client.open(browser, "http://%s/healthz" % cable.address, "ada", "chat:resumed")
        bob = await Client.open(browser, broker.page, "bob", "chat:resumed")
        await ada.ready()
        await bob.ready()
        with Check("a connection that was cut resumes: what was missed is told, and nothing else"):
            await bob.run("channel.add('m1', '👍').then(() => true)")
            await ada.shows("m1", "👍1")
            await ada.run("(globalThis.changes = [], channel.addEventListener('change', ({ detail }) => changes.push(detail.message)), true)")
            await ada.run("(globalThis.before = channel.view('m1'), true)")
            cable.cut()
            await ada.until("client.state === 'waiting' || client.state === 'connecting'")
            await bob.run("channel.add('m2', '👍').then(() => channel.add('m2', '🎉')).then(() => true)")
            cable.mend()
            await ada.shows("m2", "👍1 🎉1")
            equal(await ada.run("changes"), ["m2", "m2"])
            equal(await ada.run("channel.view('m1') === before"), True)
        with Check("what is asked meanwhile is answered when the connection is back"):
            cable.cut()
            await ada.until("client.state !== 'connected'")
            await ada.run("(globalThis.reply = channel.reactors('m2', { reaction: '🎉' }), true)")
            cable.mend()
            equal((await ada.run("reply"))["total"], 1)
        for client in [ada, bob]:
            await client.page.close()


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
        with Check("without WebSockets the newest of many watched messages are told of: an address is not as long as one likes"):
            name = "(i) => `0b5a1a44-7f4e-4f0e-9a3f-${String(i).padStart(12, '0')}`"
            await ada.run("(globalThis.names = Array.from({ length: 700 }, (_, i) => (%s)(i)), names.forEach(one => channel.watch(one)), true)" % name)
            await bob.run("channel.add((%s)(699), '👍').then(() => true)" % name)
            await ada.until("channel.view(names[699]).total === 1")
            equal(await ada.run("client.state + ' ' + (channel.error ?? '')"), "connected ")
            await ada.run("(names.forEach(one => channel.unwatch(one)), true)")
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


async def tabs(browser, broker):
    context = await browser.context()
    with Check("several tabs of a user share one connection"):
        await broker.connections(0)
        first, second, third = [
            await Client.open(browser, broker.page, "ada", "chat:tabs", context=context) for _ in range(3)]
        for tab in [first, second, third]:
            await tab.ready()
        await broker.connections(1)
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
    with Check("a channel is ready once in each tab, whatever others ask of it"):
        tell = "channel.addEventListener('ready', () => (globalThis.readies = (globalThis.readies ?? 0) + 1))"
        for tab in [first, second, third]:
            await tab.run("void " + tell)
        fourth = await Client.open(browser, broker.page, "ada", "chat:tabs", options="{ mode: 'summary', messages: ['m1'] }", context=context)
        await fourth.ready()
        await fourth.run("channel.add('m8', '👍').then(() => true)")
        await first.until("channel.view('m8').total === 1")
        for tab in [first, second, third]:
            equal(await tab.run("globalThis.readies ?? 0"), 0)
        await fourth.run("channel.remove('m8', '👍').then(() => true)")
        await fourth.page.close()
    with Check("the leader's end hands over, and what is on its way survives"):
        await second.run("(globalThis.acks = 0, void Array.from({ length: 20 }, (_, i) => channel.toggle(`n${i}`, '👍').then(() => acks += 1)))")
        await first.page.close()
        await second.run("(void channel.toggle('late', '👍').then(() => acks += 1))")
        await second.until("acks === 21")
        await third.until("channel.view('late').total === 1 && channel.view('n19').total === 1")
        await third.until("channel.seq === 25")
        await broker.connections(1)
    with Check("a leader that crashes hands over as well"):
        await crash(second)
        await third.run("channel.toggle('m9', '👍').then(() => true)")
        await third.until("channel.seq === 26")
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
        await broker.connections(2)
    for client in [third, fourth, other]:
        await client.page.close()


async def alone(browser, broker):
    for what, denial in [
            ("Web Locks", "navigator.locks.request = () => Promise.reject(new DOMException('denied', 'SecurityError'))"),
            ("channels between tabs", "window.BroadcastChannel = class { constructor() { throw new DOMException('denied', 'SecurityError') } }"),
            ("storage", "window.refused = { getItem() { throw 1 }, setItem() { throw 1 }, removeItem() { throw 1 } }")]:
        with Check("a page that a browser denies %s reacts nevertheless" % what):
            page = await browser.page(broker.page)
            await page.run("void (%s)" % denial)
            ada = Client(page)
            await ada.start("ada", "chat:alone", more="storage: window.refused")
            await ada.ready()
            equal((await ada.run("channel.toggle('m1', '👍')"))["type"], "ack")
            equal(thrown(ada), [])
            await page.close()


async def crash(client):
    """Ends the process of a page; the call itself has no answer then."""
    call = asyncio.ensure_future(client.page.call("Page.crash"))
    await asyncio.wait([call], timeout=5)
    call.cancel()


async def stopped_leader(browser, broker):
    context = await browser.context()
    first, second = [await Client.open(browser, broker.page, "ada", "chat:stopped", context=context) for _ in range(2)]
    for tab in [first, second]:
        await tab.ready()
    bob = await Client.open(browser, broker.page, "bob", "chat:stopped")
    await bob.ready()
    with Check("a leader that the browser stops gives the lead away, also to a tab that only looks on"):
        # A page with the focus is not stopped.
        await first.page.call("Emulation.setFocusEmulationEnabled", enabled=False)
        await first.run("(globalThis.beats = 0, setInterval(() => beats += 1, 10), true)")
        await first.page.call("Page.setWebLifecycleState", state="frozen")
        await bob.run("channel.toggle('m1', '👍').then(() => true)")
        await second.shows("m1", "👍1")
        beats = await first.run("beats")
        equal((await second.run("channel.toggle('m1', '👍')"))["result"], "added")
        equal(await first.run("beats"), beats, "the timers of the page that is stopped")
    with Check("when it goes on it follows, and has missed nothing"):
        await first.page.call("Page.setWebLifecycleState", state="active")
        await first.shows("m1", "👍2!")
        equal((await first.run("channel.toggle('m1', '👍')"))["result"], "removed")
        await second.shows("m1", "👍1")
        await second.until("channel.seq === 3")
        await broker.connections(2)
    with Check("a leader that hangs loses the lead to a tab that only looks on"):
        await second.page.call("Debugger.enable")
        paused = second.page.event("Debugger.paused")
        spinning = asyncio.ensure_future(second.run("(() => { debugger })()"))
        await asyncio.wait_for(paused, 100)
        await bob.run("channel.toggle('m1', '👍').then(() => true)")
        await first.shows("m1", "")
        await second.page.call("Debugger.resume")
        await spinning
        await second.shows("m1", "")
    for client in [first, second, bob]:
        await client.page.close()


async def scenario(binary, folder):
    settings = pathlib.Path(folder) / "settings.json"
    settings.write_text(json.dumps({"server_keys": [KEY]}))
    async with Browser() as browser, Broker(binary, folder, "--config", str(settings)) as broker:
        for part in [killed, ended, resumed, blocked, offline, reload, tabs, alone, stopped_leader]:
            await part(browser, broker)


main(scenario)
