"""What goes wrong with TLS, or is done on purpose. Words: WSS-URL CERTIFICATE PLAIN-URL PROCESS"""

import json
import os
import socket
import ssl
import time
import urllib.request
from urllib.parse import urlsplit

from checks import PATIENCE, Check, Client, equal, main, matches
from raw import CLOSE, PONG, frame
from tls_wire import Wire

VERSIONS = (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)


def until(holds, what):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def split(url, authority):
    for version in VERSIONS:
        with Check("every record split byte by byte, %s" % version.name):
            wire = Wire(url, authority, version)
            wire.handshake(piece=1)
            wire.send(wire.seal(wire.upgrade("ada")), piece=1)
            wire.upgraded()
            equal(json.loads(wire.frame()[1])["type"], "welcome")
            wire.send(wire.seal(frame(1, b'{"type":"ping","id":7}')), piece=1)
            matches(json.loads(wire.frame()[1]), type="pong", id=7)
            wire.socket.close()


def packed(url, authority):
    for version in VERSIONS:
        with Check("messages that TLS holds are answered while the socket is silent, %s" % version.name):
            wire = Wire(url, authority, version).open("ada")
            wire.frame()
            # One record of 16 KB with hundreds of messages, then a hundred records in one segment.
            many = [frame(1, b'{"type":"ping","id":%d}' % i) for i in range(450)]
            wire.send(wire.seal(b"".join(many)))
            for i in range(450):
                matches(json.loads(wire.frame()[1]), type="pong", id=i)
            wire.send(b"".join(wire.seal(one) for one in many[:100]))
            for i in range(100):
                matches(json.loads(wire.frame()[1]), type="pong", id=i)
            # With the very end of the handshake.
            early = Wire(url, authority, version)
            early.send(early.flight())
            last = b""
            while not last:
                early.hear()
                last = early.flight()
            if version == ssl.TLSVersion.TLSv1_3:
                early.send(last + early.seal(early.upgrade("bob")))
                early.upgraded()
                equal(json.loads(early.frame()[1])["type"], "welcome")
            for one in (wire, early):
                one.socket.close()


def ends(url, authority):
    with Check("close_notify comes before the end"):
        wire = Wire(url, authority).open("ada")
        wire.frame()
        wire.send(wire.seal(frame(CLOSE, b"\x03\xe8")))
        equal(wire.frame()[0], CLOSE)
        equal(wire.read(), False)
    with Check("an answer and the end at once arrive whole"):
        wire = Wire(url, authority)
        wire.handshake()
        wire.send(wire.seal(b"GET /kit/fanfare.js HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        while wire.read():
            pass
        head, body = wire.plain.split(b"\r\n\r\n", 1)
        length = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        equal(len(body), int(length[0].split(b":")[1]))


def plain_http(url):
    parts = urlsplit(url)
    for method in ("GET", "POST", "HEAD", "PUT"):
        with Check("plain HTTP to the TLS port is told so, %s" % method):
            with socket.create_connection((parts.hostname, parts.port), PATIENCE) as plain:
                plain.sendall(b"%s / HTTP/1.1\r\nHost: localhost\r\n\r\n" % method.encode())
                answer = b""
                while data := plain.recv(65536):
                    answer += data
            assert answer.startswith(b"HTTP/1.1 400 ") and b"wss://" in answer, answer


def tls_to_plain(url, authority):
    with Check("TLS to the plain port is closed at once"):
        wire = Wire(url, authority)
        wire.send(wire.flight())
        began = time.monotonic()
        equal(wire.socket.recv(100), b"")
        assert time.monotonic() - began < 5


def resumption(url, authority):
    parts = urlsplit(url)
    for version in VERSIONS:
        with Check("a session is resumed on every loop, %s" % version.name):
            context = ssl.create_default_context(cafile=authority)
            context.minimum_version = context.maximum_version = version
            session = None
            reused = []
            for _ in range(12):
                raw = socket.create_connection((parts.hostname, parts.port), PATIENCE)
                with context.wrap_socket(raw, server_hostname="localhost", session=session) as tls:
                    tls.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    assert tls.recv(1000).startswith(b"HTTP/1.1 200 ")
                    reused.append(tls.session_reused)
                    session = tls.session
            equal(reused, [False] + [True] * 11)


class Breaker:
    """Breaks handshakes off, each at another place."""

    def __init__(self, url, authority, number):
        self.number = number
        self.wire = Wire(url, authority, VERSIONS[number % 2])

    def run(self):
        wire, stage = self.wire, self.number % 8
        hello = wire.flight()
        if stage == 0:
            pass
        elif stage == 1:
            wire.send(hello[:1 + self.number % (len(hello) - 1)])
        elif stage == 2:
            wire.send(hello)
        elif stage == 3:
            spoiled = bytearray(hello)
            spoiled[9 + self.number % (len(hello) - 9)] ^= 0xFF
            wire.send(bytes(spoiled))
        else:
            wire.send(hello)
            last = b""
            while not last:
                wire.hear()
                last = wire.flight()
            if stage == 5:
                wire.send(last[:1 + self.number % (len(last) - 1)])
            elif stage == 6:
                wire.send(last[:-1] + bytes([last[-1] ^ 1]))
            elif stage == 7:
                wire.send(last)
        if self.number % 3 == 0:
            wire.reset()
        else:
            wire.socket.close()


async def broken_off(url, authority, process):
    files = "/proc/%s/fd" % process
    before = len(os.listdir(files))
    context = ssl.create_default_context(cafile=authority)
    async with await Client.connect(url, "ada", ssl=context) as client:
        for stage in range(8):
            with Check("handshakes broken off 300 times at stage %d disturb nobody" % stage):
                for number in range(300):
                    Breaker(url, authority, number * 8 + stage).run()
                    if number % 50 == 0:
                        await client.ping()
        with Check("broken handshakes leave nothing open"):
            until(lambda: len(os.listdir(files)) <= before + 1, "descriptors: %d before" % before)


def mid_frame(url, authority, process):
    with Check("peers that go in mid-frame without close_notify leave nothing open"):
        files = "/proc/%s/fd" % process
        before = len(os.listdir(files))
        for number in range(50):
            wire = Wire(url, authority).open("u%d" % number)
            record = wire.seal(frame(1, b'{"type":"ping","id":1}')[:10])
            wire.send(record if number % 2 else record[:-3])
            if number % 5 == 0:
                wire.reset()
            else:
                wire.socket.close()
        until(lambda: len(os.listdir(files)) <= before, "descriptors: %d before" % before)


async def slow_reader(url, authority):
    with Check("a reader that took nothing for a while gets everything, in order"):
        wire = Wire(url, authority).open("slow")
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        wire.frame()
        wire.message('{"type":"subscribe","id":1,"channel":"chat:slow-tls"}')
        matches(json.loads(wire.frame()[1]), type="subscribed")
        context = ssl.create_default_context(cafile=authority)
        padding = {"x": "a" * 700}
        count = 1500
        async with await Client.connect(url, "ada", ssl=context) as client:
            # Not one by one: on a slow machine that takes longer than a reader who answers no ping may live.
            for number in range(count):
                await client.send(type="add", id=number, channel="chat:slow-tls", message="m%d" % number,
                                  reaction="👍", data=padding)
            for number in range(count):
                matches(await client.receive(), type="ack", id=number)
        seen = 0
        while seen < count:
            message = json.loads(wire.frame()[1])
            if message["type"] == "added":
                seen += 1
                matches(message, seq=seen, data=padding, message="m%d" % (seen - 1))
        wire.socket.close()


async def scenario(url, authority, plain, process):
    split(url, authority)
    packed(url, authority)
    ends(url, authority)
    plain_http(url)
    tls_to_plain(plain, authority)
    resumption(url, authority)
    await broken_off(url, authority, process)
    mid_frame(url, authority, process)
    await slow_reader(url, authority)
    with Check("the broker still serves"):
        with urllib.request.urlopen(plain.replace("ws://", "http://").replace("/v1/ws", "/healthz")) as answer:
            equal(answer.status, 200)


main(scenario)
