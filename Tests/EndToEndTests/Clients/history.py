"""A load on several brokers, and what has to be true of what they said: the checks of faults.py.

A writer owns its reactions, so it knows what each of its requests must answer; a request is sent until it is acked, with
one key, to whichever broker can be reached. A watcher follows a whole channel and goes on elsewhere when it is cut off.
"""

import asyncio
import collections
import json
import random

import websockets

from checks import Check, equal

EMOJI = ["👍", "❤️", "🎉"]
# How long an answer is awaited before it is asked for again, elsewhere.
ANSWER = 8
LOST = (websockets.WebSocketException, OSError, asyncio.TimeoutError, EOFError)


class History:
    """What was acked and what was heard."""

    def __init__(self, brokers, random_seed):
        self.brokers = brokers
        self.random = random.Random(random_seed)
        self.acks = []  # (channel, user, message, reaction, result, seq)
        self.events = collections.defaultdict(dict)  # channel → seq → the event's JSON
        self.wrong = []
        self.refused = collections.Counter()
        self.retries = self.resumed = self.fresh = self.duplicates = 0
        self.stopping = asyncio.Event()

    def elsewhere(self, broker):
        return self.random.choice([b for b in self.brokers if b is not broker] or self.brokers)

    def complain(self, words, *values):
        self.wrong.append(words % values)


async def connect(broker, user):
    socket = await asyncio.wait_for(
        websockets.connect(broker.url + "?user=" + user, ping_interval=None, max_size=None, max_queue=None), ANSWER)
    await asyncio.wait_for(socket.recv(), ANSWER)
    return socket


class Writer:
    """Adds and takes away, one request after another."""

    def __init__(self, history, number, channel, pause):
        self.history, self.channel, self.pause = history, channel, pause
        self.user = "w%d" % number
        self.step = 0
        self.broker = history.brokers[number % len(history.brokers)]
        self.socket = None

    async def run(self):
        while not self.history.stopping.is_set():
            adds = self.step % 2 == 0
            place = self.step // 2
            message, reaction = "m%d" % (place % 7), EMOJI[place // 7 % 3]
            request = dict(
                type="add" if adds else "remove", id=self.step, channel=self.channel, message=message,
                reaction=reaction, key="%s-%d" % (self.user, self.step))
            ack = await self.insist(request)
            wanted = "added" if adds else "removed"
            if ack["result"] != wanted:
                self.history.complain("%s of %s: %s, not %s", request, self.user, ack, wanted)
            if ack.get("duplicate"):
                self.history.duplicates += 1
            self.history.acks.append((self.channel, self.user, message, reaction, wanted, ack["seq"]))
            self.step += 1
            await asyncio.sleep(self.pause)
        if self.socket:
            await self.socket.close()

    async def insist(self, request):
        while True:
            try:
                if self.socket is None:
                    self.socket = await connect(self.broker, self.user)
                await self.socket.send(json.dumps(request))
                while True:
                    reply = json.loads(await asyncio.wait_for(self.socket.recv(), ANSWER))
                    if reply.get("id") == request["id"]:
                        break
                if reply["type"] == "ack":
                    return reply
                self.history.refused[reply.get("code")] += 1
                if reply.get("code") != "unavailable":
                    self.history.complain("%s of %s: %s", request, self.user, reply)
                await asyncio.sleep(0.2)
            except LOST:
                await asyncio.sleep(0.1)
            self.history.retries += 1
            if self.history.random.random() < 0.5 or self.socket is None or not self.socket.open:
                await self.move()

    async def move(self):
        socket, self.socket = self.socket, None
        self.broker = self.history.elsewhere(self.broker)
        if socket:
            # It may be that nobody is there to say goodbye.
            socket.transport.abort()


class Watcher:
    """Follows a channel by events."""

    def __init__(self, history, number, channel):
        self.history, self.channel = history, channel
        self.user = "watcher%d" % number
        self.broker = history.brokers[number % len(history.brokers)]
        self.since = None
        self.wants = None

    async def run(self):
        while not self.is_through():
            try:
                await self.follow()
            except LOST:
                await asyncio.sleep(0.1)
                self.broker = self.history.elsewhere(self.broker)

    def is_through(self):
        return self.wants is not None and self.since is not None and self.since["seq"] >= self.wants

    async def follow(self):
        socket = await connect(self.broker, self.user)
        request = dict(type="subscribe", id=1, channel=self.channel)
        if self.since:
            request["since"] = self.since
        await socket.send(json.dumps(request))
        try:
            while not self.is_through():
                try:
                    self.take(json.loads(await asyncio.wait_for(socket.recv(), 2)))
                except asyncio.TimeoutError:
                    await asyncio.wait_for(await socket.ping(), ANSWER)
        finally:
            socket.transport.abort()

    def take(self, message):
        kind = message["type"]
        if kind == "subscribed":
            epoch = message["epoch"]
            if self.since and self.since["epoch"] != epoch:
                self.history.complain("%s: epoch %s after %s", self.user, epoch, self.since["epoch"])
            if message["recovered"]:
                self.history.resumed += 1
                if message["seq"] != self.since["seq"]:
                    self.history.complain("%s resumed at %d, not %d", self.user, message["seq"], self.since["seq"])
            elif self.since:
                self.history.fresh += 1
                if message["seq"] < self.since["seq"]:
                    self.history.complain("%s: back to seq %d from %d", self.user, message["seq"], self.since["seq"])
            self.since = {"epoch": epoch, "seq": message["seq"]}
        elif kind in ("added", "removed"):
            seq = message["seq"]
            if seq != self.since["seq"] + 1:
                self.history.complain("%s: event %d after %d", self.user, seq, self.since["seq"])
            self.since["seq"] = seq
            known = self.history.events[self.channel].setdefault(seq, message)
            if known != message:
                self.history.complain("seq %d is %s and %s", seq, known, message)
        elif kind == "lagged":
            self.since["seq"] = message["to"]
        elif kind == "error":
            # No timeout: that would only be waited out, by someone who is not subscribed.
            raise ConnectionError(message["code"])


async def state(broker, channel, user="auditor"):
    """A channel as a broker tells it, who reacted included."""
    socket = await connect(broker, user)
    try:
        async def ask(**request):
            await socket.send(json.dumps(dict(id=1, channel=channel, **request)))
            while True:
                reply = json.loads(await asyncio.wait_for(socket.recv(), 20))
                if reply.get("id") == 1:
                    assert reply["type"] != "error", reply
                    return reply
        listed = await ask(type="list", limit=100)
        there = {}
        for summary in listed["messages"]:
            people, after = [], None
            while True:
                page = await ask(type="reactors", message=summary["message"], limit=100, after=after)
                people += page["reactors"]
                after = page["after"]
                if after is None:
                    break
            del summary["own"]
            there[summary["message"]] = (summary, people)
        return listed["epoch"], listed["seq"], there
    finally:
        await socket.close()


async def same_everywhere(brokers, channel, at_least):
    """Waits until all brokers tell the same, which is at least so far; gives that, or what they tell."""
    for _ in range(240):
        try:
            states = [await state(broker, channel) for broker in brokers]
            if all(found == states[0] for found in states) and states[0][1] >= at_least:
                return states[0], None
        except (*LOST, AssertionError) as error:
            states = [repr(error)]
        await asyncio.sleep(0.5)
    return None, [str(found)[:300] for found in states]


async def judge(history, channels, name):
    """All that has to be true when all is mended and nobody writes any more."""
    for channel in channels:
        acks = [ack for ack in history.acks if ack[0] == channel]
        last = max((ack[5] for ack in acks), default=0)
        found, different = await same_everywhere(history.brokers, channel, last)
        with Check("%s: all brokers tell the same of %s" % (name, channel)):
            assert found, different
        if not found:
            continue
        _, seq, there = found
        with Check("%s: each acked change of %s is there once, at its seq" % (name, channel)):
            seqs = [ack[5] for ack in acks]
            equal(len(set(seqs)), len(seqs), "number of seqs")
            for _, user, message, reaction, result, at in acks:
                event = history.events[channel].get(at)
                if event:
                    equal((event["user"], event["message"], event["reaction"], event["type"]),
                          (user, message, reaction, result), "event %d" % at)
            equal(seq, len(acks), "seq after %d changes" % len(acks))
        with Check("%s: and so is the state of %s" % (name, channel)):
            wanted = set()
            for _, user, message, reaction, result, _ in sorted(acks, key=lambda ack: ack[5]):
                (wanted.add if result == "added" else wanted.discard)((user, message, reaction))
            told = {(r["user"], message, r["reaction"]) for message, (_, people) in there.items() for r in people}
            equal(told, wanted, "who reacted")
    with Check("%s: no event is missing, twice or out of order for anyone" % name):
        assert not history.wrong, history.wrong[:3]
