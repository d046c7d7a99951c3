"""Compressed frames as no proper client sends them, and windows by the settings (window_bits 10, context_takeover,
heartbeat_ms 300, message_bytes 4096). Words: URL"""

import json
import os
import sys
import zlib

from checks import Check, equal, finish
from raw import BINARY, PING, TEXT, RawClient, frame

OFFER = ["permessage-deflate; client_max_window_bits"]
RSV1 = 4


class Compressor:
    """One end's compressor, its context kept."""

    def __init__(self, bits=10):
        self.zlib = zlib.compressobj(9, zlib.DEFLATED, -bits)

    def message(self, data):
        return (self.zlib.compress(data) + self.zlib.flush(zlib.Z_SYNC_FLUSH))[:-4]


def connect(url, *extensions):
    client = RawClient(url, "ada", extensions=extensions or OFFER)
    return client


def answer(client):
    return [line[26:] for line in client.head if line.startswith("Sec-WebSocket-Extensions: ")]


def message(client):
    """The next message; what is compressed is whole by itself."""
    first, payload = client.whole_frame()
    while first & 0x0F != TEXT:
        first, payload = client.whole_frame()
    assert first in (0x81, 0xC1), hex(first)
    if first == 0xC1:
        inflate = zlib.decompressobj(-10)
        payload = inflate.decompress(payload + b"\x00\x00\xff\xff")
    return json.loads(payload)


def reply(client, id):
    while True:
        found = message(client)
        if found.get("id") == id:
            return found


def ping(id):
    return json.dumps({"type": "ping", "id": id}).encode()


def main(url):
    for offers, expected in [
        (OFFER, ["permessage-deflate; server_no_context_takeover; server_max_window_bits=10; client_max_window_bits=10"]),
        # A client that cannot be told how large its window may be keeps none.
        (["permessage-deflate"],
         ["permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=10"]),
        (["permessage-deflate; client_max_window_bits=8; server_max_window_bits=9"],
         ["permessage-deflate; server_no_context_takeover; server_max_window_bits=9; client_max_window_bits=8"]),
        (["permessage-deflate; server_max_window_bits=8"], []),
        (["permessage-deflate; server_max_window_bits=8", "x, permessage-deflate; client_no_context_takeover"],
         ["permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=10"]),
        (["permessage-deflate; nonsense=1, permessage-deflate; server_max_window_bits"], []),
    ]:
        with Check("offered %s" % ", ".join(offers)):
            client = connect(url, *offers)
            equal(answer(client), expected, "answer")
            client.send(frame(TEXT, ping(1)))
            equal(reply(client, 1)["type"], "pong", "reply")
            client.socket.close()

    with Check("a client's context is kept, also while it rests"):
        client, compressor = connect(url), Compressor()
        sizes = []
        for id in range(6):
            data = compressor.message(ping(id))
            sizes.append(len(data))
            client.send(frame(TEXT, data, reserved=RSV1))
            equal(reply(client, id)["type"], "pong", "reply")
            # Three heartbeats that nothing came between: the broker has put the context aside by then.
            for _ in range(3 if id % 2 else 0):
                while client.frame()[0] != PING:
                    pass
        assert sizes[1] < sizes[0] / 2, sizes
        client.socket.close()

    with Check("the shortest message, fragments with pings between them, uncompressed ones between compressed ones"):
        client, compressor = connect(url), Compressor()
        data = compressor.message(ping("f"))
        for index in range(len(data)):
            client.send(frame(0 if index else TEXT, data[index:index + 1], final=False, reserved=0 if index else RSV1))
            client.send(frame(PING, b"x"))
        client.send(frame(0, b""))
        equal(reply(client, "f")["type"], "pong", "reply")
        client.send(frame(TEXT, ping("u")))
        equal(reply(client, "u")["type"], "pong", "reply")
        client.send(frame(TEXT, compressor.message(ping("c")), reserved=RSV1))
        equal(reply(client, "c")["type"], "pong", "reply")
        client.socket.close()

    def closes(name, expected, *frames, offers=OFFER):
        with Check(name):
            client = connect(url, *offers)
            try:
                for each in frames:
                    client.send(each)
            except ConnectionError:
                pass
            equal(client.close_code(), expected, "code")

    hello = Compressor().message(ping(1))
    closes("RSV1 without the extension", 1002, frame(TEXT, hello, reserved=RSV1), offers=["x"])
    closes("RSV1 on a ping", 1002, frame(PING, b"", reserved=RSV1))
    closes("RSV1 on a continuation", 1002, frame(TEXT, hello[:3], final=False, reserved=RSV1),
           frame(0, hello[3:], reserved=RSV1))
    closes("RSV2", 1002, frame(TEXT, hello, reserved=RSV1 | 2))
    closes("no DEFLATE", 1007, frame(TEXT, b"\x07", reserved=RSV1))
    closes("DEFLATE cut short", 1007, frame(TEXT, hello[:-3], reserved=RSV1))
    closes("a reference to before the beginning", 1007, frame(TEXT, b"\xf2\x00\x11\x00\x00", reserved=RSV1))
    closes("no UTF-8 inside", 1007, frame(TEXT, Compressor().message(b"\xff"), reserved=RSV1))
    closes("a compressed binary message", 1003, frame(BINARY, hello, reserved=RSV1))
    bomb = Compressor().message(b" " * 10_000_000)
    closes("a bomb", 1009, frame(TEXT, bomb[:4000], final=False, reserved=RSV1))
    pieces = [frame(0 if i else TEXT, bomb[i:i + 5], final=False, reserved=0 if i else RSV1)
              for i in range(0, 500, 5)]
    closes("a bomb in small pieces", 1009, *pieces)
    closes("more than a message may have, though it compresses little", 1009,
           frame(TEXT, Compressor().message(json.dumps({"type": os.urandom(2100).hex()}).encode()), reserved=RSV1))


main(sys.argv[1])
finish()
