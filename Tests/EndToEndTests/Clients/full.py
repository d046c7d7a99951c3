"""Brokers on a NATS server that takes little and is slow: what waits has a bound, and batches fit.

Words: FANFARE     FANFARE: the command
"""

import asyncio
import json
import signal
import tempfile
import urllib.request

from bare_http import Metrics
from checks import Check, Client, equal, main, matches
from nodes import Nodes

LIMITS = {"waiting_bytes": 1 << 20}
LARGE = "x" * 60_000


async def answers(client, requests):
    """Sends all at once, and gives the answers, which have to come in this order."""
    first = client.last_id + 1
    for number, request in enumerate(requests):
        await client.send(id=first + number, **request)
    client.last_id += len(requests)
    wanted = list(range(first, client.last_id + 1))
    found = [await client.until(lambda m: "id" in m) for _ in wanted]
    equal([answer["id"] for answer in found], wanted, "order")
    return found


def add(channel, message, reaction="👍", **more):
    return {"type": "add", "channel": channel, "message": message, "reaction": reaction, **more}


async def batches(nodes, client):
    with Check("what waited fits into what NATS takes in one message"):
        nodes.servers[0].tell(signal.SIGSTOP)
        try:
            data = {"x": "y" * 300}
            asked = asyncio.create_task(answers(client, [add("clap:1", "m%d" % i, data=data) for i in range(400)]))
            await asyncio.sleep(0.3)
        finally:
            nodes.servers[0].tell(signal.SIGCONT)
        equal({answer.get("result") for answer in await asked}, {"added"}, "results")
        assert "refused a batch" not in nodes.brokers[0].said(), nodes.brokers[0].said()


async def refusals(nodes, client):
    def stored():
        with urllib.request.urlopen("http://127.0.0.1:%d/jsz" % nodes.servers[0].monitor, timeout=60) as answer:
            return json.load(answer)["bytes"]

    with Check("what can only be refused is not written to the log"):
        matches(await client.request(**add("chat:1", "first")), result="added")
        before = await asyncio.to_thread(stored)
        found = await answers(client, [add("chat:1", "m", LARGE) for _ in range(60)])
        equal({answer.get("code") for answer in found}, {"invalid_reaction"}, "codes")
        equal(await asyncio.to_thread(stored), before, "bytes in JetStream")


async def waiting(nodes, client):
    metrics = Metrics(nodes.brokers[0].url)
    with Check("what waits for the log is bounded by its bytes, and counted"):
        before = metrics.hits("waiting_bytes")
        nodes.servers[0].tell(signal.SIGSTOP)
        try:
            data = {"x": "y" * 1000}
            requests = [add("clap:2", "m%d" % i, data=data) for i in range(800)]
            asked = asyncio.create_task(answers(client, requests))
            while metrics.hits("waiting_bytes") == before:
                await asyncio.sleep(0.1)
        finally:
            nodes.servers[0].tell(signal.SIGCONT)
        found = await asked
        refused = [answer for answer in found if answer["type"] == "error"]
        equal({answer["code"] for answer in refused}, {"unavailable"}, "codes")
    with Check("and there is room again"):
        while (await client.request(**add("clap:2", "again"))).get("code") == "unavailable":
            await asyncio.sleep(0.2)


async def scenario(fanfare):
    with tempfile.TemporaryDirectory(prefix="fanfare-full-", ignore_cleanup_errors=True) as folder:
        async with Nodes(folder, fanfare, 1, 1, limits=LIMITS, max_payload=65536) as nodes:
            async with await Client.connect(nodes.brokers[0].url, "ada") as client:
                matches(await client.request(**add("clap:1", "first")), result="added")
                for part in (batches, refusals, waiting):
                    with Check(part.__name__ + " runs through"):
                        await part(nodes, client)
            with Check("no broker has crashed"):
                equal(nodes.traps(), [], "said")


if __name__ == "__main__":
    main(scenario)
