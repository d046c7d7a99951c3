"""The demo page of the broker. Words: URL"""

import pathlib

from chat import badge, body, no_errors, offered
from checks import Check, equal, main
from devtools import WEB, Browser, http

# Whether nothing moves any more.
STILL = """[document, ...[...document.querySelectorAll('fanfare-bubble')].map(one => one.shadowRoot)]
    .flatMap(one => one.getAnimations()).every(one => one.playState !== 'running')"""


async def demo(url, *_):
    async with Browser() as browser:
        page = await browser.page(http(url) + "/", width=960, height=800)
        ada, bob = "article:nth-of-type(1) ", "article:nth-of-type(2) "
        status = "[...document.querySelectorAll('article [role=status]')].map(one => one.textContent)"
        with Check("two people stand side by side, each with four messages, a live stream, and the state of the connection"):
            await page.until("JSON.stringify(%s) === '[\"connected\",\"connected\"]'" % status)
            equal(await page.run("[...document.querySelectorAll('.name')].map(one => one.textContent)"), ["ada", "bob"])
            for person in [ada, bob]:
                equal(await page.run("document.querySelectorAll('%sfanfare-bubble').length" % person), 4)
                await page.there(person + "fanfare-burst")
            left, right = await page.box(ada), await page.box(bob)
            assert left["top"] == right["top"] and left["right"] < right["left"], (left, right)
        if not WEB:
            await weight(page)
        with Check("what one of them does, the other one sees"):
            await page.click(ada + body("m2"), "right")
            await page.until("find('%sfanfare-bubble[message=m2]').open" % ada)
            await page.until(STILL)
            await page.click(ada + offered("m2", 2))
            await page.there(bob + badge("m2"))
            equal(await page.run("find('%s').getAttribute('aria-label')" % (bob + badge("m2"))), "React with 👍")
            equal(await page.run("find('%s').getAttribute('aria-label')" % (ada + badge("m2"))), "Remove 👍")
        with Check("below stands how to see the same from a terminal, of this broker"):
            equal(await page.run("find('footer #terminal').textContent"), "fanfare watch chat:demo --url " + http(url))
        with Check("bursts float over both streams"):
            await page.run("document.querySelector('fanfare-burst').scrollIntoView({ block: 'center' })")
            await page.run("""void [...document.querySelectorAll('fanfare-burst')].forEach(one => one.channel.addEventListener(
                'burst', () => (one.seen = one.shadowRoot.querySelector('#layer').textContent)))""")
            await page.click(bob + "> fanfare-picker >>> #offered > :first-child")
            for person in [ada, bob]:
                await page.until("find('%sfanfare-burst').seen?.includes('🎉')" % person)
            await page.screenshot("demo-burst")
        with Check("a second window of the same person, and another person's, see the same"):
            again = await browser.page(http(url) + "/")
            other = await browser.page(http(url) + "/?user=cy", context=await browser.context())
            for window in [again, other]:
                await window.there(ada + badge("m2"))
            equal(await other.run("find('.name').textContent"), "cy")
        await looks(page, ada)
        await ten_lines(browser, url)
        with Check("nothing is thrown"):
            for one in [page, again, other]:
                no_errors(one)


async def weight(page):
    """What the browser has loaded of the kit so far, as it came over the wire; the page uses the client and all components."""
    with Check("the page has loaded less than 20 KB of the kit"):
        files = await page.run("""performance.getEntriesByType("resource").filter(one => one.name.includes("/kit/"))
            .map(one => [one.name.split("/").pop(), one.encodedBodySize, one.decodedBodySize]).sort()""")
        print("# the browser loaded %s" % files)
        equal([name for name, _, _ in files], ["components.js", "fanfare.js"])
        assert sum(encoded for _, encoded, _ in files) < 20 * 1024, files
        assert all(0 < encoded < decoded for _, encoded, decoded in files), files


async def ten_lines(browser, url):
    """The page of the README, as a file on somebody's disk: its origin is none."""
    readme = pathlib.Path(__file__).parents[3] / "README.md"
    text = readme.read_text().split("```html\n")[1].split("```")[0].replace("http://127.0.0.1:8080", http(url))
    page = await browser.page()
    frame = (await page.call("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    with Check("the ten lines of the README put reactions on an empty page of no origin"):
        assert text.count("\n") < 12, text
        await page.call("Page.setDocumentContent", frameId=frame, html=text)
        await page.until("find('fanfare-bubble')?.channel?.policy === 'distinct'")
        await page.click(body("m2"), "right")
        await page.until("find('fanfare-bubble[message=m2]').open")
        await page.key("Enter")
        await page.there(badge("m2", "sent"))
        equal(await page.run("find('%s').getAttribute('aria-label')" % badge("m2")), "Remove ❤️")
        await page.screenshot("ten-lines")
        no_errors(page)


async def looks(page, ada):
    bubble = ada + "fanfare-bubble[message=m2]"
    for name, scheme, shape, direction in [
            ("light", "light", {"width": 960, "height": 800}, "ltr"),
            ("dark", "dark", {"width": 960, "height": 800}, "ltr"),
            ("phone", "light", {"width": 360, "height": 740, "scale": 2, "touch": True}, "ltr"),
            ("rtl", "light", {"width": 960, "height": 800}, "rtl")]:
        with Check("the page fits: " + name):
            await page.media(scheme=scheme)
            await page.shape(**shape)
            await page.run("(document.documentElement.dir = '%s', scrollTo(0, 0))" % direction)
            equal(await page.run("document.documentElement.scrollWidth"), shape["width"])
            await page.run("void (find('%s').open = true)" % bubble)
            await page.until(STILL)
            box = await page.box(bubble + " >>> fanfare-picker >>> #panel")
            assert box["left"] >= 0 and box["right"] <= shape["width"], box
            await page.screenshot("demo-" + name)
            await page.key("Escape")
            await page.until("!find('%s').open" % bubble)


main(demo)
