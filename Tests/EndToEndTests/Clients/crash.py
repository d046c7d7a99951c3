"""kill -9 at random moments in a storm of writes, round after round on the same data.

Words: FOLDER ROUNDS [SEED]

After each round the next broker must have every acked change exactly once, the same epoch, a seq that counts every change,
and the first answer to every key. What was in the air is sent again with its keys: what of it had taken effect is
answered as a duplicate, and that is always a first part of it.
"""

import asyncio
import json
import os
import random
import sys
import time

import websockets

from broker import Broker, note
from checks import PATIENCE, Check, Client, finish, matches

WRITERS = 6
WINDOW = 40  # requests of one writer that are not answered
KEPT = 30  # messages on which a writer keeps a reaction
# A namespace of each durability that outlives a crash.
CHANNELS = ["clap:crash", "vote:crash", "chat:crash"]
SETTINGS = {"namespaces": {
    "clap": {"policy": "multiple", "durability": "committed"},
    "vote": {"policy": "multiple", "durability": "synced"},
    "chat": {"durability": "committed"}}}


class Ledger:
    """What must be there: counts of claps, places of chat reactions, and how many changes each channel had."""

    def __init__(self):
        self.claps = {}
        self.places = set()
        self.seq = dict.fromkeys(CHANNELS, 0)

    def apply(self, user, request):
        channel = request["channel"]
        self.seq[channel] += 1
        place = (channel, user, request["message"])
        if channel != "chat:crash":
            self.claps[place] = self.claps.get(place, 0) + request["count"]
        elif request["type"] == "add":
            self.places.add(place)
        else:
            self.places.remove(place)


class Writer:
    """One user. Every request of it is a change, so that seq counts them."""

    def __init__(self, number, chance):
        self.user = "w%d" % number
        self.chance = chance
        self.last = 0
        self.mine = []  # messages in chat:crash with a reaction, as of the last request
        self.sent = []  # of this round, in order
        self.acks = {}  # by key

    def make(self):
        self.last += 1
        key = "%s-%d" % (self.user, self.last)
        channel = self.chance.choice(CHANNELS)
        if channel != "chat:crash":
            return dict(type="add", channel=channel, message="m%d" % self.chance.randrange(5), reaction="👏",
                        count=self.chance.randint(1, 9), key=key)
        if len(self.mine) < KEPT and self.chance.random() < 0.6 or not self.mine:
            self.mine.append("t%d" % self.last)
            return dict(type="add", channel=channel, message=self.mine[-1], reaction="👍", key=key)
        message = self.mine.pop(self.chance.randrange(len(self.mine)))
        return dict(type="remove", channel=channel, message=message, reaction="👍", key=key)

    async def storm(self, url, has_begun):
        """Sends until the broker is gone."""
        try:
            client = await Client.connect(url, self.user)
        except (OSError, EOFError, asyncio.TimeoutError, websockets.WebSocketException):
            return
        room = asyncio.Semaphore(WINDOW)

        async def send():
            while True:
                await room.acquire()
                request = self.make()
                self.sent.append(request)
                await client.send(id=request["key"], **request)

        sender = asyncio.create_task(send())
        try:
            while True:
                message = await client.receive()
                assert message["type"] == "ack", message
                self.acks[message["id"]] = message
                has_begun.set()
                room.release()
        except (websockets.ConnectionClosed, ConnectionError):
            pass
        sender.cancel()
        await asyncio.gather(sender, return_exceptions=True)

    async def settle(self, url, ledger):
        """Sends all of the round again: how many were acked, in the air, and of these there already."""
        if not self.sent:
            return 0, 0, 0
        answers = {}
        async with await Client.connect(url, self.user) as client:
            for request in self.sent:
                await client.send(id=request["key"], **request)
            while len(answers) < len(self.sent):
                message = await client.receive()
                answers[message["id"]] = message
        effective, missed = 0, set()
        for request in self.sent:
            key = request["key"]
            answer = answers[key]
            assert answer["type"] == "ack", answer
            if key in self.acks:
                assert answer == {**self.acks[key], "duplicate": True}, (
                    "%s was answered %r, and again %r" % (key, self.acks[key], answer))
            elif answer.get("duplicate"):
                effective += 1
                assert request["channel"] not in missed, "%s took effect, and one before it did not" % key
            else:
                missed.add(request["channel"])
            ledger.apply(self.user, request)
        counts = len(self.acks), len(self.sent) - len(self.acks), effective
        self.sent, self.acks = [], {}
        return counts


async def compare(url, ledger, epoch):
    """The broker has what the ledger has, and nothing else."""
    async with await Client.connect(url, "auditor") as auditor:
        claps, places = {}, set()
        for channel in CHANNELS:
            after, messages = None, []
            while True:
                page = await auditor.request("list", channel=channel, limit=100, after=after)
                messages += page["messages"]
                after = page["after"]
                if after is None:
                    break
            assert epoch in (None, page["epoch"]), "the epoch was %s and is %s" % (epoch, page["epoch"])
            epoch = page["epoch"]
            assert page["seq"] == ledger.seq[channel], (
                "the seq of %s is %d after %d changes" % (channel, page["seq"], ledger.seq[channel]))
            for summary in messages:
                listed = await auditor.request("reactors", channel=channel, message=summary["message"], limit=100)
                for entry in listed["reactors"]:
                    place = (channel, entry["user"], summary["message"])
                    if channel == "chat:crash":
                        places.add(place)
                    else:
                        claps[place] = entry["count"]
        assert claps == ledger.claps, "counts differ: %r" % sorted(set(claps.items()) ^ set(ledger.claps.items()))[:4]
        assert places == ledger.places, "reactions differ: %r" % sorted(places ^ ledger.places)[:4]
    return epoch


async def strike(broker, writers, chance):
    """Has all write, and kills the broker in the middle; now and then before it serves."""
    if chance.random() < 0.1:
        time.sleep(chance.random() * 0.05)
        return broker.kill()
    url = broker.ready()
    has_begun = asyncio.Event()
    storms = [asyncio.create_task(writer.storm(url, has_begun)) for writer in writers]
    try:
        await asyncio.wait_for(has_begun.wait(), PATIENCE * 3)
        await asyncio.sleep(chance.random() ** 2 * 0.6)
    finally:
        broker.kill()
        await asyncio.gather(*storms)


async def scenario(folder, rounds, seed=None):
    seed = seed or str(random.randrange(1 << 32))
    note("seed " + seed)
    chance = random.Random(seed)
    settings, data = os.path.join(folder, "settings.json"), os.path.join(folder, "data")
    with open(settings, "w") as out:
        json.dump(SETTINGS, out)
    words = ["--config", settings, "--loops", "2"]
    ledger, epoch = Ledger(), None
    writers = [Writer(number, chance) for number in range(WRITERS)]
    acked = air = effective = done = 0
    with Check("%s times kill -9: every acked change is there once, and what was in the air once or never" % rounds):
        for number in range(int(rounds)):
            await strike(Broker(data, *words), writers, chance)
            broker = Broker(data, *words)
            try:
                url = broker.ready()
                for counts in await asyncio.gather(*(writer.settle(url, ledger) for writer in writers)):
                    acked, air, effective = acked + counts[0], air + counts[1], effective + counts[2]
                epoch = await compare(url, ledger, epoch)
            except Exception as error:
                note("round %d: %s" % (number + 1, error))
                raise
            finally:
                # Half of the rounds begin after an orderly end, half after a crash.
                broker.stop() if chance.random() < 0.5 else broker.kill()
            done += 1
            if done % 10 == 0:
                note("%d rounds: %d changes acked; %d in the air, %d of them had taken effect" % (
                    done, acked, air, effective))
    note("%d rounds: %d changes acked, none lost, none twice; %d in the air, %d of them had taken effect" % (
        done, acked, air, effective))
    with Check("there was something to lose"):
        assert acked > 20 * int(rounds) and air > 0, (acked, air)


if __name__ == "__main__":
    with Check("runs to its end"):
        asyncio.run(scenario(*sys.argv[1:]))
    finish()
