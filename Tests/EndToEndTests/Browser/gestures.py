"""How the bar of a bubble opens, looks and closes. Words: URL"""

import time

from chat import badge, body, bubble, chat, is_closed, is_open, no_errors, offered, open_bar, picker, react, settled, shows
from checks import Check, equal, main
from devtools import Browser


async def holding(browser, url):
    page = await chat(browser, url, "holder", "chat:holding")
    point = await page.point(body("m1"))
    await page.freeze()
    with Check("a press of 399 ms opens nothing, one of 400 ms opens the bar"):
        now = time.time()
        await page.mouse("mousePressed", point, timestamp=now)
        await page.elapse(399)
        equal(await page.run("find('%s').open" % bubble("m1")), False, "open after 399 ms")
        await page.elapse(1)
        equal(await page.run("find('%s').open" % bubble("m1")), True, "open after 400 ms")
        await page.mouse("mouseReleased", point, timestamp=now + 0.5)
        await page.elapse(50)
        equal(await page.run("find('%s').open" % bubble("m1")), True, "open after the release")
    with Check("a press that ends or moves away before opens nothing"):
        await page.key("Escape")
        for end in [lambda: page.mouse("mouseReleased", point),
                    lambda: page.mouse("mouseMoved", {**point, "y": point["y"] + 11}, buttons=1)]:
            await page.mouse("mousePressed", point)
            await page.elapse(300)
            await end()
            await page.elapse(500)
            equal(await page.run("find('%s').open" % bubble("m1")), False)
            await page.mouse("mouseReleased", point)
    await page.close()


async def busy(page):
    await page.run("find('%s').addEventListener('click', () => { window.clicks = (window.clicks ?? 0) + 1 })" % bubble("m3"))
    for length, stays in [(0.3, False), (0.5, True)]:
        with Check("a press of %.1f s whose end comes late, for the machine was busy, is a %s" % (length, "hold" if stays else "click")):
            now = time.time()
            point = await page.point(body("m3"))
            await page.mouse("mousePressed", point, timestamp=now)
            await page.until(is_open("m3"))
            await page.mouse("mouseReleased", point, timestamp=now + length)
            equal(await page.run("[find('%s').open, window.clicks]" % bubble("m3")), [stays, 1])
    await page.key("Escape")
    await page.until(is_closed("m3"))
    with Check("a page that keeps the end of a press to itself has no hold of a click"):
        await page.run("void find('%s').addEventListener('pointerup', event => event.stopPropagation())" % bubble("m3"))
        await page.click(body("m3"))
        await page.run("new Promise(resolve => setTimeout(resolve, 600, true))")
        equal(await page.run("find('%s').open" % bubble("m3")), False)


async def opening(page):
    with Check("press and hold lifts the message by 1.04 and opens the bar above it, from its side"):
        before = await page.box(body("m3"))
        await page.hold(body("m3"), is_open("m3"))
        await page.until("getComputedStyle(find('%s >>> #box')).transform === 'matrix(1.04, 0, 0, 1.04, 0, 0)'" % bubble("m3"))
        await settled(page, "m3")
        bar = await page.box(picker("m3", "#panel"))
        assert bar["bottom"] <= before["top"], "the bar is at %r, the message at %r" % (bar, before)
        assert abs(bar["left"] - before["left"]) < 2, "the bar begins at %r, the message at %r" % (bar["left"], before["left"])
        await page.screenshot("bar")
    with Check("the default set is offered, in its order"):
        texts = "[...find('%s').children].map(one => one.textContent)" % picker("m3", "#offered")
        equal(await page.run(texts), ["❤️", "👍", "👎", "😂", "‼️", "❓"])
    with Check("they pop in as a wave: each 0.03 s later, 0.18 s at most"):
        delays = "[...find('%s').children, find('%s')].map(one => one.getAnimations()[0]?.effect.getTiming().delay ?? parseFloat(getComputedStyle(one).animationDelay) * 1000)"
        equal(await page.run(delays % (picker("m3", "#offered"), picker("m3", "#more"))), [0, 30, 60, 90, 120, 150, 180])
        equal(await page.run("[-1, 0, 1, 5, 6, 7, 100].map(kit.popInDelay)"), [0, 0, 0.03, 0.15, 0.18, 0.18, 0.18])
    with Check("the other messages dim to 0.3"):
        await page.until("['m1', 'm2', 'm4'].every(one => getComputedStyle(find(`fanfare-bubble[message=${one}]`)).opacity === '0.3')")
        equal(await page.style(bubble("m3"), "opacity"), "1")
    with Check("a tap outside closes, and does nothing else"):
        await page.run("find('#elsewhere').onclick = () => (window.clicked = true)")
        await page.click("#elsewhere")
        await page.until(is_closed("m3"))
        equal(await page.run("window.clicked ?? false"), False)
        await page.until("getComputedStyle(find('%s')).opacity === '1'" % bubble("m1"))
        await page.click("#elsewhere")
        equal(await page.run("window.clicked ?? false"), True, "whether a second click counts")
    with Check("a right click opens, Escape closes"):
        await page.click(body("m3"), "right")
        await page.until(is_open("m3"))
        await page.key("Escape")
        await page.until(is_closed("m3"))
    with Check("the bar of a message at the end begins at its end"):
        await page.click(body("m4"), "right")
        await page.until(is_open("m4"))
        await settled(page, "m4")
        bar, message = await page.box(picker("m4", "#panel")), await page.box(body("m4"))
        assert abs(bar["right"] - message["right"]) < 4, "the bar ends at %r, the message at %r" % (bar["right"], message["right"])
    with Check("opening one closes the other; both can be driven from outside"):
        await page.run("void (find('%s').open = true)" % bubble("m1"))
        await page.until(is_closed("m4") + " && " + is_open("m1"))
        await page.run("find('%s').removeAttribute('open')" % bubble("m1"))
        await page.until("!find('%s >>> #bar').matches(':popover-open')" % bubble("m1"))
        equal((await page.run("told.map(one => one.type + ' ' + one.message)"))[-4:],
              ["fanfare-open m4", "fanfare-close m4", "fanfare-open m1", "fanfare-close m1"])
    with Check("a bubble that is taken out of the page while it is open leaves nothing behind"):
        await open_bar(page, "m1")
        await page.run("(one => { const next = one.nextSibling; one.remove(); next.before(one) })(find('%s'))" % bubble("m1"))
        await page.until(is_closed("m1"))
        await page.until("document.querySelectorAll('[dimmed]').length === 0")
        await open_bar(page, "m1")
        await page.key("Escape")
    with Check("a link in a message is still a link"):
        await page.click(bubble("m3") + " a")
        await page.until("location.hash === '#link'")


async def choosing(page):
    with Check("choosing closes the bar and puts a badge on the corner towards the middle, most of it outside"):
        for message, number in [("m1", 1), ("m4", 2)]:
            await react(page, message, number)
            await page.there(badge(message))
            await settled(page, message)
            one, text = await page.box(badge(message)), await page.box(body(message))
            wide = min(one["right"], text["right"]) - max(one["left"], text["left"])
            high = min(one["bottom"], text["bottom"]) - max(one["top"], text["top"])
            assert wide > 0 and high > 0, "the badge %r is off the message %r" % (one, text)
            inside = wide * high / (one["width"] * one["height"])
            assert inside < 0.5, "%d %% of the badge are inside" % (100 * inside)
            assert one["top"] < text["top"], "the badge is not at the top"
            assert (one["right"] > text["right"]) == (message == "m1"), "the badge is on the wrong corner"
        await page.screenshot("badges")
    with Check("choosing it again takes it away"):
        await shows(page, "m1", ["*❤️"])
        await open_bar(page, "m1")
        assert "own" in await page.run("find('%s').part.value" % offered("m1", 1)), "mine is not highlighted"
        await page.click(offered("m1", 1))
        await shows(page, "m1", [])
        equal(await page.run("told.filter(one => one.type === 'fanfare-react' && one.message === 'm1').map(one => one.removed)"), [False, True])
    with Check("an app may keep a choice from happening"):
        await page.run("addEventListener('fanfare-react', event => event.preventDefault(), { once: true })")
        await react(page, "m1", 2)
        await shows(page, "m1", [])
        equal(await page.run("channel.view('m1').total"), 0)


async def keyboard(page):
    with Check("the keyboard alone: Tab to the message, Enter, arrows, Enter, and the focus is where it was"):
        await page.run("document.activeElement.blur()")
        await page.click({"x": 2, "y": 2})
        await page.key("Tab")
        equal((await page.focused())["label"], "React")
        await page.key("Enter")
        await page.until(is_open("m1"))
        equal((await page.focused())["label"], "React with ❤️")
        await page.key("ArrowRight", 2)
        equal((await page.focused())["label"], "React with 👎")
        await page.key("ArrowLeft")
        await page.key("Enter")
        await page.until(is_closed("m1"))
        await shows(page, "m1", ["*👍"])
        equal((await page.focused())["label"], "React")
        await page.screenshot("keyboard")
    with Check("a badge is taken away by the keyboard, and the focus is not lost"):
        await page.key("Tab")
        equal((await page.focused())["label"], "Remove 👍")
        await page.key(" ")
        await shows(page, "m1", [])
        focused = await page.focused()
        assert focused["tag"] != "body", "the focus is lost: %r" % focused
    with Check("Escape closes and gives the focus back; the context menu keys open"):
        await page.key("Tab")
        label = (await page.focused())["label"]
        equal(label, "React")
        await page.key("Enter")
        await page.until(is_open("m2"))
        await page.key("ArrowDown", 2)
        equal((await page.focused())["text"], "Thread")
        await page.key("Escape")
        await page.until(is_closed("m2"))
        equal((await page.focused())["label"], "React")
        for key, shift in [("ContextMenu", False), ("F10", True)]:
            await page.key(key, shift=shift)
            await page.until(is_open("m2"))
            await page.key("Escape")
            await page.until(is_closed("m2"))
    with Check("the focus leaving the bar closes it"):
        await page.key("Enter")
        await page.until(is_open("m2"))
        await page.run("find('#elsewhere').focus()")
        await page.until(is_closed("m2"))
        equal((await page.focused())["text"], "Elsewhere")


async def actions(page):
    with Check("message actions are below the message, and scroll when there are many"):
        await page.click(body("m2"), "right")
        await page.until("find('%s').scrollHeight > find('%s').clientHeight" % (picker("m2", "#actions"), picker("m2", "#actions")))
        await settled(page, "m2")
        menu, message = await page.box(picker("m2", "#actions")), await page.box(body("m2"))
        assert menu["top"] >= message["bottom"], "the actions are at %r, the message at %r" % (menu, message)
        await page.screenshot("actions")
        await page.run("find('%s > button').onclick = () => (window.replied = true)" % bubble("m2"))
        await page.click(bubble("m2") + " > button")
        await page.until(is_closed("m2") + " && window.replied")
    with Check("so does an icon in an action"):
        await page.run("void (find('%s > button').innerHTML = '<i id=icon>↩</i> Reply')" % bubble("m2"))
        await open_bar(page, "m2")
        await page.click("#icon")
        await page.until(is_closed("m2"))


async def two_fingers(page):
    """Two fingers on a message for longer than a hold, as before a zoom."""
    box = await page.box(body("m3"))
    points = [{"x": box["left"] + place, "y": box["top"] + 10, "id": place} for place in [10, 40]]
    for count in [1, 2]:
        await page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=points[:count])
    await page.run("new Promise(resolve => setTimeout(resolve, 800, true))")
    for count in [1, 0]:
        await page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=points[:count])


async def touching(browser, url):
    page = await chat(browser, url, "toucher", "chat:touching", width=360, height=700, scale=2, touch=True)
    with Check("two fingers that rest on a message do not open it"):
        await two_fingers(page)
        equal(await page.run(is_open("m3")), False)
    with Check("a touch held opens, a touch chooses, a touch outside closes"):
        await page.touch(body("m3"), is_open("m3"))
        await page.until(is_open("m3"))
        await page.touch(offered("m3", 4))
        await shows(page, "m3", ["*😂"])
        await page.touch(body("m1"), is_open("m1"))
        await page.screenshot("phone-wave")
        await settled(page, "m1")
        await page.screenshot("phone")
        await page.touch({"x": 180, "y": 690})
        await page.until(is_closed("m1"))
    with Check("on a phone nothing reaches beyond the screen"):
        equal(await page.run("document.documentElement.scrollWidth"), 360)
        await page.touch(body("m2"), is_open("m2"))
        box = await page.box(picker("m2", "#panel"))
        assert box["left"] >= 0 and box["right"] <= 360, box
    no_errors(page)
    await page.close()


async def gestures(url, *_):
    async with Browser() as browser:
        await holding(browser, url)
        page = await chat(browser, url, "ada", "chat:gestures", height=800)
        await busy(page)
        await opening(page)
        await choosing(page)
        await keyboard(page)
        await actions(page)
        await touching(browser, url)
        with Check("nothing is thrown"):
            no_errors(page)


main(gestures)
