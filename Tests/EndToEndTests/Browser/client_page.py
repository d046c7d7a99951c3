"""A page with the browser client on it."""

import json


class Client:
    """A page with a client `client` and its channel `channel`."""

    def __init__(self, page):
        self.page = page

    @classmethod
    async def open(cls, browser, address, user="ada", channel="chat:1", options="{}", context=None, more=""):
        page = await browser.page(address, context=context)
        self = cls(page)
        await self.start(user, channel, options, more)
        return self

    async def start(self, user="ada", channel="chat:1", options="{}", more=""):
        await self.page.run("""import("/kit/fanfare.js").then(({ connect }) => {
            globalThis.states = []
            globalThis.client = connect({ user: %s, %s })
            client.addEventListener("state", ({ detail }) => states.push(detail.state))
            globalThis.channel = client.channel(%s, %s)
            globalThis.errors = []
            channel.addEventListener("error", ({ detail }) => errors.push(detail.code))
            globalThis.shown = (message) => channel.view(message).reactions
                .map(({ reaction, count, own, status }) => `${reaction}${count}${own ? "!" : ""}${status === "sent" ? "" : status}`).join(" ")
        })""" % (json.dumps(user), more, json.dumps(channel), options))

    async def ready(self):
        await self.page.run("channel.ready.then(() => true)")

    async def run(self, expression):
        return await self.page.run(expression)

    async def until(self, expression):
        return await self.page.until(expression)

    async def shows(self, message, expected):
        await self.until("shown(%s) === %s" % (json.dumps(message), json.dumps(expected)))


def thrown(client):
    """The errors of a page, without what the browser says of the network."""
    return [error for error in client.page.errors if "net::" not in error and not error.startswith("Failed to load")]
