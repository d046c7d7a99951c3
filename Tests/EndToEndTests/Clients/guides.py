"""Every block of code in the documentation is run, or says why it cannot be. Words: BINARIES [PAGE]...

Each page is worked through from its top, in a folder of its own, with a broker of its own; see snippets.py for the marks.
"""

import asyncio
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

import jsonschema
import yaml

sys.path.insert(1, str(pathlib.Path(__file__).parents[1] / "Browser"))

from checks import Check, main, report
from devtools import Browser
from guide_page import GuidePage
from snippets import ROOT, blocks, pages

SCHEMAS = json.loads((ROOT / "Sources/Web/schemas.json").read_text())
# The settings' names at the top of the file.
SETTINGS = {"listen", "data", "store", "nats", "tokens", "server_keys", "origins", "trusted_proxies", "metrics", "limits",
            "drain", "hooks", "namespaces"}
EXAMPLES = "Tests/FanfareClientTests/Examples/"


def as_lines(text):
    """Lines without indentation, empty ones and imports, as the tests of FanfareClient compare them."""
    lines = [line.strip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line and not line.startswith("import "))


COMPILED = "\n".join(as_lines((ROOT / EXAMPLES / name).read_text()) for name in ("DocumentedExamples.swift", "DocumentedViews.swift"))


def schema_of(message):
    """The schemas that say what a message of this type is."""
    found = []
    for name, schema in SCHEMAS["$defs"].items():
        kind = schema.get("properties", {}).get("type", {})
        if message["type"] in kind.get("enum", [kind.get("const")]):
            found.append({"$ref": "#/$defs/" + name, "$defs": SCHEMAS["$defs"]})
    return found


class Runner:
    def __init__(self, binaries, browser):
        self.binaries, self.browser = binaries, browser

    async def page(self, path):
        found = []
        with Check("%s: its blocks have languages and marks" % path.name):
            found = blocks(path)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            page = GuidePage(folder, self.binaries)
            self.later = []
            try:
                for block in found:
                    await self.block(page, block)
                await self.settle(page)
            finally:
                with Check("%s: what was started ends" % path.name):
                    await asyncio.to_thread(page.end)

    async def settle(self, page):
        """Waits for what has to be written by those who follow a channel."""
        later, self.later = self.later, []
        for block, text in later:
            with Check("%s is followed" % block.place):
                await asyncio.to_thread(page.until_followed, text)

    async def block(self, page, block):
        if "serve" in block.text + "".join(block.all("before")):
            await self.settle(page)
        if reason := block.mark("not run"):
            return report("%s %s is not run: %s" % (block.place, block.language, reason))
        with Check("%s %s" % (block.place, block.language)):
            run = getattr(self, "run_" + block.language, None)
            assert run, "nothing runs this language: mark it with the reason"
            if name := block.mark("file"):
                (page.folder / name).write_text(page.with_own_ports(block.text))
            said = await run(page, block)
            for text in block.all("says"):
                if re.search(r"fanfare (watch|top)\b(?!.*--count)", block.text):
                    self.later.append((block, text))
                else:
                    assert text in (said or ""), "%r is not in %r" % (text, said)

    async def run_sh(self, page, block):
        assert not re.search(r"(https?|wss?|nats|tls)://(?!127\.0\.0\.1|localhost)", block.text), "it reaches for another machine"
        if re.search(r"\b(curl|fanfare (watch|react|top)|fanfare-load)\b", block.text) and "serve" not in block.text + "".join(block.all("before")):
            await asyncio.to_thread(page.serving)
        return await asyncio.to_thread(page.run, "\n".join(block.all("before") + [block.text]))

    async def run_text(self, page, block):
        """Forms of commands: each option is one."""
        for command in re.findall(r"^(fanfare [\w-]+|fanfare-load)", block.text, re.M):
            program, *words = command.split()
            known = subprocess.run([self.binaries + "/" + program, *words, "--help"], capture_output=True, text=True).stdout
            lines = re.findall(r"^%s\b.*(?:\n .*)*" % command, block.text, re.M)
            for option in re.findall(r"--[a-z-]+", " ".join(lines)):
                assert re.search(re.escape(option) + r"\b", known), option
        assert re.match(r"fanfare", block.text), "this is no form of a command: mark it with the reason"

    async def run_json(self, page, block):
        value = json.loads(block.text)
        if path := block.mark("answers"):
            await asyncio.to_thread(page.serving)
            with urllib.request.urlopen(page.broker + path) as answer:
                self.has_fields(json.load(answer), value)
        elif set(value) <= SETTINGS:
            return await asyncio.to_thread(page.settings, block.text)
        else:
            for message in value.get("events", [value]):
                schemas = schema_of(message)
                assert schemas, "there is no such message"
                assert any(jsonschema.Draft202012Validator(schema).is_valid(message) for schema in schemas), message

    def has_fields(self, answer, shown, place=""):
        for name, value in shown.items():
            # What says nothing is left out.
            if isinstance(value, dict) and answer.get(name):
                self.has_fields(answer[name], value, place + name + ".")
            elif place:
                assert name in answer, "there is no %s%s" % (place, name)

    async def run_html(self, page, block):
        assert block.mark("shows"), "a page needs a mark of what it shows"
        await asyncio.to_thread(page.serving)
        return await self.open(page, block, page.with_own_ports(block.text))

    async def open(self, page, block, text):
        file = page.folder / ("page-%d.html" % block.line)
        file.write_text(text)
        shown = await self.browser.page("file://%s" % file)
        try:
            for expression in block.all("shows"):
                await shown.until(expression)
            assert not shown.errors, shown.errors
        finally:
            await shown.close()

    async def run_js(self, page, block):
        await asyncio.to_thread(page.serving)
        text = page.with_own_ports(block.text)
        if re.search(r"^import ", text, re.M):
            return await self.open(page, block, '<!doctype html><meta charset="utf-8"><script type="module">%s</script>' % text)
        shown = await self.browser.page(page.broker + "/")
        try:
            done = await shown.call("Runtime.evaluate", expression="(%s)" % text if text.startswith("{") else text)
            assert "exceptionDetails" not in done, done["exceptionDetails"]
            for expression in block.all("shows"):
                await shown.until(expression)
            assert not shown.errors, shown.errors
        finally:
            await shown.close()

    async def run_swift(self, page, block):
        if block.text.startswith("// swift-tools-version"):
            (page.folder / "package").mkdir()
            (page.folder / "package/Package.swift").write_text(block.text)
            return await asyncio.to_thread(page.run, "swift package --package-path package dump-package >package.json")
        assert as_lines(block.text) in COMPILED, "it is not in %s, where examples are compiled" % EXAMPLES

    async def run_yaml(self, page, block):
        assert isinstance(yaml.safe_load(block.text), dict), block.text

    async def run_python(self, page, block):
        exec(compile(block.text, block.place, "exec"), {})


async def scenario(binaries, *names):
    # A few at a time: most of it is waiting.
    places = asyncio.Semaphore(4)

    async def work(path, browser):
        async with places:
            await Runner(binaries, browser).page(path)

    async with Browser() as browser:
        await asyncio.gather(*(work(path, browser) for path in pages() if not names or path.name in names))


main(scenario)
