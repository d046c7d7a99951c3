"""Faults of delivery and recovery that other brokers were reported for, each by what is the right answer. Words: URL

The report stands in each check's name. The namespace chat holds the defaults: a history of 1,000 events.
"""

import asyncio
import random

from checks import Check, Client, equal, main, matches

EMOJI = ["👍", "❤️", "🎉"]


async def change(client, channel, count, start=0):
    """So many changes, one request after the other in one go; the last one is acked when this returns."""
    for i in range(start, start + count):
        await client.send(type="add", id="c%d" % i, channel=channel, message="m%d" % i, reaction="👍")
    if count:
        await client.until(lambda m: m.get("id") == "c%d" % (start + count - 1))


async def contiguous(client, first, last):
    """Receives the changes from one seq to another, and nothing else."""
    for seq in range(first, last + 1):
        matches(await client.receive(), type="added", seq=seq)


async def resumed_at_random(url):
    """mercure#178: 60 subscribers come in the middle of a stream, from any place in the past."""
    channel, total = "chat:d1", 900

    async def publish(writer, started):
        for start in range(0, total, 30):
            await change(writer, channel, 30, start)
            started.set()

    async def follow(number, epoch, started):
        choose = random.Random(number)
        await started.wait()
        async with await Client.connect(url, "r%d" % number) as reader:
            for _ in range(choose.randrange(30)):
                await reader.ping()
            now = (await reader.request("list", channel=channel, limit=1))["seq"]
            since = choose.randrange(now + 1)
            told = await reader.request("subscribe", channel=channel, since={"epoch": epoch, "seq": since})
            matches(told, recovered=True, seq=since)
            await contiguous(reader, since + 1, total)

    async with await Client.connect(url, "ada") as writer:
        epoch = (await writer.request("list", channel=channel))["epoch"]
        started = asyncio.Event()
        await asyncio.gather(publish(writer, started), *(follow(i, epoch, started) for i in range(60)))


async def never_in_part(url):
    """mercure#704: what is no longer held whole is not recovered at all."""
    channel = "chat:d3"
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        epoch = (await ada.request("list", channel=channel))["epoch"]
        for start in range(0, 2400, 60):
            await change(ada, channel, 60, start)
        told = await bob.request("subscribe", channel=channel, since={"epoch": epoch, "seq": 3})
        matches(told, recovered=False, seq=2400)
        equal(len(told["messages"]), 100, "summaries")
        assert isinstance(told["more"], str), told["more"]
        await change(ada, channel, 1, 2400)
        await contiguous(bob, 2401, 2401)


async def empty_history(url):
    """centrifugo#230: to resume a channel in which nothing ever happened is a success."""
    async with await Client.connect(url, "ada") as ada:
        epoch = (await ada.request("subscribe", channel="chat:d4"))["epoch"]
    async with await Client.connect(url, "ada") as ada:
        told = await ada.request("subscribe", channel="chat:d4", since={"epoch": epoch, "seq": 0})
        matches(told, recovered=True, seq=0)
        await ada.ping()
        equal(len(ada.seen), 3, "messages: welcome, subscribed, pong")


async def suppressed(url):
    """centrifuge#549: a duplicate uses up no seq, so nobody sees a gap."""
    channel = "chat:d5"
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        await bob.request("subscribe", channel=channel)
        words = dict(channel=channel, message="m", reaction="👍", key="once")
        for duplicate in (False, True, True):
            ack = await ada.request("add", **words)
            matches(ack, result="added", seq=1)
            equal(ack.get("duplicate", False), duplicate, "duplicate")
        matches(await ada.request("add", channel=channel, message="m", reaction="🎉"), seq=2)
        await contiguous(bob, 1, 2)
        await bob.ping()
        equal(len(bob.seen), 5, "messages: welcome, subscribed, two changes, pong")


async def twenty_times(url):
    """socket.io#4880: a position can be used again and again."""
    channel, seq = "chat:d7", 0
    async with await Client.connect(url, "ada") as ada:
        epoch = (await ada.request("list", channel=channel))["epoch"]
        for round in range(20):
            await change(ada, channel, 5, round * 5)
            async with await Client.connect(url, "bob") as bob:
                told = await bob.request("subscribe", channel=channel, since={"epoch": epoch, "seq": seq})
                matches(told, recovered=True, seq=seq)
                await contiguous(bob, seq + 1, seq + 5)
            seq += 5


async def right_after(url):
    """supabase-js#1599: a change made at the moment of `subscribed` is not lost."""
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        for round in range(250):
            channel = "chat:d9-%d" % round
            await bob.request("subscribe", channel=channel)
            await ada.send(type="add", channel=channel, message="m", reaction="👍")
            matches(await bob.receive(), type="added", channel=channel, seq=1)
            await bob.request("unsubscribe", channel=channel)


async def many_publishers(url):
    """SignalR#1676: 8 publishers on one channel, and every subscriber has the same order without a gap."""
    channel, each = "chat:d12", 400

    async def publish(number):
        choose = random.Random(number)
        async with await Client.connect(url, "p%d" % number) as client:
            for i in range(0, each, 40):
                for j in range(i, i + 40):
                    await client.send(type="add", id=j, channel=channel, message="m%d-%d" % (number, j),
                                      reaction=choose.choice(EMOJI))
                await client.until(lambda m, last=i + 39: m.get("id") == last)

    async def follow(reader):
        order = []
        for seq in range(1, 8 * each + 1):
            event = await reader.receive()
            matches(event, type="added", seq=seq)
            order.append(event["message"])
        return order

    readers = [await Client.connect(url, "r%d" % i) for i in range(10)]
    for reader in readers:
        await reader.request("subscribe", channel=channel)
    results = await asyncio.gather(*(follow(r) for r in readers), *(publish(i) for i in range(8)))
    orders = results[:len(readers)]
    assert all(order == orders[0] for order in orders), "orders differ"
    for reader in readers:
        await reader.close()


async def foreign_epoch(url):
    """centrifuge-js#385: a position of another life of the counter gives the state once, and goes on from there."""
    channel = "chat:d18"
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        await change(ada, channel, 3)
        told = await bob.request("subscribe", channel=channel, since={"epoch": "of another life", "seq": 3})
        matches(told, recovered=False, seq=3)
        equal(len(told["messages"]), 3, "summaries")
        assert told["epoch"] != "of another life", told
        await change(ada, channel, 1, 3)
        await contiguous(bob, 4, 4)


async def scenario(url):
    for part in (resumed_at_random, never_in_part, empty_history, suppressed, twenty_times, right_after,
                 many_publishers, foreign_epoch):
        with Check(part.__doc__):
            await part(url)


main(scenario)
