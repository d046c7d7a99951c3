"""Faults in the life of connections and processes that other brokers were reported for. Words: URL PID DATABASE

The report stands in each check's name, which says what is right. The broker pings every second.
"""

import asyncio
import base64
import os
import socket
import sqlite3
import struct
import time
import urllib.request
from urllib.parse import urlsplit

from checks import PATIENCE, Check, Client, equal, main, matches
from raw import PING, RawClient, frame, PONG

HANDSHAKE = ("GET /v1/ws?user=ada HTTP/1.1\r\nHost: %s\r\n%sSec-WebSocket-Key: " +
             base64.b64encode(bytes(16)).decode() + "\r\nSec-WebSocket-Version: 13\r\n\r\n")
ORDINARY = "Upgrade: websocket\r\nConnection: Upgrade\r\n"


def upgrade(url, fields):
    """The head of the answer to an upgrade with these fields."""
    place = urlsplit(url)
    with socket.create_connection((place.hostname, place.port), PATIENCE) as connection:
        connection.sendall((HANDSHAKE % (place.netloc, fields)).encode())
        head = b""
        while b"\r\n\r\n" not in head:
            data = connection.recv(65536)
            if not data:
                break
            head += data
        return head.split(b"\r\n\r\n")[0].decode("latin-1")


def cpu_seconds(pid):
    with open("/proc/%s/stat" % pid) as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def forms_of_an_upgrade(url, pid, database):
    """websocket.zig#4, suave#706: tokens in a list, in two fields, and in any case make an upgrade."""
    for fields in ("Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n",
                   "Connection: keep-alive\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n",
                   "Connection: upgrade\r\nUpgrade: WebSocket\r\n",
                   "connection:Upgrade\r\nUPGRADE:  websocket \r\n"):
        head = await asyncio.to_thread(upgrade, url, fields)
        assert head.startswith("HTTP/1.1 101 "), (fields, head)


async def unknown_extensions(url, pid, database):
    """uWebSockets.js#76, gorilla#731: no Sec-WebSocket-Extensions where nothing was negotiated."""
    for offer in ("", "Sec-WebSocket-Extensions: x-webkit-deflate-frame\r\n",
                  "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"):
        head = await asyncio.to_thread(upgrade, url, ORDINARY + offer)
        assert head.startswith("HTTP/1.1 101 "), head
        assert "sec-websocket-extensions" not in head.lower(), head


async def large_heads(url, pid, database):
    """vernemq#2267, python-websockets#1471: a cookie of 12 KB is let in, one of 64 KB gets 431."""
    for length, status in ((12_000, "101"), (64_000, "431")):
        head = await asyncio.to_thread(upgrade, url, ORDINARY + "Cookie: c=%s\r\n" % ("x" * length))
        equal(head.split()[1], status, "status with a cookie of %d bytes" % length)


async def only_pongs(url, pid, database):
    """phoenix#4307, stream-chat-js#698: a client that sends nothing but pongs stays connected."""
    def listen():
        client = RawClient(url, "quiet")
        pings = 0
        while pings < 5:
            opcode, payload = client.frame()
            if opcode == PING:
                pings += 1
                client.send(frame(PONG, payload))
        client.socket.close()
    await asyncio.to_thread(listen)


async def probes(url, pid, database):
    """Kitura#991, openssl#16399: connections that end before, in and after the handshake end nothing else."""
    place = urlsplit(url)
    head = (HANDSHAKE % (place.netloc, ORDINARY)).encode()
    def probe():
        for i in range(1000):
            connection = socket.create_connection((place.hostname, place.port), PATIENCE)
            connection.sendall(head[:i] if i < len(head) else head)
            if i % 2:
                # With no time to linger a close is a reset.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
    async with await Client.connect(url, "ada") as ada:
        await asyncio.to_thread(probe)
        await ada.ping()


async def reset_while_pushed(url, pid, database):
    """Curassow#9: readers that reset in the middle of what is pushed to them end nothing else."""
    channel = "chat:d58"
    async with await Client.connect(url, "ada") as ada:
        readers = [RawClient(url, "r%d" % i, receive_buffer=4096) for i in range(20)]
        for reader in readers:
            reader.send(frame(1, b'{"type":"subscribe","channel":"%s"}' % channel.encode()))
        for i in range(400):
            await ada.send(type="add", id=i, channel=channel, message="m%d" % i, reaction="👍", data={"x": "y" * 1000})
            if i == 200:
                for reader in readers:
                    reader.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    reader.socket.close()
        await ada.until(lambda m: m.get("id") == 399)


async def idle(url, pid, database):
    """FlyingFox#186: idle connections cost next to nothing."""
    clients = [await asyncio.to_thread(RawClient, url, "u%d" % i) for i in range(300)]
    await asyncio.sleep(0.5)
    before, began = cpu_seconds(pid), time.monotonic()
    await asyncio.sleep(2)
    share = (cpu_seconds(pid) - before) / (time.monotonic() - began)
    # 300 pings a second are in it.
    assert share < 0.2, "%.0f%% of a core" % (share * 100)
    for client in clients:
        client.socket.close()


async def without_delay(url, pid, database):
    """websockets#109, hydrozoa#640: small messages are not held back to be joined (Nagle)."""
    async with await Client.connect(url, "ada") as ada:
        times = []
        for i in range(200):
            began = time.monotonic()
            await ada.send(type="add", channel="chat:nagle", message="m%d" % i, reaction="👍")
            await ada.ping()
            times.append(time.monotonic() - began)
        # Two small messages one after the other: with Nagle and delayed ACKs each round would take 40 ms.
        assert sorted(times)[100] < 0.02, "half of the rounds take more than %.1f ms" % (sorted(times)[100] * 1000)


def series(url):
    place = urlsplit(url)
    with urllib.request.urlopen("http://%s/metrics" % place.netloc, timeout=PATIENCE) as answer:
        text = answer.read().decode()
    return {line.rsplit(" ", 1)[0] for line in text.splitlines() if line and not line.startswith("#")}


async def labels(url, pid, database):
    """logos-delivery#890: the metrics do not grow with channels, messages or users."""
    async with await Client.connect(url, "ada") as ada:
        await ada.request("add", channel="chat:label", message="m", reaction="👍")
        await ada.request("remove", channel="chat:label", message="m", reaction="👍")
        before = series(url)
        for i in range(2000):
            await ada.send(type="add", id=i, channel="chat:label-%d" % i, message="m%d" % i, reaction="👍")
        await ada.until(lambda m: m.get("id") == 1999)
    equal(series(url), before, "series")


async def log_of_the_store(url, pid, database):
    """stellar-core#2040: once a long reader has ended the write-ahead log is folded back and used again."""
    async def grow(round):
        async with await Client.connect(url, "ada") as ada:
            for i in range(4000):
                await ada.send(type="add", id=i, channel="chat:wal-%d" % round, message="m%d" % i, reaction="👍",
                               data={"x": "y" * 900})
            await ada.until(lambda m: m.get("id") == 3999)
    reader = sqlite3.connect("file:%s?mode=ro" % database, uri=True)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM channels").fetchone()
    before = os.path.getsize(database)
    await grow(0)
    held = os.path.getsize(database + "-wal")
    assert held > 16 << 20, "the reader should have kept the log from being folded back: %d bytes" % held
    reader.close()
    for round in range(1, 4):
        await grow(round)
    now = os.path.getsize(database + "-wal")
    assert now < 2 * held, "the log has %d bytes, and had %d" % (now, held)
    assert os.path.getsize(database) > before + (8 << 20), os.path.getsize(database)


async def scenario(url, pid, database):
    for part in (forms_of_an_upgrade, unknown_extensions, large_heads, only_pongs, probes, reset_while_pushed, idle,
                 without_delay, labels, log_of_the_store):
        with Check(part.__doc__):
            await part(url, pid, database)


main(scenario)
