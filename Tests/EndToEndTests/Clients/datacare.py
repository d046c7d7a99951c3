"""What an operator does with a store: copies, looks for damage, moves channels, lets old ones go.

Words: FOLDER

The commands are the real ones, beside a broker that is written to.
"""

import asyncio
import json
import os
import sqlite3
import sys
import time

from broker import Broker, run
from checks import Check, Client, equal, finish, matches

DAY = 86400


async def fill(url):
    """A bit of everything that an export has to carry."""
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob, await Client.connect(
            url, "mod") as mod:
        for client in ada, bob:
            for message in "m1", "m2", "":
                await client.request("add", channel="chat:1", message=message, reaction="👍", key="k" + message,
                                     data={"source": "ios", "n": 1.50} if client is ada else {})
        await bob.request("add", channel="chat:1", message="m1", reaction="🎉")
        await ada.request("remove", channel="chat:1", message="m1", reaction="👍")
        await ada.request("add", channel="chat:1", message="m1", reaction="👍")
        await ada.request("add", channel="clap:1", message="m", reaction="👏", count=700)
        await mod.request("delete", channel="chat:1", message="m2")
        await mod.request("freeze", channel="chat:1", frozen=True)
        await ada.request("add", channel="any:1", message="m", reaction="party_parrot")
        matches(await mod.request("clear", channel="any:1", message="*", user="ada"), result="cleared")


async def look(url):
    """All that a client can see of the channels, but for the epochs."""
    seen = {}
    async with await Client.connect(url, "ada") as ada:
        for channel in "chat:1", "clap:1", "any:1":
            subscribed = await ada.request("subscribe", channel=channel)
            named = await ada.request("list", channel=channel, messages=["m1", "m2", "m", ""])
            reactors = [await ada.request("reactors", channel=channel, message=message)
                        for message in ["m1", "m2", "m", ""]]
            seen[channel] = [subscribed, named, reactors]
            retry = await ada.request("add", channel="chat:1", message="m1", reaction="👍", key="km1",
                                      data={"source": "ios", "n": 1.50})
            seen["retry"] = retry
    return json.loads(json.dumps(seen), object_hook=lambda o: {k: v for k, v in o.items() if k not in ("epoch", "id")})


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


async def backup(folder, data, broker):
    copy = os.path.join(folder, "copy.db")
    with Check("backup beside a broker, while it goes on"):
        status, out, said = run("backup", copy, "--data", data)
        equal((status, out), (0, ""), said)
        assert oct(os.stat(copy).st_mode)[-3:] == "600", "others may read it"
        equal(sorted(os.listdir(folder)), ["copy.db", "data"], "files")
    with Check("a backup overwrites nothing"):
        status, _, said = run("backup", copy, "--data", data)
        equal(status, 1, said)
        assert "is there already" in said, said
    with Check("wrong words end with 2"):
        for words in [["backup"], ["backup", folder], ["export", "--chanel", "x"], ["import"], ["check-data", "a", "b"]]:
            equal(run(*words, "--data", data)[0], 2, " ".join(words))
    with Check("check-data beside a broker, and of a copy"):
        for words in [["check-data", "--data", data], ["check-data", copy]]:
            status, out, said = run(*words)
            equal((status, out), (0, ""), said)
            assert "3 channels" in said, said
    with Check("a broker on the copy has everything, in an epoch of its own"):
        restored = os.path.join(folder, "restored")
        os.mkdir(restored)
        os.rename(copy, os.path.join(restored, "fanfare.db"))
        other = Broker(restored)
        try:
            equal(await look(other.ready()), await look(broker.url), "what is seen")
            async with await Client.connect(other.url, "x") as one, await Client.connect(broker.url, "x") as two:
                epochs = [(await c.request("list", channel="chat:1"))["epoch"] for c in (one, two)]
                assert epochs[0] != epochs[1], epochs
        finally:
            equal(other.stop(), 0, "exit status")
    with Check("backup --check looks through the copy"):
        status, out, said = run("backup", "--check", os.path.join(folder, "checked.db"), "--data", restored)
        equal((status, out), (0, ""), said)
        assert "checked.db is whole: 3 channels" in said, said
    with Check("check-data tells damage and ends with 1"):
        file = sqlite3.connect(os.path.join(restored, "fanfare.db"), isolation_level=None)
        file.execute("UPDATE entries SET count = 0 WHERE user = 'bob'")
        file.close()
        status, out, said = run("check-data", "--data", restored)
        equal(status, 1, said)
        assert "a reaction counts nothing: bob" in out, out
    with Check("backup --check tells damage that the copy has, and ends with 1"):
        damaged = os.path.join(folder, "damaged.db")
        status, out, said = run("backup", "--check", damaged, "--data", restored)
        equal(status, 1, said)
        assert "a reaction counts nothing: bob" in out and "damaged.db is damaged" in said, out + said


async def moving(folder, data, broker):
    exported = os.path.join(folder, "all.jsonl")
    status, text, said = run("export", "--data", data)
    with Check("export beside a broker: each channel, the audit, and an end"):
        equal(status, 0, said)
        kinds = [line["type"] for line in lines(text)]
        equal((kinds[0], kinds[-1], kinds.count("channel")), ("export", "end", 3), "lines")
        equal(lines(text)[-1]["lines"], len(kinds), "number of lines")
        equal([line["action"] for line in lines(text) if line["type"] == "audit"], ["deleted", "frozen", "cleared"], "audit")
        assert broker_epoch(lines(text)) in said, said
    with open(exported, "w") as out:
        out.write(text)
    with Check("import into a store that a broker has open is refused"):
        status, _, said = run("import", exported, "--data", data)
        equal(status, 1, said)
        assert "only one broker may use a database" in said and "nothing was imported" in said, said
    moved = os.path.join(folder, "moved")
    with Check("import into a new store, and what is exported from there is the same"):
        status, _, said = run("import", exported, "--data", moved)
        equal(status, 0, said)
        again = run("export", "--data", moved)[1]
        assert broker_epoch(lines(again)) in said and broker_epoch(lines(text)) in said, said
        equal(lines(again)[1:], lines(text)[1:], "lines")
    with Check("clients see the same"):
        other = Broker(moved)
        try:
            equal(await look(other.ready()), await look(broker.url), "what is seen")
        finally:
            equal(other.stop(), 0, "exit status")
    with Check("a channel that is there stays, unless it is to be replaced; one alone can be moved"):
        one = os.path.join(folder, "one.jsonl")
        status, text, said = run("export", "--data", data, "--channel", "clap:1")
        equal([line["channel"] for line in lines(text) if line["type"] == "channel"], ["clap:1"], said)
        with open(one, "w") as out:
            out.write(text)
        status, _, said = run("import", one, "--data", moved)
        equal(status, 1, said)
        assert "clap:1 is there already" in said, said
        equal(run("import", one, "--data", moved, "--replace")[0], 0, "exit status")
        equal(lines(run("export", "--data", moved)[1])[1:], lines(again)[1:], "lines")
    with Check("a file that is cut off changes nothing"):
        with open(one, "w") as out:
            out.write("".join(text.splitlines(keepends=True)[:-1]))
        status, _, said = run("import", one, "--data", os.path.join(folder, "cut"))
        equal(status, 1, said)
        assert "the end is missing" in said, said
        equal([line["type"] for line in lines(run("export", "--data", os.path.join(folder, "cut"))[1])],
              ["export", "end"], "lines")
    with Check("what is not there is said"):
        equal(run("export", "--data", data, "--channel", "chat:none")[0], 1, "exit status")
        equal(run("export", "--data", os.path.join(folder, "nowhere"))[0], 1, "exit status")
        equal(run("import", os.path.join(folder, "nothing"), "--data", moved)[0], 1, "exit status")


def broker_epoch(found):
    return found[0]["epoch"]


async def expiry(folder, data):
    """Old channels go when a broker begins, those that are younger or of other namespaces stay."""
    settings = os.path.join(folder, "settings.json")
    with open(settings, "w") as out:
        json.dump({"namespaces": {"chat": {"expire_days": 30}, "clap": {"policy": "multiple", "expire_days": 60}}}, out)
    path = os.path.join(data, "fanfare.db")
    file = sqlite3.connect(path, isolation_level=None)
    file.execute("UPDATE channels SET touched = touched - ?", (40 * DAY,))
    seq, = file.execute("SELECT seq FROM channels WHERE name = 'chat:1'").fetchone()
    broker = Broker(data, "--config", settings)
    try:
        url = broker.ready()
        with Check("a channel that nothing has changed for so many days is let go"):
            count = "SELECT count(*) FROM entries JOIN messages ON messages.id = message WHERE channel NOT IN (SELECT id FROM channels WHERE name IN ('clap:1', 'any:1'))"
            while file.execute(count).fetchone() != (0,):
                await asyncio.sleep(0.05)
        with Check("its counter goes on, one step further, so that nobody resumes from what is gone; it is frozen still"):
            async with await Client.connect(url, "ada") as ada:
                listed = await ada.request("list", channel="chat:1", messages=["m1", "m2"])
                matches(listed, seq=seq + 1, messages=[])
                since = {"epoch": listed["epoch"], "seq": seq}
                matches(await ada.request("subscribe", channel="chat:1", since=since), recovered=False, frozen=True, messages=[])
        with Check("others stay"):
            async with await Client.connect(url, "ada") as ada:
                listed = await ada.request("list", channel="clap:1")
                equal([m["total"] for m in listed["messages"]], [700], "claps")
    finally:
        equal(broker.stop(), 0, "exit status")
    file.close()


async def scenario(folder):
    data = os.path.join(folder, "data")
    broker = Broker(data)
    try:
        await fill(broker.ready())
        await backup(folder, data, broker)
        await moving(folder, data, broker)
    finally:
        equal(broker.stop(), 0, "exit status")
    await expiry(folder, data)


if __name__ == "__main__":
    with Check("runs to its end"):
        asyncio.run(scenario(*sys.argv[1:]))
    finish()
