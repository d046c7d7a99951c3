"""A run by chance against the broker, beside a plain model of the contract; the broker has to be a fresh one.

First one request, or one pipelined burst of one connection, at a time: the model foretells every answer. Then all
connections at once: the order of the events is the order, and the model follows it. Words: URL [OPERATIONS]; the
environment's FANFARE_SEED says what to repeat.
"""

import asyncio
import collections
import os
import random
import time

from checks import PATIENCE, Check, main
from choices import SPELLINGS, Choices
from lines import Line
from plain import Channel, Time
from replay import replay
from verdicts import answer, spelled

CHANNELS = [("chat", "distinct"), ("chat:a", "distinct"), ("tap:a", "unique"), ("clap:a", "multiple"),
            ("burst:a", "ephemeral"), ("anon:a", "distinct"), ("any:a", "distinct"), ("any:wide", "distinct")]
PEOPLE = ["ada", "ada", "bob", "cy", "dee", "eve", "fay", "mod"]

# How late a last summary, event, own or burst may be, in seconds: for a busy machine's sake more than two intervals.
LATE = 5


class World:
    def __init__(self, url, seed):
        self.url, self.users = url, sorted(set(PEOPLE))
        self.channels = {name: Channel(name, policy, name.startswith("any"), name.startswith("anon"), SPELLINGS)
                         for name, policy in CHANNELS}
        self.weighted = list(self.channels.values())
        self.raw = {name: {} for name in self.channels}
        self.trace = collections.deque(maxlen=20_000)
        self.deferred, self.error, self.arrival = False, None, asyncio.Event()
        self.recorder = Line(self, "recorder", "recorder")
        self.lines = [Line(self, user, "%s/%d" % (user, i)) for i, user in enumerate(PEOPLE)]
        self.choices = Choices(seed, self)
        self.counted = collections.Counter()

    time = staticmethod(Time)

    def fail(self, error):
        if self.error is None:
            self.error = error
            self.main.cancel()

    def outstanding(self, channel):
        """Of the reactions of bursts, those that the recorder has not seen yet."""
        seen = self.recorder.subscriptions[channel.name].received if channel.name in self.recorder.subscriptions else {}
        return {at: n - seen.get(at, 0) for at, n in channel.bursts.items()}

    def order(self, channel, names):
        """In which order one clear reached several messages: the contract leaves it open, the events tell it."""
        found = [self.raw[channel.name][channel.seq + 1 + i]["message"] for i in range(len(names))]
        assert sorted(found) == sorted(names), "cleared were %r, expected %r" % (found, names)
        return found

    def set_deferred(self, deferred):
        self.deferred = deferred
        if not deferred:
            for line in [self.recorder] + self.lines:
                log, line.log = line.log, []
                for now, message in log:
                    line.take(now, message)

    async def until(self, missing):
        """Waits until nothing is missing any more."""
        end = time.monotonic() + LATE
        while what := missing():
            assert time.monotonic() < end, "it did not come: %s" % (what,)
            self.arrival.clear()
            await asyncio.wait([asyncio.ensure_future(self.arrival.wait())], timeout=1)

    def missing(self):
        for line in [self.recorder] + self.lines:
            for name, subscription in line.subscriptions.items():
                if what := subscription.missing():
                    return "%s of %s: %s" % (line.name, name, what)
        return None

    async def settle(self):
        await self.until(self.missing)
        for line in [self.recorder] + self.lines:
            await self.answered([await line.ask({"type": "ping"})])
        assert not self.missing()

    async def answered(self, calls):
        for call in calls:
            if call.answered:
                done, _ = await asyncio.wait([call.arrived], timeout=PATIENCE)
                assert done, "no reply to %s" % spelled(call.request)
            reply = call.reply or {}
            self.counted[reply.get("code") or reply.get("result") or reply.get("type")] += 1

    # The first phase

    async def clear_everywhere(self, line, request):
        """The order of its changes is known only afterwards."""
        self.set_deferred(True)
        call = await line.ask(request)
        await self.answered([call])
        channel = self.channels.get(request["channel"])
        if channel and call.reply.get("result") == "cleared" and "duplicate" not in call.reply:
            await self.until(lambda: call.reply["seq"] not in self.raw[channel.name] and "the last event")
        call.expected = answer(self, call)
        self.set_deferred(False)

    async def burst(self, line, requests):
        """Pipelined; some without `id`, then one with it where that is the only way to know when they are done."""
        calls, quiet = [], set()
        for request in requests:
            silent = self.choices.chance(0.15) and request["type"] in ("add", "remove", "toggle", "set", "freeze")
            calls.append(await line.ask(request, silent))
            if not calls[-1].answered:
                quiet.add(request.get("channel"))
        for name in quiet:
            if name in self.channels:
                calls.append(await line.ask({"type": "list", "channel": name, "messages": ["none"]}))
            else:
                calls.append(await line.ask({"type": "ping"}))
        await self.answered(calls)

    async def turn_pages(self, line, request):
        """A first page and those after it, while others react."""
        call = await line.ask(request)
        await self.answered([call])
        if call.reply.get("more"):
            request = {"type": "list", "channel": request["channel"]}
            call = await line.ask({**request, "after": call.reply["more"]})
            await self.answered([call])
        while call.reply.get("after"):
            if self.choices.chance(0.3):
                await self.step(paging=True)
            if self.choices.chance(0.1):
                other = {**request, "message": "another"} if request["type"] == "reactors" else {
                    **request, "channel": "chat:a" if request["channel"] != "chat:a" else "chat"}
                await self.answered([await line.ask({**other, "after": call.reply["after"]})])
            call = await line.ask({**request, "after": call.reply["after"]})
            await self.answered([call])

    async def come_back(self, line):
        """Leaves, at times with requests just sent, and comes back."""
        touched = set()
        for _ in range(self.choices.random.randint(0, 3)):
            channel = self.choices.some(self.weighted)
            request = {"type": "add", "channel": channel.name}
            self.choices.add(request, line, channel)
            await line.ask(request, silent=True)
            touched.add(channel.name)
        await line.close()
        await self.until(lambda: any(
            self.recorder.subscriptions[n].position < self.channels[n].seq for n in touched) and "what was sent before")
        await line.open()

    async def step(self, paging=False):
        line = self.choices.some(self.lines)
        if self.choices.chance(0.01) and not paging:
            return await self.come_back(line)
        request = self.choices.request(line)
        if request.get("message") == "*" and request["type"] == "clear":
            return await self.clear_everywhere(line, request)
        pages = request["type"] in ("list", "reactors", "subscribe") and "id" not in request
        if pages and not paging and self.choices.chance(0.5):
            return await self.turn_pages(line, request)
        requests = [request]
        if self.choices.chance(0.1):
            more = [self.choices.request(line) for _ in range(self.choices.random.randint(2, 30))]
            requests += [r for r in more if not (r.get("message") == "*" and r["type"] == "clear")]
        await self.burst(line, requests)

    # The second phase

    async def crowd(self, line, operations, calls):
        """One person among all others; a few requests on their way at any time."""
        open_calls = collections.deque()
        for _ in range(operations):
            request = self.choices.request(line)
            if request["type"] in ("subscribe", "watch", "unsubscribe") and request.get("channel") == "burst:a":
                continue
            if "id" in request or request["type"] == "freeze":
                continue
            call = await line.ask(request)
            calls.append(call)
            open_calls.append(call)
            while len(open_calls) > self.choices.random.randint(0, 6):
                await self.answered([open_calls.popleft()])
        await self.answered(open_calls)

    async def all_at_once(self, operations):
        self.choices.freezing = False
        for channel in self.weighted:
            if channel.frozen:
                await self.burst(self.lines[-1], [{"type": "freeze", "channel": channel.name, "frozen": False}])
        await self.settle()
        self.set_deferred(True)
        calls = []
        await asyncio.gather(*(self.crowd(line, operations // len(self.lines), calls) for line in self.lines))
        seqs = {name: max([c.reply.get("seq", 0) for c in calls if c.reply.get("channel") == name] + [0])
                for name in self.channels}
        await self.until(lambda: any(
            seq > max(self.raw[n], default=0) for n, seq in seqs.items()) and "the last event of the recorder")
        replay(self, calls)
        self.set_deferred(False)
        await self.settle()
        self.choices.freezing = True

    def occupancy_missing(self):
        for line in self.lines:
            for name, subscription in line.subscriptions.items():
                followers = [other.user for other in [self.recorder] + self.lines if name in other.plans]
                numbers = len(followers), len(set(followers))
                if subscription.call.request.get("occupancy") and subscription.occupancy != numbers:
                    return "occupancy of %s for %s: %r, not %r" % (name, line.name, numbers, subscription.occupancy)
        return None

    async def open(self):
        for line in [self.recorder] + self.lines:
            await line.open()
        for channel in self.weighted:
            await self.answered([await self.recorder.ask({"type": "subscribe", "channel": channel.name})])

    async def run(self, operations):
        await self.open()
        while self.choices.made < operations:
            until = self.choices.made + max(operations // 4, 300)
            while self.choices.made < until * 0.7 + self.choices.made * 0.3 and self.choices.made < until - 90:
                await self.step()
            await self.settle()
            await self.all_at_once(until - self.choices.made)
        await self.until(self.occupancy_missing)
        for line in [self.recorder] + self.lines:
            await line.close()


def tell(world):
    """The end of what was said, for whoever looks for the cause."""
    for name, way, text in list(world.trace)[-int(os.environ.get("FANFARE_TRACE", "12")):]:
        print("# %s %s %s" % (name, way, text[:2000]))


async def scenario(url, operations="1500"):
    seed = int(os.environ.get("FANFARE_SEED") or random.SystemRandom().randrange(1 << 32))
    print("# seed %d" % seed, flush=True)
    world = World(url, seed)
    world.main = asyncio.current_task()
    with Check("all is as the model foretells"):
        try:
            await world.run(int(operations))
        except asyncio.CancelledError:
            tell(world)
            raise world.error from None
        except Exception as error:
            tell(world)
            raise world.error or error
    print("# operations %d: %s" % (world.choices.made, dict(world.counted)))
    print("# seqs %s" % {c.name: c.seq for c in world.weighted})


main(scenario)
