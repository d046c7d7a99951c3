"""The browser client on pages of headless Chromium, against a broker of its own. Words: FANFARE FOLDER"""

import asyncio
import json
import pathlib
import tempfile
import time

import websockets

from broker import Broker, blocking_proxy
from checks import PATIENCE, Check, equal, main
from client_page import Client, thrown
from devtools import Browser
from tokens import token

DOCUMENTATION = pathlib.Path(__file__).parents[3] / "Sources/Server/Documentation.docc/BrowserClient.md"
SECRET = "a secret that is long enough for a test of tokens"


async def file_page(browser, broker):
    with Check("the page of the documentation, from a file"):
        text = DOCUMENTATION.read_text().split("```html\n")[1].split("```")[0]
        assert "127.0.0.1:8080" in text, text
        with tempfile.NamedTemporaryFile("w", suffix=".html") as file:
            file.write(text.replace("127.0.0.1:8080", broker.address))
            file.flush()
            page = await browser.page("file://" + file.name)
            await page.until("find('button')?.textContent === '👍 0'")
            await page.click("button")
            await page.until("find('button').textContent === '👍 1 (mine)'")
            await page.close()


async def two_pages(browser, broker):
    ada = await Client.open(browser, broker.page, "ada")
    bob = await Client.open(browser, broker.page, "bob")
    await ada.ready()
    await bob.ready()
    with Check("two pages see each other's reactions"):
        equal(await ada.run("(channel.toggle('m1', '👍'), shown('m1'))"), "👍1!sending")
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


async def modes(browser, broker):
    ada = await Client.open(browser, broker.page, "ada", "chat:modes", "{ mode: 'summary', occupancy: true }")
    bob = await Client.open(browser, broker.page, "bob", "chat:modes")
    await ada.ready()
    await bob.ready()
    with Check("merged counts are shown like single changes"):
        await bob.run("Promise.all(Array.from({ length: 9 }, (_, i) => channel.toggle('m1', i % 2 ? '🎉' : '👍'))).then(() => true)")
        await ada.run("channel.add('m1', '👍').then(() => true)")
        equal(await ada.run("channel.view('m1').own"), ["👍"])
        await ada.shows("m1", "👍2!")
        await bob.shows("m1", "👍2!")
    with Check("how many are there is told"):
        await ada.run("(channel.addEventListener('occupancy', ({ detail }) => globalThis.there = detail.users), true)")
        eve = await Client.open(browser, broker.page, "eve", "chat:modes")
        await ada.until("globalThis.there === 3")
    with Check("bursts add up, and nothing is kept"):
        for client in [ada, bob]:
            await client.run("""(globalThis.live = client.channel("burst:live"), globalThis.sum = 0,
                live.addEventListener("burst", ({ detail }) => sum += detail.reactions["🎉"]), live.ready.then(() => true))""")
        await ada.run("Promise.all(Array.from({ length: 5 }, () => live.add('', '🎉'))).then(() => true)")
        for client in [ada, bob]:
            await client.until("sum === 5")
            equal(await client.run("live.view('').total"), 0)
    with Check("taps before the channel is ready are bursts as well, each of them"):
        await ada.run("(live.close(), globalThis.early = client.channel('burst:early'), true)")
        await bob.run("""(globalThis.early = client.channel("burst:early"), globalThis.sum = 0,
            early.addEventListener("burst", ({ detail }) => sum += detail.reactions["🎉"]), early.ready.then(() => true))""")
        taps = "Promise.all(['toggle', 'toggle', 'add', 'add'].map((op) => fresh[op]('m1', '🎉')))"
        answers = await ada.run("(early.close(), globalThis.fresh = client.channel('burst:early'), %s)" % taps)
        equal([answer["result"] for answer in answers], ["added"] * 4)
        await bob.until("sum === 4")
    with Check("claps are counted, also many at once"):
        for client in [ada, bob]:
            await client.run("(globalThis.clap = client.channel('clap:1'), clap.ready.then(() => true))")
        await ada.run("Promise.all(Array.from({ length: 20 }, () => clap.add('m1', '👏'))).then(() => true)")
        await bob.until("clap.view('m1').total === 20")
        equal(await ada.run("clap.view('m1').reactions[0].ownCount"), 20)
        await ada.run("clap.remove('m1', '👏', { count: 5 }).then(() => true)")
        await bob.until("clap.view('m1').total === 15")
        await ada.until("clap.view('m1').reactions[0].ownCount === 15")
    for client in [ada, bob, eve]:
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


async def data(browser, broker):
    ada = await Client.open(browser, broker.page, "ada", "chat:data")
    await ada.ready()
    with Check("data that cannot be sent is refused at once, and holds up nothing"):
        for wrong in ["{ n: 1n }", "(() => { const loop = {}; return Object.assign(loop, { loop }) })()"]:
            equal(await ada.run("(() => { try { return channel.add('m1', '👍', { data: %s }) } catch (error) { return error.name } })()" % wrong), "TypeError")
        equal(await ada.run("shown('m1')"), "")
        equal((await ada.run("channel.add('m1', '🎉')"))["result"], "added")
    with Check("data is as it was when it was given, whatever becomes of the object"):
        await ada.run("(globalThis.given = { at: 1 }, globalThis.answer = channel.add('m2', '🎉', { data: given }), given.at = 2, true)")
        equal((await ada.run("answer"))["result"], "added")
        equal((await ada.run("channel.reactors('m2')"))["reactors"][0]["data"], {"at": 1})
    equal(thrown(ada), [])
    await ada.page.close()


async def freeze(broker, channel, frozen):
    async with websockets.connect(broker.url + "?user=mod") as socket:
        await socket.send(json.dumps({"type": "freeze", "id": 1, "channel": channel, "frozen": frozen}))
        while "result" not in json.loads(await asyncio.wait_for(socket.recv(), PATIENCE)):
            pass


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
    with Check("of more messages than one request can name the newest are watched"):
        long = "'%s'" % ("long-" * 20)
        await ada.run("(Array.from({ length: 1200 }, (_, i) => channel.watch(%s + i)), true)" % long)
        await bob.run("channel.add(%s + 1199, '👍').then(() => true)" % long)
        await ada.until("shown(%s + 1199) === '👍1'" % long)
        await bob.run("channel.add(%s + 1199, '🎉').then(() => true)" % long)
        await ada.until("shown(%s + 1199) === '👍1 🎉1'" % long)
        equal(await ada.run("client.state + ' ' + (channel.error ?? '')"), "connected ")
        await ada.run("(Array.from({ length: 1200 }, (_, i) => channel.unwatch(%s + i)), true)" % long)
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
    with Check("a callback that fails or gives none is asked anew, at the start and for a renewal"):
        for fault in ["Promise.reject(new Error('503'))", "undefined"]:
            ada = await Client.open(browser, broker.page, "ada", "chat:tokens", more="""
                token: async () => [() => %s, () => %s, () => %s, () => %s][(globalThis.asked = (globalThis.asked ?? 0) + 1) - 1]()""" % (
                    fault, call(sub="ada", lives=4), fault, call(sub="ada")))
            await ada.ready()
            await ada.until("asked === 4 && client.state === 'connected'")
            equal((await ada.run("channel.toggle('m4', '👍')"))["type"], "ack")
            # A renewal that fails waits for the connection's end, which tells why it was not there.
            [warning] = set(ada.page.warnings)
            assert warning.startswith("fanfare: refused, and tried again: ") and warning.endswith(" (no_token)"), warning
            await ada.page.close()
    with Check("a callback that throws each time is told by the client's error, and once by the console"):
        ada = await Client.open(browser, broker.page, more="token: () => { throw new Error('signed out') }")
        await ada.until("states.filter(one => one === 'waiting').length >= 3")
        equal(await ada.run("client.error"), {"code": "no_token", "message": "signed out"})
        equal(ada.page.warnings, ["fanfare: refused, and tried again: signed out (no_token)"])
        await ada.page.close()
    with Check("a callback that hangs is asked anew, and white space around a token is none of it"):
        ada = await Client.open(browser, broker.page, "ada", "chat:tokens", more="""
            token: () => (globalThis.asked = (globalThis.asked ?? 0) + 1) === 1 ? new Promise(() => {}) : %s + "\\n" """ % (
                call(sub="ada")))
        await ada.ready()
        equal(await ada.run("asked"), 2)
        await ada.page.close()
    with Check("a tab that takes the lead long after it was opened asks for a token of now"):
        context = await browser.context()
        ends = time.time() + 3
        source = "token: () => (globalThis.asked = (globalThis.asked ?? 0) + 1) === 1 ? %s : %s" % (
            call(sub="ada", lives=3), call(sub="ada"))
        first, second = [
            await Client.open(browser, broker.page, "ada", "chat:tokens", context=context, more=source) for _ in range(2)]
        for tab in [first, second]:
            await tab.ready()
        await second.until("Date.now() > %d" % ((ends + 2) * 1000))
        equal(await second.run("asked"), 1)
        await second.run("(states.length = 0, true)")  # on a busy machine the first token may not have been renewed in time
        await first.page.close()
        equal((await second.run("channel.toggle('m3', '👍')"))["result"], "added")
        await second.until("asked === 2 && client.state === 'connected'")
        assert "waiting" not in await second.run("states"), await second.run("states")
        await second.page.close()
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


async def scenario(binary, folder):
    secret = ["--token-secret", SECRET]
    async with Browser() as browser:
        async with Broker(binary, folder + "/dev", *secret) as broker:
            for part in [file_page, two_pages, modes, failed, data, scrolling]:
                await part(browser, broker)
        async with Broker(binary, folder + "/tokens", *secret, development=False) as broker:
            await tokens(browser, broker)


main(scenario)
