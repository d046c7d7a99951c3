"""The connections of model.py: what was asked on each, and what came, in order."""

import asyncio
import collections
import time

import websockets

from checks import PATIENCE
from plain import load, same
from reader import EVENTS, Subscription
from verdicts import Refused, answer, check_shape, is_id, spelled


class Call:
    """A request, and what became of it."""

    def __init__(self, line, request):
        self.line, self.request = line, request
        self.reads = self.replied = False
        self.expected = self.reply = self.newly = None
        self.answered = True
        self.arrived = asyncio.get_running_loop().create_future()
        channel = line.world.channels.get(request.get("channel"))
        self.seq, self.freezes = (channel.seq, len(channel.freezes)) if channel else (0, 0)
        self.bursts, self.outstanding = {}, {}
        if channel and request["type"] in ("subscribe", "watch"):
            self.bursts, self.outstanding = dict(channel.bursts), line.world.outstanding(channel)


class Line:
    """One connection of one person."""

    def __init__(self, world, user, name):
        self.world, self.user, self.name = world, user, name
        self.moderates = user == "mod"
        self.last_id = 0

    async def open(self):
        self.subscriptions, self.plans, self.waiting, self.queues, self.silent = {}, {}, {}, {}, []
        self.log = []
        self.socket = await websockets.connect(
            self.world.url + "?user=" + self.user, ping_interval=None, max_size=None, open_timeout=PATIENCE)
        welcome = load(await self.socket.recv())
        same(welcome, {**welcome, "type": "welcome", "user": self.user, "heartbeat_ms": 25000}, "welcome")
        self.reading = asyncio.create_task(self.read())

    async def close(self):
        reading, self.reading = self.reading, None
        await self.socket.close()
        await reading

    async def read(self):
        try:
            async for text in self.socket:
                self.world.trace.append((self.name, "<", text))
                self.receive(load(text))
            assert self.reading is None, "the broker closed %s: %r" % (self.name, self.socket.close_code)
        except (Exception, asyncio.CancelledError) as error:
            self.world.fail(error)

    def receive(self, message):
        if self is self.world.recorder and message["type"] in EVENTS:
            self.world.raw[message["channel"]][message["seq"]] = message
        call = self.waiting.get(message.get("id"))
        if call:
            call.reply = message
        if self.world.deferred:
            self.log.append((time.monotonic(), message))
        else:
            self.take(time.monotonic(), message)
        if call:
            call.arrived.set_result(None)
        self.world.arrival.set()

    def take(self, now, message):
        """Checks one message, in the order in which they came; it came at `now`."""
        self.now = now
        if "id" in message:
            call = self.waiting.pop(message["id"])
            self.check_order(call)
            if call.expected is not None:
                same(message, {**call.expected, "id": call.request["id"]}, "the reply to %s" % spelled(call.request))
            call.replied = True
            self.follow(call, message)
        elif message["type"] == "error":
            expected = next((e for e in self.silent if e["code"] == message.get("code")), None)
            assert expected, "an error without id: %r" % message
            self.silent.remove(expected)
            same(message, expected, "the error without id")
        else:
            subscription = self.subscriptions.get(message.get("channel"))
            assert subscription, "nothing of this was asked for: %r" % message
            subscription.push(message)

    def check_order(self, call):
        queue = self.queues.get(str(call.request.get("channel")))
        if queue:
            first = queue.popleft()
            assert first is call, "a reply came before the one to %s" % spelled(first.request)

    def follow(self, call, reply):
        channel = self.world.channels.get(call.request.get("channel"))
        if reply["type"] == "subscribed":
            self.subscriptions[channel.name] = Subscription(self, channel, reply, call)
        elif reply["type"] == "watched":
            self.subscriptions[channel.name].watch(reply["seq"], call)
        elif reply["type"] == "unsubscribed":
            self.subscriptions.pop(call.request["channel"], None)

    def intend(self, call):
        """What the line watches once this request is done."""
        request, kind = call.request, call.request["type"]
        try:
            check_shape(request)
        except Refused:
            return
        name = request.get("channel")
        if kind == "subscribe" and name in self.world.channels:
            self.plans[name] = request.get("messages"), request.get("occupancy", False)
        elif kind == "watch" and name in self.plans:
            before, occupancy = self.plans[name]
            names = list(dict.fromkeys(request["messages"]))
            call.newly = [n for n in names if before is None or n not in before]
            self.plans[name] = names, occupancy
        elif kind == "unsubscribe":
            self.plans.pop(name, None)

    async def ask(self, request, silent=False):
        """Sends a request; in the first phase the model has its answer before."""
        if not silent and "id" not in request:
            self.last_id += 1
            request = {**request, "id": self.last_id if self.last_id % 3 else "s%d" % self.last_id}
        call = Call(self, request)
        self.intend(call)
        everywhere = request.get("message") == "*" and request["type"] == "clear"
        if not self.world.deferred and not everywhere:
            call.expected = answer(self.world, call)
        call.answered = is_id(request.get("id"))
        if call.answered:
            self.waiting[request["id"]] = call
            self.queues.setdefault(str(request.get("channel")), collections.deque()).append(call)
        elif call.expected and call.expected["type"] == "error":
            self.silent.append(call.expected)
        text = spelled(request)
        self.world.trace.append((self.name, ">", text))
        await self.socket.send(text)
        return call
