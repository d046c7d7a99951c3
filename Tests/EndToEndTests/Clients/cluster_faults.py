"""What must hold however brokers and NATS servers fail: three of each, under load, with faults put in.

Words: FANFARE [SECONDS [FAULT…]]     FANFARE: the command; SECONDS: how long the load goes on around each fault
"""

import asyncio
import os
import random
import signal
import sys
import tempfile
import time

from checks import Check, main
from history import History, Watcher, Writer, connect, judge
from nodes import Nodes

CHANNELS = ["chat:hot", "chat:calm", "chat:other"]
WRITERS = 12


async def kill_broker(nodes, seconds):
    broker = random.choice(nodes.brokers)
    await broker.end(signal.SIGKILL)
    await asyncio.sleep(seconds / 2)
    await broker.start()
    await broker.serving()


async def kill_server(nodes, seconds):
    server = random.choice(nodes.servers)
    await server.end(signal.SIGKILL)
    await asyncio.sleep(seconds / 2)
    await server.start()
    await server.reachable()


async def stop_broker(nodes, seconds):
    """SIGSTOP, for so long that everyone gives it up."""
    broker = random.choice(nodes.brokers)
    broker.tell(signal.SIGSTOP)
    await asyncio.sleep(max(seconds, 30 if seconds > 5 else 0))
    broker.tell(signal.SIGCONT)


async def cut_broker(nodes, seconds):
    nodes.cut_broker(random.randrange(len(nodes.brokers)))
    await asyncio.sleep(max(seconds, 8))
    nodes.mend()


async def cut_server(nodes, seconds):
    """NATS falls in two: one server alone, and the other two."""
    nodes.cut_server(random.randrange(len(nodes.servers)))
    await asyncio.sleep(max(seconds, 15))
    nodes.mend()


async def no_majority(nodes, seconds):
    """Two of three NATS servers are gone: nothing is acked until one is back."""
    gone = random.sample(nodes.servers, 2)
    for server in gone:
        await server.end(signal.SIGKILL)
    await asyncio.sleep(1)
    stays = next(s for s in nodes.servers if s not in gone)
    socket = await connect(nodes.brokers[stays.index], "prober")
    try:
        await socket.send('{"type":"add","id":1,"channel":"chat:probe","message":"m","reaction":"👍"}')
        text = await asyncio.wait_for(socket.recv(), 60)
        with Check("no_majority: unavailable, and no ack"):
            assert '"unavailable"' in text, text
    finally:
        await socket.close()
    await asyncio.sleep(seconds / 2)
    for server in gone:
        await server.start()
        await server.reachable()


async def roll(nodes, seconds):
    """All are started anew, one after the other, each when the one before is well."""
    for process in nodes.brokers + nodes.servers:
        await process.end(signal.SIGTERM)
        await process.start()
        if process in nodes.brokers:
            await process.serving()
        else:
            await process.reachable()
            await nodes.well()
        await asyncio.sleep(seconds / 3)


FAULTS = dict(
    kill_broker=kill_broker, kill_server=kill_server, stop_broker=stop_broker, cut_broker=cut_broker,
    cut_server=cut_server, no_majority=no_majority, roll=roll)


async def play(nodes, name, seconds, number):
    history = History(nodes.brokers, number)
    channels = ["%s-%s-%d" % (channel, name, number) for channel in CHANNELS]
    # Half of the writers share the hot channel and do not rest.
    writers = [
        Writer(history, i, channels[0] if i % 2 == 0 else channels[1 + i // 2 % 2], 0 if i % 2 == 0 else 0.05)
        for i in range(WRITERS)]
    watchers = [Watcher(history, i, channels[i % 3]) for i in range(9)]
    writing = [asyncio.create_task(w.run()) for w in writers]
    watching = [asyncio.create_task(w.run()) for w in watchers]
    await asyncio.sleep(seconds / 2)
    before = len(history.acks)
    began = time.monotonic()
    await FAULTS[name](nodes, seconds)
    during = len(history.acks) - before
    took = time.monotonic() - began
    await asyncio.sleep(seconds / 2)
    mended = time.monotonic()
    history.stopping.set()
    done, _ = await asyncio.wait(writing, timeout=120)
    with Check("%s: every request is acked in the end" % name):
        assert len(done) == len(writing), "%d of %d writers still wait" % (len(writing) - len(done), len(writing))
        for task in done:
            task.result()
    for watcher in watchers:
        watcher.wants = max((ack[5] for ack in history.acks if ack[0] == watcher.channel), default=0)
    await asyncio.wait(watching, timeout=120)
    with Check("%s: everyone who watches hears of all" % name):
        for watcher in watchers:
            assert watcher.is_through(), "%s has %s and waits for %d" % (watcher.user, watcher.since, watcher.wants)
    for task in writing + watching:
        task.cancel()
    await judge(history, channels, name)
    # The next fault is one of its own, not one more.
    await nodes.well()
    with Check("%s: no broker has crashed" % name):
        assert not nodes.traps(), nodes.traps()[:3]
    print("# %s: %d acked (%d in the %.0f s of the fault), %d retries, %d duplicates, refused %s, %d resumed, "
          "%d with fresh state, through %.1f s after the fault" % (
              name, len(history.acks), during, took, history.retries, history.duplicates, dict(history.refused),
              history.resumed, history.fresh, time.monotonic() - mended), flush=True)


async def scenario(fanfare, seconds="3", *names):
    seed = int(os.environ.get("FANFARE_SEED", random.randrange(1 << 32)))
    print("# seed %d" % seed, flush=True)
    random.seed(seed)
    with tempfile.TemporaryDirectory(prefix="fanfare-faults-", ignore_cleanup_errors=True) as folder:
        async with Nodes(folder, fanfare) as nodes:
            for number, name in enumerate(names or FAULTS):
                await play(nodes, name, float(seconds), number)
            if os.environ.get("FANFARE_KEEP_LOGS"):
                for process in nodes.brokers + nodes.servers:
                    print("# --- %s\n%s" % (process.name, process.said()), file=sys.stderr)


if __name__ == "__main__":
    main(scenario)
