"""GET /v1/status of a broker whose channels are in NATS, while the server goes and comes back. Words: FANFARE"""

import asyncio
import json
import re
import signal
import tempfile
import time
import urllib.request

from checks import PATIENCE, Check, Client, main, matches
from nodes import KEY, Nodes


def status(broker):
    request = urllib.request.Request(broker.http + "/v1/status", headers={"Authorization": "Bearer " + KEY})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


def metrics(broker):
    with urllib.request.urlopen(broker.http + "/metrics", timeout=PATIENCE) as answer:
        return answer.read().decode()


async def until(broker, wanted):
    end = time.monotonic() + PATIENCE
    while not wanted(seen := await asyncio.to_thread(status, broker)):
        assert time.monotonic() < end, seen
        await asyncio.sleep(0.1)


async def scenario(fanfare):
    with tempfile.TemporaryDirectory(prefix="fanfare-status-", ignore_cleanup_errors=True) as folder:
        async with Nodes(folder, fanfare, 1, 1) as nodes:
            broker, server = nodes.brokers[0], nodes.servers[0]
            with Check("a server that can be reached is told, and so is one that cannot"):
                matches(await asyncio.to_thread(status, broker), nats={"connected": True})
                await server.end(signal.SIGKILL)
                await until(broker, lambda seen: seen["nats"] == {"connected": False})
            with Check("one that comes back is told, and what is changed counts"):
                await server.start()
                await server.reachable()
                await until(broker, lambda seen: seen["nats"] == {"connected": True})
                await nodes.well()
                async with await Client.connect(broker.url, "ada") as ada:
                    while (await ada.request("add", channel="chat:1", message="m", reaction="👍"))["type"] != "ack":
                        await asyncio.sleep(0.1)
                await until(broker, lambda seen: seen["counters"]["changes"] == 1 and seen["store"]["healthy"])
            with Check("the channels are in NATS, and how long that takes to keep a change is told"):
                matches(await asyncio.to_thread(status, broker), store={"kind": "nats", "healthy": True, "waiting_records": 0})
                await until(broker, lambda seen: sum(seen["latency"]["commits"]) >= 1)
                text = await asyncio.to_thread(metrics, broker)
                assert float(re.search(r"^fanfare_commit_seconds_count (\S+)$", text, re.M)[1]) >= 1, text
                assert float(re.search(r"^fanfare_commit_records_sum (\S+)$", text, re.M)[1]) >= 1, text


main(scenario)
