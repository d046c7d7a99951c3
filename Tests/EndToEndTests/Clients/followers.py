"""Many connections that each follow a channel and come back where they were, and people who react meanwhile.

The followers are as bare as can be, so that one process holds thousands of them.
"""

import asyncio
import json
import random
from urllib.parse import urlsplit

import websockets

from checks import Client, equal
from raw import CLOSE, PING, PONG, TEXT, frame

HANDSHAKE = ("GET /v1/ws?user=u%d HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
AT_ONCE = 100  # handshakes under way at the beginning
CHANGES = {"added", "removed", "updated", "replaced", "cleared"}


class Follower(asyncio.Protocol):
    """One connection at a time that follows a channel; each change has to come once, in order."""

    def __init__(self, crowd, number):
        self.crowd, self.number = crowd, number
        self.channel = "chat:%d" % (number % crowd.channels)
        self.position = None
        self.recovered = None
        self.retry_after = self.code = self.back = None
        self.is_there = False

    def connection_made(self, transport):
        self.transport = transport
        self.buffer = b""
        self.is_open = False
        self.is_there = False
        self.retry_after = self.code = None
        transport.write((HANDSHAKE % (self.number, self.crowd.name)).encode())

    def data_received(self, data):
        self.buffer += data
        if not self.is_open:
            if b"\r\n\r\n" not in self.buffer:
                return
            head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
            if not head.startswith(b"HTTP/1.1 101 "):
                self.crowd.turned_away.append(head.split(b"\r\n")[0].decode())
                self.retry_after = 500
                self.transport.close()
                return
            self.is_open = True
            self.say(type="subscribe", id=1, channel=self.channel, since=self.position)
        while self.is_open and len(self.buffer) >= 2:
            length, start = self.buffer[1] & 0x7F, 2
            if length == 126:
                length, start = int.from_bytes(self.buffer[2:4], "big"), 4
            if len(self.buffer) < start + length:
                return
            opcode, payload = self.buffer[0] & 0x0F, self.buffer[start:start + length]
            self.buffer = self.buffer[start + length:]
            if opcode == TEXT:
                self.heard(json.loads(payload))
            elif opcode == PING:
                self.transport.write(frame(PONG, payload))
            elif opcode == CLOSE:
                self.code = int.from_bytes(payload[:2], "big")
                self.transport.write(frame(CLOSE, payload[:2]))
                self.transport.close()

    def is_right(self, message):
        """It goes on where it was, or has the state anew: here each change is of a message of its own."""
        if message["epoch"] != self.position["epoch"]:
            return False
        if message["recovered"]:
            return message["seq"] == self.position["seq"]
        return message["seq"] >= self.position["seq"] and len(message["messages"]) == min(100, message["seq"])

    def say(self, **message):
        self.transport.write(frame(TEXT, json.dumps(message).encode()))

    def heard(self, message):
        if message["type"] == "subscribed":
            if self.position:
                self.recovered = message["recovered"]
                if not self.is_right(message):
                    self.crowd.problems.append("%d came back from %r to %r" % (self.number, self.position, message))
            self.position = {"epoch": message["epoch"], "seq": message["seq"]}
            self.is_there = True
            self.back = asyncio.get_running_loop().time()
            self.crowd.came(self)
        elif message["type"] in CHANGES:
            if message["seq"] != self.position["seq"] + 1:
                self.crowd.problems.append("%d heard %r after %r" % (self.number, message, self.position))
            self.position["seq"] = message["seq"]
            self.crowd.heard()
        elif message["type"] == "goodbye":
            self.retry_after = message["retry_after_ms"]
        elif message["type"] != "welcome":
            self.crowd.problems.append("%d was told %r" % (self.number, message))

    def connection_lost(self, error):
        self.crowd.left(self)


class Crowd:
    """Followers in `channels` channels, which all come back whenever they are sent away, until it is over."""

    def __init__(self, url, count, channels=50, tls=None):
        parts = urlsplit(url)
        self.host, self.port, self.name, self.tls = parts.hostname, parts.port, parts.netloc, tls
        self.channels = channels
        self.followers = [Follower(self, number) for number in range(count)]
        self.problems = []
        self.turned_away = []
        self.goodbyes = []  # close code and time to come back in milliseconds, of each end
        self.refused = 0
        self.ends = self.events = 0
        self.there = 0
        self.is_over = False
        self.change = asyncio.Event()

    async def begin(self):
        for start in range(0, len(self.followers), AT_ONCE):
            await asyncio.gather(*(self.dial(one) for one in self.followers[start:start + AT_ONCE]))
        await self.until(lambda: self.there == len(self.followers))

    async def until(self, holds):
        while not holds():
            self.change.clear()
            await self.change.wait()

    def came(self, follower):
        self.there += 1
        self.change.set()

    def heard(self):
        self.events += 1
        self.change.set()

    def left(self, follower):
        if follower.is_there:
            self.there -= 1
            self.ends += 1
            self.goodbyes.append((follower.code, follower.retry_after))
        follower.is_there = False
        self.change.set()
        if self.is_over:
            return
        # Without a word of when, as clients do: at a time by chance.
        pause = random.random() if follower.retry_after is None else follower.retry_after / 1000
        asyncio.get_running_loop().call_later(pause, lambda: asyncio.ensure_future(self.dial(follower)))

    async def dial(self, follower):
        while not self.is_over:
            try:
                await asyncio.get_running_loop().create_connection(
                    lambda: follower, self.host, self.port, ssl=self.tls)
                return
            except OSError:
                self.refused += 1
                await asyncio.sleep(1)

    async def heard_all(self, seqs):
        """Waits until everyone has heard everything up to these seqs of their channels."""
        for one in self.followers:
            await self.until(lambda: one.is_there and one.position["seq"] >= seqs.get(one.channel, 0))

    def end(self):
        self.is_over = True
        for follower in self.followers:
            if follower.is_there:
                follower.transport.abort()


class Writer:
    """Someone who reacts in one channel after another, each time until it is acked, over as many connections as needed."""

    def __init__(self, url, user, channels, pause, **options):
        self.url, self.user, self.channels, self.pause, self.options = url, user, channels, pause, options
        self.acks = []
        self.refused = 0
        self.connections = 0
        self.is_over = False

    async def run(self):
        client = None
        number = 0
        while not self.is_over:
            number += 1
            request = {"channel": "chat:%d" % random.randrange(self.channels), "message": "%s-%d" % (self.user, number),
                       "reaction": "👍", "key": "k%d" % number}
            while True:
                try:
                    if client is None:
                        client = await Client.connect(self.url, self.user, **self.options)
                        self.connections += 1
                    answer = await client.request("add", **request)
                except (OSError, websockets.WebSocketException) as error:
                    self.refused += isinstance(error, ConnectionRefusedError)
                    client = None
                    await asyncio.sleep(0.1)
                    continue
                if answer["type"] == "ack":
                    break
                assert answer["code"] in ("unavailable", "rate_limited"), answer
                await asyncio.sleep(answer.get("retry_after_ms", 100) / 1000)
            self.acks.append(answer)
            await asyncio.sleep(self.pause)
        if client:
            await client.close()

    def last_seqs(self, into):
        for ack in self.acks:
            into[ack["channel"]] = max(into.get(ack["channel"], 0), ack["seq"])

    async def check(self, client):
        """Everything that was acked is there, once."""
        for channel in {ack["channel"] for ack in self.acks}:
            names = [ack["message"] for ack in self.acks if ack["channel"] == channel]
            for start in range(0, len(names), 100):
                wanted = names[start:start + 100]
                found = await client.request("list", channel=channel, messages=wanted)
                equal({m["message"]: [(g["count"], g["latest"]) for g in m["reactions"]] for m in found["messages"]},
                      {name: [(1, [self.user])] for name in wanted}, "what is there")


async def storm(url, users, channels, pause, until, **options):
    """Has people react until `until` is over; gives them, and the last seq of each channel."""
    writers = [Writer(url, "writer-%d" % number, channels, pause, **options) for number in range(users)]
    tasks = [asyncio.ensure_future(writer.run()) for writer in writers]
    try:
        await until
    finally:
        for writer in writers:
            writer.is_over = True
        await asyncio.gather(*tasks)
    seqs = {}
    for writer in writers:
        writer.last_seqs(seqs)
    return writers, seqs
