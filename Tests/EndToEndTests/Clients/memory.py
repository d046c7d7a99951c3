"""What a broker does when memory is short, and that none of its bounds costs any by itself. Words: FOLDER"""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

from bare_http import MEMORY_TIMES, Metrics, ask, upgrade
from broker import note, run
from checks import PATIENCE, Check, Client, equal, main, matches
from services import Service

BOUND = 512 * 1024 * 1024 * MEMORY_TIMES  # of the control group
HELD = BOUND // 10 * 9  # by somebody else in it


class Settings:
    def __init__(self, folder):
        self.path = folder + "/settings.json"

    def write(self, **limits):
        with open(self.path, "w") as file:
            json.dump({"listen": [{"address": "127.0.0.1:0"}], "limits": limits}, file)


def start(folder, settings, **options):
    return Service(folder, mode=("--dev", "--store", "memory", "--config", settings.path), **options)


def reload(broker):
    """Has it read its settings again, and waits until it has."""
    count = broker.said().count("were read again")
    broker.process.send_signal(signal.SIGHUP)
    while broker.said().count("were read again") == count:
        assert broker.process.poll() is None, broker.said()
        time.sleep(0.02)


def refused(url):
    """Waits until it lets nobody in, and gives the answer; how much is used is looked at ten times a second."""
    return becomes(url, 503)


def becomes(url, status):
    end = time.monotonic() + PATIENCE
    while (answer := ask(url, upgrade())).status != status:
        assert time.monotonic() < end, answer
        time.sleep(0.02)
    return answer


async def short(folder):
    """By a bound that is far below what a broker uses."""
    settings = Settings(folder)
    settings.write()
    with start(folder, settings) as broker:
        url = broker.urls()[0]
        metrics = Metrics(url)
        with Check("the memory of the machine, or of the control group, is the bound, and there is enough of it"):
            limit = metrics["fanfare_memory_limit_bytes"]
            machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            assert 0 < limit <= machine, (limit, machine)
            assert 0 < metrics["fanfare_memory_used_ratio"] < 0.9, metrics["fanfare_memory_used_ratio"]
        async with await Client.connect(url, "ada") as client:
            matches(await client.request("subscribe", channel="chat:1"), type="subscribed")
            settings.write(memory_bytes=1_048_576)
            reload(broker)
            before = metrics.hits("memory_bytes")
            with Check("that more is used already is said once it is so"):
                assert re.search(r"warning: \d+ bytes of memory are used already, more than 90 % \(limits\.memory_percent\) "
                                 r"of the 1048576 that limits\.memory_bytes allows: nobody else can connect", broker.said())
            with Check("above memory_percent of memory_bytes a new WebSocket gets 503 and Retry-After"):
                answer = refused(url)
                assert 1 <= int(answer.headers["retry-after"]) <= 60, answer
                assert json.loads(answer.body)["code"] == "unavailable", answer
            with Check("so does an event stream"):
                answer = ask(url, b"GET /v1/channels/chat:1/stream?user=bob HTTP/1.1\r\nHost: h\r\n\r\n")
                equal(answer.status, 503, "status")
                assert int(answer.headers["retry-after"]) >= 1, answer
            with Check("each is counted, and said with how much is used"):
                metrics.await_hits("memory_bytes", before + 1)
                equal(metrics.hits("memory_percent"), 0, "hits of the other one")
                status = json.loads(ask(url, b"GET /v1/status HTTP/1.1\r\nHost: h\r\n\r\n").body)
                assert status["limit_hits"]["memory_bytes"] >= 2, status["limit_hits"]
                equal((status["present"]["memory_limit_bytes"], status["present"]["memory_limit_by"]), (1_048_576, "memory_bytes"))
                equal(metrics["fanfare_memory_limit_bytes"], 1_048_576, "the bound")
                assert metrics["fanfare_memory_used_ratio"] > 1, metrics["fanfare_memory_used_ratio"]
                assert re.search(r"warning: a connection from 127\.0\.0\.1 was refused: limits\.memory_bytes "
                                 r"\(\d+ % of 1048576 bytes are used\)", broker.said()), broker.said()
            with Check("who is there lives on: reacts, hears, subscribes"):
                matches(await client.request("add", channel="chat:1", message="m", reaction="👍"), type="ack")
                await client.until(lambda m: m["type"] == "added")
                matches(await client.request("subscribe", channel="chat:2"), type="subscribed")
            with Check("and so does the API, and what operators look at"):
                path = b"/v1/channels/chat:1/messages/m/reactions/%F0%9F%91%8D?user=bob"
                equal(ask(url, b"PUT " + path + b" HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n").status, 200, "status")
                equal(ask(url, b"GET /readyz HTTP/1.1\r\nHost: h\r\n\r\n").status, 200, "status")
            settings.write(memory_bytes=1_048_576, memory_percent=100)
            reload(broker)
            with Check("a part of 100 is never passed, however much is used"):
                equal(ask(url, upgrade()).status, 101, "status")
            settings.write()
            reload(broker)
            with Check("when there is enough again, they come in"):
                becomes(url, 101)
        equal(broker.stop(), 0, "exit status")


def group_folders():
    """A control group of our own that bounds memory, and the names of its files; `None` where we may make none."""
    name = "fanfare-test-%d" % os.getpid()
    own = {line.split(":")[1]: line.rstrip("\n").split(":", 2)[2] for line in open("/proc/self/cgroup")}
    old = pathlib.Path("/sys/fs/cgroup/memory")
    if old.exists() and "memory" in own:
        top, limit = old / own["memory"].lstrip("/"), "memory.limit_in_bytes"
    elif "" in own:
        top, limit = pathlib.Path("/sys/fs/cgroup") / own[""].lstrip("/"), "memory.max"
    else:
        return None
    try:
        (top / name).mkdir()
    except OSError:
        return None
    try:
        (top / name / limit).write_text(str(BOUND))
    except OSError:
        (top / name).rmdir()
        return None
    return top / name


def in_group(folder):
    """With a control group that bounds memory, and somebody else in it who uses most of that."""
    group = group_folders()
    if group is None:
        return note("no control group may be made here: what it would bound is tested in MemoryReaderTests alone")
    try:
        with Check("in a control group its bound counts, and all that is used there, by whomever"):
            settings = Settings(folder)
            settings.write()
            enter = ["/bin/sh", "-c", 'echo $$ > "$0"; exec "$@"', str(group / "cgroup.procs")]
            with start(folder, settings, prefix=enter) as broker:
                url = broker.urls()[0]
                equal(Metrics(url)["fanfare_memory_limit_bytes"], BOUND, "the bound")
                equal(ask(url, upgrade()).status, 101, "status")
                hold = "held = bytearray(b'x') * %d; print('held', flush=True); import sys; sys.stdin.read()" % HELD
                words = enter + [sys.executable, "-c", hold]
                with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
                    equal(other.stdout.readline(), b"held\n")
                    refused(url)
                    assert Metrics(url).hits("memory_percent") > 0, "it is not counted under its name"
                    equal(Metrics(url).hits("memory_bytes"), 0, "hits of the other one")
                    other.stdin.close()
                    equal(other.wait(PATIENCE), 0, "exit status of the other one")
                becomes(url, 101)
                equal(broker.stop(), 0, "exit status")
    finally:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                group.rmdir()
                return
            except OSError:
                # Processes that have ended leave it a moment later.
                assert time.monotonic() < end, "the control group stays"
                time.sleep(0.05)


def files(folder):
    settings = Settings(folder)
    settings.write()
    with Check("the limit of open files is raised as far as may be, and said"):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = min(hard, 1500)
        raised = ["/bin/sh", "-c", 'ulimit -Sn 200; ulimit -Hn %d; exec "$0" "$@"' % most]
        with start(folder, settings, prefix=raised) as broker:
            equal(Metrics(broker.urls()[0])["process_max_fds"], most, "process_max_fds")
            assert "warning: no more than %d files may be open (nofile)" % most in broker.said(), broker.said()
            assert "limits.connections, which is 100000" in broker.said(), broker.said()
    settings.write(connections=most - 100)
    with Check("where that is enough for limits.connections, it is no warning"), start(folder, settings, prefix=raised) as broker:
        broker.urls()
        assert "info: as many as %d files may be open (nofile)" % most in broker.said(), broker.said()


def small(folder):
    settings = Settings(folder)
    with Check("a bound that the broker is above by itself is said at the start"):
        settings.write(memory_bytes=1_048_576)
        with start(folder, settings) as broker:
            url = broker.urls()[0]
            assert re.search(r"warning: \d+ bytes of memory are used already, more than 90 % .* of the 1048576 that "
                             r"limits\.memory_bytes allows: nobody else can connect\n", broker.said()), broker.said()
            equal(ask(url, upgrade()).status, 503, "status")
    with Check("and one that it is below is not"):
        settings.write(memory_bytes=2 ** 40)
        with start(folder, settings) as broker:
            equal(ask(broker.urls()[0], upgrade()).status, 101, "status")
            assert "used already" not in broker.said(), broker.said()


def resident(broker):
    return int(re.search(r"VmRSS:\s+(\d+)", open("/proc/%d/status" % broker.process.pid).read()).group(1))


def huge(folder):
    settings = Settings(folder)
    with Check("the largest bounds that may be set cost no memory"):
        settings.write()
        with start(folder, settings) as broker:
            equal(ask(broker.urls()[0], upgrade()).status, 101, "status")
            usual = resident(broker)
        most = {}
        for name in re.findall(r"(?m)^limits\.(\w+)", run("check", "--dev")[1]):
            settings.write(**{name: 10 ** 18})
            status, _, said = run("check", "--dev", "--config", settings.path)
            most[name] = int(re.search(r" to (\d+), not", said).group(1))
        assert most["connections"] >= 10_000_000 and len(most) > 20, most
        settings.write(**most)
        with start(folder, settings) as broker:
            equal(ask(broker.urls()[0], upgrade()).status, 101, "status")
            assert resident(broker) < usual + 8192 * MEMORY_TIMES, "%d KB instead of %d" % (resident(broker), usual)


def wrong(folder):
    settings = Settings(folder)
    with Check("what they cannot be is told, with the line"):
        for limits, words in (({"memory_percent": 0}, "from 1 to 100"), ({"memory_percent": 101}, "from 1 to 100"),
                              ({"memory_bytes": 1000}, "from 1048576"), ({"memory_percent": None}, "not null")):
            settings.write(**limits)
            for command in ("check", "serve"):
                status, _, said = run(command, "--dev", "--config", settings.path)
                equal((status, len(said.splitlines())), (2, 1), said)
                assert words in said and "settings.json:1: " in said, said
    with Check("check shows them"):
        settings.write(memory_percent=70, memory_bytes=536_870_912)
        shown = run("check", "--dev", "--config", settings.path)[1]
        assert re.search(r"(?m)^limits\.memory_percent +70 ", shown), shown
        assert re.search(r"(?m)^limits\.memory_bytes +536870912 ", shown), shown
        assert re.search(r"(?m)^limits\.memory_bytes +none ", run("check", "--dev")[1])


async def scenario(folder):
    await short(folder)
    in_group(folder)
    small(folder)
    files(folder)
    huge(folder)
    wrong(folder)


main(scenario)
