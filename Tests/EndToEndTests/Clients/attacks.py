"""Attacks, each bounded in number and time, beside a connection that behaves: the broker stays up, and that one's round
trips stay as fast. Words: URL PID

What an attack costs the one beside it is compared within the run: the median of its round trips under attack may be some
times that in quiet, and no trip may take as long as a person waits.
"""

import asyncio
import json
import multiprocessing
import socket
import statistics
import struct
import time

from bare_http import SLOWER_TIMES, Growth, connect, cpu_seconds, read_answer, upgrade
from checks import Check, Client, equal, main, matches
from raw import CLOSE, PING, PONG, TEXT, RawClient, frame

# A busy machine of two cores, with the attacker on one of them: generous. A sanitizer makes what is done for an attacker
# slower by far, and hardly a trip in quiet.
TIMES, FLOOR, LONGEST = 12, 0.02 * SLOWER_TIMES, 2.0


def watch(url, pipe):
    """Makes one round trip after the other; tells all that it has made since it was last asked."""
    trips, number = [], 0
    try:
        client = RawClient(url, "watch")
        while True:
            if pipe.poll(0.004):
                pipe.recv()
                pipe.send(trips)
                trips = []
            number += 1
            begin = time.monotonic()
            client.send(frame(TEXT, json.dumps({"type": "ping", "id": number}).encode()))
            wanted = ('"id":%d' % number).encode()
            while wanted not in client.frame()[1]:
                pass
            trips.append(time.monotonic() - begin)
    except EOFError:
        pass
    except Exception as error:
        pipe.send("the watching connection: %r" % error)


class Watch:
    """A well-behaved connection whose round trips are measured, in a process of its own."""

    def __init__(self, url):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(target=watch, args=(url, other), daemon=True)
        self.process.start()

    def take(self):
        """The round trips since this was last asked, the one under way included."""
        self.pipe.send("take")
        assert self.pipe.poll(LONGEST + 10), "the watching connection has no answer"
        trips = self.pipe.recv()
        assert isinstance(trips, list), trips
        return trips

    def end(self):
        self.process.kill()
        self.process.join()


class Attack(Check):
    """A block that is watched."""

    watch = quiet = None

    def __enter__(self):
        Attack.watch.take()

    def __exit__(self, kind, error, trace):
        if error is None:
            try:
                time.sleep(0.2)
                self.compare(Attack.watch.take())
            except AssertionError as failed:
                return super().__exit__(type(failed), failed, failed.__traceback__)
        return super().__exit__(kind, error, trace)

    def compare(self, trips):
        assert trips, "it had no answer at all"
        median = statistics.median(trips)
        worst = max(trips)
        print("# %s: %d round trips, median %.2f ms (quiet %.2f), longest %.1f ms"
              % (self.name, len(trips), median * 1e3, Attack.quiet * 1e3, worst * 1e3))
        assert median <= max(TIMES * Attack.quiet, FLOOR), "median %.1f ms, %.1f in quiet" % (
            median * 1e3, Attack.quiet * 1e3)
        assert worst <= LONGEST, "one took %.2f s" % worst


def close_all(connections):
    for connection in connections:
        connection.close()


def slow_handshakes(url, _):
    with Attack("a thousand handshakes, a byte at a time"):
        connections = [connect(url) for _ in range(1000)]
        data = upgrade()
        for i in range(10):
            for connection in connections:
                connection.sendall(data[i:i + 1])
        close_all(connections)


def half_open(url, _):
    with Attack("a thousand connections that are reset in the middle of their handshakes"):
        for i in range(1000):
            connection = connect(url)
            connection.sendall(upgrade()[:i % 150])
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
    with Attack("two hundred peers that are gone in the middle of a message"):
        peers = [RawClient(url, "gone%d" % i) for i in range(200)]
        for peer in peers:
            peer.send(frame(TEXT, b'{"type":"subscribe","channel":"chat:gone"}') + frame(TEXT, b" " * 1000)[:500])
            peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.socket.close()


def floods(url, pid):
    pings = frame(PING, b"x" * 125) * 2000
    with Attack("pings without end"):
        for _ in range(20):
            flood(url, pings)
    with Attack("pongs without end"):
        for _ in range(20):
            flood(url, frame(PONG, b"x" * 125) * 2000)
    with Attack("empty fragments without end"):
        for _ in range(20):
            flood(url, frame(TEXT, b"", final=False) + frame(0, b"", final=False) * 5000)
    with Attack("what is not JSON without end"):
        for _ in range(20):
            flood(url, frame(TEXT, b"{") * 5000)
    with Attack("requests without end, whose answers are not read"):
        growth = Growth(pid)
        readers = []
        for i in range(20):
            reader = RawClient(url, "full%d" % i, receive_buffer=4096)
            reader.socket.setblocking(False)
            for _ in range(50):
                try:
                    reader.socket.send(frame(TEXT, b'{"type":"ping","id":1}') * 2000)
                except BlockingIOError:
                    break
            readers.append(reader.socket)
        # 20 times 1 MiB, and as much again for what the allocator keeps.
        growth.check(64 * 1024, "20 readers")
        close_all(readers)
    with Attack("pings within the bound, whose pongs are not read"):
        growth = Growth(pid)
        readers = [RawClient(url, "deaf%d" % i, receive_buffer=4096) for i in range(20)]
        for _ in range(3):
            for reader in readers:
                reader.send(frame(PING, b"x" * 125) * 45)
            time.sleep(1)
        growth.check(16 * 1024, "20 readers")
        close_all([reader.socket for reader in readers])


def flood(url, data):
    """Sends it, and is closed for it sooner or later; what comes back is not read meanwhile."""
    peer = RawClient(url, "flood")
    try:
        peer.send(data)
    except (ConnectionError, TimeoutError):
        pass
    peer.socket.close()


def slow_readers(url, pid):
    with Attack("twenty readers of much who take nothing"):
        growth = Growth(pid)
        readers = []
        for i in range(20):
            reader = RawClient(url, "slow%d" % i, receive_buffer=4096)
            mode = b"summary" if i % 2 else b"events"
            reader.send(frame(TEXT, b'{"type":"subscribe","id":1,"channel":"chat:much","mode":"%s"}' % mode))
            readers.append(reader)
        asyncio.run(react(url, "chat:much", 6000))
        # Half of it is the channel's own: 6,000 messages, each with data.
        growth.check(64 * 1024, "20 readers")
        close_all([reader.socket for reader in readers])


async def react(url, channel, rounds):
    async with await Client.connect(url, "ada") as client:
        data = {"filler": "x" * 900}
        for start in range(0, rounds, 100):
            for i in range(start, start + 100):
                await client.send(type="add", id=i, channel=channel, message="m%d" % i, reaction="👍", data=data)
            await client.until(lambda m: m.get("id") == start + 99)


CLOSES = ([(struct.pack(">H", code), 1002, "code %d" % code) for code in
           (0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535)]
          + [(struct.pack(">H", code), code, "code %d" % code) for code in (1000, 1001, 1003, 1007, 1011, 3000, 4999)]
          + [(b"\x03", 1002, "one byte"), (b"\x03\xe8\xff", 1007, "a reason that is not UTF-8"),
             (b"\x03\xe8\xed\xa0\x80", 1007, "a reason with a surrogate"), (b"", None, "no code")])


def closes(url, _):
    for payload, code, name in CLOSES:
        with Check("a close frame with %s is answered with %s" % (name, code)):
            peer = RawClient(url, "closer")
            peer.send(frame(CLOSE, payload))
            equal(peer.close_code(), code, "close code")
    for name, data, code in [
        ("behind a length with its top bit", bytes([0x82, 0xFF]) + b"\x80" + b"\0" * 7 + b"abcd", 1002),
        ("behind the longest length there is", bytes([0x82, 0xFF]) + b"\x7f" + b"\xff" * 7 + b"abcd", 1009),
        ("behind text that is not UTF-8", frame(TEXT, b"\xff"), 1007),
        ("behind a message that is not JSON for the 10th time", frame(TEXT, b"{") * 10, 4000),
        ("behind a flood of pings", frame(PING) * 1000, 1008),
    ]:
        with Check("unread input does not eat the close frame: " + name):
            for _ in range(5):
                peer = RawClient(url, "closer")
                # More than is read at once; the close frame has to arrive all the same, and no reset before it.
                peer.send(data + frame(TEXT, b" " * 60000) * 8)
                equal(peer.close_code(), code, "close code")
    with Check("a refused upgrade is read although more was sent behind it"):
        for _ in range(5):
            with connect(url) as connection:
                connection.sendall(upgrade(without=["Sec-WebSocket-Key"]) + b"x" * 400_000)
                equal(read_answer(connection, until_end=True).status, 400, "status")


def spinning(url, pid):
    with Check("left alone afterwards, it rests"):
        before = cpu_seconds(pid)
        Attack.watch.end()
        time.sleep(2)
        used = cpu_seconds(pid) - before
        assert used < 0.4, "%.2f s of CPU in 2 s" % used


async def scenario(url, pid):
    Attack.watch = Watch(url)
    time.sleep(1)
    # What warmed it up does not count.
    Attack.watch.take()
    time.sleep(2)
    Attack.quiet = statistics.median(Attack.watch.take())
    for attack in (slow_handshakes, half_open, floods, slow_readers, closes, spinning):
        await asyncio.to_thread(attack, url, pid)
    with Check("and serves"):
        async with await Client.connect(url, "bob") as client:
            matches(await client.request("add", channel="chat:after", message="m", reaction="👍"), result="added")


if __name__ == "__main__":
    main(scenario)
