"""A disk that fails: writes that are refused, cut short or not synced, files that are damaged, locked or not to be written.

Words: FOLDER

The broker runs with Tests/Faults/faults.c between it and the system. Whatever happens, nothing is acked that is not there
afterwards, clients hear `unavailable`, and where the disk recovers the broker does so without a restart.
"""

import asyncio
import json
import mmap
import os
import shutil
import sqlite3
import subprocess
import sys

from broker import Broker, note, run
from checks import Check, Client, equal, finish, matches
from http_api import API

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Faults/faults.c")
SETTINGS = {"namespaces": {"chat": {"durability": "committed"}, "vote": {"durability": "synced"}}}
CHANNELS = ["chat:faults", "vote:faults"]
FULL, BROKEN, TORN, UNSYNCED, KILLED, READONLY, UNREAD = b"fbtskrd"


class Disk:
    """What happens to the writes of the brokers that are started with it."""

    def __init__(self, folder):
        library = os.path.join(folder, "faults.so")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
        control = os.path.join(folder, "control")
        with open(control, "wb") as file:
            file.write(bytes(8))
        with open(control, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 8)
        self.environment = {"LD_PRELOAD": library, "FANFARE_FAULTS": control}

    def fail(self, fault, after=0):
        self.memory[1] = after
        self.memory[0] = fault

    def recover(self):
        self.memory[0] = 0


class Place:
    """A data folder and the brokers on it."""

    def __init__(self, folder, name, disk):
        self.folder = os.path.join(folder, name)
        os.mkdir(self.folder)
        self.file = os.path.join(self.folder, "data/fanfare.db")
        self.settings = os.path.join(self.folder, "settings.json")
        self.disk = disk
        with open(self.settings, "w") as out:
            json.dump(SETTINGS, out)

    def start(self):
        return Broker(os.path.join(self.folder, "data"), "--config", self.settings, "--loops", "1",
                      environment=self.disk.environment)


async def add(client, channel, number):
    return await client.request("add", channel=channel, message="m%d" % number, reaction="👍", key="k%d" % number)


async def state(client, channel):
    listed = await client.request("list", channel=channel, limit=100)
    return listed["epoch"], listed["seq"], sorted(m["message"] for m in listed["messages"])


def in_file_alone(place, channel):
    """How many entries of a channel are in the database's file without its write-ahead log."""
    copy = os.path.join(place.folder, "alone.db")
    shutil.copyfile(place.file, copy)
    database = sqlite3.connect("file:%s?mode=ro&immutable=1" % copy, uri=True)
    try:
        return database.execute(
            "SELECT count(*) FROM entries JOIN messages ON messages.id = entries.message "
            "JOIN channels ON channels.id = messages.channel WHERE channels.name = ?", (channel,)).fetchone()[0]
    finally:
        database.close()


async def outage(place, disk, fault, name):
    """The disk fails for a while and recovers: in turn for each durability."""
    broker = place.start()
    url = broker.ready()
    acked = {channel: [] for channel in CHANNELS}
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        for channel in CHANNELS:
            await bob.request("subscribe", channel=channel)
            for number in range(5):
                matches(await add(ada, channel, number), type="ack")
                acked[channel].append(number)
        for channel in CHANNELS:
            with Check("%s, %s: unavailable, nothing is told, and reading goes on" % (name, channel)):
                before = await state(ada, channel)
                await bob.ping()
                seen = len(bob.seen)
                disk.fail(fault)
                refused = 0
                for number in range(10, 13):
                    answer = await add(ada, channel, number)
                    # A sync is asked for by `synced` alone.
                    if fault == UNSYNCED and channel.startswith("chat"):
                        matches(answer, type="ack")
                        acked[channel].append(number)
                    else:
                        matches(answer, type="error", code="unavailable")
                        refused += 1
                if refused:
                    equal(await state(ada, channel), before, "state")
                    await bob.ping()
                    equal([m for m in bob.seen[seen:] if m["type"] == "added"], [], "events")
            disk.recover()
            # What the system has dropped after a failed sync, a later one does not bring to the disk.
            kept = len(acked["vote:faults"]) if fault == UNSYNCED and channel.startswith("vote") else None
            with Check("%s, %s: when the disk recovers the same keys succeed, without a restart" % (name, channel)):
                for number in range(10, 13):
                    if number not in acked[channel]:
                        answer = await add(ada, channel, number)
                        matches(answer, type="ack", result="added")
                        assert "duplicate" not in answer, answer
                        acked[channel].append(number)
            if kept is not None:
                with Check("%s, %s: what was acked before that is in the file itself" % (name, channel)):
                    equal(in_file_alone(place, channel) >= kept, True, "without the write-ahead log")
        states = [await state(ada, channel) for channel in CHANNELS]
    equal(broker.stop(), 0, "exit status")
    await verify(place, acked, states, name)


async def verify(place, acked, states, name):
    """The next broker has what was acked, and the keys."""
    broker = place.start()
    try:
        with Check("%s: after a restart all is there" % name):
            async with await Client.connect(broker.ready(), "ada") as ada:
                for channel, before in zip(CHANNELS, states):
                    equal(await state(ada, channel), before, "state")
                    for number in acked[channel]:
                        matches(await add(ada, channel, number), type="ack", duplicate=True)
    finally:
        broker.kill()


async def cut_short(place, disk, after):
    """The process dies in the middle of a write, `after` others."""
    broker = place.start()
    acked, epoch = [], None
    try:
        async with await Client.connect(broker.ready(), "ada") as ada:
            epoch = (await state(ada, CHANNELS[0]))[0]
            for number in range(3):
                matches(await add(ada, CHANNELS[0], number), type="ack")
                acked.append(number)
            disk.fail(KILLED, after)
            for number in range(3, 60):
                matches(await add(ada, CHANNELS[0], number), type="ack")
                acked.append(number)
    except Exception as error:
        assert broker.process.wait() == -9, error
    disk.recover()
    broker = place.start()
    try:
        async with await Client.connect(broker.ready(), "ada") as ada:
            now, seq, messages = await state(ada, CHANNELS[0])
            equal(now, epoch, "epoch")
            assert len(acked) <= seq <= len(acked) + 1, (seq, acked)
            for number in acked:
                matches(await add(ada, CHANNELS[0], number), type="ack", duplicate=True)
    finally:
        broker.kill()


def damaged(place):
    """Bytes in the middle of the file are not what they were; gives the exit status of a start, and what was said."""
    size = os.path.getsize(place.file)
    with open(place.file, "r+b") as file:
        for offset in range(0, size, 512):
            file.seek(offset)
            file.write(b"\xA5" * 64)
    return run("serve", "--dev", "--listen", "127.0.0.1:0", "--data", os.path.dirname(place.file))


async def files(folder, disk):
    place = Place(folder, "files", disk)
    broker = place.start()
    async with await Client.connect(broker.ready(), "ada") as ada:
        matches(await add(ada, CHANNELS[0], 1), type="ack")
        with Check("another program's lock: unavailable while it lasts, then all as before"):
            other = sqlite3.connect(place.file, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            matches(await add(ada, CHANNELS[0], 2), type="error", code="unavailable")
            matches(await ada.request("list", channel=CHANNELS[0]), type="list", seq=1)
            other.execute("ROLLBACK")
            other.close()
            matches(await add(ada, CHANNELS[0], 2), type="ack", seq=2)
        with Check("a file that was moved away: unavailable, and /readyz says so, until it is back"):
            os.rename(place.file, place.file + ".away")
            matches(await add(ada, CHANNELS[0], 3), type="error", code="unavailable")
            equal(API(broker.url).call("GET", "/readyz")[0], 503, "/readyz")
            os.rename(place.file + ".away", place.file)
            matches(await add(ada, CHANNELS[0], 3), type="ack", seq=3)
            equal(API(broker.url).call("GET", "/readyz")[0], 200, "/readyz")
    equal(broker.stop(), 0, "exit status")
    with Check("a file that may not be written: no start, and one line that says so"):
        disk.fail(READONLY)
        status, _, said = run("serve", "--dev", "--listen", "127.0.0.1:0", "--data", os.path.dirname(place.file),
                              env={**os.environ, **disk.environment})
        disk.recover()
        equal(status, 1, "exit status")
        assert "Read-only file system" in said and "fanfare.db" in said, said
    with Check("a damaged file: no start, and one line that says so"):
        status, _, said = damaged(place)
        equal(status, 1, "exit status")
        assert "damaged" in said and len(said.strip().splitlines()) <= 3, said


def readiness(broker):
    return API(broker.url).call("GET", "/readyz")


async def reads(folder, disk):
    """A disk that cannot be read: it is the channel's where one cannot be, and the store's where several cannot."""
    place = Place(folder, "reads", disk)
    broker = place.start()
    names = ["chat:%d" % number for number in range(4)]
    async with await Client.connect(broker.ready(), "ada") as ada:
        for name in names:
            # More than the store holds in memory when it begins.
            for number in range(40):
                matches(await add(ada, name, number), type="ack")
    equal(broker.stop(), 0, "exit status")
    broker = place.start()
    async with await Client.connect(broker.ready(), "ada") as ada:
        disk.fail(UNREAD)
        with Check("reads that fail: unavailable, and /readyz says so when they are of several channels"):
            for name in names[:3]:
                matches(await ada.request("list", channel=name), type="error", code="unavailable")
            status, _, answer = readiness(broker)
            equal(status, 503, "/readyz")
            assert "the store cannot be read" in json.dumps(answer), answer
        disk.recover()
        with Check("reads that work again: all is there, and /readyz says so"):
            for name in names:
                matches(await ada.request("list", channel=name, limit=100), type="list", seq=40)
            equal(readiness(broker)[0], 200, "/readyz")
    equal(broker.stop(), 0, "exit status")


async def scenario(folder):
    disk = Disk(folder)
    for fault, name in [(FULL, "a full disk"), (BROKEN, "writes that fail"), (TORN, "writes that fail half-way"),
                        (UNSYNCED, "syncs that fail")]:
        await outage(Place(folder, name.replace(" ", "-"), disk), disk, fault, name)
    for after in range(0, 40, 4):
        with Check("killed in the middle of a write, %d others before it" % after):
            await cut_short(Place(folder, "cut-%d" % after, disk), disk, after)
    await reads(folder, disk)
    await files(folder, disk)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    with Check("runs to its end"):
        asyncio.run(scenario(*sys.argv[1:]))
    finish()
