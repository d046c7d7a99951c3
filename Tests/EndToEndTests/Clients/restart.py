"""What a restart must keep. First `write`, which goes on until the broker is gone, then `verify` against the next one.

Words: write URL FILE how PID     how: term (after a known number of changes, at rest) or kill (in the middle of writes)
       verify URL FILE
FILE takes what was acked, as JSON.
"""

import asyncio
import json
import os
import signal

import websockets

from checks import Check, Client, equal, main, matches

CHANNEL = "chat:restart"
WRITERS = 20
BEFORE_KILL = 1500  # acks, of all writers together
AT_REST = 200
EMOJI = ["👍", "❤️", "🎉"]


class Book:
    """What was acked: the newest state of each (user, message, reaction), and what is still in the air."""

    def __init__(self):
        self.has = {}
        self.asked = {}
        self.seq = 0
        self.acks = 0
        self.epoch = None
        self.retries = []

    def words(self):
        return {
            "has": [[*place, there] for place, there in self.has.items() if place not in self.asked.values()],
            "unknown": [list(place) for place in self.asked.values()],
            "seq": self.seq, "epoch": self.epoch, "retries": self.retries}


async def write(url, number, book, limit, enough):
    """Adds and, every third time, takes away again, one request after another."""
    user = "writer-%d" % number
    try:
        async with await Client.connect(url, user) as client:
            step = 0
            while limit is None or step < limit:
                type = "remove" if step % 3 == 2 else "add"
                at = step if type == "add" else step - 1
                place = (user, "m%d" % (at % 40), EMOJI[at // 40 % 3])
                key = "k%d" % step
                book.asked[number] = place
                ack = await client.request(type, channel=CHANNEL, message=place[1], reaction=place[2], key=key)
                matches(ack, type="ack")
                del book.asked[number]
                book.has[place] = type == "add"
                book.seq = max(book.seq, ack["seq"])
                book.acks += 1
                request = dict(type=type, channel=CHANNEL, message=place[1], reaction=place[2], key=key)
                if step % 50 == 0:
                    book.retries.append([user, request, {k: v for k, v in ack.items() if k != "id"}])
                if book.acks >= BEFORE_KILL:
                    enough.set()
                step += 1
    except (websockets.ConnectionClosed, ConnectionError):
        pass


async def write_all(url, file, how, pid):
    book, enough = Book(), asyncio.Event()
    async with await Client.connect(url, "watcher") as watcher:
        book.epoch = (await watcher.request("subscribe", channel=CHANNEL))["epoch"]
        limit = AT_REST // WRITERS if how == "term" else None
        writers = [asyncio.create_task(write(url, i, book, limit, enough)) for i in range(WRITERS)]
        if how == "kill":
            await enough.wait()
            os.kill(int(pid), signal.SIGKILL)
            await asyncio.gather(*writers)
        else:
            await asyncio.gather(*writers)
            os.kill(int(pid), signal.SIGTERM)
            with Check("goodbye before the close, with 1012"):
                equal(await watcher.closed(), 1012, "close code")
                goodbye = watcher.seen[-1]
                matches(goodbye, type="goodbye", code=1012)
                assert isinstance(goodbye["retry_after_ms"], int), goodbye
    with Check("every writer wrote"):
        assert book.acks >= (BEFORE_KILL if how == "kill" else AT_REST), book.acks
    with open(file, "w") as out:
        json.dump(book.words(), out)


async def verify(url, file):
    with open(file) as written:
        book = json.load(written)
    unknown = {tuple(place) for place in book["unknown"]}
    async with await Client.connect(url, "auditor") as auditor:
        listed = await auditor.request("list", channel=CHANNEL, limit=100)
        with Check("the same epoch"):
            equal(listed["epoch"], book["epoch"], "epoch")
        with Check("seq goes on from where it was"):
            # One change may have been made durable and not been acked, for each of those in the air.
            assert book["seq"] <= listed["seq"] <= book["seq"] + len(unknown), (book["seq"], listed["seq"])
        there = set()
        for summary in listed["messages"]:
            after = None
            while True:
                page = await auditor.request(
                    "reactors", channel=CHANNEL, message=summary["message"], limit=100, after=after)
                there.update((r["user"], summary["message"], r["reaction"]) for r in page["reactors"])
                after = page["after"]
                if after is None:
                    break
            with Check("counts of %s" % summary["message"]):
                equal(summary["total"], sum(1 for place in there if place[1] == summary["message"]), "total")
        with Check("every acked change is there"):
            for user, message, reaction, expected in book["has"]:
                equal((user, message, reaction) in there, expected, "%s on %s by %s" % (reaction, message, user))
        with Check("and nothing that nobody asked for"):
            known = {tuple(place[:3]) for place in book["has"] if place[3]}
            equal(there - known - unknown, set(), "unasked")
        with Check("a retry still gets its first answer"):
            assert book["retries"]
            for user, request, ack in book["retries"]:
                async with await Client.connect(url, user) as client:
                    again = await client.request(**request)
                    equal({k: v for k, v in again.items() if k != "id"}, {**ack, "duplicate": True}, "answer")
        with Check("the next change has the next seq"):
            matches(await auditor.request("add", channel=CHANNEL, message="next", reaction="👍"), seq=listed["seq"] + 1)


async def scenario(word, *words):
    await {"write": write_all, "verify": verify}[word](*words)


if __name__ == "__main__":
    main(scenario)
