"""Headless Chromium, driven over its DevTools protocol: the connection, the browser process, and its pages.

`page.py` has what a person does on a page and what can be seen there.
"""

import asyncio
import base64
import json
import mimetypes
import os
import pathlib
import re
import tempfile
import urllib.parse

import websockets

from page import Page

# How long anything may take on a busy machine before it counts as missing.
PATIENCE = 100

HERE = pathlib.Path(__file__).parent

# Where the screenshots go: a result of the build.
SCREENSHOTS = pathlib.Path(os.environ.get("FANFARE_SCREENSHOTS", HERE.parents[2] / ".build/screenshots"))

# A folder in place of the files that are part of the broker, to work on them without building: Sources/Web.
WEB = os.environ.get("FANFARE_WEB_DIR")

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--mute-audio",
    "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
    "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows", "--lang=en-US",
    "--force-color-profile=srgb", "--disable-features=LocalNetworkAccessChecks", "--remote-debugging-port=0",
]


class Connection:
    """One DevTools connection, for all pages: calls with their answers, and events by session."""

    def __init__(self, socket):
        self.socket = socket
        self.answers = {}
        self.listeners = {}  # session -> function(method, params)
        self.last_id = 0
        self.reader = asyncio.create_task(self.read())

    async def read(self):
        try:
            async for text in self.socket:
                message = json.loads(text)
                if "id" in message:
                    answer = self.answers.pop(message["id"], None)
                    if answer and not answer.done():
                        answer.set_result(message)
                elif message.get("sessionId") in self.listeners:
                    self.listeners[message["sessionId"]](message["method"], message["params"])
        except websockets.ConnectionClosed:
            pass

    async def call(self, method, session=None, **params):
        self.last_id += 1
        call = {"id": self.last_id, "method": method, "params": params}
        if session:
            call["sessionId"] = session
        answer = self.answers[self.last_id] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps(call))
        message = await asyncio.wait_for(answer, PATIENCE)
        assert "result" in message, "%s: %s" % (method, message)
        return message["result"]


class Browser:
    """`async with Browser() as browser:` one Chromium with a profile of its own."""

    async def __aenter__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = await asyncio.create_subprocess_exec(
            "/usr/bin/chromium", *FLAGS, "--user-data-dir=" + self.profile.name, "about:blank",
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE)
        try:
            address = await self.devtools_address()
            self.draining = asyncio.create_task(self.drain())
            self.socket = await websockets.connect(address, max_size=None, max_queue=None, ping_interval=None)
            self.connection = Connection(self.socket)
        except BaseException:
            await self.end()
            raise
        return self

    async def __aexit__(self, *_):
        try:
            await self.connection.call("Browser.close")
            await asyncio.wait_for(self.process.wait(), PATIENCE)
        finally:
            await self.end()

    async def end(self):
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()
        self.profile.cleanup()

    async def devtools_address(self):
        while True:
            line = await asyncio.wait_for(self.process.stderr.readline(), PATIENCE)
            assert line, "Chromium ended before it listened"
            found = re.search(rb"DevTools listening on (ws://\S+)", line)
            if found:
                return found[1].decode()

    async def drain(self):
        while await self.process.stderr.read(65536):
            pass

    async def page(self, url=None, context=None, **shape):
        """A page in a window of its own, so that it is visible beside the others; `shape` as in `Page.shape`.

        Pages of one `context` (see `context()`) share cookies, storage and channels between tabs.
        """
        words = {"browserContextId": context} if context else {}
        target = (await self.connection.call(
            "Target.createTarget", url="about:blank", newWindow=True, **words))["targetId"]
        session = (await self.connection.call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        page = Page(self.connection, session, target, SCREENSHOTS)
        self.connection.listeners[session] = lambda method, params: self.heard(page, method, params)
        for domain in ["Page", "Runtime", "Log", "Accessibility"]:
            await page.call(domain + ".enable")
        patterns = ["*/test/*"] + (["*/kit/*", "*/dashboard*", "*://*/", "*://*/\\?*"] if WEB else [])
        await page.call("Fetch.enable", patterns=[{"urlPattern": pattern} for pattern in patterns])
        await page.call("Emulation.setFocusEmulationEnabled", enabled=True)
        await page.shape(**shape)
        if url:
            await page.go(url)
        return page

    async def context(self):
        """A profile apart, as of another person at another computer."""
        return (await self.connection.call("Target.createBrowserContext"))["browserContextId"]

    def heard(self, page, method, params):
        page.hear(method, params)
        if method == "Fetch.requestPaused":
            asyncio.ensure_future(self.fulfil(page, params["requestId"], params["request"]["url"]))

    async def fulfil(self, page, request, url):
        """Answers from the folder Pages/ what is below /test/, and from FANFARE_WEB_DIR what is part of the broker."""
        path = urllib.parse.unquote(urllib.parse.urlsplit(url).path)
        named = {"/": "index.html", "/dashboard": "dashboard/dashboard.html"}.get(path, path[1:])
        file = HERE / "Pages" / path[6:] if path.startswith("/test/") else pathlib.Path(WEB) / named
        found = file.is_file()
        type = mimetypes.guess_type(file.name)[0] or "text/plain"
        await page.call(
            "Fetch.fulfillRequest", requestId=request, responseCode=200 if found else 404,
            responseHeaders=[{"name": "Content-Type", "value": type + "; charset=utf-8"},
                             {"name": "Access-Control-Allow-Origin", "value": "*"}],
            body=base64.b64encode(file.read_bytes() if found else b"").decode())


def http(url):
    """The address of the broker's pages, from that of its WebSocket."""
    return re.sub(r"/v1/ws$", "", re.sub("^ws", "http", url))
