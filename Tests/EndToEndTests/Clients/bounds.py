"""Every bound, gone past from outside: what is answered, and that it is counted. Words: URL LIMITS PART

LIMITS are the broker's, as JSON, small enough to be reached soon.
"""

import asyncio
import json
import struct
import sys
import time

import websockets

from bare_http import Metrics, ask, connect, ended, read_answer, upgrade
from checks import PATIENCE, Check, Client, equal, main, matches
from raw import CLOSE, PING, PONG, TEXT, RawClient, frame

LIMITS = json.loads(sys.argv[2])


class Hit(Check):
    """A check that goes past a bound; afterwards it must have been counted."""

    def __init__(self, metrics, limit, name):
        super().__init__("%s: %s" % (limit, name))
        self.metrics, self.limit = metrics, limit

    def __enter__(self):
        self.before = self.metrics.hits(self.limit)

    def __exit__(self, kind, error, trace):
        if error is None:
            try:
                self.metrics.await_hits(self.limit, self.before)
            except AssertionError as failed:
                return super().__exit__(type(failed), failed, failed.__traceback__)
        return super().__exit__(kind, error, trace)


def seconds(limit):
    return LIMITS[limit] / 1000


def ends_after(connection, limit, also=0.0):
    """The connection ends when the time is over, not before, and soon after."""
    begin = time.monotonic()
    assert ended(connection), "it stays"
    took = time.monotonic() - begin
    assert seconds(limit) * 0.8 <= took + also <= PATIENCE, "it ended after %.2f s" % took


def times(url, metrics):
    with Hit(metrics, "handshake_ms", "a connection that says nothing"), connect(url) as connection:
        ends_after(connection, "handshake_ms")
    with Hit(metrics, "handshake_ms", "a head that never ends, a byte at a time: 408"), connect(url) as connection:
        connection.settimeout(0.05)
        answer = b""
        begin = time.monotonic()
        try:
            while not answer:
                assert time.monotonic() - begin < PATIENCE, "it goes on"
                connection.sendall(b"G")
                try:
                    answer = connection.recv(4096) or b"ended"
                except TimeoutError:
                    pass
        except ConnectionError:
            pass
        # 64 bytes of a method are refused for themselves; a byte each 50 ms takes longer.
        assert answer.startswith(b"HTTP/1.1 408"), answer
    with Hit(metrics, "handshake_ms", "a body that does not come: 408"), connect(url) as connection:
        path = b"/v1/channels/chat:1/messages/m/reactions/x?user=ada"
        connection.sendall(b"PUT %s HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n{" % path)
        equal(read_answer(connection, until_end=True).status, 408, "status")
    with Hit(metrics, "idle_ms", "nothing behind the first answer"), connect(url) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n")
        equal(read_answer(connection).status, 200, "status")
        ends_after(connection, "idle_ms")
    with Hit(metrics, "silence_ms", "a peer that answers no ping"), connect(url) as connection:
        connection.sendall(upgrade())
        equal(read_answer(connection).status, 101, "status")
        ends_after(connection, "silence_ms", also=0.1)
    with Hit(metrics, "close_ms", "a peer that does not end after the close frames"):
        raw = RawClient(url, "ada")
        raw.send(frame(CLOSE, struct.pack(">H", 1000)))
        begin = time.monotonic()
        while raw.frame()[0] != CLOSE:
            pass
        # Our end stays open: the broker's waiting is over when what we write is answered by a reset.
        try:
            while time.monotonic() - begin < PATIENCE:
                raw.send(frame(PONG))
                time.sleep(0.02)
            raise AssertionError("it stays")
        except ConnectionError:
            assert time.monotonic() - begin >= seconds("close_ms") * 0.8, "it ended too early"


def frames(url, metrics):
    most = LIMITS["message_bytes"]
    for limit, name, data, code in [
        ("message_bytes", "one frame", frame(TEXT, b" " * (most + 1)), 1009),
        ("message_bytes", "of frames each of which is small enough",
         frame(TEXT, b" " * most, final=False) + frame(0, b" "), 1009),
        ("message_bytes", "2^62 bytes behind 100", frame(TEXT, b" " * 100, final=False) + bytes([0x80, 0xFF])
         + struct.pack(">Q", (1 << 62)) + b"\0\0\0\0", 1009),
        ("message_bytes", "2^63 - 1 bytes behind 100: the sum would overflow",
         frame(TEXT, b" " * 100, final=False) + bytes([0x80, 0xFF]) + struct.pack(">Q", (1 << 63) - 1) + b"\0\0\0\0",
         1009),
        ("fragments_per_message", "empty fragments without end",
         frame(TEXT, b"", final=False) + frame(0, b"", final=False) * LIMITS["fragments_per_message"], 1009),
        ("control_frames_per_second", "pings", frame(PING, b"x") * (2 * LIMITS["control_frames_per_second"] + 1), 1008),
        ("control_frames_per_second", "pongs that nobody asked for",
         frame(PONG) * (2 * LIMITS["control_frames_per_second"] + 1), 1008),
        ("malformed_messages", "what is not JSON", frame(TEXT, b"{") * LIMITS["malformed_messages"], 4000),
    ]:
        with Hit(metrics, limit, name):
            raw = RawClient(url, "ada")
            raw.send(data)
            equal(raw.close_code(), code, "close code")
    with Check("as many control frames as may come are answered"):
        raw = RawClient(url, "ada")
        raw.send(frame(PING, b"y") * (LIMITS["control_frames_per_second"]))
        for _ in range(LIMITS["control_frames_per_second"]):
            while raw.frame() != (PONG, b"y"):
                pass
    with Hit(metrics, "message_bytes", "a request's body: 413"):
        path = b"/v1/channels/chat:1/messages/m/reactions/x?user=ada"
        data = b"PUT %s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n" % (path, most + 1)
        equal(ask(url, data).status, 413, "status")
    with Hit(metrics, "header_bytes", "431"):
        equal(ask(url, upgrade("X: " + "a" * LIMITS["header_bytes"]), until_end=True).status, 431, "status")


async def counts(url, metrics):
    with Hit(metrics, "subscriptions", "too_many_subscriptions"):
        async with await Client.connect(url, "ada") as client:
            for i in range(LIMITS["subscriptions"]):
                matches(await client.request("subscribe", channel="chat:%d" % i), type="subscribed")
            matches(await client.request("subscribe", channel="chat:x"), code="too_many_subscriptions")
    with Hit(metrics, "channels", "unavailable, and room again when they are left"):
        async with await Client.connect(url, "ada") as client:
            raw = RawClient(url, "eager")
            count = LIMITS["channels"] + 1
            # All at once, while each waits for the store.
            raw.send(b"".join(
                request(type="add", id=i, channel="clap:%d" % i, message="m", reaction="👍") for i in range(count)))
            answers = replies(raw, count)
            raw.socket.close()
            assert any(answer.get("code") == "unavailable" for answer in answers), "each found room"
            end = time.monotonic() + PATIENCE
            while (await client.request("list", channel="clap:again"))["type"] != "list":
                assert time.monotonic() < end, "no room"
                await asyncio.sleep(0.1)
    with Hit(metrics, "unanswered_requests", "what is sent beyond waits, and is answered in order"):
        raw = RawClient(url, "eager")
        count = 5 * LIMITS["unanswered_requests"]
        raw.send(b"".join(
            request(type="list", id=i, channel="chat:order") if i % 50 == 0 else
            request(type="toggle", id=i, channel="chat:order", message="m%d" % i, reaction="👍")
            for i in range(count)))
        equal([reply["id"] for reply in replies(raw, count)], list(range(count)), "order")
        raw.socket.close()
    with Hit(metrics, "waiting_requests", "unavailable, and the replies keep their order"):
        raw = RawClient(url, "eager")
        count = LIMITS["unanswered_requests"] - 1
        raw.send(b"".join(
            request(type="add", id=i, channel="clap:full", message="m", reaction="👍") for i in range(count)))
        answers = replies(raw, count)
        raw.socket.close()
        equal([answer["id"] for answer in answers], list(range(count)), "order")
        refused = [answer for answer in answers if answer["type"] == "error"]
        assert 0 < len(refused) < count, "%d were refused" % len(refused)
        equal({answer["code"] for answer in refused}, {"unavailable"}, "codes")
    with Hit(metrics, "connections_per_address", "503"):
        clients = [await connect_soon(url) for _ in range(LIMITS["connections_per_address"])]
        try:
            await Client.connect(url, "ada")
            raise AssertionError("let in")
        except websockets.InvalidStatusCode as answer:
            equal(answer.status_code, 503, "status")
        for client in clients:
            await client.close()
    for limit, sources in (("connections_per_address", ["127.0.0.3"]),
                           ("http_connections", ["127.0.0.3", "127.0.0.4", "127.0.0.5"])):
        with Hit(metrics, limit, "of connections that speak HTTP alone"):
            others = []
            try:
                # From addresses of their own, so that the metrics can be read.
                for source in sources:
                    others += [connect(url, source=source) for _ in range(LIMITS["connections_per_address"])]
                others.append(connect(url, source=sources[-1]))
                assert ended(others[-1]), "it stays"
            finally:
                for other in others:
                    other.close()


def request(**message):
    return frame(TEXT, json.dumps(message).encode())


def message_of(raw):
    opcode, payload = raw.frame()
    while opcode != TEXT:
        opcode, payload = raw.frame()
    return json.loads(payload)


def replies(raw, count):
    found = []
    while len(found) < count:
        opcode, payload = raw.frame()
        message = json.loads(payload) if opcode == TEXT else {}
        if "id" in message:
            found.append(message)
    return found


async def connect_soon(url):
    for _ in range(PATIENCE * 20):
        try:
            return await Client.connect(url, "ada")
        except websockets.InvalidStatusCode:
            await asyncio.sleep(0.05)
    raise AssertionError("no place became free")


async def readers(url, metrics):
    with Hit(metrics, "outbound_bytes", "events: lagged"):
        raw = RawClient(url, "slow", receive_buffer=4096)
        raw.send(request(type="subscribe", id=1, channel="chat:much"))
        async with await connect_soon(url) as ada:
            before, start = metrics.hits("outbound_bytes"), 0
            while metrics.hits("outbound_bytes") == before:
                await flood(ada, "chat:much", start + 200, start)
                start += 200
        while b'"lagged"' not in raw.frame()[1]:
            pass
        raw.socket.close()
    with Hit(metrics, "outbound_bytes", "summaries: a fresh subscribed in place of what changed, and on from there"):
        raw = RawClient(url, "slow", receive_buffer=4096)
        raw.send(request(type="subscribe", id=1, channel="chat:wide", mode="summary"))
        async with await connect_soon(url) as ada:
            before, count, emoji = metrics.hits("outbound_bytes"), 0, list("👍🎉🔥👏🙏😀😁😂😃😄")
            while metrics.hits("outbound_bytes") == before:
                for i in range(count, count + 200):
                    await ada.send(
                        type="set", id=i, channel="chat:wide", message="m%05d" % i + "x" * 100, reactions=emoji)
                count += 200
                await ada.until(lambda m: m.get("id") == count - 1)
            message = message_of(raw)
            while message["type"] != "subscribed" or message.get("id") is not None:
                message = message_of(raw)
            matches(message, mode="summary", recovered=False, seq=count * len(emoji))
            equal(len(message["messages"]), 100, "messages")
            matches(message["messages"][0], total=len(emoji), own=[])
            await ada.request("add", channel="chat:wide", message="last", reaction="🎉")
            matches(message_of(raw), type="summary", seq=count * len(emoji) + 1)
        raw.socket.close()
    with Hit(metrics, "drain_ms", "who takes nothing of the goodbye"), \
            Hit(metrics, "stall_ms", "a reader who takes nothing: 4008"):
        raw = RawClient(url, "slow", receive_buffer=4096)
        raw.send(frame(TEXT, b'{"type":"subscribe","id":1,"channel":"chat:stall"}'))
        async with await connect_soon(url) as ada:
            await flood(ada, "chat:stall", 8000)
        end = time.monotonic() + PATIENCE
        while metrics['fanfare_closed_total{code="4008"}'] == 0:
            assert time.monotonic() < end, "it stays"
            await asyncio.sleep(0.05)


async def flood(client, channel, rounds, begin=0):
    data = {"filler": "x" * 900}
    for start in range(begin, rounds, 200):
        for i in range(start, start + 200):
            fields = {} if i % 2 else {"data": data}
            await client.send(
                type="remove" if i % 2 else "add", id=i, channel=channel, message="m", reaction="👍", **fields)
        await client.until(lambda m: m.get("id") == start + 199)


async def identify(url, metrics):
    with Hit(metrics, "identify_ms", "4001"):
        async with await Client.connect(url) as client:
            matches(client.welcome, user=None)
            equal(await client.closed(), 4001, "close code")


async def scenario(url, _, part):
    metrics = Metrics(url)
    if part == "times":
        times(url, metrics)
    elif part == "counts":
        frames(url, metrics)
        await counts(url, metrics)
    elif part == "readers":
        await readers(url, metrics)
    else:
        await identify(url, metrics)


main(scenario)
