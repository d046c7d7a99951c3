"""The browser client where the broker refuses who asks: its token, or the page's origin. Words: FANFARE FOLDER"""

import json
import os
import pathlib
import signal

from broker import Broker, blocking_proxy
from checks import Check, Client as Socket, equal, main
from client_page import Client, thrown
from devtools import Browser
from tokens import token

SECRET = "a secret that is long enough for a test of tokens"
RIGHTS = [{"pattern": "*", "can": ["subscribe", "react", "query"]}]


def good(rights=RIGHTS, **claims):
    return json.dumps(token(SECRET, sub="ada", channels=rights, **claims))


FORGED = json.dumps(token("another secret, of another broker", sub="ada", channels=RIGHTS))


async def words(broker, refused):
    """The broker's own words about a token, as another client hears them."""
    async with await Socket.connect(broker.url) as socket:
        reply = await socket.request("auth", token=json.loads(refused))
        equal(reply["code"], "unauthorized")
        return reply["message"]


async def tried_again(client, warning):
    """Waits until the client was refused more than once; it was never connected, and the console has one line of it."""
    await client.until("client.state === 'waiting' && client.error && states.filter(one => one === 'waiting').length >= 4")
    assert "connected" not in await client.run("states"), await client.run("states")
    equal([one for one in client.page.warnings if one.startswith("fanfare")], [warning])


async def tokens(browser, broker):
    async with blocking_proxy(broker.address) as proxy:
        for how, page in [("by WebSocket", broker.page), ("where WebSockets are blocked", "http://%s/healthz" % proxy)]:
            said = await words(broker, FORGED)
            with Check("a token of a callback that the broker refuses: it is told what was said, and asked for anew, " + how):
                ada = await Client.open(browser, page, more="token: () => globalThis.token ?? %s" % FORGED)
                await tried_again(ada, "fanfare: refused, and tried again: %s (unauthorized)" % said)
                equal(await ada.run("client.error"), {"code": "unauthorized", "message": said})
                await ada.run("(client.addEventListener('state', ({ detail }) => globalThis.last = detail), globalThis.token = %s, true)" % good())
                await ada.ready()
                equal(await ada.run("[client.state, client.error ?? null, last.error ?? null]"), ["connected", None, None])
                equal([error for error in thrown(ada) if "WebSocket connection" not in error], [])
            await ada.page.close()
            with Check("one that cannot be asked for anew is the end, with what the broker said, " + how):
                ada = await Client.open(browser, page, more="token: %s" % FORGED)
                await ada.until("client.state === 'closed'")
                equal(await ada.run("client.error"), {"code": "unauthorized", "message": said})
                equal(await ada.run("channel.ready.catch(({ message }) => message)"), said)
                equal(ada.page.warnings, ["fanfare: closed for good: %s (unauthorized)" % said])
                assert "connected" not in await ada.run("states"), await ada.run("states")
            await ada.page.close()
        with Check("a name alone, which this broker does not believe, is the end as well, and nothing was connected"):
            for page in [broker.page, "http://%s/healthz" % proxy]:
                ada = await Client.open(browser, page)
                await ada.until("client.state === 'closed'")
                equal(await ada.run("client.error.code"), "unauthorized")
                assert "connected" not in await ada.run("states"), await ada.run("states")
                await ada.page.close()


async def origins(browser, folder, binary):
    settings = pathlib.Path(folder) / "origins.json"
    settings.write_text(json.dumps({"tokens": {"hs256_secret": SECRET}, "namespaces": {"chat": {"policy": "distinct"}}, "origins": ["https://example.org"]}))
    async with Broker(binary, folder + "/origins", "--config", str(settings), development=False) as broker:
        async with blocking_proxy(broker.address) as proxy:
            page = "http://%s/healthz" % proxy
            with Check("a page of an origin that may not connect is told so, and is never connected"):
                ada = await Client.open(browser, page, more="token: %s, url: 'http://%s/'" % (good(), broker.address))
                said = "pages of http://%s may not connect; the broker's setting 'origins' says who may" % proxy
                await tried_again(ada, "fanfare: refused, and tried again: %s (forbidden)" % said)
                equal(await ada.run("client.error"), {"code": "forbidden", "message": said})
            with Check("once it may, it is connected"):
                settings.write_text(json.dumps({"tokens": {"hs256_secret": SECRET}, "namespaces": {"chat": {"policy": "distinct"}}, "origins": ["http://" + proxy]}))
                os.kill(broker.process.pid, signal.SIGHUP)
                await ada.ready()
                equal(await ada.run("[client.state, client.error ?? null]"), ["connected", None])
                equal((await ada.run("channel.toggle('m1', '👍')"))["result"], "added")
            await ada.page.close()


async def shared(browser, broker):
    context = await browser.context()

    async def tab(more):
        client = await Client.open(browser, broker.page, context=context, more=more)
        await client.ready()
        return client

    with Check("a name and a token of the same name share no connection, nor do tokens with other rights"):
        await broker.connections(0)
        fewer = [{"pattern": "chat:*", "can": ["subscribe"]}]
        tabs = [await tab(""), await tab("token: " + good()), await tab("token: " + good(fewer))]
        await broker.connections(3)
        equal(await tabs[2].run("channel.add('m1', '👍').catch(({ code }) => code)"), "forbidden")
        equal((await tabs[1].run("channel.add('m1', '👍')"))["result"], "added")
    with Check("tokens that differ in their times and names alone do"):
        tabs.append(await tab("token: () => " + good(lives=1800, iat=1, nbf=1, jti="another")))
        equal((await tabs[3].run("channel.add('m1', '👍')"))["result"], "unchanged")
        await broker.connections(3)
    for client in tabs:
        await client.page.close()
    with Check("where the token of the tab that leads is refused, the others go on with theirs"):
        context = await browser.context()
        leader, follower = [Client(await browser.page(broker.page, context=context)) for _ in range(2)]
        for client in [leader, follower]:
            await client.run("import('/kit/fanfare.js').then(() => true)")
        broker.process.terminate()
        await broker.process.wait()
        for client, its in [(leader, FORGED), (follower, good())]:
            await client.start(more="token: " + its)
            await client.until("client.state === 'waiting'")
        await broker.start()
        await leader.until("client.state === 'closed'")
        await follower.ready()
        equal((await follower.run("channel.toggle('m7', '👍')"))["result"], "added")
    for client in [leader, follower]:
        await client.page.close()


async def scenario(binary, folder):
    secret = ["--token-secret", SECRET]
    async with Browser() as browser:
        async with Broker(binary, folder + "/tokens", *secret, development=False) as broker:
            await tokens(browser, broker)
        await origins(browser, folder, binary)
        async with Broker(binary, folder + "/dev", *secret) as broker:
            await shared(browser, broker)


main(scenario)
