"""permessage-deflate as Python's websockets speaks it. Words: URL on|above:BYTES|off"""

import json
import urllib.request
from urllib.parse import urlsplit

from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

from checks import PATIENCE, Check, Client, equal, main, matches


def sent(url):
    """What connections with compression were sent: compressed, and as it would have been."""
    with urllib.request.urlopen("http://%s/metrics" % urlsplit(url).netloc, timeout=PATIENCE) as answer:
        lines = answer.read().decode().split("\n")
    name = 'fanfare_compression_sent_bytes_total{form="%s"} '
    return [int(line[len(name % form):]) for form in ("compressed", "plain") for line in lines
            if line.startswith(name % form)]


async def fill(client, channel):
    for i in range(40):
        matches(await client.request("add", channel=channel, message="m%d" % i, reaction="👍", data={"n": "x" * 500}),
                type="ack", result="added")


async def converse(url, channel, **options):
    """All that a subscriber hears of a channel that is filled meanwhile, and asks about it."""
    async with await Client.connect(url, "ada", **options) as ada, await Client.connect(url, "bob") as bob:
        matches(await ada.request("subscribe", channel=channel), type="subscribed")
        await fill(bob, channel)
        await ada.until(lambda m: m.get("seq") == 40)
        events = [m for m in ada.seen if m["type"] == "added"]
        equal([m["seq"] for m in events], list(range(1, 41)), "seqs")
        assert all(m["data"] == {"n": "x" * 500} for m in events)
        listed = await ada.request("list", channel=channel, limit=100)
        equal(len(listed["messages"]), 40, "listed")
        reactors = await ada.request("reactors", channel=channel, message="m7")
        equal(reactors["reactors"][0]["data"], {"n": "x" * 500}, "data")
        async with await Client.connect(url, "cy", **options) as cy:
            again = await cy.request("subscribe", channel=channel, since={"epoch": listed["epoch"], "seq": 0})
            matches(again, type="subscribed", recovered=True)
            await cy.until(lambda m: m.get("seq") == 40)
        return ada.socket


async def scenario(url, mode):
    with Check("what was negotiated"):
        socket = await converse(url, "chat:negotiated")
        header = socket.response_headers.get("Sec-WebSocket-Extensions")
        if mode == "off":
            equal(header, None, "answer")
        else:
            equal(header, "permessage-deflate; server_no_context_takeover; client_no_context_takeover", "answer")
        equal(len(socket.extensions), 0 if mode == "off" else 1, "extensions")
    with Check("it saves bytes, and says how many"):
        compressed, plain = sent(url)
        if mode == "off":
            equal((compressed, plain), (0, 0), "bytes")
        else:
            assert 0 < compressed < plain / 2, (compressed, plain)
    with Check("a client without it hears the same"):
        socket = await converse(url, "chat:plain", compression=None)
        equal(socket.response_headers.get("Sec-WebSocket-Extensions"), None, "answer")
    if mode == "off":
        return
    for bits in range(9, 16):
        with Check("windows of %d bits" % bits):
            factory = ClientPerMessageDeflateFactory(
                server_max_window_bits=bits, client_max_window_bits=bits, server_no_context_takeover=bits % 2 == 0,
                client_no_context_takeover=True)
            socket = await converse(url, "chat:w%d" % bits, compression=None, extensions=[factory])
            equal(len(socket.extensions), 1, "extensions")
    with Check("many requests, all compressed"):
        async with await Client.connect(url, "dee") as client:
            for i in range(200):
                await client.ping()
            message = {"type": "subscribe", "id": "s", "channel": "chat:long", "messages": ["m%d" % i for i in range(999)]}
            await client.socket.send(json.dumps(message))
            matches(await client.until(lambda m: m.get("id") == "s"), type="subscribed")


main(scenario)
