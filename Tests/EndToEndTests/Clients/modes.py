"""Summaries, own, bursts, occupancy, resuming, and anonymous channels, seen from outside. Words: URL"""

import asyncio

from checks import ABSENT, Check, Client, equal, main, matches


EMOJI = "👍🎉😍😂🔥👏🚀✨👀💯"


async def summaries(url):
    channel = "chat:summary"
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "ada") as second, \
            await Client.connect(url, "bob") as bob:
        with Check("summary: merged counts, the last ones final, never too often"):
            subscribed = await second.request("subscribe", channel=channel, mode="summary")
            matches(subscribed, mode="summary", seq=0, interval_ms=100)
            for i in range(60):
                await bob.request("add", channel=channel, message="m%d" % (i % 6), reaction=EMOJI[i // 6])
            counts, last = {}, 0
            while last < 60:
                summary = await second.receive()
                matches(summary, type="summary", channel=channel, own=ABSENT)
                assert summary["seq"] > last, "seq goes up: %r" % summary
                last = summary["seq"]
                for message in summary["messages"]:
                    matches(message, own=ABSENT)
                    for group in message["reactions"]:
                        counts[message["message"], group["reaction"]] = group["count"], group["users"]
                    equal(message["total"], sum(c for (m, _), (c, _) in counts.items() if m == message["message"]), "total")
            equal(len(counts), 60, "groups")
            equal(set(counts.values()), {(1, 1)}, "counts")
        with Check("own: to the user's other connections in mode summary"):
            ack = await ada.request("add", channel=channel, message="m0", reaction="👍")
            matches(ack, own=["👍"])
            own = await second.until(lambda m: m["type"] == "own")
            equal(own, {"type": "own", "channel": channel, "message": "m0", "own": ["👍"], "seq": ack["seq"]}, "own")
        with Check("summary: 0 says that a group is gone"):
            removed = await ada.request("remove", channel=channel, message="m0", reaction="👍")
            matches(removed, count=1)
            gone = await bob.request("remove", channel=channel, message="m0", reaction="👍")
            summary = await second.until(lambda m: m["type"] == "summary" and m["seq"] >= gone["seq"])
            group, = [g for m in summary["messages"] for g in m["reactions"] if g["reaction"] == "👍"]
            equal((group["count"], group["users"]), (0, 0), "group")


async def watching(url):
    channel = "chat:watched"
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        with Check("watch: only these messages, as a reader scrolls"):
            matches(await bob.request("subscribe", channel=channel, messages=["m1", "m1"]), messages=[])
            await ada.request("add", channel=channel, message="m2", reaction="👍")
            watched = await bob.request("watch", channel=channel, messages=["m2", "m3"])
            matches(watched, type="watched", seq=1)
            equal([(s["message"], s["total"], s["own"]) for s in watched["messages"]], [("m2", 1, [])], "watched")
            await ada.request("add", channel=channel, message="m1", reaction="👍")
            await ada.request("add", channel=channel, message="m3", reaction="👍")
            event = await bob.receive()
            matches(event, type="added", message="m3", seq=3)


async def resuming(url):
    channel = "chat:resumed"
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        first = await bob.request("subscribe", channel=channel)
        await bob.request("unsubscribe", channel=channel)
        for reaction in "👍🎉🔥":
            await ada.request("add", channel=channel, message="m", reaction=reaction)
        with Check("since: the missed changes as ordinary events"):
            position = {"epoch": first["epoch"], "seq": 1}
            reply = await bob.request("subscribe", channel=channel, since=position)
            matches(reply, recovered=True, seq=1, messages=ABSENT, more=ABSENT)
            equal([((await bob.receive())["seq"]) for _ in range(2)], [2, 3], "seqs")
        with Check("since in mode summary: one summary"):
            reply = await bob.request("subscribe", channel=channel, since=position, mode="summary")
            matches(reply, recovered=True, seq=1, mode="summary")
            summary = await bob.receive()
            matches(summary, type="summary", seq=3)
        with Check("since another epoch, or ahead: a snapshot"):
            for wrong in ({"epoch": "other", "seq": 1}, {"epoch": first["epoch"], "seq": 4}):
                matches(await bob.request("subscribe", channel=channel, since=wrong), recovered=False, seq=3, more=None)


async def bursts(url):
    channel = "burst:party"
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        with Check("burst: the sum is the number of acks"):
            matches(await bob.request("subscribe", channel=channel), policy="ephemeral", seq=0)
            for i in range(50):
                ack = await ada.request("add", channel=channel, message="m", reaction="🎉" if i % 2 else "🔥")
                matches(ack, result="added", seq=0, count=0, own=[])
            matches(await ada.request("add", channel=channel, message="m", reaction="🎉", key="k"), duplicate=ABSENT)
            matches(await ada.request("add", channel=channel, message="m", reaction="🎉", key="k"), duplicate=True)
            sums = {"🎉": 0, "🔥": 0}
            while sum(sums.values()) < 51:
                burst = await bob.receive()
                matches(burst, type="burst", message="m", window_ms=100, seq=ABSENT)
                for reaction, count in burst["reactions"].items():
                    sums[reaction] += count
            equal(sums, {"🎉": 26, "🔥": 25}, "sums")


async def policies(url):
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        with Check("unique: another reaction replaces"):
            await bob.request("subscribe", channel="tap:1")
            await ada.request("add", channel="tap:1", message="m", reaction="👍")
            replaced = await ada.request("add", channel="tap:1", message="m", reaction="🎉")
            matches(replaced, result="replaced", previous="👍", own=["🎉"], seq=2, count=1)
            await bob.receive()
            matches(await bob.receive(), type="replaced", reaction="🎉", previous="👍", previous_count=0, previous_users=0,
                    count=1, users=1, total=1, seq=2)
            matches(await ada.request("toggle", channel="tap:1", message="m", reaction="🎉"), result="removed", own=[])
        with Check("multiple: counted"):
            await bob.request("subscribe", channel="clap:1")
            matches(await ada.request("add", channel="clap:1", message="m", reaction="👏", count=7), count=7)
            matches(await ada.request("remove", channel="clap:1", message="m", reaction="👏", count=2), count=5,
                    own_counts={"👏": 5})
            events = [await bob.until(lambda m: m.get("channel") == "clap:1") for _ in range(2)]
            equal([(e["type"], e["count"], e["users"], e["by_count"]) for e in events],
                  [("added", 7, 1, 7), ("removed", 5, 1, 2)], "events")
        with Check("set: removals, then additions, all or nothing"):
            await bob.request("subscribe", channel="chat:set")
            matches(await ada.request("set", channel="chat:set", message="m", reactions=["👍", "🎉", "👍"]),
                    result="changed", seq=2, own=["👍", "🎉"])
            matches(await ada.request("set", channel="chat:set", message="m", reactions=["🔥", "🎉"]),
                    result="changed", seq=4, own=["🎉", "🔥"])
            events = [await bob.until(lambda m: m.get("channel") == "chat:set") for _ in range(4)]
            equal([(e["type"], e["seq"], e["reaction"]) for e in events],
                  [("added", 1, "👍"), ("added", 2, "🎉"), ("removed", 3, "👍"), ("added", 4, "🔥")], "events")
        with Check("updated: other data"):
            words = dict(channel="chat:data", message="m", reaction="👍")
            matches(await ada.request("add", data={"a": 1.50}, **words), result="added")
            matches(await ada.request("add", **words), result="unchanged")
            matches(await ada.request("add", data={"a": 2}, **words), result="updated", seq=2)


async def anonymous(url):
    channel = "anon:vote"
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        with Check("anonymous: nobody is named, own still works"):
            await bob.request("subscribe", channel=channel)
            matches(await ada.request("add", channel=channel, message="m", reaction="👍"), own=["👍"])
            matches(await bob.receive(), type="added", user=ABSENT, count=1)
            listed = await ada.request("list", channel=channel, messages=["m"])
            summary, = listed["messages"]
            matches(summary, own=["👍"])
            matches(summary["reactions"][0], latest=ABSENT, count=1)
            listed = await bob.request("list", channel=channel, messages=["m"])
            matches(listed["messages"][0], own=[])


async def occupancy(url):
    channel = "chat:hall"
    async with await Client.connect(url, "ada") as ada:
        with Check("occupancy: connections and users"):
            await ada.request("subscribe", channel=channel, occupancy=True)
            others = [await Client.connect(url, user) for user in ("bob", "bob", "cy")]
            await asyncio.gather(*(other.request("subscribe", channel=channel) for other in others))
            told = await ada.until(lambda m: m["type"] == "occupancy" and m["connections"] == 4)
            matches(told, users=3, channel=channel, seq=ABSENT)
            await asyncio.gather(*(other.close() for other in others))
            matches(await ada.until(lambda m: m["type"] == "occupancy" and m["connections"] == 1), users=1)


async def scenario(url):
    for part in (summaries, watching, resuming, bursts, policies, anonymous, occupancy):
        with Check(part.__name__):
            await part(url)


main(scenario)
