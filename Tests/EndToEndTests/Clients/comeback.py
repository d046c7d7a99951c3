"""A broker is restarted under many connections: all of them come back, each when it was told to, and go on where they were.

Words: FOLDER CONNECTIONS [LOOPS]
"""

import asyncio
import os
import resource
import statistics
import sys
import time

from broker import Broker, note
from checks import Check, Client, equal, finish, matches
from followers import Crowd


async def scenario(folder, connections, loops="2"):
    count = int(connections)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, count + 200)), hard))
    data = os.path.join(folder, "data")
    broker = Broker(data, "--loops", loops)
    crowd = Crowd(broker.ready(), count)
    began = time.monotonic()
    await crowd.begin()
    note("%d connections in %.1f s" % (count, time.monotonic() - began))
    async with await Client.connect(broker.url, "writer") as writer:
        for channel in range(50):
            matches(await writer.request("add", channel="chat:%d" % channel, message="m", reaction="👍"), type="ack")
    # What each has seen is what comes back with it.
    await crowd.heard_all({"chat:%d" % channel: 1 for channel in range(50)})
    stopped = time.monotonic()
    broker.process.terminate()
    status = await asyncio.to_thread(broker.process.wait)
    gone = time.monotonic()
    again = Broker(data, "--loops", loops, "--listen", "127.0.0.1:%d" % crowd.port)
    try:
        await asyncio.to_thread(again.ready)
        ready = time.monotonic()
        await crowd.until(lambda: crowd.ends >= count and crowd.there == count)
        back = time.monotonic()
        with Check("each of %d connections heard goodbye and 1012, with a time of its own to come back" % count):
            equal(status, 0, "exit status")
            equal({code for code, _ in crowd.goodbyes}, {1012}, "close codes")
            times = [after for _, after in crowd.goodbyes]
            assert all(isinstance(t, int) and 0 <= t <= 5000 for t in times), times[:10]
            # Even over the spread: half of them in the first half, give or take.
            middle = statistics.median(times)
            assert 5000 * 0.3 < middle < 5000 * 0.7, middle
        with Check("all came back, and went on where they were"):
            equal(crowd.problems, [])
            equal({follower.recovered for follower in crowd.followers}, {True}, "recovered")
        moments = sorted(follower.back for follower in crowd.followers)
        most = max(sum(1 for m in moments if start <= m < start + 0.1) for start in
                   (moments[0] + step / 10 for step in range(int((moments[-1] - moments[0]) * 10) + 1)))
        note("gone after %.2f s, the next one ready after %.2f s; all back %.2f s after that; at most %d in 0.1 s; "
             "%d dials found nobody" % (gone - stopped, ready - gone, back - ready, most, crowd.refused))
    finally:
        crowd.end()
        again.stop()


if __name__ == "__main__":
    with Check("runs to its end"):
        asyncio.run(scenario(*sys.argv[1:]))
    finish()
