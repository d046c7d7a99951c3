"""The demo page of the broker. Words: URL"""

from checks import Check, equal, main
from devtools import Browser, http


async def demo(url):
    async with Browser() as browser:
        ada = await browser.page(http(url) + "/?user=ada")
        bob = await browser.page(http(url) + "/?user=bob", context=await browser.context())
        with Check("two pages see each other's reactions"):
            for page in [ada, bob]:
                await page.until("find('#state').textContent === 'connected'")
            await ada.click("#m1 button[data-reaction='👍']")
            await bob.until("find('#m1 button').textContent === '👍 1'")
            await ada.screenshot("demo")
        with Check("nothing is thrown"):
            equal(ada.errors + bob.errors, [])


main(demo)
