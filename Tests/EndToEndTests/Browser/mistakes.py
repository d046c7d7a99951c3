"""What a page is told that goes wrong: a channel that the broker refuses, elements without what they need. Words: URL"""

from chat import badge, body, bubble, is_closed, is_open, no_errors, settled
from checks import Check, Client, equal, main, matches
from devtools import Browser, http

PAGE = """(async () => {
    const { connect } = await import("%(base)s/kit/fanfare.js")
    await import("%(base)s/kit/components.js")
    window.client = connect({ user: "ada", url: "%(base)s" })
    window.channel = client.channel("%(channel)s")
    document.body.innerHTML = `%(elements)s`
    return true
})()"""


async def opened(browser, url, channel, elements):
    page = await browser.page(http(url) + "/test/empty.html")
    await page.run(PAGE % {"base": http(url), "channel": channel, "elements": elements})
    return page


async def heard(page, *expected):
    """Waits until the page was warned so often, and compares."""
    while len(page.warnings) < len(expected):
        await page.run("new Promise(resolve => setTimeout(resolve, 20))")
    equal(page.warnings, list(expected), "the page's warnings")


async def refused(browser, url):
    page = await opened(browser, url, "nowhere:1",
        "<fanfare-bubble message=m1>Hello<button slot=actions>Reply</button></fanfare-bubble>"
        "<fanfare-bubble message=m2>Hello</fanfare-bubble><fanfare-picker message=m1></fanfare-picker>")
    with Check("a channel that the broker refuses is told of once, with the broker's reason"):
        await page.run("void document.querySelectorAll('body > *').forEach(one => (one.channel = channel))")
        await page.until("channel.error?.code === 'forbidden'")
        reason = await page.run("channel.ready.catch(error => error.message)")
        await heard(page, "fanfare: nothing comes of nowhere:1: %s (forbidden)" % reason)
        assert "nowhere" in reason or "namespace" in reason or "channel" in reason, reason
    with Check("its messages offer no reactions then, but still their actions"):
        await page.until("find('fanfare-picker >>> #panel').hidden")
        await page.click(body("m2"), "right")
        equal(await page.run(is_closed("m2")), True)
        await page.click(body("m1"), "right")
        await page.until(is_open("m1"))
        equal(await page.run("find('%s >>> fanfare-picker >>> #panel').hidden" % bubble("m1")), True)
        await page.key("Escape")
    with Check("asked for again, and refused again, it is not told of again"):
        await page.run("new Promise(resolve => { channel.addEventListener('error', resolve, { once: true }); channel.watch('m9') }).then(() => true)")
        equal(len(page.warnings), 1)
    no_errors(page)
    await page.close()


async def nameless(browser, url):
    page = await opened(browser, url, "chat:mistakes", "<fanfare-bubble>Hello</fanfare-bubble>")
    with Check("a bubble without a message says so, and has no reactions: not those of the channel itself"):
        async with await Client.connect(url, "bob") as bob:
            matches(await bob.request("add", channel="chat:mistakes", message="", reaction="🎉"), type="ack")
        await page.run("channel.ready.then(() => { find('fanfare-bubble').channel = channel })")
        await heard(page, "fanfare-bubble: `message` is missing")
        await page.click("fanfare-bubble >>> [part=message]", "right")
        equal(await page.run("find('fanfare-bubble').open"), False)
        equal(await page.run("find('fanfare-bubble >>> fanfare-badges >>> #list').children.length"), 0)
    with Check("with one it is a message as any other"):
        await page.run("find('fanfare-bubble').message = 'm1'")
        await page.click(body("m1"), "right")
        await page.until(is_open("m1"))
        await settled(page, "m1")
        await page.key("Enter")
        await page.there(badge("m1", "sent"))
        equal(len(page.warnings), 1)
    no_errors(page)
    await page.close()


async def misnamed(browser, url):
    page = await opened(browser, url, "chat:mistakes", "<fanfare-bubble message='hello world'>Hello</fanfare-bubble>"
        "<fanfare-bubble message='%s'>Hello</fanfare-bubble><fanfare-bubble message=.>Hello</fanfare-bubble>"
        "<fanfare-bubble message=m7>Hello</fanfare-bubble>" % ("x" * 129))
    with Check("a message whose id is none is told of, and costs the others nothing"):
        await page.run("void document.querySelectorAll('body > *').forEach(one => (one.channel = channel))")
        await heard(page, *("fanfare: “%s” is no message id" % name for name in ["hello world", "x" * 129, "."]))
        async with await Client.connect(url, "bob") as bob:
            matches(await bob.request("add", channel="chat:mistakes", message="m7", reaction="🎉"), type="ack")
        await page.there(badge("m7"))
        equal(await page.run("channel.error ?? null"), None)
    no_errors(page)
    await page.close()


async def narrowed(browser, url):
    for how, listen, told in [("", "", 0), ("unless the page listens to it", "channel.addEventListener('change', () => {})", 1)]:
        page = await opened(browser, url, "chat:narrowed", "<fanfare-bubble message=m1>Hello</fanfare-bubble>")
        with Check("an element narrows its channel to what is in view " + how):
            await page.run("void (%s, find('fanfare-bubble').channel = channel)" % (listen or "0"))
            await page.run("channel.ready.then(() => true)")
            async with await Client.connect(url, "bob") as bob:
                # The element has begun to watch when it shows the first.
                matches(await bob.request("add", channel="chat:narrowed", message="m1", reaction="🎉"), type="ack")
                await page.there(badge("m1"))
                matches(await bob.request("add", channel="chat:narrowed", message="m2", reaction="🎉"), type="ack")
                matches(await bob.request("add", channel="chat:narrowed", message="m1", reaction="👍"), type="ack")
                await page.until("channel.view('m1').total === 2")
                equal(await page.run("channel.view('m2').total"), told)
                for message, reaction in [("m1", "🎉"), ("m1", "👍"), ("m2", "🎉")]:
                    await bob.request("remove", channel="chat:narrowed", message=message, reaction=reaction)
        no_errors(page)
        await page.close()


async def channelless(browser, url):
    page = await opened(browser, url, "chat:mistakes", "<fanfare-bubble message=m1 channel=chat:1>Hello</fanfare-bubble>"
        "<fanfare-bubble message=m2>Hello</fanfare-bubble><fanfare-badges message=m1></fanfare-badges>")
    with Check("elements without a channel say what is meant, each kind once"):
        await heard(page, *("%s: `channel` must be a channel of a client" % name for name in ["fanfare-bubble", "fanfare-badges"]))
    with Check("what is no channel is not taken"):
        for wrong in ["'chat:1'", "client", "{}"]:
            thrown = await page.run("""(() => { try { find('fanfare-bubble').channel = %s; return null }
                catch (error) { return [error.name, error.message] } })()""" % wrong)
            equal(thrown, ["TypeError", "fanfare-bubble: `channel` must be a channel of a client"], wrong)
        equal(await page.run("(find('fanfare-bubble').channel = undefined, find('fanfare-bubble').channel ?? null)"), None)
    no_errors(page)
    await page.close()


async def closed(browser, url):
    page = await opened(browser, url, "chat:mistakes", "<fanfare-bubble message=m1>Hello</fanfare-bubble>")
    with Check("a client that is closed for good says why, and its messages take no reactions"):
        await page.run("""import("%(base)s/kit/fanfare.js").then(({ connect }) => {
            window.other = connect({ url: "%(base)s", token: "no.token.atall" })
            find("fanfare-bubble").channel = other.channel("chat:mistakes")
        })""" % {"base": http(url)})
        await page.until("other.state === 'closed'")
        async with await Client.connect(url, "bob") as bob:
            refusal = await bob.request("auth", token="no.token.atall")
        await heard(page, "fanfare: closed for good: %s (unauthorized)" % refusal["message"])
        await page.click(body("m1"), "right")
        equal(await page.run(is_closed("m1")), True)
    await page.close()


async def mistakes(url, *_):
    async with Browser() as browser:
        await refused(browser, url)
        await nameless(browser, url)
        await misnamed(browser, url)
        await narrowed(browser, url)
        await channelless(browser, url)
        await closed(browser, url)


if __name__ == "__main__":
    main(mistakes)
