"""What people see of reactions: badges, picker, overview, bursts. Words: URL PID, of a broker with settings.json beside."""

import asyncio
import os
import signal

from chat import badge, body, bubble, chat, is_closed, no_errors, offered, open_bar, picker, react, settled, shows
from checks import Check, Client, equal, main, matches
from devtools import Browser

# Where the first and the second letter of a badge's text are, from the left.
LETTERS = """[0, 1].map(at => {
    const range = new Range()
    const text = find('%s >>> [part=count]').firstChild
    range.setStart(text, at)
    range.setEnd(text, at + 1)
    return range.getBoundingClientRect().left
})"""

# The badges whose glyph or count reaches below the one before it, which lies on top, and its ring of 2 px.
COVERED = """[...find('%s').children].filter((one, place, all) => place > 0 && [...one.querySelectorAll('[part]')].some(inner => {
    const [box, over] = [inner, all[place - 1]].map(one => one.getBoundingClientRect())
    return box.width > 0 && box.right > over.left - 2 && box.left < over.right + 2
})).map(one => one.textContent)"""

EMOJI = ["👍", "❤️", "🎉", "😂", "🔥", "🚀", "🥑"]


async def give(url, user, channel, message, *reactions):
    async with await Client.connect(url, user) as client:
        for reaction in reactions:
            matches(await client.request("add", channel=channel, message=message, reaction=reaction), type="ack")


async def together(browser, url):
    ada = await chat(browser, url, "ada", "chat:both")
    bob = await chat(browser, url, "bob", "chat:both", await browser.context())
    with Check("two pages see each other's reactions, with counts, newest on top"):
        await react(ada, "m1", 1)
        await shows(bob, "m1", ["❤️"])
        await react(bob, "m1", 1)
        await react(bob, "m1", 4)
        for page, expected in [(ada, ["😂", "*❤️ 2"]), (bob, ["*😂", "*❤️ 2"])]:
            await shows(page, "m1", expected)
        order = "[...find('%s').children].map(one => +getComputedStyle(one).zIndex)" % (bubble("m1") + " >>> fanfare-badges >>> #list")
        equal(await ada.run(order), [2, 1])
    with Check("a click on a badge joins, and leaves again"):
        await settled(ada, "m1")
        await ada.click(badge("m1"))
        await shows(bob, "m1", ["*😂 2", "*❤️ 2"])
        await settled(ada, "m1")
        await ada.click(badge("m1"))
        await shows(bob, "m1", ["*😂", "*❤️ 2"])
    no_errors(ada)
    no_errors(bob)
    await bob.close()
    await ada.close()


async def overflow(browser, url):
    page = await chat(browser, url, "ada", "chat:overflow")
    with Check("five badges are shown as they are; of six, four and +2; and so on"):
        await give(url, "bob", "chat:overflow", "m1", *EMOJI[:5])
        await shows(page, "m1", ["🔥", "😂", "🎉", "❤️", "👍"])
        await give(url, "bob", "chat:overflow", "m1", EMOJI[5])
        await shows(page, "m1", ["🚀", "🔥", "😂", "🎉", "+2"])
        await give(url, "bob", "chat:overflow", "m1", EMOJI[6])
        await shows(page, "m1", ["🥑", "🚀", "🔥", "😂", "+3"])
    with Check("no badge lies over another one's count, whichever way they go"):
        for user in ["cy", "dee"]:
            await give(url, user, "chat:overflow", "m1", *EMOJI)
            await give(url, user, "chat:overflow", "m2", *EMOJI)
        await shows(page, "m1", ["🥑 3", "🚀 3", "🔥 3", "😂 3", "+3"])
        await shows(page, "m2", ["🥑 2", "🚀 2", "🔥 2", "😂 2", "+3"])
        for direction in ["ltr", "rtl"]:
            await page.run("document.documentElement.dir = '%s'" % direction)
            for message in ["m1", "m2"]:
                await settled(page, message)
                plus, number = await page.run(LETTERS % badge(message, "overflow"))
                assert plus < number, "the plus is at %r, the number at %r, from %s" % (plus, number, direction)
                equal(await page.run(COVERED % (bubble(message) + " >>> fanfare-badges >>> #list")), [], message + " " + direction)
        await page.run("document.documentElement.dir = 'ltr'")
    with Check("badges lie on the corner, most of them outside, and not over the text of one line"):
        await settled(page, "m2")
        one, text = await page.box(badge("m2")), await page.box(body("m2"))
        padding = float((await page.style(body("m2"), "padding-top"))[:-2])
        assert 0 < one["bottom"] - text["top"] <= padding, (one, text, padding)
        before = await page.box(bubble("m1"))
        assert before["bottom"] <= one["top"], "they lie over the message above: %r, %r" % (before, one)
    with Check("the rest is tinted when one of mine is inside"):
        tint = "find('%s').part.contains('own')" % badge("m1", "overflow")
        equal(await page.run(tint), False)
        plain = await page.style(badge("m1", "overflow"), "background-color")
        await give(url, "ada", "chat:overflow", "m1", EMOJI[0])
        await shows(page, "m1", ["🥑 3", "🚀 3", "🔥 3", "😂 3", "*+3"])
        await settled(page, "m1")
        assert await page.style(badge("m1", "overflow"), "background-color") != plain, "no other colour"
        await page.screenshot("overflow")
    with Check("the limit can be set"):
        await page.run("find('%s').setAttribute('limit', 3)" % (bubble("m1") + " >>> fanfare-badges"))
        await shows(page, "m1", ["🥑 3", "🚀 3", "*+5"])
        equal(await page.run("[[], [1, 2], [1, 2, 3], [1, 2, 3, 4]].map(list => Object.values(kit.splitOverflow(list, 3)))"),
              [[[], []], [[1, 2], []], [[1, 2, 3], []], [[1, 2], [3, 4]]])
        equal(await page.run("[[1], [1, 2]].map(list => Object.values(kit.splitOverflow(list, 0)))"), [[[1], []], [[], [1, 2]]])
    await page.close()


async def sending(browser, url, pid):
    page = await chat(browser, url, "ada", "strict:states")
    with Check("while it is sent a badge has an animated outline"):
        os.kill(pid, signal.SIGSTOP)
        try:
            await react(page, "m1", 1)
            await page.there(badge("m1", "sending"))
            equal(await page.run("getComputedStyle(find('%s'), '::after').animationName" % badge("m1", "sending")), "turn")
            await page.screenshot("sending")
        finally:
            os.kill(pid, signal.SIGCONT)
        await page.there(badge("m1", "sent"))
        await shows(page, "m1", ["*❤️"])
    with Check("what was refused is red, and can be discarded"):
        await react(page, "m1", 2)
        await page.there(badge("m1", "failed"))
        await settled(page, "m1")
        equal(await page.style(badge("m1", "failed"), "background-color"), "rgb(215, 0, 21)")
        await page.screenshot("failed")
        await page.click(badge("m1", "failed"))
        await page.there(bubble("m1") + " >>> fanfare-badges >>> #menu")
        equal((await page.focused())["text"], "Try again")
        await settled(page, "m1")
        await page.screenshot("failed-menu")
        await page.click(bubble("m1") + " >>> fanfare-badges >>> #discard")
        await shows(page, "m1", ["*❤️"])
        equal(await page.run("channel.view('m1').reactions.length"), 1)
    with Check("what was refused can be tried again, by the keyboard too"):
        await react(page, "m1", 2)
        await page.there(badge("m1", "failed"))
        await react(page, "m1", 1)  # makes room for it
        await page.run("find('%s').focus()" % badge("m1", "failed"))
        await page.key("Enter")
        await page.there(bubble("m1") + " >>> fanfare-badges >>> #menu")
        await page.key("Enter")
        await page.there(badge("m1", "sent"))
        await shows(page, "m1", ["*👍"])
        equal(await page.run("channel.view('m1').own"), ["👍"])
    no_errors(page)
    await page.close()


async def picking(browser, url):
    page = await chat(browser, url, "ada", "few:picker")
    texts = "[...find('%s').children].map(one => one.textContent)" % picker("m1", "#offered")
    with Check("the picker offers what the channel allows, in its order, and no search where that is little"):
        await open_bar(page, "m1")
        equal(await page.run(texts), ["🚀", "👍", "🎉"])
        equal(await page.run("find('%s').hidden" % picker("m1", "#more")), True)
    with Check("a function puts them in another order, a list chooses among them"):
        await page.run("void (find('%s').order = list => list.toReversed())" % bubble("m1"))
        await page.run("find('%s').update()" % (bubble("m1") + " >>> fanfare-picker"))
        await page.until("JSON.stringify(%s) === JSON.stringify(['🎉', '👍', '🚀'])" % texts)
        await page.run("void (find('%s').reactions = message => ['👍', '😡'])" % bubble("m1"))
        await page.run("find('%s').update()" % (bubble("m1") + " >>> fanfare-picker"))
        await page.until("JSON.stringify(%s) === JSON.stringify(['👍'])" % texts)
        await page.key("Escape")
    with Check("where one cannot react only the actions are offered, or nothing"):
        await page.run("document.querySelectorAll('fanfare-bubble').forEach(one => (one.canReact = () => false))")
        await page.click(body("m1"), "right")
        await page.until(is_closed("m1"))
        await page.click(body("m2"), "right")
        await page.there(picker("m2", "#actions"))
        equal(await page.run("find('%s').hidden" % picker("m2", "#panel")), True)
        await page.key("Escape")
        await page.run("document.querySelectorAll('fanfare-bubble').forEach(one => delete one.canReact)")
    with Check("a frozen channel takes no reactions, until it is thawed"):
        async with await Client.connect(url, "mod") as mod:
            for frozen in [True, False]:
                matches(await mod.request("freeze", channel="few:picker", frozen=frozen), type="ack")
                await page.until("channel.frozen === %s" % str(frozen).lower())
                await page.click(body("m1"), "right")
                await page.until("find('%s').open === %s" % (bubble("m1"), str(not frozen).lower()))
    await page.close()


async def searching(browser, url):
    page = await chat(browser, url, "ada", "any:search")
    loaded = "performance.getEntriesByType('resource').filter(one => one.name.includes('emoji-')).length"
    with Check("the names of emoji are loaded only when the search opens"):
        await open_bar(page, "m1")
        equal(await page.run(loaded), 0)
        await page.click(picker("m1", "#more"))
        await page.there(picker("m1", "#found > button"))
        assert await page.run(loaded) > 0
        equal((await page.focused())["label"], "Search emoji")
    found = "[...find('%s').children].map(one => one.textContent)" % picker("m1", "#found")
    with Check("an empty search shows emoji, more as one scrolls"):
        first = len(await page.run(found))
        assert 50 < first < 400, "%d at first" % first
        for _ in range(40):
            await page.run("find('%s').scrollTop = 1e6" % picker("m1", "#found"))
            await page.run("new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
        await page.until(found + ".length === 1870")
    with Check("the search finds by each word's beginning, whole words first, then what is used most"):
        for text, wanted in [("cake", ["🎂", "🥮", "🍥"]), ("avocado", ["🥑"]), ("thumbs u", ["👍"]), ("RED HEART", ["❤️"]), ("nothing such", [])]:
            await page.run("find('%s').value = ''" % picker("m1", "#field"))
            await page.run("find('%s').focus()" % picker("m1", "#field"))
            await page.type(text)
            await page.until("JSON.stringify(%s) === '%s'" % (found, str(wanted).replace("'", '"').replace(" ", "")))
        equal(await page.run("find('%s').textContent" % picker("m1", "#told")), "0 emoji")
    with Check("arrows go from the field to what was found, and back"):
        await page.run("find('%s').value = ''" % picker("m1", "#field"))
        await page.type("face")
        await page.until(found + ".length > 20")
        await page.key("ArrowDown")
        first = (await page.focused())["part"]
        await page.key("ArrowRight")
        await page.key("ArrowDown")
        equal([first, (await page.focused())["part"]], ["result", "result"])
        await page.key("ArrowUp", 2)
        equal((await page.focused())["part"], "field")
    with Check("Enter takes the first that was found, and the bar closes"):
        await page.run("find('%s').value = ''" % picker("m1", "#field"))
        await page.type("heart")
        await page.until("(%s).includes('💜')" % found)
        await settled(page, "m1")
        await page.screenshot("search")
        await page.run("find('%s').value = ''" % picker("m1", "#field"))
        await page.type("rocket")
        await page.until("JSON.stringify(%s) === '[\"🚀\"]'" % found)
        await page.key("Enter")
        await page.until(is_closed("m1"))
        await shows(page, "m1", ["*🚀"])
    with Check("what was found before is offered, to be taken away"):
        await open_bar(page, "m1")
        equal(await page.run("find('%s').lastElementChild.getAttribute('aria-label')" % picker("m1", "#offered")), "Remove 🚀")
        await page.key("Escape")
    with Check("a named reaction without a picture shows the name that it was given, or its own to be read; an emoji itself"):
        names = await chat(browser, url, "ada", "any:names")
        await names.run("""kit.defineReactions([{ reaction: "ship_it", name: "Ship it!" }, { reaction: "🎉", name: "Hurray" }])""")
        await give(url, "bob", "any:names", "m1", "ship_it", "thumbs_up", "🎉")
        await shows(names, "m1", ["🎉", "thumbs up", "Ship it!"])
        equal(await names.run("find('%s').getAttribute('aria-label')" % badge("m1")), "React with Hurray")
        await names.close()
    with Check("custom reactions have a small icon on badges and a large one in the bar, and are found by name"):
        await page.run("""kit.defineReactions([{ reaction: "party_parrot", name: "Party parrot",
            small: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><circle cx='4' cy='4' r='4' fill='green'/></svg>",
            large: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 99 99'><circle cx='49' cy='49' r='45' fill='green'/></svg>" }])""")
        await open_bar(page, "m3")
        await page.click(picker("m3", "#more"))
        await page.there(picker("m3", "#found > button"))
        await page.type("party pa")
        await page.until("find('%s').getAttribute('aria-label') === 'React with Party parrot'" % picker("m3", "#found > button"))
        await page.key("Enter")
        await page.there(badge("m3", "sent"))
        size = "(/viewBox='0 0 (\\d+)/.exec(decodeURIComponent(find('%s').src)) ?? [])[1]"
        equal(await page.run(size % (badge("m3") + " img")), "9")
        equal(await page.run("find('%s').getAttribute('aria-label')" % badge("m3")), "Remove Party parrot")
        await open_bar(page, "m3")
        equal(await page.run(size % picker("m3", "#offered img")), "99")
        await page.screenshot("custom")
        await page.key("Escape")
    with Check("where a picture cannot be had, the name stands in its place"):
        names = await chat(browser, url, "ada", "any:pictures")
        await names.run("""kit.defineReactions([{ reaction: "ship_it", name: "Ship it!", small: "data:image/png,none" },
            { reaction: "🚢", name: "Ship", small: "data:image/png,none" }])""")
        await give(url, "bob", "any:pictures", "m1", "ship_it", "🚢")
        await shows(names, "m1", ["Ship", "Ship it!"])
        await names.close()
    no_errors(page)
    await page.close()


async def reactors(browser, url):
    users = ["user-%03d" % i for i in range(130)]
    for start in range(0, len(users), 26):
        await asyncio.gather(*(give(url, user, "chat:who", "m1", "👍") for user in users[start:start + 26]))
    await give(url, "ada", "chat:who", "m1", "❤️")
    page = await chat(browser, url, "ada", "chat:who")
    overview = bubble("m1") + " >>> fanfare-overview >>> "
    count = "find('%s').children.length" % (overview + "#list")
    with Check("the overview shows who reacted, newest first, a page at a time as one scrolls"):
        await shows(page, "m1", ["*❤️", "👍 130"])
        await page.run("find('%s').showOverview()" % bubble("m1"))
        await page.until(count + " === 50")
        equal(await page.run("find('%s').textContent" % (overview + "[part=name]")), "ada")
        await settled(page, "m1")
        await page.screenshot("overview")
        equal(await page.run("(box => box.scrollHeight - box.clientHeight)(find('%s'))" % (overview + "dialog")), 0,
              "what the dialog scrolls, besides the list in it")
        await page.run("find('%s').scrollTop = 1e6" % (overview + "#people"))
        await page.until(count + " === 100")
        await page.run("find('%s').scrollTop = 1e6" % (overview + "#people"))
        await page.until(count + " === 131")
        names = await page.run("[...find('%s').querySelectorAll('[part=name]')].map(one => one.textContent)" % (overview + "#list"))
        equal(sorted(names), ["ada", *users])
    with Check("by reaction, with the number of each"):
        tabs = "[...find('%s').children].map(one => one.textContent)" % (overview + "#tabs")
        equal(await page.run(tabs), ["All131", "👍130", "❤️1"])
        await page.click(overview + "#tabs > :nth-child(3)")
        await page.until(count + " === 1")
        await page.key("ArrowLeft")
        await page.until(count + " === 50")
        equal((await page.focused())["label"], "👍 130")
    with Check("where the broker no longer knows the place in the list it begins anew, and goes on to its end"):
        await page.run("""void (channel.reactors = function (message, query) {
            const ask = () => Object.getPrototypeOf(channel).reactors.call(channel, message, query)
            if (!query.after) return ask()
            delete channel.reactors
            return ask().then(() => { throw Object.assign(new Error("outlived"), { code: "unknown_cursor" }) })
        })""")
        await page.until("(find('%s').scrollTop = 1e6, %s === 130)" % (overview + "#people", count))
        equal(await page.run("[Object.hasOwn(channel, 'reactors'), find('%s').textContent]" % (overview + "#note")), [False, ""])
    with Check("one's own is taken away there; Escape closes, and the focus is kept"):
        await page.click(overview + "#tabs > :nth-child(3)")
        await page.click(overview + "[part=remove]")
        await shows(page, "m1", ["👍 130"])
        await page.key("Escape")
        await page.until("!find('%s').open" % (bubble("m1") + " >>> fanfare-overview"))
        await page.until("!find('%s').open" % (overview + "dialog"))
    with Check("a badge held, or right-clicked, asks who reacted, and stays as it is"):
        await settled(page, "m1")
        await page.hold(badge("m1"), "find('%s').open" % (bubble("m1") + " >>> fanfare-overview"))
        await page.until(count + " === 50")
        await page.key("Escape")
        await page.until("!find('%s').open" % (overview + "dialog"))
        await settled(page, "m1")
        await page.click(badge("m1"), "right")
        await page.until("find('%s').open" % (overview + "dialog"))
        await page.key("Escape")
        await page.until("!find('%s').open" % (overview + "dialog"))
        await shows(page, "m1", ["👍 130"])
    with Check("an app may keep it closed"):
        await page.run("find('%s').shouldShowOverview = () => false" % bubble("m1"))
        await page.run("find('%s').showOverview()" % bubble("m1"))
        equal(await page.run("find('%s').open" % (overview + "dialog")), False)
    no_errors(page)
    await page.close()
    with Check("where nobody is named the overview says so"):
        await give(url, "bob", "anon:who", "m1", "👍")
        page = await chat(browser, url, "ada", "anon:who")
        await shows(page, "m1", ["👍"])
        await page.run("find('%s').showOverview()" % bubble("m1"))
        await page.until("find('%s').textContent === 'Nobody is named here'" % (overview + "#note"))
    await page.close()


async def bursts(browser, url):
    page = await chat(browser, url, "ada", "burst:live")
    layer = "find('fanfare-burst >>> #layer')"
    with Check("a burst floats up, spread over its window"):
        await page.run("find('fanfare-burst').scrollIntoView()")
        delays = "[...%s.children].map(one => one.getAnimations()[0].effect.getTiming().delay)" % layer
        equal(await page.run("(find('fanfare-burst').play({ '🎉': 3, '❤️': 1 }, 200), %s)" % delays), [0, 50, 100, 150])
        await page.screenshot("burst")
        await page.until(layer + ".children.length === 0")
    with Check("what no reaction was counted of does not float"):
        for none in ["{ a: 0, b: 0 }", "{ a: NaN }", "{ a: -3 }", "{}"]:
            equal(await page.run("(find('fanfare-burst').play(%s), %s.children.length)" % (none, layer)), 0, none)
    with Check("of a great burst few are shown, in proportion, and never more than the limit at once"):
        counts, texts = await page.run("""(() => {
            const counts = []
            for (let turn = 0; turn < 20; turn++) {
                find('fanfare-burst').play({ '🎉': 900, '❤️': 100 })
                counts.push(%s.children.length)
            }
            return [counts, [...%s.children].slice(0, 12).map(one => one.textContent)]
        })()""" % (layer, layer))
        equal((counts[0], max(counts)), (12, 30))
        equal((texts.count("🎉"), texts.count("❤️")), (11, 1))
        await page.until(layer + ".children.length === 0")
    with Check("the reactions of others arrive as a burst"):
        await give(url, "bob", "burst:live", "m1", "🔥", "🔥")
        await page.until("[...%s.children].some(one => one.textContent === '🔥')" % layer)
    no_errors(page)
    await page.close()


async def reactions(url, pid):
    async with Browser() as browser:
        await together(browser, url)
        await overflow(browser, url)
        await sending(browser, url, int(pid))
        await picking(browser, url)
        await searching(browser, url)
        await reactors(browser, url)
        await bursts(browser, url)


if __name__ == "__main__":
    main(reactions)
