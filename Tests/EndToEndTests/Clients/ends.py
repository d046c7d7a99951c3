"""What the commands that work on the store do when they are ended, limited, or given what is no file.

Words: FOLDER
"""

import fcntl
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time

from broker import PROGRAM, run
from checks import Check, equal, finish

COUNT = 40000


def is_unheard(process, said):
    """Whether the signal came before the program had begun, and so before it heeds any."""
    return process.returncode == -signal.SIGTERM and said == ""


def export_lines(count):
    """An export of ours with one channel, one message and so many reactions, as lines."""
    def line(**fields):
        return json.dumps(fields) + "\n"
    yield line(type="export", version=1, epoch="e", channels=1)
    yield line(type="channel", channel="chat:1", seq=count, frozen=False)
    yield line(type="message", message="m", changed=count, deleted=False)
    yield line(type="group", message="m", reaction="👍", started=1, first=1, last=count)
    for number in range(1, count + 1):
        yield line(type="reaction", message="m", reaction="👍", user="user-%d" % number, count=1, given=number,
                   touched=number, at=number)
    yield line(type="end", lines=count + 5)


def write_export(path, count):
    with open(path, "w") as out:
        out.writelines(export_lines(count))


def limited(size, *words, **options):
    """Runs `fanfare` where no file may grow above so many bytes."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    done = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limit,
                          **{"stdout": subprocess.PIPE, **options})
    return done.returncode, done.stderr.decode()


def start(*words, **options):
    return subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            **{"stdin": subprocess.DEVNULL, **options})


def ended(process, number, *words):
    """Sees to it that a process ended by a signal and said so."""
    said = process.communicate()[1].decode()
    equal(process.returncode, 128 + number, said)
    for word in ("ended by " + signal.Signals(number).name,) + words:
        assert word in said, said
    return said


def until(condition, process):
    """Waits for something that a process does."""
    while not condition() and process.poll() is None:
        time.sleep(0.001)


def whole(data, count):
    status, _, said = run("check-data", "--data", data)
    equal(status, 0, said)
    assert "1 channel, %d reactions" % count in said, said


def sizes(folder):
    """No file may grow further: ulimit -f."""
    exported = os.path.join(folder, "all.jsonl")
    write_export(exported, COUNT)
    data = os.path.join(folder, "sizes")
    # The thread sanitizer writes a file of its own before the program begins, and cannot do so then.
    are_limited = os.environ.get("FANFARE_SANITIZER") != "thread"
    if are_limited:
        limit_import(exported, data)
    with Check("the same import without the limit then has everything"):
        status, _, said = run("import", exported, "--data", data)
        equal(status, 0, said)
        whole(data, COUNT)
    if are_limited:
        limit_copies(folder, data)
    return exported, data


def limit_import(exported, data):
    for size in [0, 512, 4096, 8192, 20480, 65536, 102400, 1024000]:
        with Check("import where files have %d bytes at most ends with words, and leaves what can be read or says what to do" % size):
            status, said = limited(size, "import", exported, "--data", data)
            equal(status, 1, said)
            assert "nothing was imported" in said and ("may not grow" in said or "File too large" in said), said
            status, out, said = run("export", "--data", data)
            if status == 0:
                equal([json.loads(line)["type"] for line in out.splitlines()], ["export", "end"], "lines")
            else:
                assert "makes it whole" in said or "there is no store" in said, said


def limit_copies(folder, data):
    copy = os.path.join(folder, "copy.db")
    with Check("backup where files may not grow: words, and nothing is left"):
        status, said = limited(200000, "backup", copy, "--data", data)
        equal(status, 1, said)
        assert "may not grow" in said, said
        equal([name for name in os.listdir(folder) if name.startswith("copy.db")], [], "files")
    with Check("export into a file that may not grow: words"):
        with open(os.path.join(folder, "cut.jsonl"), "wb") as out:
            status, said = limited(200000, "export", "--data", data, stdout=out)
        equal(status, 1, said)
        assert "File too large" in said and "has no end" in said, said


def half_changed(folder, exported):
    """A store whose program was killed in the middle of a change, without a write-ahead log."""
    data = os.path.join(folder, "half")
    equal(run("import", exported, "--data", data)[0], 0, "exit status")
    program = """
import os, signal, sqlite3, sys
file = sqlite3.connect(sys.argv[1], isolation_level=None)
file.execute("PRAGMA journal_mode = DELETE")
file.execute("PRAGMA cache_size = 5")
file.execute("BEGIN")
file.execute("UPDATE entries SET count = 7")
os.kill(os.getpid(), signal.SIGKILL)
"""
    path = os.path.join(data, "fanfare.db")
    subprocess.run([sys.executable, "-c", program, path])
    assert os.path.getsize(path + "-journal") > 512, "there is nothing to take back"
    for words in ["export"], ["check-data"], ["backup", os.path.join(folder, "half.db")], ["audit"]:
        with Check("%s of a store that was half changed says what to do" % words[0]):
            status, _, said = run(*words, "--data", data)
            equal(status, 1, said)
            assert "start fanfare serve on it once" in said, said
            equal(said.count("\n"), 1, "lines")
    with Check("a program that writes takes the half change back"):
        empty = os.path.join(folder, "none.jsonl")
        with open(empty, "w") as out:
            out.write('{"type":"export","version":1,"epoch":"e","channels":0}\n{"type":"end","lines":2}\n')
        equal(run("import", empty, "--data", data)[0], 0, "exit status")
        whole(data, COUNT)


def imports(folder):
    """SIGINT and SIGTERM in the middle of an import."""
    lines = list(export_lines(2000))
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        data = os.path.join(folder, "ended-%d" % number)
        with Check("import ends by %s: a line, nothing imported, and the same again has everything" % number.name):
            process = start("import", "-", "--data", data, stdin=subprocess.PIPE)
            process.stdin.writelines(line.encode() for line in lines[:1000])
            process.stdin.flush()
            until(lambda: os.path.exists(os.path.join(data, "fanfare.db-wal")), process)
            process.send_signal(number)
            ended(process, number, "nothing was imported, and the same import may be run again")
            equal(run("export", "--data", data)[1].count("\n"), 2, "lines")
            done = subprocess.run([PROGRAM, "import", "-", "--data", data], input="".join(lines).encode(),
                                  stderr=subprocess.PIPE)
            equal(done.returncode, 0, done.stderr.decode())
            whole(data, 2000)
    with Check("import of a pipe that nobody writes into can be ended"):
        pipe = os.path.join(folder, "idle")
        os.mkfifo(pipe)
        data = os.path.join(folder, "idle-data")
        process = start("import", pipe, "--data", data)
        until(lambda: os.path.exists(os.path.join(data, "fanfare.db-wal")), process)
        process.send_signal(signal.SIGTERM)
        ended(process, signal.SIGTERM)
    slack = os.path.join(folder, "slack")
    os.makedirs(os.path.join(slack, "general"))
    with open(os.path.join(slack, "channels.json"), "w") as out:
        json.dump([{"id": "C1", "name": "general"}], out)
    with open(os.path.join(slack, "general", "2024-01-02.json"), "w") as out:
        json.dump([{"ts": "%d.0" % (message + 1), "reactions": [{"name": "+1", "count": 50, "users": [
            "U%d" % user for user in range(50)]}]} for message in range(1000)], out)
    data = os.path.join(folder, "foreign")
    words = ["import", slack, "--from", "slack", "--into", "chat:", "--dev", "--data", data]
    with Check("import --from ends by SIGTERM at any point: all of it is there or nothing, and the same again has all, once"):
        for part in range(8):
            process = start(*words)
            until(lambda: os.path.exists(os.path.join(data, "fanfare.db-wal")) or part % 2, process)
            time.sleep(0.02 * part)
            process.send_signal(signal.SIGTERM)
            said = process.communicate()[1].decode()
            assert process.returncode in (0, 143) or is_unheard(process, said), (process.returncode, said)
            if process.returncode == 143:
                assert "ended by SIGTERM; nothing was imported, and the same import may be run again" in said, said
            if os.path.exists(os.path.join(data, "fanfare.db")):
                status, out, said = run("export", "--data", data)
                kept = out.count('"type":"reaction"')
                assert kept == 50000 if process.returncode == 0 else kept in (0, 50000), (kept, said)
        status, _, said = run(*words)
        equal(status, 0, said)
        whole(data, 50000)


def backups(folder, data):
    copy = os.path.join(folder, "kept.db")

    def drafts():
        return [name for name in os.listdir(folder) if name.startswith("kept.db")]

    def begin():
        """A backup that is at work, or has been."""
        process = start("backup", copy, "--data", data)
        until(lambda: os.path.exists("%s.partial-%d" % (copy, process.pid)) or os.path.exists(copy), process)
        return process

    with Check("kill -9 in the middle of a backup: nothing has its name that is not whole"):
        left = 0
        for _ in range(20):
            process = begin()
            process.kill()
            process.communicate()
            if os.path.exists(copy):
                whole_copy(copy)
                os.remove(copy)
            left += len(drafts())
            of_others = [name for name in drafts() if not name.startswith("kept.db.partial-%d" % process.pid)]
            equal(of_others, [], "what earlier ones left")
        assert left > 0, "no backup was in the middle"
    with Check("the next backup removes what they left"):
        equal(run("backup", copy, "--data", data)[0], 0, "exit status")
        equal(drafts(), ["kept.db"], "files")
        whole_copy(copy)
    with Check("a draft that somebody is writing stays"):
        os.remove(copy)
        other = os.path.join(folder, "kept.db.partial-1")
        with open(other, "w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            equal(run("backup", copy, "--data", data)[0], 0, "exit status")
            assert os.path.exists(other), "it is gone"
        os.remove(other)
        os.remove(copy)
    with Check("backup ends by SIGTERM: a line, and nothing is left"):
        process = begin()
        process.send_signal(signal.SIGTERM)
        said = process.communicate()[1].decode()
        assert process.returncode in (0, 143) or is_unheard(process, said), (process.returncode, said)
        if process.returncode == 143:
            assert "ended by SIGTERM; there is no " + copy in said, said
        equal(drafts(), ["kept.db"] if process.returncode == 0 else [], "files")
    with Check("export ends by SIGINT: a line"):
        reader, writer = os.pipe()
        process = subprocess.Popen([PROGRAM, "export", "--data", data], stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        assert os.read(reader, 100), "nothing came"
        process.send_signal(signal.SIGINT)
        ended(process, signal.SIGINT, "has no end")
        os.close(reader)


def whole_copy(copy):
    status, _, said = run("check-data", copy)
    equal(status, 0, said)


def kinds(folder, exported):
    """What is no file, has no end, or is too large."""
    pipe, path = os.path.join(folder, "pipe"), os.path.join(folder, "socket")
    os.mkfifo(pipe)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    large = os.path.join(folder, "large.json")
    with open(large, "w") as out:
        out.write("{}" + " " * (16 << 20))
    for name, words in [(pipe, "a pipe"), ("/dev/zero", "a device"), (path, "a socket"), (folder, "a folder"),
                        (large, "more than 16 MiB")]:
        for command in "check", "serve", "backup":
            with Check("%s --config %s: %s" % (command, os.path.basename(name), words)):
                more = [os.path.join(folder, "c.db")] if command == "backup" else ["--dev"]
                status, _, said = run(command, *more, "--config", name)
                equal((status, said.count("\n")), (2, 1), said)
                assert words in said, said
    settings = os.path.join(folder, "secret.json")
    for name, words in [(pipe, "a pipe"), ("/dev/zero", "a device")]:
        with Check("check with a secret_file that is %s" % words):
            with open(settings, "w") as out:
                json.dump({"hooks": {"connect": {"url": "http://127.0.0.1:1/", "secret_file": name}}}, out)
            status, _, said = run("check", "--dev", "--config", settings)
            equal(status, 2, said)
            assert words in said, said
        with Check("check with a certificate and a key set that are %s" % words):
            status, _, said = run("check", "--tls-listen", "127.0.0.1:0", "--tls-cert", name, "--tls-key", name, "--dev")
            equal(status, 2, said)
            assert words in said, said
            status, _, said = run("check", "--jwks-file", name)
            equal(status, 2, said)
            assert words in said, said
        with Check("import --users that is %s" % words):
            slack = os.path.join(folder, "slack")
            status, _, said = run("import", slack, "--from", "slack", "--into", "chat:", "--dev", "--users", name)
            equal(status, 2, said)
            assert words in said, said
    data = os.path.join(folder, "kinds")
    for name, words in [("/dev/zero", "a device"), (path, "a socket")]:
        with Check("import of %s is refused" % words):
            status, _, said = run("import", name, "--data", data)
            equal(status, 1, said)
            assert words in said and "nothing was imported" in said, said
    for source in "slack", "discord", "zulip", "mattermost":
        for name, words in [(pipe, "a pipe"), ("/dev/zero", "a device")]:
            with Check("import --from %s of %s is refused" % (source, words)):
                status, _, said = run("import", name, "--from", source, "--into", "chat:", "--dev", "--data", data)
                equal(status, 1, said)
                assert "nothing was imported" in said, said
    with Check("a line without an end is told with its number"):
        with open(exported) as lines:
            head = lines.readline()
        done = subprocess.run([PROGRAM, "import", "-", "--data", data], stderr=subprocess.PIPE,
                              input=head.encode() + b"x" * ((64 << 20) + 1))
        equal(done.returncode, 1, done.stderr.decode())
        assert "-:2: a line has more than 64 MiB; nothing was imported" in done.stderr.decode(), done.stderr.decode()
    with Check("import of a pipe on purpose: it is a stream"):
        process = start("import", pipe, "--data", data)
        with open(pipe, "w") as out:
            out.writelines(export_lines(10))
        said = process.communicate()[1].decode()
        equal(process.returncode, 0, said)
        whole(data, 10)


def places(folder, exported):
    """Every command finds the store as serve does."""
    slack = os.path.join(folder, "slack")
    commands = [["backup", os.path.join(folder, "p.db")], ["export"], ["check-data"], ["audit"], ["import", exported],
                ["import", slack, "--from", "slack", "--into", "chat:"]]
    settings = os.path.join(folder, "place.json")
    data = os.path.join(folder, "place")
    with open(settings, "w") as out:
        json.dump({"data": data, "store": {"kind": "memory"}, "namespaces": {"chat": {}}}, out)
    nats = os.path.join(folder, "nats.json")
    with open(nats, "w") as out:
        json.dump({"nats": {"servers": ["nats://127.0.0.1:1"]}, "namespaces": {"chat": {}}}, out)
    for command in commands:
        name = " ".join(command[:1] + command[2:4])
        with Check("%s refuses channels that are in no file, and says who said so" % name):
            for more, environment, meant in [
                    ([], {"FANFARE_NATS": "nats://127.0.0.1:1"}, "in NATS (FANFARE_NATS)"),
                    (["--nats", "nats://127.0.0.1:1"], {}, "in NATS (--nats)"),
                    ([], {"FANFARE_STORE": "memory"}, "in memory (FANFARE_STORE)"),
                    (["--store", "memory"], {}, "in memory (--store)"),
                    (["--config", settings], {}, "in memory (%s:1)" % settings),
                    ([], {"FANFARE_CONFIG": nats}, "in NATS (%s:1)" % nats)]:
                # The audit is in each broker's own folder, wherever the channels are.
                if command == ["audit"] and "NATS" in meant:
                    continue
                status, _, said = run(*command, *more, env={**os.environ, **environment})
                equal((status, said.count("\n")), (2, 1), said)
                assert meant in said, said
            assert not os.path.exists(data), "there is a store"
    with Check("the words win over the environment, and that over the file, which names the folder"):
        environment = {**os.environ, "FANFARE_STORE": "sqlite", "FANFARE_CONFIG": settings}
        status, _, said = run("import", exported, env=environment)
        equal(status, 0, said)
        for more, status in [([], 0), (["--store", "sqlite"], 0), (["--data", folder], 1), (["--store", "memory"], 2)]:
            equal(run("export", *more, env=environment)[0], status, " ".join(more))
        equal(run("check-data", os.path.join(data, "fanfare.db"), env={**os.environ, "FANFARE_STORE": "memory"})[0], 0,
              "a file that is named")


def scenario(folder):
    exported, data = sizes(folder)
    half_changed(folder, exported)
    imports(folder)
    backups(folder, data)
    kinds(folder, exported)
    places(folder, exported)


if __name__ == "__main__":
    with Check("runs to its end"):
        scenario(*sys.argv[1:])
    finish()
