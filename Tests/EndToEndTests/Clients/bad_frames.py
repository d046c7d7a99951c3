"""Frames and requests that no client should send, over a bare socket, and the close code that answers them. Words: URL"""

import socket
import struct
import sys
from urllib.parse import urlsplit

from checks import PATIENCE, Check, equal, finish, report
from raw import BINARY, CLOSE, PING, PONG, TEXT, RawClient, frame

PING_REQUEST = b'{"type":"ping","id":1}'

# name, bytes, close code
CLOSED = [
    ("a binary message", frame(BINARY, PING_REQUEST), 1003),
    ("an empty binary message", frame(BINARY), 1003),
    ("a binary message in two frames", frame(BINARY, b"a", final=False) + frame(0, b"b"), 1003),
    ("invalid UTF-8", frame(TEXT, b'{"type":"\xff"}'), 1007),
    ("UTF-8 cut off", frame(TEXT, b'{"type":"\xf0\x9f\x91'), 1007),
    ("a surrogate in UTF-8", frame(TEXT, b'"\xed\xa0\x80"'), 1007),
    ("invalid UTF-8 across frames", frame(TEXT, b"\xf0\x9f", final=False) + frame(0, b"\x41\x41"), 1007),
    ("65,537 bytes", frame(TEXT, b" " * 65537), 1009),
    ("65,537 bytes in two frames", frame(TEXT, b" " * 65536, final=False) + frame(0, b" "), 1009),
    ("a length of 2^40", bytes([0x81, 0xFF]) + struct.pack(">Q", 1 << 40) + b"\0\0\0\0", 1009),
    ("a length with the highest bit", bytes([0x81, 0xFF]) + struct.pack(">Q", 1 << 63) + b"\0\0\0\0", 1002),
    ("an unmasked frame", frame(TEXT, PING_REQUEST, masked=False), 1002),
    ("a reserved bit", frame(TEXT, PING_REQUEST, reserved=1), 1002),
    ("a reserved opcode", frame(3, b"x"), 1002),
    ("a reserved control opcode", frame(11, b"x"), 1002),
    ("a fragmented ping", frame(PING, b"x", final=False), 1002),
    ("a ping of 126 bytes", frame(PING, b"x" * 126), 1002),
    ("a continuation of nothing", frame(0, b"x"), 1002),
    ("a message inside a message", frame(TEXT, b"{", final=False) + frame(TEXT, b"}"), 1002),
    ("a close of one byte", frame(CLOSE, b"\x03"), 1002),
    ("close code 1005", frame(CLOSE, struct.pack(">H", 1005)), 1002),
    ("close code 999", frame(CLOSE, struct.pack(">H", 999)), 1002),
    ("a close reason that is not UTF-8", frame(CLOSE, b"\x03\xe8\xff"), 1007),
    ("a normal close is answered", frame(CLOSE, struct.pack(">H", 1000) + b"bye"), 1000),
]

UPGRADE = (b"GET %(path)s?user=ada HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")

# name, request head, statuses that are right; None: the connection may end before the answer is read
REJECTED = [
    ("no HTTP at all", b"\x01\x03\x01\x02\x00 hello\r\n\r\n", (400,)),
    ("TLS to a plain port, which would not understand an answer", b"\x16\x03\x01\x02\x00 hello\r\n\r\n", (None,)),
    ("no Host", UPGRADE.replace(b"Host: h\r\n", b""), (400,)),
    ("another WebSocket version", UPGRADE.replace(b"Version: 13", b"Version: 8"), (426, 400)),
    ("no key", UPGRADE.replace(b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", b""), (400,)),
    ("a short key", UPGRADE.replace(b"dGhlIHNhbXBsZSBub25jZQ==", b"dGhl"), (400,)),
    ("a bad user name", UPGRADE.replace(b"user=ada", b"user=a%%20b"), (400, 401)),
    ("a bad token", UPGRADE.replace(b"user=ada", b"token=a.b.c"), (401,)),
    ("another path", UPGRADE.replace(b"%(path)s", b"/v1/nothing"), (404,)),
    ("a head of 1 MiB", UPGRADE[:-2] + b"X: " + b"a" * (1 << 20) + b"\r\n\r\n", (431, None)),
]


def closed(url):
    for name, data, code in CLOSED:
        with Check("closed: " + name):
            client = RawClient(url, "ada")
            client.send(data)
            equal(client.close_code(), code, "close code")
    with Check("65,536 bytes are not too many"):
        client = RawClient(url, "ada")
        client.send(frame(TEXT, PING_REQUEST + b" " * (65536 - len(PING_REQUEST))))
        while b'"pong"' not in client.frame()[1]:
            pass
    with Check("a byte at a time, in fragments, with a ping between"):
        client = RawClient(url, "ada")
        data = frame(TEXT, PING_REQUEST[:7], final=False) + frame(PING, b"x") + frame(0, PING_REQUEST[7:])
        for i in range(len(data)):
            client.send(data[i:i + 1])
        seen = [client.frame() for _ in range(3)]
        assert (PONG, b"x") in seen and any(b'"pong"' in payload for _, payload in seen), seen


def status_of(url, data):
    """The status that answers a request; None where the connection ended without one."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), PATIENCE) as connection:
        answer = b""
        try:
            connection.sendall(data.replace(b"%(path)s", parts.path.encode()).replace(b"%%", b"%"))
            while b"\r\n" not in answer:
                more = connection.recv(4096)
                if not more:
                    return None
                answer += more
        except ConnectionError:
            return None
        return int(answer.split(b" ", 2)[1])


def main(url):
    closed(url)
    for name, data, statuses in REJECTED:
        with Check("rejected: " + name):
            status = status_of(url, data)
            assert status in statuses, "status %s" % status
    with Check("an upgrade is still answered"):
        equal(status_of(url, UPGRADE), 101, "status")


try:
    main(sys.argv[1])
except Exception as error:
    report("runs to its end", error)
finish()
