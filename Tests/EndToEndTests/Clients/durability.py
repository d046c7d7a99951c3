"""What is told before it is committed (durability `memory`), seen after a crash and while the store takes nothing.

Words: lossy URL FILE      FILE is what restart.py wrote before the crash
       locked URL FILE     FILE is the database; it is locked for a while, which is longer than the broker waits
"""

import asyncio
import json
import sqlite3
import time

from checks import Check, Client, equal, main, matches
from http_api import API
from restart import CHANNEL


async def lossy(url, file):
    with open(file) as written:
        book = json.load(written)
    async with await Client.connect(url, "auditor") as auditor:
        listed = await auditor.request("list", channel=CHANNEL, limit=100)
        with Check("a new epoch: what a seq named before may be something else now"):
            assert listed["epoch"] != book["epoch"], listed["epoch"]
            since = {"epoch": book["epoch"], "seq": min(book["seq"], listed["seq"])}
            matches(await auditor.request("subscribe", channel=CHANNEL, since=since), recovered=False)
        with Check("no more is there than was asked for, and not less than what was told long before"):
            assert listed["seq"] <= book["seq"] + len(book["unknown"]), (listed["seq"], book["seq"])
            assert listed["seq"] > 0, "nothing at all was written in the background"
        with Check("what is there is whole: the counts are those of the people"):
            for summary in listed["messages"]:
                page = await auditor.request("reactors", channel=CHANNEL, message=summary["message"], limit=100)
                equal(summary["total"], page["total"], "total")
        with Check("the next change has the next seq"):
            matches(await auditor.request("add", channel=CHANNEL, message="next", reaction="👍"), seq=listed["seq"] + 1)


def failures(api):
    for line in api.call("GET", "/metrics")[2].splitlines():
        if line.startswith("fanfare_commit_failures_total "):
            return float(line.split()[1])


async def locked(url, file):
    api = API(url)
    other = sqlite3.connect(file, isolation_level=None)
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        await bob.request("subscribe", channel="chat:locked")
        matches(await ada.request("add", channel="chat:locked", message="m", reaction="👍"), result="added")
        other.execute("BEGIN IMMEDIATE")
        with Check("while the store takes nothing, changes are taken and told at once"):
            for emoji in ["🎉", "🔥"]:
                began = time.monotonic()
                matches(await ada.request("add", channel="chat:locked", message="m", reaction=emoji), result="added")
                await bob.until(lambda m: m["type"] == "added" and m["reaction"] == emoji)
                assert time.monotonic() - began < 3, "it waited for the store"
        with Check("also after the store has refused them"):
            while failures(api) == 0:
                await asyncio.sleep(0.1)
            matches(await ada.request("add", channel="chat:locked", message="m", reaction="❤️"), result="added", seq=4)
        other.execute("ROLLBACK")
        with Check("the store gets all of it when it goes on"):
            while True:
                row = other.execute("SELECT seq FROM channels WHERE name = 'chat:locked'").fetchone()
                if row == (4,):
                    break
                await asyncio.sleep(0.1)
            equal(other.execute("SELECT count(*) FROM entries").fetchone(), (4,), "entries")


async def scenario(word, *words):
    await {"lossy": lossy, "locked": locked}[word](*words)


main(scenario)
