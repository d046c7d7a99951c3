"""Elements that change, come and go, and what they make of unusual names. Words: URL"""

import urllib.parse

from chat import badge, body, bubble, chat, is_closed, no_errors, offered, open_bar, picker, react, settled, shows
from checks import Check, Client, equal, main, matches
from devtools import Browser

OVERVIEW = "find('%s >>> fanfare-overview >>> %s')"
NAME = "<img/src=x/onerror=alert(1)>" + "W" * 90
ODD = ["👩🏽‍❤️‍💋‍👨🏿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "a" * 64, "👨‍👩‍👧‍👦"]


async def give(url, user, channel, message, *reactions):
    async with await Client.connect(url, urllib.parse.quote(user)) as client:
        for reaction in reactions:
            matches(await client.request("add", channel=channel, message=message, reaction=reaction), type="ack")


def people(message):
    return "[...(%s?.children ?? [])].map(one => one.innerText)" % (OVERVIEW % (bubble(message), "#list"))


async def changing(browser, url):
    page = await chat(browser, url, "ada", "chat:changing")
    await give(url, "bob", "chat:changing", "m1", "👍")
    await give(url, "bob", "chat:changing", "x9", "🎉", "😂")
    await shows(page, "m1", ["👍"])
    with Check("another message's id brings its reactions, and its people into an open overview"):
        await page.run("void (window.first = find('%s')).showOverview()" % bubble("m1"))
        await page.until(people("m1") + ".length === 1")
        await page.run("void (first.message = 'x9')")
        await shows(page, "x9", ["😂", "🎉"])
        await page.until(people("x9") + ".length === 2")
        await page.key("Escape")
        await page.until("%s.open === false" % (OVERVIEW % (bubble("x9"), "dialog")))
    for what, lose, regain in [
            ("channel", "first.channel = null", "first.channel = channel"),
            ("message", "first.removeAttribute('message')", "first.message = 'x9'")]:
        with Check("who loses the %s shows nothing and is closed, until it has one again" % what):
            await open_bar(page, "x9")
            await page.run("void (%s)" % lose)
            await page.until("!first.open")
            await page.until("first.shadowRoot.querySelector('fanfare-badges').shadowRoot.querySelector('#list').children.length === 0")
            await page.run("void first.show()")
            equal(await page.run("first.open"), False)
            await page.run("void (%s)" % regain)
            await shows(page, "x9", ["😂", "🎉"])
    with Check("a message that is taken out of the page while it is held does not open, nor when it is back"):
        await page.mouse("mousePressed", await page.point(body("m3")))
        await page.run("new Promise(resolve => { window.third = find('%s'); third.remove(); setTimeout(resolve, 600) })" % bubble("m3"))
        await page.mouse("mouseReleased", {"x": 5, "y": 5})
        await page.run("void document.body.append(third)")
        await settled(page, "m3")
        equal(await page.run("third.open"), False)
    with Check("an overview that is taken out of the page is closed when it is back"):
        await page.run("first.showOverview().then(() => true)")
        equal(await page.run("%s.open" % (OVERVIEW % (bubble("x9"), "dialog"))), True)
        await page.run("void (first.remove(), document.body.append(first))")
        equal(await page.run("%s.open" % (OVERVIEW % (bubble("x9"), "dialog"))), False)
    with Check("one that is taken out of the page while its overview comes does not show it, nor when it is back"):
        showing = "Promise.all([first.showOverview(), first.remove()]).then(() => (document.body.append(first), true))"
        await page.run(showing)
        equal(await page.run("first.shadowRoot.querySelector('fanfare-overview').open"), False)
    with Check("a channel that is set and taken away in one breath does no harm"):
        await page.run("void (first.channel = channel, first.channel = null)")
        await page.run("new Promise(resolve => setTimeout(resolve, 0, true))")
        equal(await page.run("first.show() ?? first.open"), False)
    with Check("words that a page replaces are those of elements that were there before, once they have a channel"):
        await page.run("import('/kit/components.js').then(({ words }) => (words.trigger = 'Reagieren', first.channel = channel, true))")
        await page.until("first.shadowRoot.querySelector('#trigger').ariaLabel === 'Reagieren'")
    no_errors(page)
    await page.close()


async def moments(browser, url):
    page = await chat(browser, url, "ada", "chat:moments", height=800)
    with Check("a message that goes while another one is open is not dim when it is back"):
        await open_bar(page, "m1")
        await page.run("void (window.third = find('%s')).remove()" % bubble("m3"))
        await page.key("Escape")
        await page.run("void find('%s').before(third)" % bubble("m4"))
        await settled(page, "m3")
        equal(await page.style(bubble("m3"), "opacity"), "1")

    async def places():
        bar, message = await page.box(picker("m3", "#panel")), await page.box(body("m3"))
        return bar["top"] - message["top"], bar["left"] - message["left"], bar["right"] - message["right"]

    with Check("an open bar stays with its message, whatever is put above it, also where the page turns round"):
        await open_bar(page, "m3")
        above, left, _ = await places()
        await page.run("void document.body.insertAdjacentHTML('afterbegin', '<p id=news style=\"block-size: 90px\">News</p>')")
        await page.until("find('%s').getBoundingClientRect().top > 200" % body("m3"))
        await page.run("new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() => true)")
        now, _, _ = await places()
        assert abs(now - above) < 2, "the bar is %d px from its message, and was %d" % (now, above)
        await page.run("void (document.documentElement.dir = 'rtl')")
        await page.run("new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() => true)")
        now, _, right = await places()
        assert abs(now - above) < 2 and abs(right) < 4 and abs(left) < 4, "the bar is %d px from its message's end" % right
        await page.run("void (document.documentElement.dir = 'ltr', find('#news').remove())")
        await page.key("Escape")
        await page.until(is_closed("m3"))
    with Check("a channel that is frozen under an open bar closes it, and the focus is kept"):
        for message in ["m1", "m2"]:  # without actions, and with
            await open_bar(page, message)
            async with await Client.connect(url, "mod") as moderator:
                for frozen in [True, False]:
                    matches(await moderator.request("freeze", channel="chat:moments", frozen=frozen), type="ack")
                    await page.until("channel.frozen === %s" % ("true" if frozen else "false"))
                    await page.until(is_closed(message))
            equal((await page.focused())["label"], "React")
            equal(await page.run("document.querySelectorAll('[dimmed]').length"), 0)
    with Check("another limit is another number of badges"):
        await give(url, "bob", "chat:moments", "m4", "👍", "🎉", "😂", "❓")
        count = "find('%s >>> fanfare-badges >>> #list').children.length" % bubble("m4")
        await page.until(count + " === 4")
        await page.run("void find('%s').setAttribute('limit', '2')" % bubble("m4"))
        await page.until(count + " === 2")
    with Check("the key that ends an input method's word chooses nothing"):
        await open_bar(page, "m3")
        await page.click(picker("m3", "#more"))
        await page.there(picker("m3", "#found > button"))
        await page.run("void find('%s').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, composed: true }))" % picker("m3", "#field"))
        equal(await page.run("[find('%s').open, channel.view('m3').total]" % bubble("m3")), [True, 0])
        await page.key("Escape")
    no_errors(page)
    await page.close()


async def frames(browser, url):
    page = await chat(browser, url, "ada", "chat:frames", height=800)
    with Check("a click into a frame beside it closes an open bar"):
        await page.run("void document.body.insertAdjacentHTML('beforeend', '<iframe id=frame srcdoc=Frame height=60></iframe>')")
        await open_bar(page, "m3")
        await page.click("#frame")
        await page.until(is_closed("m3"))
    with Check("in a dialog of the page a message opens above it, and Escape closes the bar alone"):
        await page.run("void document.body.insertAdjacentHTML('beforeend', '<dialog id=dialog><fanfare-bubble message=d1>In a dialog</fanfare-bubble></dialog>')")
        await page.run("void (find('%s').channel = channel, find('#dialog').showModal())" % bubble("d1"))
        await react(page, "d1", 2)
        await shows(page, "d1", ["*👍"])
        await open_bar(page, "d1")
        await page.key("Escape")
        await page.until(is_closed("d1"))
        equal(await page.run("find('#dialog').open"), True)
        await page.key("Escape")
        await page.until("!find('#dialog').open")
    no_errors(page)
    await page.close()


async def quotes(browser, url):
    page = await chat(browser, url, "ada", "chat:quotes", height=800)
    await page.run("void find('%s').insertAdjacentHTML('beforeend', '<fanfare-bubble message=q1>Quoted</fanfare-bubble>')" % bubble("m3"))
    with Check("a message that is quoted in another has its own reactions"):
        await give(url, "bob", "chat:quotes", "q1", "🎉")
        await page.until("find('%s >>> fanfare-badges >>> #list').children.length === 1" % bubble("q1"))
        equal(await page.run("find('%s >>> fanfare-badges >>> #list').children.length" % bubble("m3")), 0)
    with Check("it opens by itself, and is not dim in the one around it"):
        await open_bar(page, "q1")
        equal(await page.run("find('%s').open" % bubble("m3")), False)
        equal(await page.style(bubble("m3"), "opacity"), "1")
        await page.screenshot("quote")
        await page.click(offered("q1", 2))
        await page.until("channel.view('q1').own[0] === '👍'")
        equal(await page.run("channel.view('m3').total"), 0)
    with Check("who reacted to it is asked for it alone"):
        await settled(page, "q1")
        await page.click(badge("q1"), "right")
        await page.until("%s?.open === true" % (OVERVIEW % (bubble("q1"), "dialog")))
        equal(await page.run("find('%s').shadowRoot.querySelector('fanfare-overview').open ?? false" % bubble("m3")), False)
        await page.key("Escape")
    no_errors(page)
    await page.close()


async def forms(browser, url):
    page = await chat(browser, url, "ada", "chat:forms")
    with Check("a reaction that the app writes in another form is the broker's: highlighted, there once, and taken away"):
        await page.run("void (find('%s').reactions = ['❤', '👍', '👍'])" % bubble("m1"))
        await react(page, "m1", 1)
        await shows(page, "m1", ["*❤️"])
        await open_bar(page, "m1")
        parts = "[...find('%s').children].map(one => `${one.textContent} ${one.part}`)" % picker("m1", "#offered")
        equal(await page.run(parts), ["❤️ reaction own", "👍 reaction"])
        await page.click(offered("m1", 1))
        await shows(page, "m1", [])
    no_errors(page)
    await page.close()


async def copies(browser, url):
    page = await chat(browser, url, "ada", "chat:copies")
    with Check("a second copy of the kit, another broker's say, does no harm"):
        await page.run("import('/kit/components.js?copy').then(() => import('/kit/overview.js?copy')).then(() => true)")
        await page.run("void find('%s').showOverview()" % bubble("m1"))
        await page.until("%s?.open === true" % (OVERVIEW % (bubble("m1"), "dialog")))
        await page.key("Escape")
    with Check("of two clients on a page each message has its own"):
        await page.run("""import("/kit/fanfare.js").then(({ connect }) => {
            window.others = connect({ user: "bob" }).channel("chat:copies")
            find("%s").channel = others
            return others.ready.then(() => true)
        })""" % bubble("m2"))
        await page.run("void find('%s').setAttribute('message', 'm1')" % bubble("m2"))
        await page.run("others.add('m1', '👍').then(() => true)")
        await page.until("channel.view('m1').total === 1")
        drawn = "document.querySelectorAll('fanfare-bubble')[%d].shadowRoot.querySelector('fanfare-badges').shadowRoot.querySelector('[part~=badge]')?.part.contains('own')"
        await page.until("%s === false && %s === true" % (drawn % 0, drawn % 1))
    with Check("a badge pressed many times in a row ends as it was pressed last"):
        await page.run("void (badge => { for (let time = 0; time < 31; time += 1) badge.click() })(find('%s'))" % badge("m1"))
        await page.until("channel.view('m1').total === 2 && channel.view('m1').reactions[0].status === 'sent'")
        await page.until("others.view('m1').total === 2")
    no_errors(page)
    await page.close()


async def odd_names(browser, url):
    page = await chat(browser, url, "ada", "any:odd", width=360)
    await give(url, NAME, "any:odd", "m1", *ODD)
    await give(url, NAME, "any:odd", "m4", *ODD)
    with Check("long names and markup are text, and nothing reaches beyond a narrow screen"):
        await shows(page, "m1", ODD[::-1])
        equal(await page.run("document.documentElement.scrollWidth"), 360)
        for message in ["m1", "m4"]:
            for each in await page.run("[...find('%s >>> fanfare-badges >>> #list').children].map(one => one.getBoundingClientRect().toJSON())" % bubble(message)):
                assert 0 <= each["left"] and each["right"] <= 360, "a badge of %s is at %r" % (message, each)
        await page.screenshot("odd-names")
        await page.run("void find('%s').showOverview()" % bubble("m1"))
        await page.until(people("m1") + ".length === 4")
        equal(await page.run(OVERVIEW % (bubble("m1"), "[part=name]") + ".textContent"), NAME)
        equal(await page.run("%s.scrollWidth" % (OVERVIEW % (bubble("m1"), "#people"))), 360)
        await page.screenshot("odd-names-overview")
        await page.key("Escape")
    no_errors(page)
    await page.close()


async def crowds(browser, url):
    page = await chat(browser, url, "ada", "chat:crowds")
    fill = """(() => {
        find('#crowd')?.remove()
        const crowd = document.body.appendChild(Object.assign(document.createElement('div'), { id: 'crowd' }))
        for (let number = 0; number < %d; number += 1) {
            const one = document.createElement('fanfare-bubble')
            Object.assign(one, { message: `n${number}`, textContent: `Message ${number}`, channel })
            crowd.append(one)
            if (number %% 2) one.remove()
        }
    })()"""

    async def nodes():
        await page.call("HeapProfiler.collectGarbage")
        return (await page.call("Memory.getDOMCounters"))["nodes"]

    with Check("of 1,000 messages those in view are watched and can be reacted to"):
        await page.run(fill % 2000)
        await page.run("void find('%s').scrollIntoView()" % bubble("n1998"))
        await give(url, "bob", "chat:crowds", "n1998", "👍")
        await shows(page, "n1998", ["👍"])
        await react(page, "n1998", 2)
        await shows(page, "n1998", ["*👍 2"])
    with Check("a change of one message is no work for the elements of the others"):
        await page.run("void (window.added = 0, channel.addEventListener = function (type, ...rest) { added += type === 'change'; EventTarget.prototype.addEventListener.call(this, type, ...rest) })")
        await page.run(fill % 20)
        equal(await page.run("(delete channel.addEventListener, added)"), 0)
    with Check("elements that come and go leave nothing behind"):
        await page.run("void find('#crowd').remove()")
        await page.until("new Promise(resolve => setTimeout(resolve, 2500, true))")  # a warning of a missing channel may wait
        before = await nodes()
        for _ in range(3):
            await page.run(fill % 400)
        await page.run("void find('#crowd').remove()")
        await page.until("new Promise(resolve => setTimeout(resolve, 2500, true))")
        after = await nodes()
        assert after < before + 1000, "%d nodes before, %d after" % (before, after)
    with Check("neither do those of a channel that is not there yet"):
        await page.run("""import("/kit/fanfare.js").then(({ connect }) => {
            window.never = connect({ url: "http://127.0.0.1:1", user: "ada", share: false })
            window.channel = never.channel("chat:crowds")
        })""")
        before = await nodes()
        for _ in range(3):
            await page.run(fill % 400)
        await page.run("void find('#crowd').remove()")
        await page.until("new Promise(resolve => setTimeout(resolve, 2500, true))")
        after = await nodes()
        assert after < before + 1000, "%d nodes before, %d after" % (before, after)
        await page.run("void never.close()")
        page.errors = [error for error in page.errors if "127.0.0.1:1/" not in error]
    no_errors(page)
    await page.close()


async def scenario(url, *_):
    async with Browser() as browser:
        for part in [changing, moments, frames, quotes, forms, copies, odd_names, crowds]:
            await part(browser, url)


main(scenario)
