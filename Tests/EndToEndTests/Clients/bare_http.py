"""HTTP by hand, byte by byte, for requests that no library sends; and what the broker counts."""

import base64
import os
import re
import socket
import ssl
import struct
import time
import urllib.request
from urllib.parse import urlsplit

from checks import PATIENCE

KEY = "dGhlIHNhbXBsZSBub25jZQ=="


def connect(url, receive_buffer=None, source=None):
    """A connected socket, plain, over TLS or of the Unix kind (`ws+unix:PATH/v1/ws`)."""
    if "+unix:" in url:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(PATIENCE)
        connection.connect(url.split("unix:", 1)[1].removesuffix("/v1/ws"))
        return connection
    parts = urlsplit(url)
    connection = socket.socket(socket.AF_INET6 if ":" in parts.hostname else socket.AF_INET)
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.settimeout(PATIENCE)
    if source:
        connection.bind((source, 0))
    connection.connect((parts.hostname, parts.port))
    return connection


def over_tls(connection):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(connection)


def upgrade(*fields, path="/v1/ws?user=ada", version="HTTP/1.1", without=(), method="GET", host="h", **changed):
    """The bytes of an upgrade; `fields` are added, those named in `without` left out, `changed` replaced."""
    own = {"Host": host, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": KEY,
           "Sec-WebSocket-Version": "13"}
    own.update({name.replace("_", "-"): value for name, value in changed.items()})
    lines = ["%s %s %s" % (method, path, version)]
    lines += ["%s: %s" % pair for pair in own.items() if pair[0] not in without]
    return "\r\n".join(lines + list(fields) + ["", ""]).encode("latin-1")


class Answer:
    def __init__(self, status, headers, body, ended):
        self.status, self.headers, self.body, self.ended = status, headers, body, ended

    def __repr__(self):
        return "%s %r %r" % (self.status, self.headers, self.body[:200])


def read_answer(connection, until_end=False):
    """Reads one answer's head and what came behind it; status None where the connection ended without one."""
    data, ended = b"", False
    try:
        while b"\r\n\r\n" not in data or until_end:
            more = connection.recv(65536)
            if not more:
                ended = True
                break
            data += more
    except ConnectionError:
        ended = True
    if b"\r\n\r\n" not in data:
        return Answer(None, {}, data, ended)
    head, body = data.split(b"\r\n\r\n", 1)
    lines = head.decode("latin-1").split("\r\n")
    headers = {}
    for line in lines[1:]:
        name, value = line.split(":", 1)
        headers[name.lower()] = value.strip()
    return Answer(int(lines[0].split(" ")[1]), headers, body, ended)


def ask(url, data, until_end=False, source=None):
    """Sends the bytes on a connection of their own, and gives the answer."""
    with connect(url, source=source) as connection:
        try:
            connection.sendall(data)
        except ConnectionError:
            pass
        return read_answer(connection, until_end)


def ended(connection, within=PATIENCE):
    """Whether the peer ends the connection in time; what it sends before is read and dropped."""
    connection.settimeout(within)
    try:
        while connection.recv(65536):
            pass
        return True
    except socket.timeout:
        return False
    except ConnectionError:
        return True


class Metrics:
    """What the broker at this address counts."""

    def __init__(self, url):
        parts = urlsplit(url)
        self.address = "http://%s/metrics" % parts.netloc

    def text(self):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return urllib.request.urlopen(self.address, timeout=PATIENCE).read().decode()
            except OSError:
                # A bound on connections that a test has just reached holds for this one too.
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def __getitem__(self, name):
        found = re.search("^" + re.escape(name) + r" (\S+)$", self.text(), re.M)
        assert found, "there is no metric " + name
        return float(found.group(1))

    def hits(self, limit):
        return self['fanfare_limit_hits_total{limit="%s"}' % limit]

    def await_hits(self, limit, more_than):
        """Waits until a bound was hit more often; the answer may be there before it is counted."""
        end = time.monotonic() + PATIENCE
        while self.hits(limit) <= more_than:
            assert time.monotonic() < end, "limits.%s was hit and not counted" % limit
            time.sleep(0.02)


# Under a sanitizer memory has a shadow, and what is freed is kept for a while.
MEMORY_TIMES = int(os.environ.get("FANFARE_MEMORY_TIMES", "1"))
# And the broker is slower, the more so for what is a loop over bytes.
SLOWER_TIMES = int(os.environ.get("FANFARE_SLOWER_TIMES", "1"))


class Growth:
    """How much a process's resident memory has grown since this was made."""

    def __init__(self, pid):
        self.pid = pid
        self.before = self.kilobytes()

    def kilobytes(self):
        with open("/proc/%s/status" % self.pid) as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))

    def check(self, most, whose):
        """Most in kilobytes."""
        grown = self.kilobytes() - self.before
        assert grown < most * MEMORY_TIMES, "%s cost %d KB" % (whose, grown)


def cpu_seconds(pid):
    """The time that a process has worked, in user and kernel mode."""
    with open("/proc/%s/stat" % pid) as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def proxy_v2(source=None, destination="127.0.0.1", command=1, family=None, tlvs=b"", payload=None, length=None):
    """A header of the PROXY protocol, version 2, for a client at (address, port)."""
    if payload is None:
        payload = b""
        if source:
            kind = socket.AF_INET6 if ":" in source[0] else socket.AF_INET
            payload = (socket.inet_pton(kind, source[0]) + socket.inet_pton(kind, destination)
                       + struct.pack(">HH", source[1], 8080))
            family = family or (0x21 if kind == socket.AF_INET6 else 0x11)
    payload += tlvs
    return (b"\r\n\r\n\0\r\nQUIT\n" + bytes([0x20 | command, family or 0])
            + struct.pack(">H", len(payload) if length is None else length) + payload)
