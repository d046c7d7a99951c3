"""Readers that do not read: what waits for them is bounded, and no one else notices. Words: URL PID"""

import asyncio
import json

from bare_http import Growth
from checks import ABSENT, Check, Client, equal, main, matches
from raw import TEXT, RawClient, frame

# Each event is over 1 KB, so that a few thousand of them are more than the kernel and the bound of 1 MiB hold.
ROUNDS = 6000
DATA = {"filler": "x" * 1000}


class SlowReader:
    """Subscribes, and reads no more until `messages` is asked for."""

    def __init__(self, url, user, **subscribe):
        self.raw = RawClient(url, user, receive_buffer=4096)
        self.raw.send(frame(TEXT, json.dumps({"type": "subscribe", "id": 1, **subscribe}).encode()))
        while self.message().get("id") != 1:
            pass

    def message(self):
        opcode, payload = self.raw.frame()
        while opcode != TEXT:
            opcode, payload = self.raw.frame()
        return json.loads(payload)


async def react(ada, channel, rounds):
    """Adds and removes, 100 requests at once; gives the last seq."""
    seq = 0
    for start in range(0, rounds, 100):
        for i in range(start, start + 100):
            kind = "remove" if i % 2 else "add"
            fields = {} if i % 2 else {"data": DATA}
            await ada.send(type=kind, id=i + 1, channel=channel, message="m1", reaction="👍", **fields)
        last = await ada.until(lambda m: m.get("id") == start + 100)
        seq = last["seq"]
    return seq


async def scenario(url, pid):
    channel = "chat:slow"
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        await bob.request("subscribe", channel=channel, messages=["other"])
        growth = Growth(pid)
        events = [SlowReader(url, "slow%d" % i, channel=channel) for i in range(20)]
        summaries = SlowReader(url, "slow", channel=channel, mode="summary")
        with Check("nobody waits for slow readers"):
            last = await react(ada, channel, ROUNDS)
            equal(last, ROUNDS, "seq")
            await bob.ping()
        with Check("what waits for a connection is bounded"):
            # The bound is 1 MiB a connection, of bytes that all of them share; the rest is the channel's history.
            growth.check(20 * 1024, "20 slow readers")
        with Check("mode events: lagged in place of what is missing, then fresh state, then events go on"):
            reader = events[0]
            expected = 1
            message = reader.message()
            while message["type"] != "lagged":
                matches(message, seq=expected)
                expected += 1
                message = reader.message()
            matches(message, channel=channel)
            equal(message["from"], expected, "from")
            assert message["to"] >= message["from"], message
            fresh = reader.message()
            matches(fresh, type="subscribed", id=ABSENT, recovered=False, seq=message["to"], channel=channel)
            matches(await ada.request("add", channel=channel, message="m2", reaction="🎉"), seq=ROUNDS + 1)
            message = reader.message()
            matches(message, type="added", seq=fresh["seq"] + 1)
            while message["seq"] < ROUNDS + 1:
                following = reader.message()
                equal(following["seq"], message["seq"] + 1, "seq")
                message = following
        with Check("mode summary: the newest counts, however much was missed"):
            message = summaries.message()
            counts = {}
            while True:
                matches(message, type="summary")
                for summary in message["messages"]:
                    for group in summary["reactions"]:
                        counts[summary["message"], group["reaction"]] = group["count"]
                if message["seq"] == ROUNDS + 1:
                    break
                message = summaries.message()
            equal(counts, {("m1", "👍"): 0, ("m2", "🎉"): 1}, "counts")


main(scenario)
