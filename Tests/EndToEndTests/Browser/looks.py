"""How the components look and what assistive technology is told. Words: URL"""

from chat import badge, body, bubble, chat, is_closed, is_open, no_errors, offered, open_bar, picker, react, settled, shows, trigger
from checks import Check, Client, equal, main, matches
from devtools import Browser
from page import CONTRAST


async def accessibility(page, url):
    with Check("each message has a button that says what it opens, and what was given as its description"):
        nodes = await page.accessible(role="button", name="React")
        equal([(node["hasPopup"], node["expanded"]) for node in nodes], [("dialog", False)] * 4)
        equal(await page.accessible(role="status"), [], "what a page announces that has just been opened")
    with Check("screen readers have actions “React with 👍” and “Remove 👍”, and the value “Reacted with 👍”"):
        await open_bar(page, "m1")
        equal(len(await page.accessible(role="dialog", name="Reactions")), 1)
        for reaction in ["❤️", "👍", "👎", "😂", "‼️", "❓"]:
            equal(len(await page.accessible(role="button", name="React with " + reaction, pressed="false")), 1, reaction)
        await page.click(offered("m1", 2))
        await page.there(badge("m1", "sent"))
        equal(len(await page.accessible(role="button", name="React", description="Reacted with 👍")), 1)
        equal(len(await page.accessible(role="status", live="polite")) > 0, True, "whether it is announced")
        marked = await page.accessible(role="button", name="Remove 👍", pressed="true")
        equal([node["description"] for node in marked], ["Reacted with 👍. 1. ada"])
        await open_bar(page, "m1")
        equal(len(await page.accessible(role="button", name="Remove 👍", description="Reacted with 👍", pressed="true")), 1)
        await page.key("Escape")
    with Check("a badge of others tells how many and who"):
        async with await Client.connect(url, "bob") as bob:
            matches(await bob.request("add", channel="chat:looks", message="m3", reaction="🎉"), type="ack")
        await shows(page, "m3", ["🎉"])
        equal(len(await page.accessible(role="button", name="React with 🎉", description="1. bob", pressed="false")), 1)
    with Check("the overview is a dialog with tabs and a list"):
        await page.run("find('%s').showOverview()" % bubble("m1"))
        await page.until("find('%s >>> fanfare-overview >>> #list').children.length === 1" % bubble("m1"))
        equal(len(await page.accessible(role="dialog", name="Who reacted", modal=True)), 1)
        equal([(tab["name"], tab["selected"]) for tab in await page.accessible(role="tab")], [("All 1", True), ("👍 1", False)])
        equal(len(await page.accessible(role="listitem")), 1)
        await page.key("Escape")
    with Check("the search is a labelled field that says how many were found"):
        await open_bar(page, "m4")
        await page.click(picker("m4", "#more"))
        await page.there(picker("m4", "#found > button"))
        await page.type("avocado")
        await page.until("find('%s').textContent === '1 emoji'" % picker("m4", "#told"))
        equal([node["value"] for node in await page.accessible(role="searchbox", name="Search emoji")], ["avocado"])
        await page.key("Escape")
        await page.until(is_closed("m4"))


MOVES = """find('%s').shadowRoot.getAnimations().concat(find('%s >>> fanfare-picker').shadowRoot.getAnimations())
    .flatMap(one => one.effect.getKeyframes()).some(frame => frame.transform && frame.transform !== 'none' || frame.translate)"""


async def motion(page):
    with Check("with motion the bar grows; with reduced motion it fades and nothing moves"):
        for kind, moves in [("no-preference", True), ("reduce", False)]:
            await page.media(motion=kind)
            await settled(page, "m4")
            expression = "(find('%s').open = true, %s)" % (bubble("m4"), MOVES % (bubble("m4"), bubble("m4")))
            equal(await page.run(expression), moves, "whether it moves with " + kind)
            await settled(page, "m4")
            lifted = await page.style(bubble("m4") + " >>> #box", "transform")
            equal(lifted, "matrix(1.04, 0, 0, 1.04, 0, 0)" if moves else "none")
            await page.key("Escape")
            await page.until(is_closed("m4"))
        equal(await page.style(picker("m4", "#more"), "animation-name"), "fade")
    with Check("bursts and badges fade as well"):
        await react(page, "m4", 3)
        await page.there(badge("m4"))
        equal(await page.style(badge("m4"), "animation-name"), "fade")
        await page.run("find('fanfare-burst').scrollIntoView()")
        frames = await page.run("""(find('fanfare-burst').play({ '🎉': 1 }),
            find('fanfare-burst >>> #layer').firstChild.getAnimations()[0].effect.getKeyframes().map(one => one.transform ?? null))""")
        equal(frames, [None] * 3)
    await page.media()


async def schemes(page):
    with Check("light and dark have colours of their own, and text that can be read"):
        await page.run("scrollTo(0, 0)")
        await open_bar(page, "m2")
        seen = {}
        for scheme in ["light", "dark"]:
            await page.media(scheme=scheme)
            await settled(page, "m2")
            seen[scheme] = await page.style(picker("m2", "#actions"), "background-color", "color")
            for path in [body("m1"), body("m2"), picker("m2", "#actions"), picker("m2", "#panel")]:
                contrast = await page.run(CONTRAST % path)
                assert contrast >= 4.5, "%s has a contrast of %.2f in %s" % (path, contrast, scheme)
            await page.screenshot("actions-" + scheme)
        equal(seen, {"light": ["rgb(255, 255, 255)", "rgb(28, 28, 30)"], "dark": ["rgb(44, 44, 46)", "rgb(245, 245, 247)"]})
        await page.media()
        await page.key("Escape")
    with Check("an app's own colours and sizes are taken, by custom properties and parts"):
        await page.run("""document.head.append(Object.assign(document.createElement("style"), { textContent:
            "fanfare-bubble { --fanfare-accent: rgb(200, 0, 100); --fanfare-badge-size: 40px } fanfare-bubble::part(badge) { border-radius: 7px }" }))""")
        await settled(page, "m1")
        equal(await page.style(badge("m1", "own"), "background-color", "height", "border-radius"), ["rgb(200, 0, 100)", "40px", "7px"])
    with Check("an app's own views take the place of ours, by slots"):
        await page.run("""find('%s').insertAdjacentHTML("beforeend",
            "<b slot='trigger'>+</b><fanfare-badges slot='badges'><i slot='badge-👍' id='mine'>up</i></fanfare-badges><div slot='picker' id='bar'>My bar</div>")""" % bubble("m1"))
        await page.there("#mine")
        equal(await page.run("find('#mine').assignedSlot.name"), "badge-👍")
        await page.click(body("m1"), "right")
        await page.there("#bar")


async def directions(browser, url):
    page = await chat(browser, url, "ada", "chat:rtl", dir="rtl", width=640)
    with Check("from right to left all is mirrored"):
        await react(page, "m1", 1)
        await page.there(badge("m1", "sent"))
        await settled(page, "m1")
        one, text = await page.box(badge("m1")), await page.box(body("m1"))
        assert one["left"] < text["left"] < one["right"], "the badge is at %r, the message at %r" % (one, text)
        await open_bar(page, "m3")
        bar, message = await page.box(picker("m3", "#panel")), await page.box(body("m3"))
        assert abs(bar["right"] - message["right"]) < 4, "the bar is at %r, the message at %r" % (bar, message)
        await page.run("find('%s').focus()" % offered("m3", 1))
        await page.key("ArrowLeft")
        equal((await page.focused())["label"], "React with 👍")
        await page.screenshot("rtl")
    no_errors(page)
    await page.close()


async def zoom(browser, url):
    page = await chat(browser, url, "ada", "chat:zoom", width=320, height=400, scale=2)
    with Check("at 200 % of 640 pixels everything can be reached, and nothing reaches beyond the screen"):
        for message in ["m1", "m2"]:
            await page.run("find('%s').scrollIntoView({ block: 'center' })" % bubble(message))
            await open_bar(page, message)
            for part in ["#panel"] + (["#actions"] if message == "m2" else []):
                box = await page.box(picker(message, part))
                assert box["left"] >= 0 and box["right"] <= 320 and box["top"] >= 0 and box["bottom"] <= 400, (part, box)
            await page.screenshot("zoom-" + message)
            await page.click(offered(message, 6))
            await page.there(badge(message, "sent"))
        await page.run("void (find('%s').reactions = ['❤️', '👍', '👎', '😂', '‼️', '❓', '🎉', '🚀', '👏'])" % bubble("m3"))
        await open_bar(page, "m3")
        box = await page.box(picker("m3", "#more"))
        assert box["left"] >= 0 and box["right"] <= 320, ("the search of a long bar", box)
        await page.screenshot("zoom-long")
        await page.click(offered("m3", 9))
        await page.there(badge("m3", "sent"))
        equal(await page.run("channel.view('m3').own"), ["👏"])
        equal(await page.run("document.documentElement.scrollWidth"), 320)
        await page.run("find('%s').showOverview()" % bubble("m1"))
        await page.until("find('%s >>> fanfare-overview >>> #list').children.length === 1" % bubble("m1"))
        box = await page.box(bubble("m1") + " >>> fanfare-overview >>> dialog")
        assert box["left"] >= 0 and box["right"] <= 320, box
        await page.screenshot("zoom-overview")
    no_errors(page)
    await page.close()


async def keyboards(browser, url):
    page = await chat(browser, url, "ada", "chat:keyboards", width=360, height=640, scale=2, touch=True)
    with Check("a phone's keyboard, which leaves less of the page to see, does not cover the search"):
        await page.run("void (find('%s').style.marginTop = '300px')" % bubble("m3"))
        await open_bar(page, "m3")
        await page.click(picker("m3", "#more"))
        await page.there(picker("m3", "#found > button"))
        assert (await page.box(picker("m3", "#panel")))["bottom"] > 420, "the bar is too high for this test"
        # There is none without a person at a phone; what a browser tells of it is this.
        await page.run("void Object.defineProperty(window, 'visualViewport', { value: { offsetTop: 20, height: 400 } })")
        await page.until("find('%s').getBoundingClientRect().bottom <= 420" % picker("m3", "#panel"))
        assert (await page.box(picker("m3", "#panel")))["top"] >= 20
        await page.screenshot("keyboard-phone")
    no_errors(page)
    await page.close()


async def own_looks(browser, url):
    page = await chat(browser, url, "ada", "chat:own", height=800)
    with Check("a message with a page's own looks alone keeps its place, with its badges at its corner"):
        await page.run("""void document.head.append(Object.assign(document.createElement("style"), {
            textContent: "fanfare-bubble::part(message) { all: unset; padding: 12px }" }))""")
        await react(page, "m1", 2)
        await page.there(badge("m1", "sent"))
        # All at one moment, as the message is still on its way back to its size, and the badge to its own.
        await page.until("""(([message, frame, badge]) => message.top === frame.top && message.bottom === frame.bottom
            && badge.top < message.top && message.top < badge.bottom)(
            [%s].map(path => find(path).getBoundingClientRect()))""" % ", ".join(
                "'%s'" % path for path in (body("m1"), bubble("m1") + " >>> #box", badge("m1", "sent"))))
    with Check("where nothing can hover, the button beside a message is not seen: it could not be touched"):
        can_hover = await page.run("matchMedia('(any-hover: hover)').matches")
        await page.mouse("mouseMoved", await page.point(body("m3")), "none")
        await page.until("find('%s').matches(':hover')" % bubble("m3"))
        await page.run("Promise.all(find('%s').getAnimations().map(each => each.finished)).then(() => {})" % trigger("m3"))
        shown = ["1", "auto"] if can_hover else ["0", "none"]
        equal(await page.style(trigger("m3"), "opacity", "pointer-events"), shown)
    no_errors(page)
    await page.close()


async def names(browser, url):
    with Check("a long name ends in an ellipsis, in a font whose spaces are those of text, and can be read in full; in the search too"):
        page = await chat(browser, url, "ada", "any:long")
        async with await Client.connect(url, "bob") as bob:
            for reaction in ["one_that_is_very_long_indeed", "🎉"]:
                matches(await bob.request("add", channel="any:long", message="m1", reaction=reaction), type="ack")
        await shows(page, "m1", ["🎉", "one that is very long indeed"])
        glyph = "find('%s').children[%%d].querySelector('[part~=glyph]')" % (bubble("m1") + " >>> fanfare-badges >>> #list")
        equal(await page.run("[%s.title, %s.dir]" % (glyph % 1, glyph % 1)), ["one that is very long indeed", "auto"])
        equal(await page.run("[%s.scrollWidth > %s.clientWidth, getComputedStyle(%s).textOverflow]" % ((glyph % 1,) * 3)), [True, "ellipsis"])
        equal(await page.run("[0, 1].map(one => /Emoji/.test(getComputedStyle(find('%s').children[one].querySelector('[part~=glyph]')).fontFamily))" % (
            bubble("m1") + " >>> fanfare-badges >>> #list")), [True, False])
        await page.run("""kit.defineReactions([{ reaction: "good_morning", name: "Good morning" }])""")
        await open_bar(page, "m1")
        await page.click(picker("m1", "#more"))
        await page.there(picker("m1", "#found > button"))
        await page.type("good morning")
        found = picker("m1", "#found > button")
        await page.until("find('%s')?.textContent === 'Good morning'" % found)
        await page.screenshot("named")
        [name, place] = [await page.box(found + inner) for inner in [" [part~=glyph]", ""]]
        equal(await page.run("find('%s').scrollWidth <= find('%s').clientWidth" % ((found + " [part~=glyph]",) * 2)), True)
        assert place["left"] <= name["left"] and name["right"] <= place["right"], (name, place)
        await page.close()


async def looks(url, *_):
    async with Browser() as browser:
        page = await chat(browser, url, "ada", "chat:looks", height=800)
        await accessibility(page, url)
        await motion(page)
        await schemes(page)
        no_errors(page)
        await own_looks(browser, url)
        await directions(browser, url)
        await zoom(browser, url)
        await keyboards(browser, url)
        await names(browser, url)


main(looks)
