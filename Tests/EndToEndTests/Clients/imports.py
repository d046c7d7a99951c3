"""What an operator does with the exports of other systems: import them, look at them, import them again.

Words: FOLDER

The exports are those of Tests/Imports, in the forms of Slack, DiscordChatExporter, Zulip and Mattermost, written for this.
"""

import asyncio
import json
import os
import shutil
import sys
import zipfile

from broker import Broker, run
from checks import Check, Client, equal, finish, matches

EXPORTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Imports")

# What comes of each: the channels, all reactions and those without names; one message with its groups, and who reacted last.
EXPECTED = {
    "slack": (4, 10, 4, "C01GENERAL1", "1704189600.123459", [("👍", 2), ("🎉", 1), ("👋🏼", 1)],
              ("U01CY000003", "👋🏼", 1704189600123)),
    "discord": (2, 5, 10, "500000000000000001", "1191682297552699392", [("👍", 2), ("❤️", 1)],
                ("201000000000000003", "❤️", 1704189600123)),
    "zulip": (3, 7, 0, "7", "102", [("party_parrot", 1), ("zulip", 1)], ("3", "zulip", 1704276000500)),
    "mattermost": (2, 6, 0, "fans/town-square", "1704189600123.ada", [("👍", 2), ("👋🏽", 1)],
                   ("cy", "👋🏽", 1704189800000)),
}


def export(system):
    return os.path.join(EXPORTS, system)


def kept(data):
    """The lines of an export, its epoch among them; nothing where there is no store."""
    status, text, said = run("export", "--data", data)
    return text if status == 0 else ""


def said_of(status, wanted, said, *words):
    equal(status, wanted, said)
    for word in words:
        assert word in said, "%r is not in %r" % (word, said)


async def systems(folder):
    data = os.path.join(folder, "data")
    for system, (channels, count, unnamed, *_) in EXPECTED.items():
        words = ["import", export(system), "--from", system, "--into", "any:%s-" % system, "--dev", "--data", data]
        with Check("%s: a dry run tells what would be, and changes nothing" % system):
            before = kept(data)
            status, out, said = run(*words, "--dry-run")
            said_of(status, 0, said, "%d channels: %d reactions would be added, 0 there already" % (channels, count))
            equal((out, kept(data)), ("", before), "the store")
            equal(os.path.exists(os.path.join(data, "fanfare.db")), system != "slack", "whether there is a store")
        with Check("%s: all that is named is taken, what is not is said" % system):
            status, out, said = run(*words)
            said_of(status, 0, said, "%d channels: %d reactions added, 0 there already, 0 left out" % (channels, count))
            equal(" %d not taken: the export counts them" % unnamed in said, unnamed > 0, said)
        with Check("%s: the second time changes nothing" % system):
            before = kept(data)
            status, _, said = run(*words, "--quiet")
            equal((status, "added" in said), (0, False), said)
            said_of(run(*words)[0], 0, said)
            said = run(*words)[2]
            assert "0 reactions added, %d there already" % count in said, said
            equal(kept(data), before, "the store")
    broker = Broker(data)
    try:
        url = broker.ready()
        for system, (_, _, _, channel, message, groups, newest) in EXPECTED.items():
            with Check("%s: clients see them, in order, with names and times" % system):
                async with await Client.connect(url, "eve") as eve:
                    channel = "any:%s-%s" % (system, channel)
                    listed = await eve.request("list", channel=channel, messages=[message])
                    equal([(g["reaction"], g["count"]) for g in listed["messages"][0]["reactions"]], groups, "groups")
                    page = await eve.request("reactors", channel=channel, message=message)
                    first = page["reactors"][0]
                    equal((first["user"], first["reaction"], first["at"]), newest, "the newest")
        with Check("a store that a broker has open is refused; a dry run is not"):
            words = ["import", export("zulip"), "--from", "zulip", "--into", "any:", "--dev", "--data", data]
            status, _, said = run(*words)
            said_of(status, 1, said, "only one broker may use a database", "nothing was imported")
            status, _, said = run(*words, "--dry-run")
            said_of(status, 0, said, "7 reactions would be added")
    finally:
        equal(broker.stop(), 0, "exit status")


async def merging(folder):
    """Into channels that people use already."""
    data = os.path.join(folder, "used")
    broker = Broker(data)
    try:
        async with await Client.connect(broker.ready(), "3") as one:
            await one.request("add", channel="any:7", message="102", reaction="zulip")
            before = await one.request("subscribe", channel="any:7")
    finally:
        equal(broker.stop(), 0, "exit status")
    status, _, said = run("import", export("zulip"), "--from", "zulip", "--into", "any:", "--dev", "--data", data)
    with Check("what is there is counted as there"):
        said_of(status, 0, said, "6 reactions added, 1 there already")
    broker = Broker(data)
    try:
        async with await Client.connect(broker.ready(), "3") as one:
            with Check("who comes back gets the state anew, in the same epoch"):
                since = {"epoch": before["epoch"], "seq": before["seq"]}
                after = await one.request("subscribe", channel="any:7", since=since)
                matches(after, epoch=before["epoch"], seq=before["seq"] + 4, recovered=False)
                equal({m["message"]: m["total"] for m in after["messages"]}, {"101": 3, "102": 2}, "totals")
    finally:
        equal(broker.stop(), 0, "exit status")


def refusals(folder):
    """What the namespace does not take."""
    data = os.path.join(folder, "refused")
    settings = os.path.join(folder, "settings.json")
    with open(settings, "w") as out:
        json.dump({"data": data, "namespaces": {"chat": {}, "few": {"max_kinds_per_message": 1}, "live": {
            "policy": "ephemeral"}, "quiet": {"anonymous": True}}}, out)
    words = ["import", export("slack"), "--from", "slack", "--config", settings]
    with Check("a custom emoji in a namespace of emoji: nothing is imported, the file and the message are named"):
        status, _, said = run(*words, "--into", "chat:")
        said_of(status, 1, said, "slack/general/2024-01-03.json: message 1704276000.000100: the reaction party_parrot is "
                "refused: it is no emoji", "2 reactions refused; --skip-refused leaves out what is refused; nothing was imported")
        equal(len(kept(data).splitlines()), 2, "lines of the store")
    with Check("--skip-refused leaves them out, and says so; the folder is the settings'"):
        status, _, said = run(*words, "--into", "chat:", "--skip-refused")
        said_of(status, 0, said, "8 reactions added, 0 there already, 2 left out", "2 refused: it is no emoji")
        assert '"user":"U01ADA00001"' in kept(data), "the store"
    with Check("limits of the namespace are kept"):
        status, _, said = run(*words, "--into", "few:", "--channel", "C01GENERAL1")
        said_of(status, 1, said, "slack/general/2024-01-02.json: message 1704189600.123459: the reaction tada is refused")
    with Check("no line names who reacts"):
        status, _, said = run(*words, "--into", "quiet:")
        equal(status, 1, said)
        assert "U01" not in said, said
    with Check("one channel alone, with users called as they are here"):
        users = os.path.join(folder, "users.json")
        with open(users, "w") as out:
            json.dump({"U01BOB00002": "bob"}, out)
        status, _, said = run(*words, "--into", "chat:x-", "--channel", "G01SECRET03", "--users", users, "--user-prefix", "s-")
        said_of(status, 0, said, "1 channel: 1 reaction added")
        found = [json.loads(line) for line in kept(data).splitlines()]
        place = next(i for i, line in enumerate(found) if line.get("channel") == "chat:x-G01SECRET03")
        equal([line["user"] for line in found[place:place + 4] if line["type"] == "reaction"], ["bob"], "users")
    with Check("wrong words end with 2, and say what was meant"):
        for more, meant in [
                (["--into", "other:"], "no namespace \"other\""), (["--into", "live:"], "ephemeral"),
                (["--into", "chat"], "a colon"), ([], "--into PREFIX is missing"),
                (["--into", "chat:", "--replace"], "exclude each other"),
                (["--into", "chat:", "--users", settings], "a string is expected")]:
            status, _, said = run(*words, *more)
            said_of(status, 2, said, meant)
            equal(said.count("\n"), 1, "lines")
        for more, meant in [
                ([export("slack")], "--from SYSTEM says whose export it is"), ([export("slack"), "--from", "irc"], "slack"),
                (["x.jsonl", "--into", "chat:"], "goes with --from"), (["-", "--from", "slack"], "not standard input")]:
            status, _, said = run("import", *more, "--data", data)
            said_of(status, 2, said, meant)
    with Check("the help names the systems and the options"):
        status, out, _ = run("import", "--help")
        equal(status, 0, "exit status")
        for word in "slack", "discord", "zulip", "mattermost", "--into", "--dry-run", "--skip-refused", "--users":
            assert word in out, word


def broken(folder):
    """Files that are damaged, cut off or packed."""
    data = os.path.join(folder, "broken")
    words = ["--from", "slack", "--into", "any:", "--dev", "--data", data]
    copy = os.path.join(folder, "slack")
    shutil.copytree(export("slack"), copy)
    day = os.path.join(copy, "general", "2024-01-03.json")
    with Check("a file that is cut off: its name, the line, nothing imported"):
        with open(day) as file:
            text = file.read()
        with open(day, "w") as file:
            file.write(text[:text.index("party_parrot")])
        status, _, said = run("import", copy, *words)
        line = text[:text.index("party_parrot")].count("\n") + 1
        said_of(status, 1, said, "%s:%d: the text ends too early; nothing was imported" % (day, line))
        equal(kept(data), "", "the store")
    with Check("a zip archive is to be unpacked first"):
        packed = os.path.join(folder, "slack.zip")
        with zipfile.ZipFile(packed, "w") as archive:
            archive.write(day, "general/2024-01-03.json")
        status, _, said = run("import", packed, *words)
        said_of(status, 1, said, "unpack it")
    with Check("what is not there, and what is something else, is said"):
        for path, system, meant in [
                (os.path.join(folder, "none"), "slack", "No such file"), (copy, "zulip", "no realm.json"),
                (export("mattermost"), "slack", "no channels.json"), (copy, "mattermost", "0 files .jsonl")]:
            status, _, said = run("import", path, "--from", system, "--into", "any:", "--dev", "--data", data)
            said_of(status, 1, said, meant, "nothing was imported")
    with Check("a channel that the export does not have is said"):
        status, _, said = run("import", export("slack"), *words, "--channel", "C0NONE")
        said_of(status, 1, said, "no channel C0NONE")


async def replacing(folder):
    """An export of ours, put in again and again."""
    data = os.path.join(folder, "own")
    broker = Broker(data)
    try:
        async with await Client.connect(broker.ready(), "mod") as mod:
            await mod.request("add", channel="chat:1", message="m", reaction="👍")
            await mod.request("delete", channel="chat:1", message="m")
    finally:
        equal(broker.stop(), 0, "exit status")
    path = os.path.join(folder, "own.jsonl")
    text = kept(data)
    with open(path, "w") as out:
        out.write(text)
    with Check("--replace, however often: the audit has each entry once"):
        for _ in range(2):
            equal(run("import", path, "--data", data, "--replace")[0], 0, "exit status")
        equal(kept(data).splitlines()[1:], text.splitlines()[1:], "lines")


async def scenario(folder):
    await systems(folder)
    await merging(folder)
    refusals(folder)
    broken(folder)
    await replacing(folder)


if __name__ == "__main__":
    with Check("runs to its end"):
        asyncio.run(scenario(*sys.argv[1:]))
    finish()
