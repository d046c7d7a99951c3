"""The dashboard, with a broker of its own for users with tokens and one in development mode. Words: FANFARE FOLDER"""

import asyncio
import json
import pathlib
import socket
import struct
import time
import urllib.request

import jwt

from broker import Broker
from checks import Check, Client, equal, main, matches
from devtools import Browser
from page import CONTRAST

SECRET = "a token secret of more than thirty-two bytes"
KEY = "a-server-key-of-more-than-16-bytes"
SETTINGS = {
    "tokens": {"hs256_secret": SECRET}, "server_keys": [KEY],
    "limits": {"outbound_bytes": 65536, "stall_ms": 600000, "heartbeat_ms": 300000}, "namespaces": {"chat": {"rate": None}}}

ROWS = "[...find('#%s').tBodies[0].rows].map(row => row.cells[0].textContent)"
SHAPES = {"wide": {"width": 1240, "height": 900}, "phone": {"width": 360, "height": 740, "scale": 2, "touch": True}}


def token(user):
    return jwt.encode({"sub": user, "exp": int(time.time()) + 3600}, SECRET, "HS256")


async def client(broker, user):
    return await Client.connect(broker.url + "?token=" + token(user))


def deaf(broker, user, channel):
    """A connection with little room that follows a channel and never reads what it is told."""
    host, port = broker.address.split(":")
    peer = socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    peer.connect((host, int(port)))
    peer.sendall(("GET /v1/ws?token=%s HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" % token(user)).encode())
    text = json.dumps({"type": "subscribe", "channel": channel}).encode()
    peer.sendall(b"\x81" + bytes([0x80 | len(text)]) + b"\0\0\0\0" + text)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return peer


def status(broker):
    request = urllib.request.Request("http://%s/v1/status" % broker.address, headers={"Authorization": "Bearer " + KEY})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def errors(page):
    """What went wrong, but for the refusals that were meant."""
    return [error for error in page.errors if "status of 401" not in error and "status of 403" not in error]


async def reacting(broker, stop):
    """Someone who reacts until told to stop, much in one channel and little in another."""
    async with await client(broker, "ada") as ada:
        matches(await ada.request("subscribe", channel="chat:42"), type="subscribed")
        while not stop.is_set():
            for count in range(6):
                await ada.send(type="toggle", channel="chat:42", message="m%d" % (count % 2), reaction="👍")
            matches(await ada.request("toggle", channel="chat:quiet", message="n", reaction="🎉"), type="ack")
            await asyncio.sleep(0.1)


async def entering(page, base):
    with Check("without a key nothing is shown, and the field for it has the focus"):
        await page.until("!find('#entrance').hidden && document.activeElement.id === 'key'")
        equal(await page.run("find('#board').hidden"), True, "whether the board is hidden")
        equal(len(await page.accessible(role="heading", name="Server key")), 1, "headings")
        await page.screenshot("dashboard-key")
    with Check("a wrong key is refused in words, and not kept"):
        await page.type("a-wrong-key")
        await page.key("Enter")
        await page.until("find('#refusal').textContent === 'The broker does not know this key.'")
        equal(await page.run("sessionStorage.getItem('fanfare.key')"), None, "the key that is kept")
        await page.until("document.activeElement.id === 'key' && find('#key').value === ''")
    with Check("the right one opens it, by the keyboard alone, and is kept for this tab"):
        await page.type(KEY)
        await page.key("Enter")
        await page.until("!find('#board').hidden")
        equal(await page.run("sessionStorage.getItem('fanfare.key')"), KEY, "the key that is kept")
        equal(await page.run("localStorage.length"), 0, "what is kept for longer")
        await page.go(base)
        await page.until("!find('#board').hidden")
        assert KEY not in await page.run("location.href + document.documentElement.outerHTML"), "the key is on the page"


async def figures(page):
    with Check("it tells the state, and figures that move"):
        await page.until("find('#state').textContent.startsWith('serving · version')")
        text = "[...document.querySelectorAll('#tiles div')].map(one => one.textContent)"
        await page.until("%s.some(one => /^connections[1-9]/.test(one))" % text)
        for name in ["subscriptions", "requests", "sent", "waiting to be sent", "storesqlite", "commit", "processor", "memory", "descriptors"]:
            await page.until("%s.some(one => one.startsWith(%s))" % (text, json.dumps(name)))
        await page.until("[...document.querySelectorAll('figure path:not(.area)')].every(one => one.getAttribute('d').includes('L'))")
        labels = [one["name"] for one in await page.accessible(role="image")]
        equal([label.split(",")[0] for label in labels],
              ["Changes a second", "Deliveries a second", "Ack", "Delivery", "Connections", "Event loops busy"], "charts")
        assert all("at most" in label for label in labels), labels
    with Check("the busiest channel is on top, with its busiest messages, and those that read slowly"):
        await page.until(ROWS % "channels" + "[0] === 'chat:42'")
        await page.until(ROWS % "messages" + ".slice(0, 2).sort().join() === 'm0,m1'")
        await page.until(ROWS % "readers" + ".some(one => one.includes('slow'))", 100)
    with Check("the value under the pointer is told"):
        box = await page.box("figure .plot")
        await page.mouse("mouseMoved", {"x": box["right"] - 3, "y": box["top"] + 20})
        await page.until("!find('figure .at').hidden")
        await page.mouse("mouseMoved", {"x": 2, "y": 2})
        await page.until("find('figure .at').hidden")


async def actions(page, broker):
    with Check("a channel is followed from its row, each change in a line, until one stops it"):
        await page.click("#channels tbody button")
        await page.until("find('#tail-state').textContent === 'following chat:42'")
        await page.until("[...find('#tail').children].some(one => / added 👍 on m[01] by ada /.test(one.textContent))")
        await page.until("[...find('#tail').children].some(one => / removed 👍 /.test(one.textContent))")
        equal(await page.run("find('#channel').value"), "chat:42", "the field")
        await page.click("#follow-button")
        await page.until("find('#tail-state').textContent === 'stopped'")
        await page.run("void (find('#channel').value = 'nowhere:1')")
        await page.click("#follow-button")
        await page.until("find('#tail-state').textContent.includes('namespace') && find('#tail-state').classList.contains('bad')")
        await page.click("#follow-button")
    with Check("a user is kicked when one is sure, by the keyboard alone"):
        async with await client(broker, "mallory") as mallory:
            await page.run("find('#user').focus()")
            await page.type("mallory")
            await page.key("Enter")
            await page.until("find('#sure').open")
            equal(len(await page.accessible(role="dialog", name="Kick mallory?")), 1, "dialogs")
            equal((await page.focused())["text"], "Cancel", "focus")
            await page.key("Enter")
            await page.until("!find('#sure').open && document.activeElement.id === 'user'")
            await mallory.ping()
            await page.key("Enter")
            await page.until("find('#sure').open")
            await page.key("Tab")
            equal((await page.focused())["text"], "Kick", "focus")
            await page.key("Enter")
            equal(await mallory.closed(), 4003, "close code")
            await page.until("find('#kick-state').textContent === 'mallory is out'")
    with Check("the settings in force are there, without secrets, and can be searched"):
        await page.run("find('#settings summary').focus()")
        await page.key("Enter")
        await page.until("find('#rows').tBodies[0].rows.length > 40")
        text = await page.run("find('#rows').textContent")
        assert SECRET not in text and KEY not in text and "•••" in text, "a secret"
        await page.run("find('#filter').focus()")
        await page.type("outbound")
        await page.until("find('#settings-state').textContent === '1 setting'")
        row = await page.run("[...find('#rows').tBodies[0].rows].filter(row => !row.hidden)[0].textContent")
        assert row.startswith("limits.outbound_bytes65536") and "settings.json:" in row, row


async def keyboard(page):
    with Check("all that can be pressed is reached by Tab, in the order in which it stands, and shows the focus"):
        await page.run("find('#pause').focus()")
        seen = ["pause"]
        for _ in range(60):
            await page.key("Tab")
            at = await page.run("document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.localName")
            if at in ("body", "pause"):
                break
            seen.append(at)
        wanted = ["pause", "forget", "Follow chat:42", "channel", "follow-button", "user", "kick-button", "summary", "filter", "Settings"]
        equal([one for one in seen if one in wanted], wanted, "order")
        await page.run("find('#pause').focus()")
        await page.key("Tab")
        equal(await page.style("#forget", "outline-style", "outline-width"), ["solid", "3px"], "outline")
    with Check("a row's button keeps the focus while figures move"):
        await page.run("find('#channels tbody button').focus()")
        first = await page.run("find('#state').textContent")
        await page.until("find('#state').textContent !== %s" % json.dumps(first))
        equal(await page.run("document.activeElement.getAttribute('aria-label')?.startsWith('Follow')"), True, "focus")
    with Check("it can be paused, and goes on"):
        await page.run("find('#pause').focus()")
        await page.key(" ")
        equal(len(await page.accessible(role="button", name="Pause", pressed="true")), 1, "pressed buttons")
        await page.key(" ")
        equal(len(await page.accessible(role="button", name="Pause", pressed="false")), 1, "buttons")


async def looks(page):
    for shape, size in SHAPES.items():
        for scheme in ["light", "dark"]:
            with Check("it fits and can be read: %s, %s" % (shape, scheme)):
                await page.media(scheme=scheme)
                await page.shape(**size)
                await page.run("scrollTo(0, 0)")
                equal(await page.run("document.documentElement.scrollWidth"), size["width"], "width")
                await page.screenshot("dashboard-%s-%s" % (shape, scheme))
                for path in ["#state", "#tiles dt", "#tiles dd", "#tiles small", "#channels th", "#channels td", "figure .key",
                             "figure .most", "#follow-button", "#kick-button", "#pause", "#channel", ".faint:not([hidden])"]:
                    contrast = await page.run(CONTRAST % path)
                    assert contrast >= 4.5, "%s has a contrast of %.2f" % (path, contrast)
                for place in ["#places", "#follow", "#settings"]:
                    await page.run("find('%s').scrollIntoView()" % place)
                    await page.screenshot("dashboard-%s-%s-%s" % (shape, scheme, place[1:]))
    await page.shape(**SHAPES["wide"])
    with Check("with reduced motion nothing moves"):
        await page.media(motion="reduce")
        equal(await page.style("#pause", "transition-duration"), "0s", "transition")
        equal(await page.run("document.getAnimations().length"), 0, "animations")
        await page.media()


async def comeback(page, broker):
    with Check("a broker that is gone is told, and one that comes back is shown again"):
        await broker.kill()
        await page.until("find('#state').className === 'bad' && find('#state').textContent.startsWith('no answer')")
        assert await page.run("!find('#board').hidden"), "the last figures are gone"
        await broker.start()
        await page.until("find('#state').textContent.startsWith('serving')")
    with Check("a forgotten key closes it"):
        await page.click("#forget")
        await page.until("!find('#entrance').hidden && find('#board').hidden && find('#buttons').hidden")
        equal(await page.run("sessionStorage.length"), 0, "what is kept")


async def development(browser, fanfare, folder):
    async with Broker(fanfare, folder + "/dev") as broker:
        page = await browser.page("http://%s/dashboard" % broker.address)
        with Check("in development mode it is open without a key, and says that kicking needs one"):
            await page.until("!find('#board').hidden && find('#state').textContent.endsWith('development mode')")
            equal(await page.run("[find('#forget').hidden, find('#kick-button').disabled]"), [True, True], "buttons")
            assert "server_keys" in await page.run("find('#kick-state').textContent")
            await page.run("void (find('#channel').value = 'chat:dev')")
            await page.click("#follow-button")
            await page.until("find('#tail').textContent.includes('begun at 0, policy distinct')")
            equal(errors(page), [], "errors")


async def dashboard(fanfare, folder):
    settings = pathlib.Path(folder) / "settings.json"
    settings.write_text(json.dumps(SETTINGS, indent=1))
    async with Browser() as browser, Broker(
            fanfare, folder + "/data", "--config", str(settings), development=False) as broker:
        base = "http://%s/dashboard" % broker.address
        page = await browser.page(base, **SHAPES["wide"])
        await entering(page, base)
        stop = asyncio.Event()
        work = asyncio.create_task(reacting(broker, stop))
        slow = deaf(broker, "slow", "chat:slow")
        async with await client(broker, "eve") as eve:
            while not (await asyncio.to_thread(status, broker))["slow_readers"]:
                for _ in range(200):
                    await eve.send(type="toggle", channel="chat:slow", message="m", reaction="👍", data={"text": "x" * 900})
                await eve.ping()
        await figures(page)
        await actions(page, broker)
        await keyboard(page)
        await looks(page)
        equal(errors(page), [], "errors")
        stop.set()
        await work
        slow.close()
        await comeback(page, broker)
        await development(browser, fanfare, folder)


main(dashboard)
