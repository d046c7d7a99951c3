"""What channels on disk cost a broker that uses few of them.

Words: FOLDER CHANNELS WARM

A store with CHANNELS of them is imported, and one with WARM. On each a broker is asked for the same WARM channels: how long its
start takes, what memory it has before and after, what the requests cost. Then they leave memory, and come back when asked for.
"""

import asyncio
import json
import os
import sys
import time

from broker import Broker, note, run
from checks import Check, Client, equal, finish, matches
from http_api import API

AT_ONCE = 200
ROUNDS = 10
SETTINGS = {"namespaces": {"chat": {"history": {"seconds": 0}}}}


def export(path, count):
    """Writes an export with so many channels, each with one reaction."""
    with open(path, "w") as out:
        out.write(json.dumps({"type": "export", "version": 1, "epoch": "made", "channels": count}) + "\n")
        for number in range(count):
            out.write(
                '{"type":"channel","channel":"chat:%d","seq":1,"frozen":false}\n'
                '{"type":"message","message":"m","changed":1,"deleted":false}\n'
                '{"type":"group","message":"m","reaction":"👍","started":1,"first":1764470400000,"last":1764470400000}\n'
                '{"type":"reaction","message":"m","reaction":"👍","user":"ada","count":1,"given":1,"touched":1,'
                '"at":1764470400000}\n' % number)
        out.write(json.dumps({"type": "end", "lines": 4 * count + 2}) + "\n")


def memory(pid):
    """In MiB."""
    with open("/proc/%d/status" % pid) as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024


def processor(pid):
    """In seconds."""
    with open("/proc/%d/stat" % pid) as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def channels_in_memory(api):
    for line in api.call("GET", "/metrics")[2].splitlines():
        if line.startswith("fanfare_channels "):
            return int(float(line.split()[1]))


async def toggle(client, warm, first):
    """One reaction in each channel; how long the slowest ack took, in seconds."""
    sent, slowest, waiting = {}, 0, 0
    for number in range(warm):
        sent[number] = time.monotonic()
        await client.send(type="toggle", id=number, channel="chat:%d" % (number * first), message="w", reaction="🎉")
        waiting += 1
        while waiting >= AT_ONCE or waiting and number == warm - 1:
            message = await client.receive()
            matches(message, type="ack")
            slowest = max(slowest, time.monotonic() - sent[message["id"]])
            waiting -= 1
    return slowest


async def measure(folder, count, warm):
    data = os.path.join(folder, str(count))
    exported, settings = os.path.join(folder, "made.jsonl"), os.path.join(folder, "settings.json")
    with open(settings, "w") as out:
        json.dump(SETTINGS, out)
    export(exported, count)
    began = time.monotonic()
    status, _, said = await asyncio.to_thread(run, "import", exported, "--data", data, "--quiet")
    equal(status, 0, said)
    imported = time.monotonic() - began
    os.remove(exported)
    began = time.monotonic()
    broker = Broker(data, "--config", settings)
    try:
        url = await asyncio.to_thread(broker.ready)
        started = time.monotonic() - began
        pid = broker.process.pid
        empty = memory(pid)
        async with await Client.connect(url, "cy") as client:
            step = count // warm
            began, used = time.monotonic(), processor(pid)
            first = await toggle(client, warm, step)
            loaded, loading = time.monotonic() - began, processor(pid) - used
            filled = memory(pid)
            began, used = time.monotonic(), processor(pid)
            slowest = max([await toggle(client, warm, step) for _ in range(ROUNDS)])
            took, working = time.monotonic() - began, processor(pid) - used
            requests = ROUNDS * warm
            note("%d channels on disk (%.0f MiB, imported in %.1f s): started in %.2f s with %.1f MiB" % (
                count, os.path.getsize(data + "/fanfare.db") / 2**20, imported, started, empty))
            note("    %d of them used for the first time: %.0f µs of processor each (%.2f s in all), %.1f MiB, slowest %.0f ms"
                 % (warm, loading / warm * 1e6, loaded, filled, first * 1e3))
            note("    %d changes in them: %.0f µs of processor each (%.0f a second), slowest ack %.0f ms, %.1f MiB" % (
                requests, working / requests * 1e6, requests / took, slowest * 1e3, memory(pid)))
            api = API(url)
            equal(channels_in_memory(api), warm, "channels in memory")
            began = time.monotonic()
            while channels_in_memory(api) > 0:
                await asyncio.sleep(0.5)
            note("    all have left memory %.0f s later, %.1f MiB" % (time.monotonic() - began, memory(pid)))
            for number in 0, (warm - 1) * step:
                listed = await client.request("list", channel="chat:%d" % number)
                equal(sorted((m["message"], m["total"]) for m in listed["messages"]), [("m", 1), ("w", 1)], "state")
                equal(listed["seq"], 2 + ROUNDS, "seq")
    finally:
        equal(broker.stop(), 0, "exit status")


async def scenario(folder, channels, warm):
    for count in int(warm), int(channels):
        with Check("%d channels on disk, %s in use: they leave memory and come back as they were" % (count, warm)):
            await measure(folder, count, int(warm))


if __name__ == "__main__":
    with Check("runs to its end"):
        asyncio.run(scenario(*sys.argv[1:]))
    finish()
