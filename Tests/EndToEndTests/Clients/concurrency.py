"""200 people react while 50 others subscribe: each of these must see every change after its snapshot, once, in order.

Words: URL [SEED]
"""

import asyncio
import random

from checks import Check, Client, equal, main, matches

WRITERS = 200
READERS = 50
CHANGES = 25  # a writer
CHANNEL = "chat:crowd"
MESSAGES = ["m%d" % i for i in range(12)]
LAST = "end"
EMOJI = ["👍", "❤️", "🎉", "😂", "🔥"]


class Gate:
    """Counts acks, and lets readers wait until so many have come."""

    def __init__(self):
        self.count = 0
        self.changed = asyncio.Condition()

    async def step(self):
        async with self.changed:
            self.count += 1
            self.changed.notify_all()

    async def reached(self, count):
        async with self.changed:
            await self.changed.wait_for(lambda: self.count >= count)


async def write(url, number, seed, gate, seqs):
    choose = random.Random("%d-%d" % (seed, number))
    async with await Client.connect(url, "writer-%d" % number) as client:
        for _ in range(CHANGES):
            ack = await client.request(
                choose.choice(["toggle", "toggle", "add", "remove"]), channel=CHANNEL,
                message=choose.choice(MESSAGES), reaction=choose.choice(EMOJI))
            matches(ack, type="ack")
            seqs.append(ack["seq"])
            await gate.step()


def apply(state, event):
    """One event on a plain model: message -> reaction -> (count, users)."""
    groups = state.setdefault(event["message"], {})
    assert event["type"] in ("added", "removed"), event
    before = groups.get(event["reaction"], (0, 0))[0]
    equal(event["count"], before + (1 if event["type"] == "added" else -1), "count of %r" % event)
    equal(event["users"], event["count"], "users of %r" % event)
    groups[event["reaction"]] = (event["count"], event["users"])
    if event["count"] == 0:
        del groups[event["reaction"]]
    if not groups:
        del state[event["message"]]
    equal(event["total"], sum(c for c, _ in groups.values()), "total of %r" % event)


def state_of(summaries):
    for summary in summaries:
        equal(summary["total"], sum(g["count"] for g in summary["reactions"]), "total of a snapshot")
    return {s["message"]: {g["reaction"]: (g["count"], g["users"]) for g in s["reactions"]} for s in summaries}


async def read(url, number, start, gate):
    """Subscribes once `start` acks have come, and reads to the last change; gives the state and the seq at the end."""
    await gate.reached(start)
    async with await Client.connect(url, "reader-%d" % number) as client:
        snapshot = await client.request("subscribe", channel=CHANNEL)
        matches(snapshot, type="subscribed", more=None, recovered=False)
        equal(client.seen[1:], [snapshot], "what came before the snapshot")
        state, seq = state_of(snapshot["messages"]), snapshot["seq"]
        while LAST not in state:
            event = await client.receive()
            equal(event["seq"], seq + 1, "seq")
            apply(state, event)
            seq = event["seq"]
        return state, seq


async def scenario(url, seed=None):
    seed = int(seed) if seed else random.SystemRandom().randrange(1 << 32)
    print("# seed %d" % seed)
    gate, seqs = Gate(), []
    starts = random.Random(seed)
    readers = [asyncio.create_task(read(url, i, starts.randrange(WRITERS * CHANGES * 4 // 5), gate))
               for i in range(READERS)]
    with Check("every writer gets every ack"):
        await asyncio.gather(*(write(url, i, seed, gate, seqs) for i in range(WRITERS)))
    async with await Client.connect(url, "auditor") as auditor:
        last = await auditor.request("add", channel=CHANNEL, message=LAST, reaction="🏁")
        with Check("the last change comes after all others"):
            equal(last["seq"], max(seqs) + 1, "seq")
        listed = await auditor.request("list", channel=CHANNEL, limit=100)
        final = state_of(listed["messages"])
    for number, reader in enumerate(readers):
        with Check("reader %d: no gap, no double, the same end" % number):
            state, seq = await reader
            equal(seq, last["seq"], "seq")
            equal(state, final, "state")


main(scenario)
