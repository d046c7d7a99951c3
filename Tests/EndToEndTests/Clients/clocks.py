"""Clocks that are wrong: what a broker keeps, and what brokers share, does not suffer from them.

Words: FOLDER

The brokers run with Tests/Faults/clock.c between them and the time of day.
"""

import asyncio
import json
import mmap
import os
import sqlite3
import struct
import subprocess
import urllib.error
import urllib.request

from broker import Broker
from checks import ABSENT, Check, Client, equal, main, matches
from nodes import KEY, Nodes

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Faults/clock.c")
DAY = 86400
HOUR = 3600


class Clock:
    """The time of day of the brokers that are started with it."""

    def __init__(self, folder):
        library = os.path.join(folder, "clock.so")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
        control = os.path.join(folder, "lead")
        with open(control, "wb") as file:
            file.write(bytes(8))
        with open(control, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 8)
        self.environment = {"LD_PRELOAD": library, "FANFARE_CLOCK": control}

    def set(self, lead):
        self.memory[0:8] = struct.pack("=q", lead)


async def add(client, channel, message, key):
    return await client.request("add", channel=channel, message=message, reaction="👍", key=key)


async def until(what, found):
    while not found():
        await asyncio.sleep(0.05)
    return what


async def growing_old(folder, clock):
    """A broker that begins 40 days ahead lets go of what is old enough already, and of nothing else."""
    data, settings = os.path.join(folder, "old"), os.path.join(folder, "old.json")
    with open(settings, "w") as out:
        json.dump({"namespaces": {"chat": {"expire_days": 30}}}, out)
    words = (data, "--config", settings)
    broker = Broker(*words, environment=clock.environment)
    async with await Client.connect(broker.ready(), "ada") as ada:
        for channel in ("chat:old", "chat:young"):
            matches(await add(ada, channel, "m", "k"), result="added")
    equal(broker.stop(), 0, "exit status")
    with sqlite3.connect(os.path.join(data, "fanfare.db"), isolation_level=None) as file:
        file.execute("UPDATE channels SET touched = touched - ? WHERE name = 'chat:old'", (31 * DAY,))
        file.execute("UPDATE channels SET touched = touched - ? WHERE name = 'chat:young'", (20 * DAY,))
        for lead in (40 * DAY, -40 * DAY):
            clock.set(lead)
            broker = Broker(*words, environment=clock.environment)
            try:
                url = broker.ready()
                if lead > 0:
                    with Check("a clock that is 40 days ahead is told, and what was old before goes"):
                        touched = "SELECT touched FROM channels WHERE name = 'chat:old'"
                        await until("it goes", lambda: file.execute(touched).fetchone() == (None,))
                        await until("said", lambda: "the clock is 40 days ahead" in broker.words())
                with Check("what is 20 days old stays, %d days off" % (lead // DAY)):
                    async with await Client.connect(url, "ada") as ada:
                        listed = await ada.request("list", channel="chat:young")
                        equal([m["total"] for m in listed["messages"]], [1], "totals")
            finally:
                equal(broker.stop(), 0, "exit status")
    file.close()
    clock.set(0)


async def going_back(folder, clock):
    """A clock that was ahead is set right while the broker runs, and while it does not."""
    data = os.path.join(folder, "back")
    clock.set(40 * DAY)
    broker = Broker(data, environment=clock.environment)
    async with await Client.connect(broker.ready(), "ada") as ada:
        first = await add(ada, "chat:1", "m1", "k1")
        clock.set(0)
        with Check("when the clock goes back seqs go on, and keys are still known"):
            second = await add(ada, "chat:1", "m2", "k2")
            equal(second["seq"], first["seq"] + 1, "seq")
            matches(await add(ada, "chat:1", "m1", "k1"), duplicate=True, seq=first["seq"])
    equal(broker.stop(), 0, "exit status")
    clock.set(-40 * DAY)
    broker = Broker(data, environment=clock.environment)
    async with await Client.connect(broker.ready(), "ada") as ada:
        with Check("also over a restart at which it goes back once more"):
            matches(await add(ada, "chat:1", "m1", "k1"), duplicate=True, seq=first["seq"])
            matches(await add(ada, "chat:1", "m2", "k2"), duplicate=True, seq=second["seq"])
            third = await add(ada, "chat:1", "m3", "k3")
            matches(third, seq=second["seq"] + 1, duplicate=ABSENT)
    equal(broker.stop(), 0, "exit status")
    clock.set(0)


def readiness(broker):
    try:
        with urllib.request.urlopen(broker.http + "/readyz", timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def revoke(broker, user):
    request = urllib.request.Request(
        "%s/v1/users/%s/revoke" % (broker.http, user), data=b"", headers={"Authorization": "Bearer " + KEY})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


async def together(folder, clock):
    """One of three brokers has a wrong clock."""
    nodes = Nodes(folder, os.environ["FANFARE_BIN_DIR"] + "/fanfare", servers=1)
    nodes.brokers[2].environment.update(clock.environment)
    async with nodes:
        right, other, wrong = nodes.brokers
        clients = [await Client.connect(b.url, "ada") for b in nodes.brokers]
        first = await add(clients[0], "chat:1", "m1", "k1")
        matches(await add(clients[2], "chat:1", "m2", "k2"), result="added")
        for lead, words in ((3 * HOUR, "10800 s ahead of"), (-3 * HOUR, "10800 s behind"), (45, "45 s ahead of")):
            clock.set(lead)
            with Check("a clock that is %d s off: no change, no revocation, not ready, and why" % lead):
                answer = await add(clients[2], "chat:1", "m3", "k3")
                matches(answer, type="error", code="unavailable")
                for text in (answer["message"], readiness(wrong)[1]):
                    # Seconds are cut off.
                    assert words in text or words.replace("10800", "10799").replace("45", "44") in text, text
                equal(readiness(wrong)[0], 503, "readyz")
                equal(revoke(wrong, "eve"), 503, "revoke")
                matches(await clients[2].request("list", channel="chat:1"), seq=first["seq"] + 1)
            with Check("%d s off: the others go on, and know their keys" % lead):
                matches(await add(clients[1], "chat:1", "m1", "k1"), duplicate=True, seq=first["seq"])
                for broker in (right, other):
                    equal(readiness(broker)[0], 200, "readyz")
            clock.set(0)
            with Check("%d s off, and set right: changes are taken at once" % lead):
                equal(readiness(wrong)[0], 200, "readyz")
        matches(await add(clients[2], "chat:1", "m3", "k3"), result="added")
        clock.set(HOUR)
        with Check("it is said in the log, and that it is over"):
            await until("said", lambda: "ahead of that of the log's servers: changes are refused" in wrong.said())
            clock.set(0)
            await until("said", lambda: "agrees again" in wrong.said())
        for client in clients:
            await client.close()


async def scenario(folder):
    clock = Clock(folder)
    await growing_old(folder, clock)
    await going_back(folder, clock)
    # The waits of NATS's library go by the time of day, and under the thread sanitizer they go past the shim.
    if os.environ.get("FANFARE_SANITIZER") != "thread":
        await together(folder, clock)


main(scenario)
