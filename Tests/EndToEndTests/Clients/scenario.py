"""A first conversation: connect, subscribe, react, see what others do, leave. Words: URL"""

from checks import ABSENT, Check, Client, equal, main, matches


async def scenario(url):
    channel = "chat:e2e-python"
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
        with Check("the broker speaks first, with welcome"):
            matches(ada.welcome, type="welcome", user="ada", heartbeat_ms=25000,
                    limits={"max_message_bytes": 65536, "max_subscriptions": 256})
            assert isinstance(ada.welcome["connection"], str) and ada.welcome["connection"]
            assert ada.welcome["connection"] != bob.welcome["connection"]
            assert 1_700_000_000_000 < ada.welcome["time"] < 4_000_000_000_000

        with Check("a fresh channel's subscribed"):
            for client in (ada, bob):
                reply = await client.request("subscribe", channel=channel)
                matches(reply, type="subscribed", channel=channel, seq=0, mode="events", policy="distinct",
                        interval_ms=100, allowed=None, limits={"kinds": 20, "per_user": 10}, frozen=False,
                        recovered=False, messages=[], more=None)
                assert isinstance(reply["epoch"], str) and reply["epoch"]

        with Check("ack before event, the same event for everyone"):
            await ada.send(type="add", id="first", channel=channel, message="m1", reaction="👍", data={"source": "test"})
            ack = await ada.receive()
            matches(ack, type="ack", id="first", result="added", channel=channel, message="m1", reaction="👍", seq=1,
                    count=1, own=["👍"], own_counts=ABSENT, duplicate=ABSENT)
            event = await ada.receive()
            matches(event, type="added", channel=channel, seq=1, message="m1", reaction="👍", user="ada", count=1,
                    users=1, total=1, data={"source": "test"}, id=ABSENT, own=ABSENT, by_count=ABSENT)
            assert isinstance(event["at"], int)
            equal(await bob.receive(), event, "what bob sees")

        with Check("counts agree wherever they are told"):
            matches(await bob.request("add", channel=channel, message="m1", reaction="👍"), result="added", count=2)
            matches(await bob.request("toggle", channel=channel, message="m1", reaction="❤"), result="added",
                    reaction="❤️", count=1, own=["👍", "❤️"], seq=3)
            last = await ada.until(lambda m: m.get("seq") == 3)
            matches(last, type="added", reaction="❤️", count=1, users=1, total=3)
            listed = await ada.request("list", channel=channel, messages=["m1"])
            summary, = listed["messages"]
            matches(summary, message="m1", total=3, own=["👍"])
            equal([(g["reaction"], g["count"], g["users"], g["latest"]) for g in summary["reactions"]],
                  [("👍", 2, 2, ["bob", "ada"]), ("❤️", 1, 1, ["bob"])], "groups")
            reactors = await ada.request("reactors", channel=channel, message="m1", reaction="👍")
            matches(reactors, total=2, after=None)
            equal([r["user"] for r in reactors["reactors"]], ["bob", "ada"], "reactors")

        with Check("what is there already, or is not there, changes nothing"):
            matches(await ada.request("add", channel=channel, message="m1", reaction="👍"), result="unchanged", seq=3)
            matches(await ada.request("remove", channel=channel, message="m1", reaction="🎉"), result="unchanged", seq=3,
                    count=0)

        with Check("a retry with the same key gets the first answer again"):
            words = dict(channel=channel, message="m2", reaction="🎉", key="k1")
            first = await ada.request("add", **words)
            again = await ada.request("add", **words)
            matches(again, duplicate=True)
            del again["duplicate"]
            equal({**again, "id": 0}, {**first, "id": 0}, "second answer")
            matches(await ada.request("add", **{**words, "reaction": "👍"}), type="error", code="key_reused")

        with Check("errors have a shape"):
            error = await ada.request("add", channel=channel, message="m1", reaction="thumbs")
            matches(error, type="error", code="invalid_reaction")
            assert isinstance(error["message"], str) and error["message"]
            await ada.send(type="add", channel="nowhere:1", message="m1", reaction="👍")
            matches(await ada.until(lambda m: m["type"] == "error"), code="forbidden", id=ABSENT)

        with Check("a success without id has no reply"):
            await ada.send(type="subscribe", channel=channel + "-quiet")
            before = len(ada.seen)
            await ada.ping()
            equal([m for m in ada.seen[before:] if m["type"] != "pong"], [], "said before the pong")

        with Check("unsubscribed means silence"):
            reply = await bob.request("unsubscribe", channel=channel)
            equal(reply, {"type": "unsubscribed", "id": bob.last_id, "channel": channel}, "reply")
            before = len(bob.seen)
            matches(await ada.request("add", channel=channel, message="m3", reaction="👍"), result="added")
            for _ in range(3):
                await bob.ping()
            equal([m for m in bob.seen[before:] if m.get("channel") == channel], [], "seen after unsubscribed")
            matches(await bob.request("unsubscribe", channel=channel), type="unsubscribed", channel=channel)

        with Check("the subprotocol is chosen where offered, and none where unknown ones are"):
            for offered, chosen in ((["fanfare.v1.json"], "fanfare.v1.json"), (["x", "fanfare.v1.json"], "fanfare.v1.json"),
                                    (["x"], None), (None, None)):
                async with await Client.connect(url, "cy", subprotocols=offered) as cy:
                    equal(cy.socket.subprotocol, chosen, "subprotocol for %r" % offered)
                    await cy.ping()

        with Check("a guest gets a name"):
            async with await Client.connect(url) as guest:
                assert isinstance(guest.welcome["user"], str) and guest.welcome["user"]


main(scenario)
