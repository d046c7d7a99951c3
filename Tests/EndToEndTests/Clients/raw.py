"""A WebSocket client as bare as can be, for what a proper one refuses to send."""

import base64
import os
import socket
import struct
from urllib.parse import urlsplit

from checks import PATIENCE

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def frame(opcode, payload=b"", final=True, masked=True, reserved=0):
    first = (0x80 if final else 0) | reserved << 4 | opcode
    bit = 0x80 if masked else 0
    if len(payload) < 126:
        head = bytes([first, bit | len(payload)])
    elif len(payload) < 65536:
        head = bytes([first, bit | 126]) + struct.pack(">H", len(payload))
    else:
        head = bytes([first, bit | 127]) + struct.pack(">Q", len(payload))
    if not masked:
        return head + payload
    key = os.urandom(4)
    return head + key + bytes(b ^ key[i % 4] for i, b in enumerate(payload))


class RawClient:
    def __init__(self, url, user, receive_buffer=None, extensions=()):
        parts = urlsplit(url)
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE)
        self.socket.connect((parts.hostname, parts.port))
        self.buffer = b""
        self.send(
            ("GET %s?user=%s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n%s\r\n"
             % (parts.path, user, parts.netloc, base64.b64encode(os.urandom(16)).decode(),
                "".join("Sec-WebSocket-Extensions: %s\r\n" % e for e in extensions))).encode())
        while b"\r\n\r\n" not in self.buffer:
            self.more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101 "), head
        self.head = head.decode().split("\r\n")

    def send(self, data):
        self.socket.sendall(data)

    def more(self):
        data = self.socket.recv(65536)
        if not data:
            raise EOFError("the connection ended")
        self.buffer += data

    def take(self, length):
        while len(self.buffer) < length:
            self.more()
        data, self.buffer = self.buffer[:length], self.buffer[length:]
        return data

    def frame(self):
        """The next frame: opcode and payload."""
        first, payload = self.whole_frame()
        return first & 0x0F, payload

    def whole_frame(self):
        """The next frame: its first byte and payload."""
        first, second = self.take(2)
        length = second & 0x7F
        if length == 126:
            length, = struct.unpack(">H", self.take(2))
        elif length == 127:
            length, = struct.unpack(">Q", self.take(8))
        return first, self.take(length)

    def close_code(self):
        """Reads to the close frame, gives its code, and answers it; the connection must end then."""
        opcode, payload = self.frame()
        while opcode != CLOSE:
            opcode, payload = self.frame()
        try:
            self.send(frame(CLOSE, payload[:2]))
            while True:
                self.more()
        except (EOFError, ConnectionError):
            self.socket.close()
        return struct.unpack(">H", payload[:2])[0] if payload else None
