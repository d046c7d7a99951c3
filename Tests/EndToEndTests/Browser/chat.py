"""What the tests of the components share: the page Pages/chat.html, and paths into its elements."""

import json
import urllib.parse

from checks import equal
from devtools import http


def bubble(message):
    return "fanfare-bubble[message=%s]" % message


def body(message):
    return bubble(message) + " >>> [part=message]"


def trigger(message):
    return bubble(message) + " >>> #trigger"


def badge(message, part="badge"):
    return bubble(message) + " >>> fanfare-badges >>> [part~=%s]" % part


def offered(message, number):
    """The reaction of a number in the bar, the first is 1."""
    return bubble(message) + " >>> fanfare-picker >>> #offered > :nth-child(%d)" % number


def picker(message, inner):
    return bubble(message) + " >>> fanfare-picker >>> " + inner


def is_open(message):
    return "find('%s')?.open === true" % bubble(message)


def is_closed(message):
    return "find('%s')?.open === false" % bubble(message)


async def chat(browser, url, user="ada", channel="chat:components", context=None, dir="ltr", **shape):
    words = urllib.parse.urlencode({"user": user, "channel": channel, "dir": dir})
    page = await browser.page(http(url) + "/test/chat.html?" + words, context, **shape)
    await page.until("document.documentElement.dataset.ready === ''")
    return page


async def shows(page, message, expected):
    """Waits until the badges of a message are these, newest first: `👍`, `👍 2`, `*👍` where it is one's own."""
    badges = """[...find('%s >>> fanfare-badges').shadowRoot.querySelectorAll('[part~=badge]')].map(one =>
        (one.part.contains('own') ? '*' : '') + [...one.querySelectorAll('span')].map(s => s.textContent).filter(Boolean).join(' '))"""
    badges %= bubble(message)
    try:
        await page.until("JSON.stringify(%s) === %s" % (badges, json.dumps(json.dumps(expected, ensure_ascii=False, separators=(",", ":")))))
    except AssertionError:
        equal(await page.run(badges), expected, "the badges of " + message)
        raise


async def until_sent(page, message):
    await page.until("channel.view('%s').reactions.every(one => one.status === 'sent')" % message)


async def settled(page, message):
    """Waits until nothing of a message moves any more, as a person does before pointing at it."""
    await page.until("""[document, find('%s').shadowRoot, ...[...find('%s').shadowRoot.querySelectorAll('*')]
        .map(one => one.shadowRoot)].flatMap(one => one?.getAnimations() ?? []).every(one =>
            one.playState !== 'running' || one.effect.getTiming().iterations === Infinity)""" % (bubble(message), bubble(message)))


async def open_bar(page, message):
    await settled(page, message)
    await page.click(body(message), "right")
    await page.until(is_open(message))
    await settled(page, message)


async def react(page, message, number):
    """Opens the bar of a message by a right click and chooses."""
    await open_bar(page, message)
    await page.click(offered(message, number))
    await page.until(is_closed(message))


def no_errors(page, besides=()):
    """Nothing was thrown or logged as an error on a page, save lines with these words."""
    equal([line for line in page.errors if not any(word in line for word in besides)], [], "the page's errors")


