"""A log that does not go together with its snapshots, and one to which a later version has written.

Words: FANFARE     FANFARE: the command
"""

import asyncio
import os
import shutil
import signal
import tempfile

from ask_nats import ask_nats
from checks import Check, Client, equal, main, matches
from cluster_lives import call, readiness, until
from nodes import Nodes

CHANNEL = "chat:older"
# So many batches make a broker write a snapshot.
ROUND = 512


async def add(broker, channel=CHANNEL, message="m", count=1):
    async with await Client.connect(broker.url, "ada") as ada:
        for number in range(count):
            reply = await ada.request("add", channel=channel, message="%s-%d" % (message, number), reaction="👍")
    return reply


async def seq(broker):
    async with await Client.connect(broker.url, "ada") as ada:
        return (await ada.request("list", channel=CHANNEL, limit=1)).get("seq")


async def log(nodes):
    answer = await ask_nats(nodes.servers[0].port, "$JS.API.STREAM.INFO.fanfare-log-0")
    return answer["state"]["first_seq"], answer["config"]["subjects"][0]


async def publish(nodes, subject, body):
    """One message to a subject, acknowledged by its stream."""
    answer = await ask_nats(nodes.servers[0].port, subject, body)
    assert "seq" in answer, answer


async def older_state(nodes, folder):
    right, late = nodes.brokers
    server = nodes.servers[0]
    stream = os.path.join(folder, "jetstream-0", "jetstream", "$G", "streams", "fanfare-state")
    copy = os.path.join(folder, "older-state")
    listener = await Client.connect(right.url, "listener")
    matches(await listener.request("subscribe", channel=CHANNEL), type="subscribed")

    async def heads():
        answer = await ask_nats(server.port, "$JS.API.STREAM.INFO.fanfare-state")
        return answer["state"]["last_seq"]

    before = await heads()
    await add(right, message="first", count=ROUND + 50)

    async def is_kept():
        # Its one part, and its head.
        return await heads() >= before + 2
    await until(is_kept, "the first snapshot is there")
    await server.end()
    shutil.copytree(stream, copy)
    await server.start()
    await server.reachable()
    await readiness(right, 200)
    for number in range(8):
        matches(await add(right, message="round-%d" % number, count=ROUND), type="ack")
        # The next snapshot is worth it after some seconds.
        await asyncio.sleep(3)
        if (await log(nodes))[0] > ROUND + 100:
            break
    last = await seq(right)
    assert (await log(nodes))[0] > ROUND + 100, "the log was let go of behind the copy's snapshot"

    await server.end()
    await late.end()
    shutil.rmtree(stream)
    shutil.move(copy, stream)
    await server.start()
    await server.reachable()
    await readiness(right, 200)
    await late.start()
    await late.serving()
    with Check("a channel whose snapshot is older than what its log was relieved of is unavailable"):
        matches(await add(late), type="error", code="unavailable")
        matches(await add(late, channel="chat:other"), type="ack", seq=1)
    with Check("the broker is not ready, and says so in one line that names the channel"):
        status, words = await call(late.http + "/readyz")
        equal(status, 503, "status")
        assert "gap" in words and CHANNEL not in words, words
        matches(await add(late), type="error", code="unavailable")
        equal(late.said().count("'%s': the shared log has a gap" % CHANNEL), 1, "lines")
    with Check("a broker that has it in memory keeps it, and goes on"):
        matches(await add(right, message="next"), type="ack", seq=last + 1)
        equal((await call(right.http + "/readyz"))[0], 200, "status")
    with Check("and the next snapshot that it writes mends it for all, though nobody asks"):
        last = (await add(right, message="mend", count=2 * ROUND))["seq"]
        await readiness(late, 200)
        equal(await seq(right), last, "seq")

        async def is_equal():
            return await seq(late) == last
        await until(is_equal, "the other one is as far")
        matches(await add(late, message="mended"), type="ack", seq=last + 1)
    with Check("who subscribed to the right one has heard of nothing but changes"):
        await listener.ping()
        equal({message["type"] for message in listener.seen}, {"welcome", "subscribed", "added", "pong"}, "types")
    await listener.close()


async def older_log(nodes, folder):
    """An older copy of all streams comes back under running brokers: what is said of what is lost."""
    right, late = nodes.brokers
    server = nodes.servers[0]
    store, copy = os.path.join(folder, "jetstream-0"), os.path.join(folder, "older-log")
    channel = "chat:lost"
    matches(await add(right, channel, count=2), type="ack", seq=2)
    await server.end()
    shutil.copytree(store, copy)
    await server.start()
    await server.reachable()
    for broker in nodes.brokers:
        await readiness(broker, 200)
    matches(await add(right, channel, "more", 3), type="ack", seq=5)
    matches(await add(late, channel, "other", 2), type="ack", seq=7)
    await server.end()
    shutil.rmtree(store)
    shutil.move(copy, store)
    await server.start()
    await server.reachable()
    with Check("each broker says and counts what it had acknowledged and NATS has lost"):
        for broker, count in ((right, 3), (late, 2)):
            words = "the channel '%s': NATS has lost what this broker had acknowledged" % channel

            async def is_said():
                return words in broker.said()

            await until(is_said, "it is said")
            assert "%s, and nothing brings it back: batches %d, requests %d" % (words, count, count) in broker.said(), broker.said()
            assert "fanfare_shared_log_lost_batches_total %d\n" % count in (await call(broker.http + "/metrics"))[1]
            await readiness(broker, 200)
        matches(await add(right, channel, "again"), type="ack", seq=3)


async def later_version(nodes):
    one = nodes.brokers[0]
    matches(await add(one, channel="chat:later"), type="ack", seq=1)
    subject = (await log(nodes))[1].replace("*", "chat:later")
    await publish(nodes, subject, b"\x02what nobody knows")
    with Check("a broker is not ready that comes upon a change of a later version, and stays so"):
        await readiness(one, 503)
        matches(await add(one, channel="chat:quite-another"), type="ack")
        status, words = await call(one.http + "/readyz")
        equal(status, 503, "status")
        assert "later version" in words, words
    with Check("it takes no change of that channel"):
        matches(await add(one, channel="chat:later", message="n"), type="error", code="unavailable")
        equal(one.said().count("a change that only a later version"), 1, "lines")
    await one.end(signal.SIGTERM)
    await one.start()
    await one.serving()
    with Check("started anew it is ready until it comes upon it again"):
        await readiness(one, 200)
        matches(await add(one, channel="chat:later", message="n"), type="error", code="unavailable")
        await readiness(one, 503)


async def scenario(fanfare):
    with tempfile.TemporaryDirectory(prefix="fanfare-older-", ignore_cleanup_errors=True) as folder:
        async with Nodes(folder, fanfare, servers=1, brokers=2) as nodes:
            for part in (older_state(nodes, folder), older_log(nodes, folder), later_version(nodes)):
                with Check(part.__name__ + " runs through"):
                    await part
            with Check("no broker has crashed"):
                equal(nodes.traps(), [], "said")


if __name__ == "__main__":
    main(scenario)
