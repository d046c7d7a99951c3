"""The scenario in headless Chromium, with the browser's own WebSocket; driven over its DevTools. Words: URL"""

import asyncio
import json
import pathlib
import re
import tempfile

import websockets

from checks import Check, main, report

START = 60


class DevTools:
    def __init__(self, socket):
        self.socket = socket
        self.last_id = 0

    async def call(self, method, session=None, **params):
        self.last_id += 1
        call = {"id": self.last_id, "method": method, "params": params}
        if session:
            call["sessionId"] = session
        await self.socket.send(json.dumps(call))
        while True:
            answer = json.loads(await asyncio.wait_for(self.socket.recv(), START))
            if answer.get("id") == self.last_id:
                assert "result" in answer, answer
                return answer["result"]


async def devtools_address(browser):
    while True:
        line = await asyncio.wait_for(browser.stderr.readline(), START)
        assert line, "Chromium ended before it listened"
        found = re.search(rb"DevTools listening on (ws://\S+)", line)
        if found:
            return found[1].decode()


async def drain(stream):
    while await stream.read(65536):
        pass


async def scenario(url):
    script = (pathlib.Path(__file__).parent / "scenario.js").read_text()
    with tempfile.TemporaryDirectory() as profile:
        browser = await asyncio.create_subprocess_exec(
            "/usr/bin/chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
            "--remote-debugging-port=0", "--user-data-dir=" + profile, "about:blank",
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE)
        try:
            address = await devtools_address(browser)
            draining = asyncio.create_task(drain(browser.stderr))
            async with websockets.connect(address, max_size=None, ping_interval=None) as socket:
                tools = DevTools(socket)
                target = (await tools.call("Target.createTarget", url="about:blank"))["targetId"]
                session = (await tools.call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
                with Check("the scenario in Chromium"):
                    result = await tools.call(
                        "Runtime.evaluate", session,
                        expression="%s\nscenario(WebSocket, %s, 'chat:e2e-chromium')" % (script, json.dumps(url)),
                        awaitPromise=True, returnByValue=True)
                    assert "exceptionDetails" not in result, result["exceptionDetails"]["exception"]["description"]
                    for name in result["result"]["value"]:
                        report(name)
                await tools.call("Browser.close")
            await asyncio.wait_for(browser.wait(), START)
            await draining
        finally:
            if browser.returncode is None:
                browser.kill()
                await browser.wait()


main(scenario)
