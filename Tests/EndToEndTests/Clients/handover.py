"""A broker is replaced by a new binary under load, on sockets that a service manager holds, as `systemctl restart` does it.

Words: FOLDER CONNECTIONS [LOOPS]

The old broker has stopped writing before the new one opens the store: one ends, then the other starts. The listening
socket stays open all the while, so that who comes in between waits and is not refused.
"""

import asyncio
import os
import resource
import shutil
import sys
import time
from urllib.parse import urlsplit

from broker import PROGRAM, note
from checks import PATIENCE, Check, Client, equal, finish
from followers import Crowd, storm
from services import Service, listen, port

PROBES = 200  # that wait at once


class Prober:
    """Connects over and over, and asks something; each has to be answered."""

    def __init__(self, url):
        parts = urlsplit(url)
        self.place = parts.hostname, parts.port
        self.answers, self.failures = {}, []
        self.longest = 0
        self.is_over = False

    async def run(self):
        waiting = set()
        while not self.is_over:
            if len(waiting) < PROBES:
                task = asyncio.ensure_future(self.probe())
                waiting.add(task)
                task.add_done_callback(waiting.discard)
            await asyncio.sleep(0.02)
        await asyncio.gather(*waiting)

    async def probe(self):
        began = time.monotonic()
        try:
            reader, writer = await asyncio.open_connection(*self.place)
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            answer = (await asyncio.wait_for(reader.read(), PATIENCE)).decode()
            writer.close()
        except (OSError, asyncio.TimeoutError) as error:
            self.failures.append(repr(error))
            return
        status = answer.split(" ")[1] if answer.startswith("HTTP/1.1 ") else "none: %r" % answer
        self.answers[status] = self.answers.get(status, 0) + 1
        self.longest = max(self.longest, time.monotonic() - began)


def make(folder, name, one, loops, program=PROGRAM):
    own = os.path.join(folder, name)
    os.mkdir(own)
    mode = ("--dev", "--loops", loops, "--data", os.path.join(folder, "data"))
    return Service(own, "--listen", port(one), sockets=[one], mode=mode, program=program)


async def scenario(folder, connections, loops="2"):
    count = int(connections)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, count + 1000)), hard))
    binary = shutil.copy(PROGRAM, os.path.join(folder, "fanfare-new"))
    one = listen(backlog=4096)
    with make(folder, "old", one, loops) as old:
        url = (await asyncio.to_thread(old.urls))[0]
        crowd, prober = Crowd(url, count), Prober(url)
        times = {}

        async def update():
            await crowd.until(lambda: crowd.events >= count)
            with Check("a new one that comes too early is told that there is one, and harms nothing"):
                with make(folder, "early", one, loops) as early:
                    status, said = await asyncio.to_thread(early.fail)
                    equal(status, 1, "exit status")
                    assert "only one broker may use a database" in said, said
                    equal(crowd.ends, 0, "connections that ended")
            times["stop"] = time.monotonic()
            equal(await asyncio.to_thread(old.stop), 0, "exit status of the old one")
            times["gone"] = time.monotonic()
            new = make(folder, "new", one, loops, program=binary)
            try:
                await asyncio.to_thread(new.urls)
                times["ready"] = time.monotonic()
                await crowd.until(lambda: crowd.ends >= count and crowd.there == count)
                times["back"] = time.monotonic()
                # Some more on top, from those who have reconnected.
                already = crowd.events
                await crowd.until(lambda: crowd.events >= already + count)
            except BaseException:
                new.__exit__()
                raise
            return new

        updating = asyncio.ensure_future(update())
        probing = asyncio.ensure_future(prober.run())
        try:
            await crowd.begin()
            writers, seqs = await storm(url, 8, crowd.channels, 0.05 * max(1, count / 1000), updating)
        finally:
            prober.is_over = True
            await probing
        with updating.result() as new:
            with Check("no attempt to connect was refused, and each was answered"):
                equal(prober.failures, [], "attempts that failed")
                assert set(prober.answers) <= {"200", "503"}, prober.answers
                equal(crowd.refused, 0, "followers that found nobody")
                equal([writer.refused for writer in writers], [0] * len(writers), "writers that found nobody")
            with Check("all of %d connections came back: each heard each change once, or has the state anew" % count):
                await crowd.heard_all(seqs)
                equal(crowd.problems, [])
                # Those in whose channels nothing was under way when they were sent away, if nobody else.
                recovered = sum(follower.recovered for follower in crowd.followers)
                assert recovered > 0, "nobody went on where they were"
            acks = [ack for writer in writers for ack in writer.acks]
            with Check("each of the changes that were acked is there, once"):
                async with await Client.connect(url, "reader") as client:
                    for writer in writers:
                        await writer.check(client)
                equal(len({(ack["channel"], ack["seq"]) for ack in acks}), len(acks), "different seqs")
                equal(sum(seqs.values()), len(acks), "seqs in all")
            crowd.end()
            equal(await asyncio.to_thread(new.stop), 0, "exit status of the new one")
    one.close()
    note("%d connections: the old one gone after %.2f s, the new one ready after %.2f s, all back %.2f s after that; "
         "%d acks; %d went on where they were, the others have the state anew; %d probes, the longest answered after %.2f s; %s; %d handshakes were turned away (%s)" % (
             count, times["gone"] - times["stop"], times["ready"] - times["gone"], times["back"] - times["ready"],
             len(acks), recovered, sum(prober.answers.values()), prober.longest, prober.answers,
             len(crowd.turned_away), set(crowd.turned_away)))


if __name__ == "__main__":
    with Check("runs to its end"):
        asyncio.run(scenario(*sys.argv[1:]))
    finish()
