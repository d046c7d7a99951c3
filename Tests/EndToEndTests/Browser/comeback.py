"""A broker that is killed and comes back, seen from two pages. Words: FANFARE FOLDER"""

from broker import Broker
from chat import badge, chat, no_errors, react, shows
from checks import Check, equal, main
from devtools import Browser

async def comeback(path, folder):
    async with Broker(path, folder) as broker:
        async with Browser() as browser:
            ada = await chat(browser, broker.url, "ada", "chat:back")
            bob = await chat(browser, broker.url, "bob", "chat:back", await browser.context())
            with Check("before"):
                await react(ada, "m1", 1)
                await shows(bob, "m1", ["❤️"])
                epoch = await bob.run("channel.epoch")
            await broker.kill()
            with Check("what one does meanwhile is seen at once and waits, the last wish alone"):
                for page in [ada, bob]:
                    await page.until("client.state === 'waiting' || client.state === 'connecting'")
                await react(ada, "m1", 2)
                await react(ada, "m1", 4)
                await react(ada, "m1", 4)
                await react(bob, "m1", 1)
                await shows(ada, "m1", ["*👍", "*❤️"])
                await shows(bob, "m1", ["*❤️ 2"])
                await ada.there(badge("m1", "sending"))
                await ada.screenshot("broker-gone")
            await broker.start()
            with Check("after it is back both see the same, nothing is lost and nothing is there twice"):
                for page in [ada, bob]:
                    await page.until("client.state === 'connected' && channel.view('m1').reactions.every(one => one.status === 'sent')")
                await shows(ada, "m1", ["*👍", "*❤️ 2"])
                await shows(bob, "m1", ["👍", "*❤️ 2"])
                for page in [ada, bob]:
                    equal(await page.run("[channel.view('m1').total, channel.epoch, channel.seq]"), [3, epoch, 3])
                await bob.screenshot("broker-back")
            for page in [ada, bob]:
                no_errors(page, besides=["ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "WebSocket connection to"])


main(comeback)
