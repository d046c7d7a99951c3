"""Faults of reaction systems that were reported, each by what is the right answer. Words: URL

The report stands in each check's name.
"""

import asyncio
import random

from checks import ABSENT, Check, Client, equal, main, matches


async def groups(client, channel, message):
    """The message's groups by reaction, and what the client itself has."""
    listed = await client.request("list", channel=channel, messages=[message])
    if not listed["messages"]:
        return {}, []
    summary = listed["messages"][0]
    equal(summary["total"], sum(g["count"] for g in summary["reactions"]), "total")
    return {g["reaction"]: g["count"] for g in summary["reactions"]}, summary["own"]


async def all_forms(url):
    """element-web#23752, wire-android#1140: with FE0F or without, it is one reaction."""
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        at = dict(channel="chat:r1", message="m")
        await ada.request("add", reaction="\U0001F44D\uFE0F", **at)
        matches(await bob.request("add", reaction="\U0001F44D", **at), result="added", reaction="\U0001F44D", count=2)
        await ada.request("add", reaction="\u2764", **at)
        matches(await bob.request("add", reaction="\u2764\uFE0F", **at), reaction="\u2764\uFE0F", count=2)
        matches(await ada.request("remove", reaction="\u2764\uFE0F", **at), result="removed", count=1)
        equal(await groups(ada, "chat:r1", "m"), ({"\U0001F44D": 2, "\u2764\uFE0F": 1}, ["\U0001F44D"]), "groups")


async def racing_adds(url):
    """raven#1697, pulseboard#176: 50 adds of the same at once are one change and one event."""
    channel = "chat:r4"
    clients = [await Client.connect(url, "ada") for _ in range(50)]
    async with await Client.connect(url, "bob") as watcher:
        await watcher.request("subscribe", channel=channel)
        acks = await asyncio.gather(
            *(c.request("add", channel=channel, message="m", reaction="👍") for c in clients))
        equal(sorted(a["result"] for a in acks), ["added"] + ["unchanged"] * 49, "results")
        assert all(a["seq"] == 1 and a["count"] == 1 and a["own"] == ["👍"] for a in acks), acks
        matches(await watcher.receive(), type="added", seq=1, count=1)
        await watcher.ping()
        equal(len(watcher.seen), 4, "messages: welcome, subscribed, the change, pong")
    await asyncio.gather(*(c.close() for c in clients))


async def side_by_side(url):
    """Rocket.Chat setReaction: two people react at once, and neither undoes the other."""
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        for round in range(100):
            at = dict(channel="chat:r6", message="m%d" % round)
            await asyncio.gather(ada.request("add", reaction="👍", **at), bob.request("add", reaction="🎉", **at))
            equal((await groups(ada, at["channel"], at["message"]))[0], {"👍": 1, "🎉": 1}, "groups")


async def never_below(url):
    """forem#22865, Magnifier#69: random toggles and double removes never take a count below what is there."""
    seed = random.SystemRandom().randrange(1 << 32)
    print("# seed %d" % seed)
    channel, emoji = "chat:r50", ["👍", "🎉"]
    has = {}

    async def play(number):
        user, choose = "u%d" % number, random.Random("%d-%d" % (seed, number))
        async with await Client.connect(url, user) as client:
            for _ in range(250):
                reaction, type = choose.choice(emoji), choose.choice(["toggle", "toggle", "remove", "remove", "add"])
                ack = await client.request(type, channel=channel, message="m", reaction=reaction)
                there = has.get((user, reaction), False)
                now = {"add": True, "remove": False, "toggle": not there}[type]
                has[user, reaction] = now
                equal(ack["result"], "unchanged" if now == there else "added" if now else "removed", "result")
                equal(reaction in ack["own"], now, "own")
                assert 0 <= ack["count"] <= 20, ack

    async with await Client.connect(url, "watcher") as watcher:
        await watcher.request("subscribe", channel=channel)
        await asyncio.gather(*(play(i) for i in range(20)))
        found, _ = await groups(watcher, channel, "m")
        expected = {r: sum(there for (_, q), there in has.items() if q == r) for r in emoji}
        equal(found, {r: n for r, n in expected.items() if n}, "groups")
        counts = dict.fromkeys(emoji, 0)
        for event in watcher.seen[2:]:
            if event["type"] in ("added", "removed"):
                counts[event["reaction"]] += 1 if event["type"] == "added" else -1
                equal(event["count"], counts[event["reaction"]], "count of an event")
                assert event["count"] >= 0, event


async def retried_toggle(url):
    """initiative#1319: a retried toggle does not undo itself where it carries a key."""
    async with await Client.connect(url, "ada") as ada:
        at = dict(channel="chat:r51", message="m", reaction="👍")
        for key in ("k1", "k2", "k3"):
            first = await ada.request("toggle", key=key, **at)
            again = await ada.request("toggle", key=key, **at)
            matches(first, result="removed" if key == "k2" else "added", duplicate=ABSENT)
            matches(again, result=first["result"], seq=first["seq"], count=first["count"], duplicate=True)


async def own_survives(url):
    """stream-chat-swift#1677: what is broadcast says nothing about anyone's own, so nobody's own is wiped."""
    channel = "chat:r12"
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        await ada.request("subscribe", channel=channel, mode="summary")
        await ada.request("add", channel=channel, message="m", reaction="👍")
        await bob.request("add", channel=channel, message="m", reaction="👍")
        told = await ada.until(lambda m: m["type"] == "summary" and m["seq"] == 2)
        matches(told["messages"][0], own=ABSENT, total=2)
        equal(await groups(ada, channel, "m"), ({"👍": 2}, ["👍"]), "groups")


async def weights(url):
    """stream-chat-swift addReaction: counted reactions are added and taken by their own step."""
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        at = dict(channel="clap:r15", message="m", reaction="👏")
        await ada.request("add", count=1, **at)
        matches(await bob.request("add", count=2, **at), count=3, own_counts={"👏": 2})
        matches(await ada.request("add", count=1, **at), count=4, own_counts={"👏": 2})
        matches(await bob.request("remove", **at), result="removed", count=2, own_counts={})


async def absolute(url):
    """discord.js#2404: an event says how many there are, not by how many it changed."""
    channel = "chat:r18"
    others = [await Client.connect(url, "u%d" % i) for i in range(7)]
    async with await Client.connect(url, "late") as late:
        for other in others[:6]:
            await other.request("add", channel=channel, message="m", reaction="👍")
        told = await late.request("subscribe", channel=channel, messages=["another"])
        equal(told["messages"], [], "summaries of what is watched")
        await late.request("watch", channel=channel, messages=["m"])
        await others[6].request("add", channel=channel, message="m", reaction="👍")
        matches(await late.receive(), type="added", count=7, users=7, total=7)
        # discord-api-docs#2750: one of seven goes, and six stay.
        await others[0].request("remove", channel=channel, message="m", reaction="👍")
        matches(await late.receive(), type="removed", count=6, users=6, total=6)
    await asyncio.gather(*(c.close() for c in others))


async def deleted_message(url):
    """spreed#7099, Rocket.Chat#5164: with a message its reactions go, for good, own ones included."""
    channel = "chat:r22"
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "mod") as mod:
        await ada.request("add", channel=channel, message="m", reaction="👍")
        await ada.request("subscribe", channel=channel)
        matches(await mod.request("delete", channel=channel, message="m"), result="deleted", removed=1, seq=2)
        matches(await ada.receive(), type="cleared", reason="deleted", removed=1, total=0, seq=2)
        matches(await ada.request("add", channel=channel, message="m", reaction="👍"), code="message_deleted")
        matches(await ada.request("toggle", channel=channel, message="m", reaction="👍"), code="message_deleted")
        matches(await ada.request("remove", channel=channel, message="m", reaction="👍"), result="unchanged", own=[])
        matches(await mod.request("delete", channel=channel, message="m"), result="unchanged", seq=2)
        equal((await ada.request("list", channel=channel))["messages"], [], "what is listed")
        listed = await ada.request("list", channel=channel, messages=["m"])
        equal(listed["messages"], [{"message": "m", "total": 0, "reactions": [], "deleted": True}], "tombstone")
        await ada.ping()
        equal([m["seq"] for m in ada.seen if m["type"] == "cleared"], [2], "seqs of its events")


async def one_sender(url):
    """meet#505: a flood of bursts reaches others at most once an interval, and adds up."""
    channel, count = "burst:r29", 1000
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        await bob.request("subscribe", channel=channel)
        for i in range(count):
            await ada.send(type="add", id=i, channel=channel, message="m", reaction="🎉")
        taken, seen = 0, 0
        for _ in range(count):
            taken += (await ada.receive())["type"] == "ack"
        bursts = []
        while seen < taken:
            burst = await bob.receive()
            matches(burst, type="burst", message="m")
            bursts.append(burst)
            seen += burst["reactions"]["🎉"]
        equal(seen, taken, "sum of the bursts")
        for before, after in zip(bursts, bursts[1:]):
            assert after["at"] - before["at"] >= after["window_ms"], (before, after)


async def order_of_groups(url):
    """element-web#9698: groups stay in the order of first use, whatever their counts."""
    channel = "chat:r31"
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        for reaction in ("👍", "🎉", "❤️"):
            await ada.request("add", channel=channel, message="m", reaction=reaction)
        await bob.request("add", channel=channel, message="m", reaction="❤️")
        equal(list((await groups(bob, channel, "m"))[0]), ["👍", "🎉", "❤️"], "order")
        await ada.request("remove", channel=channel, message="m", reaction="👍")
        await bob.request("add", channel=channel, message="m", reaction="👍")
        equal(list((await groups(bob, channel, "m"))[0]), ["🎉", "❤️", "👍"], "order after one was gone")


async def scenario(url):
    for part in (all_forms, racing_adds, side_by_side, never_below, retried_toggle, own_survives, weights, absolute,
                 deleted_message, one_sender, order_of_groups):
        with Check(part.__doc__):
            await part(url)


main(scenario)
