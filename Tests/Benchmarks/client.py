"""A small WebSocket client for what is measured here."""

import base64
import socket


class Client:
    """A WebSocket that says and hears just what is needed here."""

    def __init__(self, port, user):
        self.socket = socket.create_connection(("127.0.0.1", port), 60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bytes = b""
        key = base64.b64encode(b"0123456789abcdef").decode()
        self.socket.sendall((
            "GET /v1/ws?user=%s HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\nSec-WebSocket-Protocol: fanfare.v1.json\r\n\r\n"
            % (user, key)).encode())
        while b"\r\n\r\n" not in self.bytes:
            self.fill()
        self.bytes = self.bytes.split(b"\r\n\r\n", 1)[1]
        self.wait_for(b'{"type":"welcome"')

    def fill(self):
        more = self.socket.recv(65536)
        if not more:
            raise SystemExit("the broker ended a connection")
        self.bytes += more

    def say(self, text):
        text = text.encode()
        length = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2, "big")
        self.socket.sendall(b"\x81" + length + b"\0\0\0\0" + text)

    def hear(self):
        """The next text."""
        while True:
            frame = self.frame()
            if frame is None:
                self.fill()
                continue
            opcode, text = frame
            if opcode == 1:
                return text
            if opcode == 9:
                self.socket.sendall(b"\x8a" + bytes([0x80 | len(text)]) + b"\0\0\0\0" + text)

    def frame(self):
        """Takes the next frame, of less than 64 KiB, out of what has come; None where it is not all there."""
        if len(self.bytes) < 2:
            return None
        length, start = self.bytes[1] & 0x7F, 2
        if length == 126:
            if len(self.bytes) < 4:
                return None
            length, start = int.from_bytes(self.bytes[2:4], "big"), 4
        if len(self.bytes) < start + length:
            return None
        opcode, text = self.bytes[0] & 0x0F, self.bytes[start:start + length]
        self.bytes = self.bytes[start + length:]
        return opcode, text

    def wait_for(self, beginning):
        while not self.hear().startswith(beginning):
            pass

    def close(self):
        self.socket.sendall(b"\x88\x82\0\0\0\0\x03\xe8")
        self.socket.close()
