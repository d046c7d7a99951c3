"""The HTTP upgrade, as strict as a good proxy. Words: URL [ORIGIN-HOST]

The broker's settings have "origins": ["https://example.org", "http://other.example:8080"], and header_bytes is 4096.
"""

import json
import sys
from urllib.parse import urlsplit

from bare_http import KEY, Metrics, ask, connect, read_answer, upgrade
from checks import Check, equal, finish, matches, report
from raw import CLOSE, TEXT, frame

LINE = b"GET /v1/ws?user=ada HTTP/1.1\r\n"
FIELDS = ("Host: h", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: " + KEY,
          "Sec-WebSocket-Version: 13")


def lines(*fields, end="\r\n"):
    return LINE + end.join(fields + ("", "")).encode("latin-1")


# name, bytes, status
SMUGGLED = [
    ("Content-Length and Transfer-Encoding", upgrade("Content-Length: 5", "Transfer-Encoding: chunked"), 400),
    ("Transfer-Encoding and Content-Length", upgrade("Transfer-Encoding: chunked", "Content-Length: 5"), 400),
    ("two lengths that differ", upgrade("Content-Length: 5", "Content-Length: 6"), 400),
    ("two lengths that are alike", upgrade("Content-Length: 0", "Content-Length: 0"), 400),
    ("a list of lengths", upgrade("Content-Length: 0, 0"), 400),
    ("a length with a sign", upgrade("Content-Length: +0"), 400),
    ("a length below zero", upgrade("Content-Length: -1"), 400),
    ("chunked twice", upgrade("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), 501),
    ("chunked behind another coding", upgrade("Transfer-Encoding: gzip, chunked"), 501),
    ("chunked behind a vertical tab", upgrade("Transfer-Encoding: \x0bchunked"), 400),
    ("a space before the colon", upgrade("Transfer-Encoding : chunked"), 400),
    ("a tab before the colon", upgrade("Content-Length\t: 5"), 400),
    ("a folded field", upgrade("X: a", " b"), 400),
    ("a folded length", upgrade("Content-Length:", " 5"), 400),
    ("a folded first field", LINE + b" X: a\r\n" + upgrade()[len(LINE):], 400),
    ("bare line feeds", lines(*FIELDS, end="\n"), 400),
    ("one bare line feed", upgrade("X: a\nY: b"), 400),
    ("a bare carriage return", upgrade("X: a\rY: b"), 400),
    ("a NUL in a value", upgrade("X: a\0b"), 400),
    ("a NUL in a name", upgrade("X\0: a"), 400),
    ("a NUL in the target", upgrade(path="/v1/ws\0"), 400),
    ("two Hosts", upgrade("Host: other"), 400),
    ("two Hosts that are alike", upgrade("Host: h"), 400),
    ("a Host with a path", upgrade(host="h/x"), 400),
    ("a Host with a user", upgrade(host="u@h"), 400),
    ("two keys", upgrade("Sec-WebSocket-Key: " + KEY), 400),
    ("two versions", upgrade("Sec-WebSocket-Version: 13"), 400),
    ("two versions that differ", upgrade("Sec-WebSocket-Version: 8"), 400),
    ("a body", upgrade("Content-Length: 5") + b"hello", 400),
    ("a body in chunks", upgrade("Transfer-Encoding: chunked") + b"5\r\nhello\r\n0\r\n\r\n", 400),
    ("two spaces in the request line", upgrade(path=" /v1/ws?user=ada"), 400),
    ("a space behind the version", upgrade(version="HTTP/1.1 "), 400),
    ("HTTP/1.0", upgrade(version="HTTP/1.0"), 400),
    ("HTTP/2.0", upgrade(version="HTTP/2.0"), 505),
    ("HTTP/1.01", upgrade(version="HTTP/1.01"), 400),
    ("a method in small letters", upgrade(method="get"), 405),
    ("POST", upgrade(method="POST"), 405),
    ("an absolute target of another scheme", upgrade(path="ftp://h/v1/ws?user=ada"), 400),
    ("an absolute target with a user", upgrade(path="http://u@h/v1/ws?user=ada"), 400),
    ("an authority as target", upgrade(path="h:80"), 400),
    ("no key", upgrade(without=["Sec-WebSocket-Key"]), 400),
    ("an empty key", upgrade(Sec_WebSocket_Key=""), 400),
    ("a key of 15 bytes", upgrade(Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25j"), 400),
    ("a key of 17 bytes", upgrade(Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZSE="), 400),
    ("a key that is not base64", upgrade(Sec_WebSocket_Key="!" * 22 + "=="), 400),
    ("no Connection", upgrade(without=["Connection"]), 400),
    ("Connection without upgrade", upgrade(Connection="keep-alive"), 400),
    ("no Upgrade", upgrade(without=["Upgrade"]), 426),
    ("another protocol", upgrade(Upgrade="h2c"), 426),
    ("no version", upgrade(without=["Sec-WebSocket-Version"]), 426),
    ("version 8", upgrade(Sec_WebSocket_Version="8"), 426),
    ("version 013", upgrade(Sec_WebSocket_Version="013"), 426),
    ("versions in a list", upgrade(Sec_WebSocket_Version="13, 8"), 426),
    ("a target of half the head and more", upgrade(path="/v1/ws?user=ada&x=" + "a" * 2048), 414),
    ("a target without end", b"GET /" + b"a" * 5000, 414),
    ("a field as long as the whole head", upgrade("X: " + "a" * 4096), 431),
    ("a field without end", LINE + b"X: " + b"a" * 5000, 431),
    ("a hundred and one fields", upgrade(*["X: y"] * 96), 431),
    ("a method without end", b"A" * 5000, 501),
]

ACCEPTED = [
    ("as it is", upgrade()),
    ("an absolute target", upgrade(path="http://h/v1/ws?user=ada")),
    ("lists, and names in capitals", lines("HOST: h", "UPGRADE: foo, WebSocket", "CONNECTION: keep-alive, UPGRADE",
                                           "SEC-WEBSOCKET-KEY: " + KEY, "SEC-WEBSOCKET-VERSION: 13")),
    ("no body by its length", upgrade("Content-Length: 0")),
    ("one blank line first", b"\r\n" + upgrade()),
    ("a target of nearly half the head", upgrade(path="/v1/ws?user=ada&x=" + "a" * 2029)),
]

# name, Origin fields, whether they may connect; HOST stands for the broker's own
ORIGINS = [
    ("none", [], True),
    ("the broker's own", ["http://HOST"], True),
    ("the broker's own, over TLS", ["https://HOST"], False),
    ("the broker's own host, another port", ["http://127.0.0.1:1"], False),
    ("the broker's own host, the default port", ["http://127.0.0.1"], False),
    ("one of the list", ["https://example.org"], True),
    ("one of the list, with its port", ["https://example.org:443"], True),
    ("one of the list, in capitals", ["HTTPS://Example.ORG"], True),
    ("one of the list, with a port of its own", ["http://other.example:8080"], True),
    ("without TLS", ["http://example.org"], False),
    ("another port", ["https://example.org:8443"], False),
    ("the port left out", ["http://other.example"], False),
    ("a name that begins with it", ["https://example.org.evil.com"], False),
    ("a name that ends with it", ["https://evilexample.org"], False),
    ("a name below it", ["https://www.example.org"], False),
    ("a name behind a user", ["https://example.org@evil.com"], False),
    ("a name behind a user and a port", ["https://example.org:443@evil.com"], False),
    ("a path", ["https://example.org/"], False),
    ("a dot at the end", ["https://example.org."], False),
    ("null", ["null"], False),
    ("nothing", [""], False),
    ("a star", ["*"], False),
    ("a list", ["https://example.org https://evil.com"], False),
    ("two fields", ["https://example.org", "https://evil.com"], False),
    ("two fields that are alike", ["https://example.org", "https://example.org"], False),
    ("another scheme", ["chrome-extension://example.org"], False),
    ("another site", ["https://evil.com"], False),
]


def requests(url):
    for name, data, status in SMUGGLED:
        with Check("refused with %d: %s" % (status, name)):
            answer = ask(url, data, until_end=True)
            equal(answer.status, status, "status")
            assert answer.ended, "the connection goes on"
            assert b"HTTP/1.1 4" not in answer.body and b"HTTP/1.1 1" not in answer.body, "there is a second answer: %r" % answer
            if status == 426:
                matches(answer.headers, **{"sec-websocket-version": "13", "upgrade": "websocket"})
                assert "upgrade" in answer.headers["connection"].lower(), answer
    for name, data in ACCEPTED:
        with Check("accepted: " + name):
            answer = ask(url, data)
            equal(answer.status, 101, "status")
            matches(answer.headers, upgrade="websocket", **{"sec-websocket-accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="})
    with Check("heads that are too large are counted"):
        metrics = Metrics(url)
        before = metrics.hits("header_bytes")
        ask(url, upgrade("X: " + "a" * 4096), until_end=True)
        metrics.await_hits("header_bytes", before)


def origins(url):
    host = urlsplit(url).netloc
    for name, fields, allowed in ORIGINS:
        with Check("an origin that may %sconnect: %s" % ("" if allowed else "not ", name)):
            fields = ["Origin: " + field.replace("HOST", host) for field in fields]
            equal(ask(url, upgrade(*fields, host=host)).status, 101 if allowed else 403, "status")
    with Check("hosts are compared without case, and a port of 80 is none"):
        equal(ask(url, upgrade("Origin: http://EXAMPLE.net", host="example.NET:80")).status, 101, "status")
        equal(ask(url, upgrade("Origin: http://[::1]:99", host="[::1]:99")).status, 101, "status")
    with Check("whose host an absolute target names, that one's pages may connect"):
        target = "http://a.example/v1/ws?user=ada"
        equal(ask(url, upgrade("Origin: http://a.example", host="b.example", path=target)).status, 101, "status")
        equal(ask(url, upgrade("Origin: http://b.example", host="b.example", path=target)).status, 403, "status")
    with Check("the API tells the same origins that they may read"):
        for origin, allowed in (("https://example.org", True), ("https://example.org.evil.com", False)):
            data = b"GET /v1/nothing HTTP/1.1\r\nHost: h\r\nOrigin: %s\r\n\r\n" % origin.encode()
            answer = ask(url, data)
            equal(answer.headers.get("access-control-allow-origin"), origin if allowed else None, "allowed origin")


def pipelined(url):
    requests = [json.dumps({"type": "ping", "id": i}).encode() for i in range(3)]
    frames = b"".join(frame(TEXT, request) for request in requests)
    for name, parts in (("in one segment", [upgrade() + frames]), ("in two", [upgrade() + frames[:5], frames[5:]]),
                        ("a byte at a time", [bytes([b]) for b in upgrade() + frames])):
        with Check("frames behind the handshake are neither lost nor answered before it: " + name):
            with connect(url) as connection:
                for part in parts:
                    connection.sendall(part)
                data = b""
                while data.count(b'"pong"') < 3:
                    more = connection.recv(65536)
                    assert more, data
                    data += more
                assert data.startswith(b"HTTP/1.1 101 "), data
                kinds = [data.index(mark) for mark in (b"\r\n\r\n", b'"welcome"', b'"id":0', b'"id":1', b'"id":2')]
                equal(kinds, sorted(kinds), "order")
    with Check("frames behind a handshake that is refused have no effect"):
        act = {"type": "add", "id": 1, "channel": "chat:refused", "message": "m", "reaction": "👍"}
        answer = ask(url, upgrade("Origin: https://evil.com") + frame(TEXT, json.dumps(act).encode()), until_end=True)
        equal((answer.status, answer.body.count(b"HTTP/1.1")), (403, 0), "answer")
        answer = ask(url, b"GET /v1/channels/chat:refused/messages/m?user=ada HTTP/1.1\r\nHost: h\r\n\r\n")
        assert b'"total":0' in answer.body, answer
    with Check("a request before the handshake on the same connection is answered before it"):
        with connect(url) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n" + upgrade() + frame(CLOSE, b"\x03\xe8"))
            data = read_answer(connection, until_end=True)
            equal(data.status, 200, "status")
            assert data.body.startswith(b"ok\n") and b"HTTP/1.1 101 " in data.body, data


try:
    for part in (requests, origins, pipelined):
        part(sys.argv[1])
except Exception as error:
    report("runs to its end", error)
finish()
