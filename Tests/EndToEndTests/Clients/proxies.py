"""Trusted proxies: whose word counts. Words: URL headers|proxy|proxy-tls|unix|metrics|announced

The broker trusts 127.0.0.1 and 10.0.0.0/8 (and unix), and lets each address connect twice: what it believes is seen by
which connections it refuses.
"""

import re
import sys
import time

from bare_http import ask, connect, ended, over_tls, proxy_v2, read_answer, upgrade
from checks import PATIENCE, Check, equal, finish, report

MOST = 2


class Held:
    """Connections that stay until the block ends; it begins when no other is left."""

    def __init__(self, url, header=b"", tls=False):
        self.url, self.header, self.tls = url, header, tls
        self.connections = []

    def __enter__(self):
        end = time.monotonic() + PATIENCE
        while not re.search("^fanfare_connections 0$", self.metrics(), re.M):
            assert time.monotonic() < end, "connections are left over"
            time.sleep(0.01)
        return self

    def metrics(self):
        connection = connect(self.url)
        if self.header:
            connection.sendall(proxy_v2(command=0))
        connection = over_tls(connection) if self.tls else connection
        connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        with connection:
            return read_answer(connection, until_end=True).body.decode()

    def __exit__(self, *_):
        for connection in self.connections:
            connection.close()

    def open(self, *fields, source=None, header=None):
        connection = connect(self.url, source=source)
        header = self.header if header is None else header
        if header:
            connection.sendall(header)
        if self.tls:
            connection = over_tls(connection)
        self.connections.append(connection)
        connection.sendall(upgrade(*fields))
        return read_answer(connection).status


def same(url, first, second, expected, **options):
    """Whether requests with these fields count as of one address: the bound is hit by them together."""
    with Held(url) as held:
        for fields in [first] * MOST:
            equal(held.open(*fields, **options), 101, "status of a first one")
        equal(held.open(*second, **options), 503 if expected else 101, "status of the one behind")


def xff(*values):
    return ["X-Forwarded-For: " + value for value in values]


def forwarded(*values):
    return ["Forwarded: " + value for value in values]


# name, fields of two requests, whether they are of one address
FORWARDED = [
    ("one client", xff("192.0.2.1"), xff("192.0.2.1"), True),
    ("two clients", xff("192.0.2.1"), xff("192.0.2.2"), False),
    ("whatever the port", xff("192.0.2.1:5"), xff("192.0.2.1:6"), True),
    ("what the client says of itself does not count", xff("198.51.100.1, 192.0.2.1"), xff("192.0.2.1"), True),
    ("nor in a field of its own", xff("198.51.100.1", "192.0.2.1"), xff("192.0.2.1"), True),
    ("past trusted ones to the left", xff("192.0.2.1, 10.1.2.3, 127.0.0.1"), xff("192.0.2.1"), True),
    ("only past trusted ones", xff("198.51.100.1, 192.0.2.1, 10.1.2.3"), xff("198.51.100.2, 192.0.2.1"), True),
    ("the 64 bits of an IPv6 network", xff("2001:db8::1"), xff("2001:db8::2"), True),
    ("other IPv6 networks", xff("2001:db8::1"), xff("2001:db8:0:1::1"), False),
    ("IPv6 in brackets with a port", xff("[2001:db8::1]:5"), xff("2001:db8::1"), True),
    ("IPv4 in the form of IPv6", xff("::ffff:192.0.2.1"), xff("192.0.2.1"), True),
    ("Forwarded", forwarded("for=192.0.2.1"), xff("192.0.2.1"), True),
    ("Forwarded with all that there is", forwarded('by=10.0.0.1;For="192.0.2.1:80";proto=https;host=h'),
     forwarded("for=192.0.2.1"), True),
    ("Forwarded with quoted IPv6 and port", forwarded('for="[2001:db8::1]:4711"'), xff("2001:db8::1"), True),
    ("Forwarded in two fields", forwarded("for=198.51.100.1", "for=192.0.2.1"), xff("192.0.2.1"), True),
    ("Forwarded, a comma in quotes", forwarded('for=198.51.100.1;host="a,b", for=192.0.2.1'), xff("192.0.2.1"), True),
    ("who is hidden is one with all whom it is not told of", forwarded("for=198.51.100.1, for=_secret"),
     forwarded("for=198.51.100.2, for=_other"), True),
    ("so is an unknown one", forwarded("for=198.51.100.1, for=unknown"), forwarded("for=_x"), True),
    ("and who is not told at all", ["X-Forwarded-Proto: https"], xff("nonsense"), True),
    ("they are not the proxy's", forwarded("for=_x"), [], False),
    ("and what is no address", xff("198.51.100.1, 127.1"), xff("198.51.100.2, 0x7f.1"), True),
    ("a client cannot hide behind the other kind of field",
     xff("192.0.2.1") + forwarded("for=198.51.100.1"), xff("192.0.2.2") + forwarded("for=198.51.100.2"), True),
    ("both kinds where they agree", xff("192.0.2.1") + forwarded("for=192.0.2.1"), xff("192.0.2.1"), True),
    ("a quote left open", forwarded('for="198.51.100.1, for=192.0.2.1'), forwarded("for=_x"), True),
]


def headers(url):
    for name, first, second, expected in FORWARDED:
        with Check("of a trusted proxy: " + name):
            same(url, first, second, expected)
    for name, first, second, _ in FORWARDED:
        with Check("of one that is not trusted it counts for nothing: " + name):
            same(url, first, second, True, source="127.0.0.2")
    # name, fields, origin, status
    for name, fields, origin, status in [
        ("X-Forwarded-Proto", ["X-Forwarded-Proto: https"], "https://h", 101),
        ("the page without TLS then", ["X-Forwarded-Proto: https"], "http://h", 403),
        ("Forwarded", forwarded("for=192.0.2.9;proto=https"), "https://h", 101),
        ("as the nearest client asked", forwarded("for=192.0.2.9;proto=https, for=10.0.0.1;proto=http"), "https://h", 101),
        ("not as the client says", forwarded("proto=https, for=192.0.2.9;proto=http"), "https://h", 403),
        ("as many schemes as hops", xff("192.0.2.9, 10.0.0.1") + ["X-Forwarded-Proto: https, http"], "https://h", 101),
        ("nothing that is no scheme", ["X-Forwarded-Proto: javascript"], "https://h", 403),
        ("none said", [], "https://h", 403),
    ]:
        with Check("the scheme for the page's origin, from a trusted proxy: " + name):
            equal(ask(url, upgrade("Origin: " + origin, *fields)).status, status, "status")
        if status == 101:
            with Check("and not from another: " + name):
                equal(ask(url, upgrade("Origin: " + origin, *fields), source="127.0.0.2").status, 403, "status")


CLIENT = ("192.0.2.1", 4711)
V1 = b"PROXY TCP4 192.0.2.1 127.0.0.1 4711 8080\r\n"

UNKNOWN = b"PROXY UNKNOWN\r\n"

# name, header, the same client's as CLIENT (None: the proxy's own), or one of which it is not told
HEADERS = [
    ("version 2, IPv4", proxy_v2(CLIENT), True),
    ("version 2, another port", proxy_v2(("192.0.2.1", 1)), True),
    ("version 2, another client", proxy_v2(("192.0.2.2", 4711)), False),
    ("version 2, IPv6", proxy_v2(("2001:db8::1", 1), "::1"), False),
    ("version 2, IPv4 in the form of IPv6", proxy_v2(("::ffff:192.0.2.1", 1), "::1"), True),
    ("version 2 with more than addresses", proxy_v2(CLIENT, tlvs=b"\x04\x00\x03abc" + b"\x01\x00\x08http/1.1"), True),
    ("version 2 with 4 KB of more", proxy_v2(CLIENT, tlvs=b"\x04\x0f\xe0" + b"x" * 0xFE0), True),
    ("version 2, LOCAL", proxy_v2(command=0), None),
    ("version 2, LOCAL with an address", proxy_v2(CLIENT, command=0), None),
    ("version 2, unknown family", proxy_v2(), "unknown"),
    ("version 2, unknown family with more", proxy_v2(tlvs=b"\x04\x00\x03abc"), "unknown"),
    ("version 2, a Unix socket", proxy_v2(family=0x31, payload=b"/tmp/x".ljust(216, b"\0")), False),
    ("version 1, IPv4", V1, True),
    ("version 1, IPv6", b"PROXY TCP6 2001:db8::1 ::1 4711 8080\r\n", False),
    ("version 1, unknown", b"PROXY UNKNOWN\r\n", "unknown"),
    ("version 1, unknown with words", b"PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n", "unknown"),
]

MALFORMED = [
    ("none", b""),
    ("TLS", b"\x16\x03\x01\x02\x00"),
    ("the first byte of a signature, then another", b"\r\nGET"),
    ("a command that is none", proxy_v2(CLIENT, command=2)),
    ("version 1 in the form of version 2", proxy_v2(CLIENT).replace(b"\x21\x11", b"\x11\x11", 1)),
    ("UDP", proxy_v2(CLIENT, family=0x12)),
    ("a family that is none", proxy_v2(family=0x41, payload=b"x" * 12)),
    ("shorter than its addresses", proxy_v2(family=0x11, payload=b"x" * 11)),
    ("IPv6 shorter than its addresses", proxy_v2(family=0x21, payload=b"x" * 35)),
    ("longer than is taken", proxy_v2(CLIENT, length=65535)),
    ("version 1 in small letters", b"proxy TCP4 192.0.2.1 127.0.0.1 1 2\r\n"),
    ("version 1 of another family", b"PROXY UDP4 192.0.2.1 127.0.0.1 1 2\r\n"),
    ("version 1, an address of the other family", b"PROXY TCP4 2001:db8::1 ::1 1 2\r\n"),
    ("version 1, no address", b"PROXY TCP4 h 127.0.0.1 1 2\r\n"),
    ("version 1, a port too large", b"PROXY TCP4 192.0.2.1 127.0.0.1 65536 2\r\n"),
    ("version 1, two spaces", b"PROXY TCP4  192.0.2.1 127.0.0.1 1 2\r\n"),
    ("version 1, a bare line feed", b"PROXY TCP4 192.0.2.1 127.0.0.1 1 2\n"),
    ("version 1, a line too long", b"PROXY UNKNOWN " + b"x" * 100),
]


def proxy_protocol(url, tls=False):
    over = " over TLS" if tls else ""
    for name, header, expected in HEADERS:
        with Check("whose connection it is%s: %s" % (over, name)), Held(url, header, tls) as held:
            for _ in range(MOST):
                equal(held.open(), 101, "status of a first one")
            behind = {None: proxy_v2(command=0), "unknown": UNKNOWN}.get(expected, proxy_v2(CLIENT))
            equal(held.open(header=behind), 101 if expected is False else 503, "status of the one behind")
            if expected == "unknown":
                equal(held.open(header=proxy_v2(command=0)), 101, "status of the proxy's own")
    for name, header in MALFORMED:
        with Check("the connection ends without an answer%s: %s" % (over, name)):
            with connect(url) as connection:
                try:
                    connection.sendall(header + upgrade())
                except ConnectionError:
                    pass
                equal(read_answer(connection).status, None, "status")
    with Check("a header a byte at a time" + over):
        for header in (proxy_v2(CLIENT, tlvs=b"\x04\x00\x01a"), V1):
            with connect(url) as connection:
                for byte in header:
                    connection.sendall(bytes([byte]))
                with over_tls(connection) if tls else connection as connection:
                    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n")
                    equal(read_answer(connection).status, 200, "status")
    with Check("a header cut off ends with the connection"):
        with connect(url) as connection:
            connection.sendall(proxy_v2(CLIENT)[:20])
            connection.shutdown(1)
            assert ended(connection), "it stays"
    with Check("one that is not trusted may not say whose connection it is, nor come without saying"):
        for header in (proxy_v2(CLIENT), V1, b""):
            with connect(url, source="127.0.0.2") as connection:
                try:
                    connection.sendall(header + (b"" if tls else upgrade()))
                except ConnectionError:
                    pass
                equal(read_answer(connection).status, None, "status")
    with Check("what the proxy's client says by fields is not believed" + over), Held(url, proxy_v2(CLIENT), tls) as held:
        for i in range(MOST):
            equal(held.open(*xff("198.51.100.%d" % i)), 101, "status")
        equal(held.open(*xff("198.51.100.9")), 503, "status")
    with Check("nor of one that it does not know" + over), Held(url, UNKNOWN, tls) as held:
        for i in range(MOST):
            equal(held.open(*xff("198.51.100.%d" % i)), 101, "status")
        equal(held.open(*xff("198.51.100.9")), 503, "status")
    with Check("unless it is a trusted proxy itself" + over), Held(url, proxy_v2(("10.9.9.9", 1)), tls) as held:
        for i in range(MOST + 1):
            equal(held.open(*xff("198.51.100.%d" % i)), 101, "status")


def unix(url):
    with Check("by a Unix socket that is trusted"):
        same(url, xff("192.0.2.1"), xff("192.0.2.1"), True)
        same(url, xff("192.0.2.1"), xff("192.0.2.2"), False)
        # Those who come by the socket themselves have no address, and are not bounded by any.
        same(url, [], [], False)
    with Check("whoever hides behind it is bounded all the same"):
        same(url, xff("nonsense"), forwarded("for=_hidden"), True)
        same(url, xff("192.0.2.1") + forwarded("for=192.0.2.2"), xff("192.0.2.3") + forwarded("for=192.0.2.4"), True)


def metrics(url):
    request = b"GET /metrics HTTP/1.1\r\nHost: h\r\n%s\r\n"
    with Check("metrics for this machine alone"):
        equal(ask(url, request % b"").status, 200, "status")
        equal(ask(url, request % b"X-Forwarded-For: 192.0.2.1\r\n").status, 403, "status for a client elsewhere")
    # Whatever a client has its proxy pass on; the first one is not even trusted.
    for source in ("127.0.0.2", "127.0.0.1"):
        for fields in PASSED_ON:
            with Check("not for what was passed on from %s: %r" % (source, fields)):
                head = b"".join(field.encode("latin-1") + b"\r\n" for field in fields)
                equal(ask(url, request % head, source=source).status, 403, "status")


PASSED_ON = [
    xff("nonsense"), xff(""), xff(","), xff("127.1"), xff("localhost"), xff("127.0.0.1, unknown"), xff("a" * 4000),
    xff("\xff\xfe"), xff("127.0.0.9"), xff("127.0.0.1"), xff("::1"), xff("127.0.0.1, 10.0.0.1"),
    forwarded("nonsense"), forwarded(""), forwarded("for=_hidden"), forwarded("for=unknown"), forwarded('for="'),
    forwarded("for=127.0.0.1"), forwarded('for="[::1]"'), forwarded("for=192.0.2.1;for=127.0.0.1"),
    forwarded("for=127.0.0.1") + xff("192.0.2.1"), forwarded("for=192.0.2.1") + xff("127.0.0.1"),
    ["X-Forwarded-Proto: https"], ["X-Forwarded-Host: h"], ["X-Real-IP: 127.0.0.1"], ["Via: 1.1 p"],
    ["x-FORWARDED-for: 127.0.0.1"],
]


def announced_metrics(url):
    request = b"GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n"
    for name, header, status in [
            ("the proxy's own", proxy_v2(command=0), 200), ("a client's", proxy_v2(CLIENT), 403), ("nobody's", UNKNOWN, 403),
            ("nobody's, version 2", proxy_v2(), 403), ("one of this machine, it says", proxy_v2(("127.0.0.1", 5)), 403),
            ("a Unix socket's", proxy_v2(family=0x31, payload=b"/tmp/x".ljust(216, b"\0")), 403)]:
        with Check("metrics for this machine alone, announced as " + name), connect(url) as connection:
            connection.sendall(header + request)
            equal(read_answer(connection).status, status, "status")


KINDS = {"headers": headers, "proxy": proxy_protocol, "proxy-tls": lambda url: proxy_protocol(url, tls=True),
         "unix": unix, "metrics": metrics, "announced": announced_metrics}

try:
    KINDS[sys.argv[2]](sys.argv[1])
except Exception as error:
    report("runs to its end", error)
finish()
