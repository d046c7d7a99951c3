"""Brokers that nobody asks for anything follow what happens to NATS: its majority, and its streams' settings. Words: FANFARE"""

import asyncio
import json
import signal
import tempfile

from ask_nats import ask_nats
from checks import PATIENCE, Check, Client, equal, main, matches
from cluster_lives import call, readiness, until
from nodes import Nodes


async def no_majority(nodes):
    broker = nodes.brokers[0]
    with Check("where streams are made, a start warns of nothing that ends by itself"):
        for each in nodes.brokers:
            assert "does not answer" not in each.said(), each.said()
    for server in nodes.servers[1:]:
        await server.end()
    with Check("no majority: no broker is ready, although nobody writes"):
        for each in nodes.brokers:
            await readiness(each, 503)
        answer = (await call(broker.http + "/readyz"))[1]
        assert "no leader" in answer or "does not answer" in answer, answer
        assert "fanfare_shared_log_up 0" in (await call(broker.http + "/metrics"))[1]
    await broker.end()

    said = len(broker.said())

    async def is_waiting():
        assert broker.process.returncode is None, broker.said()
        return "waiting for NATS" in broker.said()[said:]

    with Check("a broker that begins without a majority says so, and waits for it"):
        await broker.start()
        await until(is_waiting, "it waits")
    for server in nodes.servers[1:]:
        await server.start()
        await server.reachable()
    with Check("and serves when there is one, as the others do"):
        await broker.serving()
        for each in nodes.brokers:
            await readiness(each, 200)


async def standing_still(nodes):
    broker = nodes.brokers[1]
    await broker.end()
    await broker.start()
    await broker.serving()
    for server in nodes.servers:
        server.tell(signal.SIGSTOP)
    with Check("where all NATS servers stand still no broker is ready, one that has just begun neither"):
        for each in nodes.brokers:
            await readiness(each, 503)
    async with await Client.connect(broker.url, "bob") as bob:
        with Check("who asks meanwhile is answered, and hears of changes when they have gone on"):
            matches(await bob.request("subscribe", channel="chat:still"), code="unavailable")
            for server in nodes.servers:
                server.tell(signal.SIGCONT)
            for each in nodes.brokers:
                await readiness(each, 200)
            while (await bob.request("subscribe", channel="chat:still"))["type"] != "subscribed":
                await asyncio.sleep(0.1)
            async with await Client.connect(nodes.brokers[0].url, "ada") as ada:
                matches(await ada.request("add", channel="chat:still", message="m", reaction="👍"), type="ack", seq=1)
            await bob.until(lambda m: m.get("seq") == 1 and "id" not in m)


async def changed_stream(nodes):
    port, name = nodes.servers[0].port, "fanfare-log-0"
    update = "$JS.API.STREAM.UPDATE." + name
    settings = (await ask_nats(port, "$JS.API.STREAM.INFO." + name))["config"]
    with Check("a log that drops what it has is told by every broker, once, and makes it unready"):
        changed = await ask_nats(port, update, json.dumps({**settings, "discard": "old"}).encode())
        equal(changed.get("error"), None, "error")
        for broker in nodes.brokers:
            await readiness(broker, 503)
        words = "the stream '%s' was changed: its discard is old, and has to be new" % name
        for broker in nodes.brokers:
            equal(broker.said().count(words), 1, "lines")
        assert words in (await call(nodes.brokers[0].http + "/readyz"))[1]
    broker = nodes.brokers[1]
    await broker.end()
    with Check("a broker does not begin with it"):
        await broker.start()
        equal(await asyncio.wait_for(broker.process.wait(), PATIENCE), 1, "status")
        assert "is not set as it has to be: its discard is old" in broker.said(), broker.said()
    await ask_nats(port, update, json.dumps(settings).encode())
    with Check("all are well when it is as it was"):
        await broker.start()
        await broker.serving()
        for each in nodes.brokers:
            await readiness(each, 200)


async def scenario(fanfare):
    with tempfile.TemporaryDirectory(prefix="fanfare-majority-", ignore_cleanup_errors=True) as folder:
        async with Nodes(folder, fanfare) as nodes:
            for part in (no_majority, standing_still, changed_stream):
                with Check(part.__name__ + " runs through"):
                    await part(nodes)


if __name__ == "__main__":
    main(scenario)
