"""A TLS client whose records the test sends itself, byte by byte where it likes, over a socket of its own."""

import base64
import os
import socket
import ssl
import struct
from urllib.parse import urlsplit

from checks import PATIENCE
from raw import PING, PONG, frame


class Wire:
    def __init__(self, url, authority, version=None):
        self.parts = urlsplit(url)
        context = ssl.create_default_context(cafile=authority)
        if version:
            context.minimum_version = context.maximum_version = version
        self.socket = socket.create_connection((self.parts.hostname, self.parts.port), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        self.plain = b""

    def flight(self):
        """Goes on with the handshake as far as it goes, and gives what is to be sent now."""
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        return self.outgoing.read()

    def hear(self):
        data = self.socket.recv(65536)
        if data:
            self.incoming.write(data)
        else:
            self.incoming.write_eof()

    def send(self, data, piece=None):
        """Sends, in pieces of so many bytes, each a segment of its own."""
        for start in range(0, len(data), piece or len(data) or 1):
            self.socket.sendall(data[start:start + (piece or len(data))])

    def handshake(self, piece=None):
        while True:
            try:
                self.tls.do_handshake()
                self.send(self.outgoing.read(), piece)
                return
            except ssl.SSLWantReadError:
                self.send(self.outgoing.read(), piece)
                self.hear()

    def seal(self, plain):
        """The record, or records, that hold these bytes."""
        self.tls.write(plain)
        return self.outgoing.read()

    def read(self):
        """Reads on; an end without close_notify is an ssl.SSLEOFError, one with it gives False."""
        while True:
            try:
                data = self.tls.read(65536)
                self.plain += data
                return bool(data)
            except ssl.SSLWantReadError:
                self.hear()
            except ssl.SSLZeroReturnError:
                return False

    def take(self, length):
        while len(self.plain) < length:
            if not self.read():
                raise EOFError("the connection ended")
        data, self.plain = self.plain[:length], self.plain[length:]
        return data

    def upgrade(self, user):
        return ("GET %s?user=%s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n"
                % (self.parts.path, user, self.parts.netloc, base64.b64encode(os.urandom(16)).decode())).encode()

    def open(self, user):
        """The whole way to a WebSocket."""
        self.handshake()
        self.send(self.seal(self.upgrade(user)))
        self.upgraded()
        return self

    def upgraded(self):
        while b"\r\n\r\n" not in self.plain:
            if not self.read():
                raise EOFError("the connection ended")
        head, self.plain = self.plain.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101 "), head

    def message(self, text):
        self.send(self.seal(frame(1, text.encode())))

    def frame(self):
        """The next frame that is no ping, which it answers: its opcode and payload."""
        while True:
            first, length = self.take(2)
            if length == 126:
                length, = struct.unpack(">H", self.take(2))
            elif length == 127:
                length, = struct.unpack(">Q", self.take(8))
            payload = self.take(length)
            if first & 15 != PING:
                return first & 15, payload
            self.send(self.seal(frame(PONG, payload)))

    def reset(self):
        """Closes with a reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()
