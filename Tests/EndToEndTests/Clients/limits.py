"""Limits. Words: URL MOST

The broker takes MOST connections, from this address at least, messages of 256 bytes, and 2 subscriptions of each.
"""

import asyncio

import websockets

from bare_http import Metrics
from checks import PATIENCE, Check, Client, equal, main, matches


async def scenario(url, most):
    most = int(most)

    with Check("the connection past the limit gets 503 and Retry-After at the upgrade"):
        clients = [await Client.connect(url, "ada") for _ in range(most)]
        try:
            await Client.connect(url, "ada")
            raise AssertionError("let in")
        except websockets.InvalidStatusCode as answer:
            equal(answer.status_code, 503, "status")
            assert int(answer.headers["Retry-After"]) >= 1, answer.headers
        metrics = Metrics(url)
        equal(metrics.hits("connections") + metrics.hits("connections_per_address"), 1, "hits")

    with Check("a connection that ends leaves its place"):
        for client in clients:
            await client.close()
        for client in clients:
            async with await connect_soon(url):
                pass

    with Check("subscriptions and message_bytes are told and hold"):
        async with await connect_soon(url) as client:
            equal(client.welcome["limits"], {"max_message_bytes": 256, "max_subscriptions": 2}, "limits")
            for channel in ("chat:1", "chat:2"):
                matches(await client.request("subscribe", channel=channel), type="subscribed")
            matches(await client.request("subscribe", channel="chat:3"), code="too_many_subscriptions")
            await client.socket.send("x" * 257)
            equal(await client.closed(), 1009, "close code")


async def connect_soon(url):
    """Connects; a place that was just left is free within moments."""
    for _ in range(PATIENCE * 20):
        try:
            return await Client.connect(url, "ada")
        except websockets.InvalidStatusCode:
            await asyncio.sleep(0.05)
    raise AssertionError("no place became free")


main(scenario)
