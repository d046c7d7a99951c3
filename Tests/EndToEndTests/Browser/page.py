"""A page of the browser: what a person does there, and what can be seen."""

import asyncio
import base64
import json
import time

# Finds an element: CSS selectors with " >>> " where one goes into the shadow root of what was found.
FIND = """(path) => path.split(" >>> ").reduce(
    (scope, selector) => scope && (scope.shadowRoot ?? scope).querySelector(selector), document)"""

# The contrast of an element's text with what it stands on, as WCAG 2 counts it.
CONTRAST = """((element) => {
    const light = color => color.match(/[\\d.]+/g).slice(0, 3).map(Number).map(one => one / 255)
        .map(one => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
        .reduce((sum, one, place) => sum + one * [0.2126, 0.7152, 0.0722][place], 0.05)
    let behind = element
    while (getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)' && behind.parentElement) behind = behind.parentElement
    const [high, low] = [light(getComputedStyle(element).color), light(getComputedStyle(behind).backgroundColor)].sort((a, b) => b - a)
    return high / low
})(find('%s'))"""

KEYS = {
    "Enter": (13, "\r"), "Tab": (9, ""), "Escape": (27, ""), " ": (32, " "), "Backspace": (8, ""),
    "ArrowLeft": (37, ""), "ArrowUp": (38, ""), "ArrowRight": (39, ""), "ArrowDown": (40, ""),
    "Home": (36, ""), "End": (35, ""), "F10": (121, ""), "ContextMenu": (93, ""),
}


class Page:
    def __init__(self, connection, session, target, screenshots):
        self.connection = connection
        self.session = session
        self.target = target
        self.screenshots = screenshots
        self.errors = []  # what was thrown and not caught, and what was logged as an error
        self.warnings = []  # what was logged as a warning by the page
        self.waiting = {}  # method -> futures

    async def call(self, method, **params):
        return await self.connection.call(method, self.session, **params)

    def hear(self, method, params):
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ["error", "warning"]:
            lines = self.errors if params["type"] == "error" else self.warnings
            lines.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))
        for future in self.waiting.pop(method, []):
            if not future.done():
                future.set_result(params)

    def event(self, method):
        """A future of the next such event; made before what causes it."""
        future = asyncio.get_running_loop().create_future()
        self.waiting.setdefault(method, []).append(future)
        return future

    async def close(self):
        await self.connection.call("Target.closeTarget", targetId=self.target)

    # What it looks like

    async def shape(self, width=900, height=700, scale=1, touch=False):
        """The viewport in CSS pixels. A zoom of 200 % is half the width at twice the scale."""
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=touch)
        await self.call("Emulation.setTouchEmulationEnabled", enabled=touch)

    async def media(self, scheme="light", motion="no-preference", **features):
        """Emulated media features, such as `prefers-reduced-motion`."""
        features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": motion, **features}
        await self.call(
            "Emulation.setEmulatedMedia", features=[{"name": n, "value": v} for n, v in features.items()])

    async def screenshot(self, name):
        image = await self.call("Page.captureScreenshot", format="png")
        self.screenshots.mkdir(parents=True, exist_ok=True)
        (self.screenshots / (name + ".png")).write_bytes(base64.b64decode(image["data"]))

    # What is in it

    async def go(self, url):
        loaded = self.event("Page.loadEventFired")
        result = await self.call("Page.navigate", url=url)
        assert "errorText" not in result, result
        await asyncio.wait_for(loaded, 100)

    async def run(self, expression):
        """The value of an expression; `find(path)` is there to find elements."""
        result = await self.call(
            "Runtime.evaluate", expression="(find => %s)(%s)" % (expression, FIND), awaitPromise=True,
            returnByValue=True, userGesture=True)
        assert "exceptionDetails" not in result, "%s: %s" % (
            expression, result["exceptionDetails"].get("exception", {}).get("description", result["exceptionDetails"]))
        return result["result"].get("value")

    async def until(self, expression, seconds=60):
        """Waits until an expression holds, and gives its value."""
        look = """new Promise((resolve, reject) => {
            const end = performance.now() + %d
            const look = () => {
                let value
                try { value = %s } catch (error) { value = null; if (performance.now() > end) return reject(error) }
                if (value) resolve(value)
                else if (performance.now() > end) reject(new Error("did not come true"))
                else setTimeout(look, 20)
            }
            look()
        })""" % (seconds * 1000, expression)
        return await self.run(look)

    async def there(self, path):
        """Waits until an element is there and has a size."""
        await self.until("find(%s)?.getBoundingClientRect().width > 0" % json.dumps(path))

    async def box(self, path):
        """Where an element is in the viewport: left, top, right, bottom, width, height."""
        return await self.run("find(%s).getBoundingClientRect().toJSON()" % json.dumps(path))

    async def style(self, path, *names):
        """Computed values of CSS properties."""
        values = await self.run("(style => %s.map(n => style.getPropertyValue(n)))(getComputedStyle(find(%s)))" % (
            json.dumps(names), json.dumps(path)))
        return values[0] if len(names) == 1 else values

    async def focused(self):
        """The focused element, through shadow roots: its tag, part, text and accessible label."""
        return await self.run("""(() => {
            let at = document.activeElement
            while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
            return { tag: at.localName, part: at.getAttribute("part"), text: at.textContent.trim(),
                label: at.getAttribute("aria-label"), host: at.getRootNode().host?.localName ?? null }
        })()""")

    async def accessible(self, **wanted):
        """The nodes of the accessibility tree with these values of role, name, description, or of properties."""
        nodes = (await self.call("Accessibility.getFullAXTree"))["nodes"]
        flat = []
        for node in nodes:
            if node.get("ignored"):
                continue
            values = {p["name"]: p["value"].get("value") for p in node.get("properties", [])}
            for field in ["role", "name", "description", "value"]:
                if field in node:
                    values[field] = node[field].get("value")
            flat.append(values)
        return [node for node in flat if all(node.get(name) == value for name, value in wanted.items())]

    # What a person does

    async def point(self, path):
        """The middle of an element, scrolled into view first."""
        await self.there(path)
        return await self.run("""(box => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 }))((element => {
            element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" })
            return element.getBoundingClientRect()
        })(find(%s)))""" % json.dumps(path))

    async def mouse(self, type, point, button="left", **more):
        held = {"left": 1, "right": 2}[button] if type == "mousePressed" else 0
        clicks = {} if type == "mouseMoved" else {"button": button, "clickCount": 1}
        await self.call("Input.dispatchMouseEvent", type=type, **point, **{"buttons": held, **clicks, **more})

    async def click(self, path, button="left"):
        point = path if isinstance(path, dict) else await self.point(path)
        await self.mouse("mouseMoved", point)
        now = time.time()  # a short click on a busy machine too, which may take it for a long one otherwise
        await self.mouse("mousePressed", point, button, timestamp=now)
        await self.mouse("mouseReleased", point, button, timestamp=now + 0.05)

    async def hold(self, path, until):
        """Presses the mouse on an element until an expression holds."""
        point = await self.point(path)
        await self.mouse("mouseMoved", point)
        await self.mouse("mousePressed", point)
        await self.until(until)
        await self.mouse("mouseReleased", point)

    async def touch(self, path, until=None):
        """Touches an element, and lets go at once or when an expression holds."""
        point = path if isinstance(path, dict) else await self.point(path)
        await self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[point])
        if until:
            await self.until(until)
        await self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    async def wheel(self, path, y):
        point = await self.point(path)
        await self.call("Input.dispatchMouseEvent", type="mouseWheel", **point, deltaX=0, deltaY=y)

    async def key(self, name, times=1, shift=False):
        """A key by its DOM name; `shift` held meanwhile."""
        code, text = KEYS[name]
        words = {"key": name, "code": {" ": "Space"}.get(name, name), "windowsVirtualKeyCode": code,
                 "modifiers": 8 if shift else 0}
        for _ in range(times):
            down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
            await self.call("Input.dispatchKeyEvent", **down, **words)
            await self.call("Input.dispatchKeyEvent", type="keyUp", **words)

    async def freeze(self):
        """Stops the page's clock for good; only `elapse` moves it, exactly. For pages that need no network."""
        await self.call("Emulation.setVirtualTimePolicy", policy="pause")

    async def elapse(self, milliseconds):
        """Lets so much time pass for a frozen page, and all that falls due in it happen."""
        ended = self.event("Emulation.virtualTimeBudgetExpired")
        await self.call("Emulation.setVirtualTimePolicy", policy="advance", budget=milliseconds)
        await asyncio.wait_for(ended, 100)

    async def type(self, text):
        await self.call("Input.insertText", text=text)
