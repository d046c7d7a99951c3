"""What stands in the place of the store's file, is cut short or read only, and output that goes nowhere.

Words: FOLDER
"""

import asyncio
import json
import os
import re
import socket
import subprocess
import sys

from broker import PROGRAM, Broker, note, run
from checks import PATIENCE, Check, Client, equal, finish, matches

KEY = "a-server-key-of-thirty-two-bytes"
HEAD = '{"type":"export","version":1,"epoch":"e","channels":1}\n'
CHANNEL = '{"type":"channel","channel":"chat:1","seq":3,"frozen":false}\n'
OTHER = CHANNEL.replace("chat:1", "chat:2")
MESSAGE = '{"type":"message","message":"m","changed":1,"deleted":false}\n'
GROUP = '{"type":"group","message":"m","reaction":"👍","started":1,"first":5,"last":5}\n'
REACTION = '{"type":"reaction","message":"m","reaction":"👍","user":"a","count":1,"given":1,"touched":1,"at":5}\n'
WHOLE = [HEAD, CHANNEL, MESSAGE, GROUP, REACTION]

# What is wrong with each import: its lines, the one that is named, and what is said of it.
BROKEN = [
    ([], 1, "an export begins with a line of the type export"),
    ([HEAD, CHANNEL, REACTION], 3, 'the message "m" is not known: its line of the type message comes before'),
    ([HEAD, CHANNEL, MESSAGE, REACTION], 4, 'the group 👍 of the message "m" is not known'),
    ([HEAD, CHANNEL, MESSAGE, GROUP.replace("👍", "a b")], 4, '"reaction" is one emoji, or a name'),
    ([HEAD, CHANNEL, MESSAGE, GROUP.replace("👍", "x" * 65)], 4, '"reaction" is one emoji, or a name'),
    ([HEAD, CHANNEL, MESSAGE, MESSAGE], 4, 'the message "m" stands here for the second time'),
    ([HEAD, CHANNEL, MESSAGE, GROUP, GROUP], 5, 'the group 👍 of the message "m" stands here for the second time'),
    ([HEAD, CHANNEL, MESSAGE, GROUP.replace('"first":5', '"first":%d' % (2**53 + 1))], 4, '"first" is in Unix'),
    ([HEAD, CHANNEL.replace("chat:1", "chat 1")], 2, '"channel" is 1 to 200 visible ASCII characters'),
    ([HEAD, OTHER, OTHER], 3, "the channel chat:2 stands here for the second time"),
    ([HEAD, '{"type":"end","lines":2}\n'], 2, '"channels" of the first line is 1, and the lines are about 0'),
]


def imported(path, lines, data, *words):
    """Imports these lines; without an end of their own they get one."""
    if lines and "end" not in lines[-1]:
        lines = lines + ['{"type":"end","lines":%d}\n' % (len(lines) + 1)]
    with open(path, "w") as out:
        out.writelines(lines)
    return run("import", path, "--data", data, *words)


def broken(folder):
    """Imports that would leave a store that is not sound."""
    data, path = os.path.join(folder, "sound"), os.path.join(folder, "e0")
    with Check("one channel with one reaction is told as such"):
        status, _, said = imported(path, WHOLE, data)
        equal(status, 0, said)
        assert "1 channel, 6 lines" in said, said
        status, _, said = run("check-data", "--data", data)
        assert status == 0 and "is whole: 1 channel, 1 reaction\n" in said, said
    before = run("export", "--data", data)[1]
    for lines, number, words in BROKEN:
        with Check("an import is refused: " + words):
            # Without --quiet a slow machine would have it say how far it is.
            status, _, said = imported(path, lines, data, "--quiet")
            equal((status, said.count("\n")), (1, 1), said)
            assert "%s:%d: " % (path, number) in said and words in said and "nothing was imported" in said, said
            equal(run("export", "--data", data)[1], before, "the store")


def all_say(data, words, *also):
    """Whoever opens the store refuses it, in one line with these words; none of them waits."""
    copy = data + "-copy.db"
    for command in ["check-data"], ["export"], ["audit"], ["backup", copy], *also:
        status, out, said = run(*command, "--data", data, timeout=PATIENCE)
        equal((status, out, said.count("\n")), (1, "", 1), "%s: %s" % (command[0], said))
        assert words in said, "%s: %s" % (command[0], said)
        assert not os.path.exists(copy), "there is a copy"


def kinds(folder, export):
    serve = ["serve", "--dev", "--listen", "127.0.0.1:0"]
    for name in "pipe", "folder":
        data = os.path.join(folder, name)
        os.mkdir(data)
        path = os.path.join(data, "fanfare.db")
        (os.mkfifo if name == "pipe" else os.mkdir)(path)
        with Check("a %s in the place of the store's file is refused at once, by all" % name):
            all_say(data, "%s is a %s, and no file of a store" % (path, name), serve, ["import", export])
            status, _, said = run("check-data", path, timeout=PATIENCE)
            assert status == 1 and "is a %s, and no file of a store" % name in said, said
            equal(os.listdir(data), ["fanfare.db"], "files")
    with Check("a folder where the file is meant: the file in it is named"):
        status, _, said = run("check-data", os.path.join(folder, "sound"))
        assert status == 1 and "the store in it is %s/sound/fanfare.db" % folder in said, said
    with Check("a file where the folder is meant is said to be one"):
        status, _, said = run(*serve, "--data", export, timeout=PATIENCE)
        equal(status, 1, said)
        assert "is a file, and is to be the folder of one" in said, said
    data = os.path.join(folder, "sound")
    with Check("a store of 0 bytes: all say the same of it"):
        path = os.path.join(data, "fanfare.db")
        with open(path, "rb") as file:
            kept = file.read()
        os.truncate(path, 0)
        all_say(data, "fanfare.db has 0 bytes and was a store: put a copy of it in its place, or remove it and ", serve,
                ["import", export])
        with open(path, "wb") as file:
            file.write(kept)
        equal(run("check-data", "--data", data)[0], 0, "exit status")


def read_only(folder):
    """A store on a file system that is read only: needs a mount of its own."""
    script = """
mount -t tmpfs none "$1" && cp "$2"/fanfare.db* "$1" && rm -f "$1"/*.lock && mount -o remount,ro "$1" || exit 77
cd "$3"
for command in check-data export audit "backup copy.db" "serve --dev --listen 127.0.0.1:0"; do
    # The words of a command are apart.
    "$4" $command --data "$1" >out 2>said
    printf '%s %s %s\\n' "${command%% *}" "$?" "$(head -n 1 said)"
done
"""
    place, work = os.path.join(folder, "mounted"), os.path.join(folder, "work")
    os.mkdir(place)
    os.mkdir(work)

    def there(source):
        done = subprocess.run(["unshare", "-m" if os.getuid() == 0 else "-rm", "sh", "-c", script, "sh", place, source, work,
                               os.path.abspath(PROGRAM)], capture_output=True)
        if done.returncode != 0:
            note("no file system can be mounted here: %s" % done.stderr.decode().strip())
            return None
        return dict(re.match(r"(\S+) (.*)", line).groups() for line in done.stdout.decode().splitlines())

    found = there(os.path.join(folder, "sound"))
    if found is None:
        return
    with Check("a store on a file system that is read only can be checked, exported and copied"):
        for command in "check-data", "export", "audit", "backup":
            assert found[command].startswith("0 "), found
        status, _, said = run("check-data", os.path.join(work, "copy.db"))
        equal(status, 0, said)
    with Check("a broker does not start there, and says why"):
        assert found["serve"].startswith("1 ") and "Read-only file system" in found["serve"], found
    os.remove(os.path.join(work, "copy.db"))
    data = os.path.join(folder, "logged")
    broker = Broker(data)
    broker.ready()
    broker.kill()
    os.remove(os.path.join(data, "fanfare.db-shm"))
    with Check("with a write-ahead log that cannot be read there they say what to do"):
        found = there(data)
        for command in "check-data", "export", "audit", "backup":
            assert found[command].startswith("1 ") and "copy fanfare.db and fanfare.db-wal together" in found[command], found


async def cut_short(folder):
    """Somebody cuts the file of a broker that runs."""
    data = os.path.join(folder, "cut")
    path = os.path.join(data, "fanfare.db")
    broker = Broker(data)
    async with await Client.connect(broker.ready(), "ada") as ada:
        for number in range(20):
            matches(await ada.request("add", channel="chat:1", message="m%d" % number, reaction="👍"), type="ack")
        os.truncate(path, 4096)
        with Check("a file that is cut short under a broker: changes are refused"):
            matches(await ada.request("add", channel="chat:1", message="n", reaction="👍"), type="error", code="unavailable")
    with open(path, "rb") as file:
        cut = file.read()
    with Check("the broker ends with 1 and a line that says so, and has written nothing to the file"):
        equal(broker.stop(), 1, broker.words())
        while None not in broker.said:
            await asyncio.sleep(0.01)
        assert "the file was cut short while it was in use" in broker.words(), broker.words()
        with open(path, "rb") as file:
            equal(file.read() == cut, True, "whether the file is as it was")
        assert os.path.getsize(path + "-wal") > 0, "there is no log"


def occupied(folder):
    data = os.path.join(folder, "never")
    with socket.create_server(("127.0.0.1", 0)) as other, Check("a port that is in use: no start, and no folder is made"):
        status, _, said = run("serve", "--dev", "--listen", "127.0.0.1:%d" % other.getsockname()[1], "--data", data)
        equal((status, said.count("\n")), (1, 1), said)
        assert "Address already in use" in said and not os.path.exists(data), said


async def nowhere(folder):
    """Results that cannot be written: /dev/full takes nothing."""
    settings = os.path.join(folder, "keys.json")
    with open(settings, "w") as out:
        json.dump({"server_keys": [KEY]}, out)
    broker = Broker(os.path.join(folder, "full"), "--config", settings)
    url = broker.ready()
    async with await Client.connect(url, "mod") as mod:
        matches(await mod.request("freeze", channel="chat:9", frozen=True), type="ack")
    data = ["--data", os.path.join(folder, "full")]
    report = os.path.join(folder, "report.json")
    load = os.path.join(os.path.dirname(PROGRAM), "fanfare-load")
    run_load = [load, url, "idle", "--connections", "2", "--for", "1s", "--quiet"]
    equal(subprocess.run(run_load + ["--save", report], stdout=subprocess.DEVNULL).returncode, 0, "exit status")
    commands = [[PROGRAM] + words for words in [
        ["check", "--dev"], ["token", "--sub", "a", "--secret", "s"], ["help"], ["--version"], ["serve", "--help"],
        ["completion", "bash"], ["help", "--man"], ["export"] + data, ["audit"] + data, ["audit", "--json"] + data,
        ["react", "chat:1", "m", "👍", "--user", "a", "--url", url], ["watch", "chat:1", "--user", "a", "--url", url],
        ["watch", "chat:1", "--json", "--user", "a", "--url", url], ["top", url, "--count", "1"],
        ["revoke", "--user", "x", "--key", KEY, "--url", url]]]
    commands += [[load, "--help"], [load, "compare", report, report], run_load]
    for command in commands:
        with Check("output that cannot be written ends with 1: %s %s" % (os.path.basename(command[0]), " ".join(command[1:3]))):
            with open("/dev/full", "w") as full:
                done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE * 5)
            equal(done.returncode, 1, done.stderr.decode())
            assert "standard output takes no more (No space left on device)" in done.stderr.decode(), done.stderr.decode()
    with Check("a report that cannot be written ends with 1"):
        done = subprocess.run(run_load + ["--csv", "/dev/full"], capture_output=True)
        equal(done.returncode, 1, done.stderr.decode())
        assert "/dev/full takes no more" in done.stderr.decode(), done.stderr.decode()
    equal(broker.stop(), 0, "exit status")


async def scenario(folder):
    broken(folder)
    export = os.path.join(folder, "one.jsonl")
    with open(export, "w") as out:
        out.writelines(WHOLE + ['{"type":"end","lines":6}\n'])
    kinds(folder, export)
    read_only(folder)
    await cut_short(folder)
    occupied(folder)
    await nowhere(folder)


if __name__ == "__main__":
    with Check("runs to its end"):
        asyncio.run(scenario(*sys.argv[1:]))
    finish()
