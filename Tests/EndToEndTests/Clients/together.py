"""Three brokers that share their channels: what one acks, all tell alike.

Words: FANFARE [SERVERS]     FANFARE: the command; SERVERS: how many NATS servers, 1 unless given
"""

import asyncio
import json
import tempfile
import urllib.request

from checks import ABSENT, Check, Client, equal, main, matches
from nodes import KEY, Nodes

CHANNEL = "chat:together"


def events(client):
    return [m for m in client.seen if "seq" in m and "id" not in m and m["type"] not in ("own", "summary")]


async def heard(client, seq):
    """Receives until the event of a seq is there."""
    while not any(event["seq"] >= seq for event in events(client)):
        await client.receive()


async def same_events(urls):
    watchers = [await Client.connect(url, "watcher") for url in urls]
    first = [await w.request("subscribe", channel=CHANNEL) for w in watchers]
    with Check("one epoch"):
        equal(len({s["epoch"] for s in first}), 1, "epochs")
    ada, bob = await Client.connect(urls[0], "ada"), await Client.connect(urls[1], "bob")
    mod = await Client.connect(urls[2], "mod")
    acks = [
        await ada.request("add", channel=CHANNEL, message="m1", reaction="👍", data={"n": 1.50}),
        await bob.request("add", channel=CHANNEL, message="m1", reaction="👍"),
        await bob.request("toggle", channel=CHANNEL, message="m1", reaction="🎉"),
        await mod.request("clear", channel=CHANNEL, message="m1", user="ada"),
        await mod.request("delete", channel=CHANNEL, message="m2"),
    ]
    with Check("seqs go up by one, whichever broker acks"):
        equal([ack["seq"] for ack in acks], [1, 2, 3, 4, 5], "seqs")
    for watcher in watchers:
        await heard(watcher, 5)
    with Check("all brokers tell the same events"):
        for watcher in watchers:
            equal(events(watcher), events(watchers[0]), "events")
        equal([e["seq"] for e in events(watchers[0])], [1, 2, 3, 4, 5], "seqs")
    with Check("a refusal is the same everywhere"):
        refused = await ada.request("add", channel=CHANNEL, message="m2", reaction="👍")
        matches(refused, type="error", code="message_deleted")
    with Check("frozen is frozen everywhere"):
        matches(await mod.request("freeze", channel=CHANNEL, frozen=True), type="ack", result="changed")
        matches(await bob.request("add", channel=CHANNEL, message="m1", reaction="❤️"), code="frozen")
        for watcher in watchers:
            await watcher.until(lambda m: m["type"] == "frozen")
        matches(await mod.request("freeze", channel=CHANNEL, frozen=False), type="ack", result="changed")
    for client in [*watchers, ada, bob, mod]:
        await client.close()


async def keys(urls):
    acks = []
    for url in urls:
        async with await Client.connect(url, "cy") as cy:
            acks.append(await cy.request("add", channel=CHANNEL, message="m3", reaction="👍", key="once"))
            reused = await cy.request("add", channel=CHANNEL, message="m4", reaction="👍", key="once")
            with Check("another body with the same key is refused by %s" % url[-12:]):
                matches(reused, type="error", code="key_reused")
    with Check("a key counts on all brokers"):
        matches(acks[0], duplicate=ABSENT, result="added")
        for ack in acks[1:]:
            equal({**acks[0], "duplicate": True}, ack, "ack")
    with Check("racing requests with one key by way of all brokers are one change"):
        people = [await Client.connect(urls[i % 3], "dan") for i in range(9)]
        raced = await asyncio.gather(*(
            p.request("add", channel=CHANNEL, message="m5", reaction="🎉", key="race") for p in people))
        equal(len({ack["seq"] for ack in raced}), 1, "seqs")
        equal(sum("duplicate" not in ack for ack in raced), 1, "first ones")
        for person in people:
            await person.close()


async def resume(urls):
    async with await Client.connect(urls[0], "eve") as eve:
        subscribed = await eve.request("subscribe", channel=CHANNEL)
    seq = subscribed["seq"]
    async with await Client.connect(urls[1], "fay") as fay:
        for reaction in ("👍", "🎉", "❤️"):
            last = await fay.request("add", channel=CHANNEL, message="m6", reaction=reaction)
        for url in urls[1:]:
            async with await Client.connect(url, "eve") as eve:
                since = {"epoch": subscribed["epoch"], "seq": seq}
                again = await eve.request("subscribe", channel=CHANNEL, since=since)
                with Check("a subscriber goes on by way of %s" % url[-12:]):
                    matches(again, recovered=True, seq=seq)
                    await heard(eve, last["seq"])
                    equal([e["seq"] for e in events(eve)], list(range(seq + 1, last["seq"] + 1)), "seqs")
        # Asked at once, before this broker may have heard of it.
        with Check("also by way of one that is asked sooner than it hears"):
            for number in range(20):
                ack = await fay.request("toggle", channel=CHANNEL, message="m7", reaction="👍")
                async with await Client.connect(urls[2], "eve") as eve:
                    since = {"epoch": subscribed["epoch"], "seq": ack["seq"]}
                    matches(await eve.request("subscribe", channel=CHANNEL, since=since), recovered=True, seq=ack["seq"])


async def modes(urls):
    summary = await Client.connect(urls[1], "gus")
    await summary.request("subscribe", channel=CHANNEL, mode="summary", messages=["m8"])
    async with await Client.connect(urls[2], "gus") as gus:
        ack = await gus.request("add", channel=CHANNEL, message="m8", reaction="👍")
    with Check("a summary comes on another broker, and what the user has"):
        await summary.until(lambda m: m["type"] == "own")
        if not any(m["type"] == "summary" for m in summary.seen):
            await summary.until(lambda m: m["type"] == "summary")
        told = next(m for m in summary.seen if m["type"] == "summary")
        equal(told["seq"], ack["seq"], "seq")
        equal(told["messages"][0]["reactions"], [{"reaction": "👍", "count": 1, "users": 1}], "reactions")
    await summary.close()

    listeners = [await Client.connect(url, "ida") for url in urls]
    for listener in listeners:
        await listener.request("subscribe", channel="burst:1")
    people = [await Client.connect(url, "jo%d" % i) for i, url in enumerate(urls)]
    for _ in range(10):
        for person in people:
            matches(await person.request("add", channel="burst:1", message="m", reaction="🎉"), result="added")
    with Check("bursts add up on every broker"):
        for listener in listeners:
            while sum(m["reactions"]["🎉"] for m in listener.seen if m["type"] == "burst") < 30:
                await listener.until(lambda m: m["type"] == "burst")
            equal(sum(m["reactions"]["🎉"] for m in listener.seen if m["type"] == "burst"), 30, "sum")
    for client in listeners + people:
        await client.close()


async def occupancy(urls):
    channel = "chat:crowd"
    async with await Client.connect(urls[0], "kim") as kim:
        await kim.request("subscribe", channel=channel, occupancy=True)
        others = [await Client.connect(urls[1 + i % 2], "kim" if i == 0 else "lee%d" % (i // 2)) for i in range(6)]
        for other in others:
            await other.request("subscribe", channel=channel)
        with Check("how many are subscribed is a sum over all brokers, and a user at several is one"):
            await kim.until(lambda m: m["type"] == "occupancy" and (m["connections"], m["users"]) == (7, 4))
        for other in others:
            await other.close()
        with Check("and goes down again"):
            await kim.until(lambda m: m["type"] == "occupancy" and m["connections"] == 1)


async def over_http(urls):
    def ask(index, method, path):
        url = urls[index].replace("ws://", "http://").replace("/v1/ws", path)
        with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=60) as answer:
            return json.load(answer)

    with Check("what was put by one broker is read from another"):
        path = "/v1/channels/chat%3Ahttp/messages/m1/reactions/%F0%9F%91%8D?user=max"
        ack = await asyncio.to_thread(ask, 0, "PUT", path)
        matches(ack, result="added", seq=1)
        for index in range(3):
            for _ in range(200):
                found = await asyncio.to_thread(
                    ask, index, "GET", "/v1/channels/chat%3Ahttp/messages/m1?user=max")
                if found["seq"] == 1:
                    break
                await asyncio.sleep(0.05)
            matches(found, seq=1, total=1)


async def revocation(urls):
    async with await Client.connect(urls[2], "nina") as nina:
        url = urls[0].replace("ws://", "http://").replace("/v1/ws", "/v1/users/nina/revoke")
        request = urllib.request.Request(url, method="POST", headers={"Authorization": "Bearer " + KEY})
        with await asyncio.to_thread(urllib.request.urlopen, request, timeout=60) as answer:
            matches(json.load(answer), user="nina")
        with Check("who is revoked by way of one broker has to leave the others"):
            equal(await nina.closed(), 4003, "close code")


async def scenario(fanfare, servers="1"):
    with tempfile.TemporaryDirectory(prefix="fanfare-together-", ignore_cleanup_errors=True) as folder:
        async with Nodes(folder, fanfare, int(servers)) as nodes:
            for part in (same_events, keys, resume, modes, occupancy, over_http, revocation):
                with Check(part.__name__ + " runs through"):
                    await part([broker.url for broker in nodes.brokers])
            with Check("no broker has crashed"):
                equal(nodes.traps(), [], "said")


if __name__ == "__main__":
    main(scenario)
