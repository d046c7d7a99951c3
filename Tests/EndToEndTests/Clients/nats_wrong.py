"""NATS servers that are not as a broker needs them: what is said of certificates, of a full disk, and of two that are no cluster.

Words: FANFARE CERTIFICATES     FANFARE: the command; CERTIFICATES: a folder with server, ca, client (by ca) and other, .pem and .key
"""

import asyncio
import json
import os
import signal
import subprocess
import tempfile

from broker import note
from checks import PATIENCE, Check, Client, equal, main, matches
from cluster_lives import call, is_ready, readiness, until
from nodes import KEY, Broker, Process, Server, free_port

FULL = "a NATS server cannot write to its disk, which is full: no space left on device"

# A server 2.9 may say so, or fall silent.
STILL = "does not answer: its server stands still, as one does whose disk is full: give it room, and start it again"


# All that was made, to be ended however a part ends.
processes = []


def server(number, folder, more=""):
    made = Server(number, folder, (free_port(), free_port()), [])
    with open(made.file, "a", encoding="utf-8") as out:
        out.write(more)
    processes.append(made)
    return made


def broker(number, folder, fanfare, nats):
    made = Broker(number, folder, fanfare, [], 1)
    made.file = os.path.join(folder, "broker-%d.json" % number)
    with open(made.file, "w") as out:
        json.dump({"server_keys": [KEY], "nats": nats}, out)
    processes.append(made)
    return made


async def ended(process):
    """The status with which it ends by itself, and what it said."""
    return await asyncio.wait_for(process.process.wait(), PATIENCE), process.said()


async def certificates(folder, fanfare, files):
    path = lambda name: os.path.join(files, name)
    nats = server(0, folder, 'tls { cert_file: "%s", key_file: "%s", ca_file: "%s", verify: true }\n' % (
        path("server.pem"), path("server.key"), path("ca.pem")))
    await nats.start()
    await nats.reachable()
    with_key = lambda name, key: {"cert": path(name + ".pem"), "key": path(key + ".key")}
    base = {"servers": ["tls://localhost:%d" % nats.port], "ca_file": path("server.pem")}
    for number, (what, more, words) in enumerate([
            ("that there is none", {}, "asks for a client certificate: see nats.cert and nats.key"),
            ("which one it is", with_key("other", "other"),
             "does not take the client certificate in '%s' (nats.cert)" % path("other.pem"))]):
        one = broker(number, folder, fanfare, {**base, **more})

        async def is_said():
            return "waiting for NATS at localhost" in one.said() and words in one.said()

        with Check("where NATS does not take a client's certificate, a broker that waits says " + what):
            await one.start()
            await until(is_said, "it is said")
        await one.end()
    one = broker(2, folder, fanfare, {**base, **with_key("client", "client")})
    with Check("and with the right one it serves"):
        await one.start()
        await one.serving()
        await readiness(one, 200)
    await one.end()
    one = broker(3, folder, fanfare, {**base, **with_key("client", "other")})
    for command, name in (["check", "--config", one.file], "check"), (one.words[1:], "serve"):
        with Check("a key that is another certificate's is refused, with the place: " + name):
            process = Process(name, folder, [fanfare, *command])
            await process.start()
            status, said = await ended(process)
            equal(status, 2, said)
            assert "%s:1: NATS: the certificate in '%s' cannot be used: " % (one.file, path("client.pem")) in said, said
    await nats.end()


class SmallDisk:
    """A NATS server alone, whose store is a file system of its own that is full at once."""

    def __init__(self, number, folder):
        self.server = server(number, folder)
        self.store = os.path.join(folder, "jetstream-%d" % number)
        os.mkdir(self.store)
        mount = 'mount -t tmpfs -o size=6m none "$0" || exit 77; exec "$@"'
        self.server.words = ["unshare", "-m" if os.getuid() == 0 else "-rm", "sh", "-c", mount, self.store, *self.server.words]

    async def start(self):
        await self.server.start()
        while self.server.process.returncode is None:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.server.port)
                writer.close()
                return True
            except OSError:
                await asyncio.sleep(0.1)
        note("no file system can be mounted here: %s" % self.server.said())
        return False

    @property
    def filler(self):
        # Its mount is in its own view of the files.
        return "/proc/%d/root%s/filler" % (self.server.process.pid, self.store)

    def fill(self):
        done = subprocess.run(["dd", "if=/dev/zero", "of=" + self.filler, "bs=4k"], capture_output=True, text=True)
        assert "No space left" in done.stderr, done.stderr

    def empty(self):
        os.remove(self.filler)


async def full_disk(folder, fanfare):
    disk = SmallDisk(10, folder)
    if not await disk.start():
        return
    one = broker(10, folder, fanfare, {"servers": ["nats://127.0.0.1:%d" % disk.server.port]})
    disk.fill()

    async def waits():
        return "waiting for NATS at 127.0.0.1" in one.said() and FULL in one.said()

    with Check("a broker that begins on a server alone with a full disk says that"):
        await one.start()
        await until(waits, "it is said")
        assert "another broker" not in one.said() and "majority" not in one.said(), one.said()
    disk.empty()
    with Check("and serves when there is room"):
        await one.serving()
        async with await Client.connect(one.url, "ada") as ada:
            matches(await ada.request("add", channel="chat:1", message="m", reaction="👍"), type="ack", seq=1)
    disk.fill()
    with Check("a disk that is full meanwhile is told in the log and by /readyz, without the server's files"):
        async with await Client.connect(one.url, "ada") as ada:

            async def is_refused():
                # What is left in the file's last block still goes in.
                answer = await ada.request("add", channel="chat:1", message="m" * 100, reaction="👍")
                return answer.get("code") == "unavailable"

            await until(is_refused, "a change is refused")

        async def is_told():
            words = (await call(one.http + "/readyz"))[1]
            return "the log refuses changes: " + FULL in words or STILL in words

        await until(is_told, "/readyz tells it")
        assert "the log refused a batch: " + FULL in one.said() or STILL in one.said(), one.said()
        assert "majority" not in one.said() and disk.store not in one.said(), one.said()
    disk.empty()
    if STILL in one.said():
        note("the server stands still for good")
    else:
        with Check("and it is ready again when there is room"):
            await readiness(one, 200)
    await one.end()
    await disk.server.end(signal.SIGKILL)


async def two_truths(folder, fanfare):
    servers = [server(number, folder) for number in (20, 21)]
    for each in servers:
        await each.start()
        await each.reachable()
    places = ["127.0.0.1:%d" % each.port for each in servers]
    one = broker(20, folder, fanfare, {"servers": ["nats://" + place for place in places]})

    async def refused():
        await one.start()
        status, said = await ended(one)
        equal(status, 1, said)
        assert "the NATS servers at %s are no cluster: the one at " % ", ".join(places) in said, said
        assert "has not the log that another one has" in said, said

    with Check("two servers that are no cluster are refused where only one has a log"):
        await refused()
    for number, place in enumerate(places):
        alone = broker(21 + number, folder, fanfare, {"servers": ["nats://" + place]})
        await alone.start()
        await alone.serving()
        await alone.end()
    with Check("and where each has one of its own"):
        await refused()
    with Check("one of them that is gone, and one that does not take the broker, are no reason"):
        await servers[1].end()
        with open(servers[1].file, "a") as out:
            out.write('authorization { user: "eve", password: "secret" }\n')
        await one.start()
        await one.serving()
        equal(await is_ready(one, 200), True, "ready")
        await one.end()
        await servers[1].start()
        await servers[1].reachable()
        await one.start()
        await one.serving()
        assert "the NATS server at %s cannot be used: the NATS servers refuse the broker" % places[1] in one.said(), one.said()
        await one.end()
    for each in servers:
        await each.end()


async def scenario(fanfare, files):
    with tempfile.TemporaryDirectory(prefix="fanfare-wrong-", ignore_cleanup_errors=True) as folder:
        try:
            for part in (certificates(folder, fanfare, files), full_disk(folder, fanfare), two_truths(folder, fanfare)):
                with Check(part.__name__ + " runs through"):
                    await part
        finally:
            for process in processes:
                if process.process:
                    await process.end(signal.SIGKILL)


if __name__ == "__main__":
    main(scenario)
