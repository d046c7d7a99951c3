"""A broker is restarted under many connections: all of them come back, each when it was told to, and go on where they were.

Words: FOLDER CONNECTIONS [LOOPS]

The connections are as bare as can be, so that one process holds thousands of them.
"""

import asyncio
import json
import os
import resource
import statistics
import sys
import time
from urllib.parse import urlsplit

from broker import Broker, note
from checks import Check, Client, equal, finish, matches
from raw import CLOSE, TEXT, frame

HANDSHAKE = ("GET /v1/ws?user=u%d HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
AT_ONCE = 100  # handshakes under way at the beginning


class Reader(asyncio.Protocol):
    """One connection that subscribes, and comes back when the broker says so."""

    def __init__(self, crowd, number):
        self.crowd, self.number = crowd, number
        self.channel = "chat:%d" % (number % 50)
        self.position = None
        self.retry_after = None
        self.recovered = None
        self.code = None
        self.lost = None
        self.back = None

    def connection_made(self, transport):
        self.transport = transport
        self.buffer = b""
        self.is_open = False
        transport.write((HANDSHAKE % self.number).encode())

    def data_received(self, data):
        self.buffer += data
        if not self.is_open:
            if b"\r\n\r\n" not in self.buffer:
                return
            head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
            assert head.startswith(b"HTTP/1.1 101 "), head
            self.is_open = True
            request = {"type": "subscribe", "id": 1, "channel": self.channel, "since": self.position}
            self.transport.write(frame(TEXT, json.dumps(request).encode()))
        while len(self.buffer) >= 2:
            length, start = self.buffer[1] & 0x7F, 2
            if length == 126:
                length, start = int.from_bytes(self.buffer[2:4], "big"), 4
            if len(self.buffer) < start + length:
                return
            opcode, payload = self.buffer[0] & 0x0F, self.buffer[start:start + length]
            self.buffer = self.buffer[start + length:]
            if opcode == TEXT:
                self.message(json.loads(payload))
            elif opcode == CLOSE:
                self.code = int.from_bytes(payload[:2], "big")
                self.transport.write(frame(CLOSE, payload[:2]))
                self.transport.close()

    def message(self, message):
        if message["type"] == "subscribed":
            self.recovered = message["recovered"]
            self.position = {"epoch": message["epoch"], "seq": message["seq"]}
            self.back = time.monotonic()
            self.crowd.subscribed()
        elif message["type"] == "goodbye":
            self.retry_after = message["retry_after_ms"]

    def connection_lost(self, error):
        self.lost = time.monotonic()
        self.crowd.ended(self)


class Crowd:
    def __init__(self, count):
        self.count = count
        self.readers = [Reader(self, number) for number in range(count)]
        self.there = 0
        self.all_there = asyncio.Event()
        self.is_coming_back = False
        self.refused = 0

    def subscribed(self):
        self.there += 1
        if self.there == self.count:
            self.all_there.set()

    def ended(self, reader):
        self.there -= 1
        self.all_there.clear()
        if self.is_coming_back:
            asyncio.get_running_loop().call_later((reader.retry_after or 0) / 1000, self.dial, reader)

    def dial(self, reader):
        asyncio.ensure_future(self.connect(reader))

    async def connect(self, reader):
        """Tries again after a second where nobody listens yet."""
        while True:
            try:
                await asyncio.get_running_loop().create_connection(lambda: reader, self.host, self.port)
                return
            except OSError:
                self.refused += 1
                await asyncio.sleep(1)

    async def begin(self, url):
        self.go_to(url)
        for start in range(0, self.count, AT_ONCE):
            await asyncio.gather(*(self.connect(reader) for reader in self.readers[start:start + AT_ONCE]))
        await self.all_there.wait()

    def go_to(self, url):
        parts = urlsplit(url)
        self.host, self.port = parts.hostname, parts.port


async def scenario(folder, connections, loops="2"):
    count = int(connections)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, count + 200)), hard))
    data = os.path.join(folder, "data")
    broker = Broker(data, "--loops", loops)
    crowd = Crowd(count)
    began = time.monotonic()
    await crowd.begin(broker.ready())
    note("%d connections in %.1f s" % (count, time.monotonic() - began))
    async with await Client.connect(broker.url, "writer") as writer:
        for channel in range(50):
            matches(await writer.request("add", channel="chat:%d" % channel, message="m", reaction="👍"), type="ack")
    # What each has seen is what comes back with it.
    for reader in crowd.readers:
        reader.position["seq"] = 1
    crowd.is_coming_back = True
    stopped = time.monotonic()
    port = urlsplit(broker.url).port
    broker.process.terminate()
    status = await asyncio.to_thread(broker.process.wait)
    gone = time.monotonic()
    again = Broker(data, "--loops", loops, "--listen", "127.0.0.1:%d" % port)
    try:
        await asyncio.to_thread(again.ready)
        ready = time.monotonic()
        await crowd.all_there.wait()
        back = time.monotonic()
        with Check("each of %d connections heard goodbye and 1012, with a time of its own to come back" % count):
            equal(status, 0, "exit status")
            equal({reader.code for reader in crowd.readers}, {1012}, "close codes")
            times = [reader.retry_after for reader in crowd.readers]
            assert all(isinstance(t, int) and 0 <= t <= 5000 for t in times), times[:10]
            # Even over the spread: half of them in the first half, give or take.
            middle = statistics.median(times)
            assert 5000 * 0.3 < middle < 5000 * 0.7, middle
        with Check("all came back, and went on where they were"):
            equal({reader.recovered for reader in crowd.readers}, {True}, "recovered")
        moments = sorted(reader.back for reader in crowd.readers)
        most = max(sum(1 for m in moments if start <= m < start + 0.1) for start in
                   (moments[0] + step / 10 for step in range(int((moments[-1] - moments[0]) * 10) + 1)))
        note("gone after %.2f s, the next one ready after %.2f s; all back %.2f s after that; at most %d in 0.1 s; "
             "%d dials found nobody" % (gone - stopped, ready - gone, back - ready, most, crowd.refused))
    finally:
        crowd.is_coming_back = False
        again.stop()


if __name__ == "__main__":
    with Check("runs to its end"):
        asyncio.run(scenario(*sys.argv[1:]))
    finish()
