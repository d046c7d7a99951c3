#!/usr/bin/python3
"""Random WebSocket streams, valid and broken, and what Python's websockets makes of them.

    streams.py COUNT SEED [FIRST]

Writes COUNT records, beginning with number FIRST (0), to the standard output; `record` tells their form. The same seed
gives the same streams. Read by Tests/Fuzzing/WebSocket/StreamRecord.swift.

Where the two sides are known to differ, RFC 6455 decides, and what is expected here is what it says:

- A length that is not in its shortest form, or has its top bit set, fails with 1002 (section 5.2); websockets reads it.
- A close frame may come inside a fragmented message (section 5.5); websockets fails it with 1002.
- A control frame is no part of the message around it, so the limit for messages is not for it; websockets counts it.
- Text must be UTF-8 (section 8.1); this layer of websockets leaves that to its caller, which is here.
- A header that breaks two rules, one of them the limit, may be answered with 1002 or 1009; which is nobody's rule.
  So may a close frame with a code that must not be sent and a reason that is not UTF-8, with 1002 or 1007.
- What is wrong in a header may be said before the payload is there (ours), or after (websockets). The same holds for
  text inside a frame. So of a frame that is not all there, the header and the text are judged here.
- Python's decoder waits for a third byte after ED A0 to ED BF, which no byte makes UTF-8 (RFC 3629 section 4).
- A close frame is answered with its code (section 5.5.1); websockets repeats the reason too, which is not compared.
"""

import codecs
import random
import struct
import sys

from websockets.connection import Connection, Side, State
from websockets.frames import EXTERNAL_CLOSE_CODES, OP_CLOSE, OP_CONT, OP_PING, OP_PONG, OP_TEXT

NO_CODE = 1005
GREATEST = (1 << 32) - 1
LIMITS = (GREATEST, GREATEST, 65536, 700, 130, 3)
ALPHABET = ["a", "{", '"', "\0", "é", "ß", "€", "漢", "\ud7ff", "\ue000", "👍", "🎉", "👨‍👩‍👧", "\U0010ffff"]
NOT_UTF8 = [
    b"\xff", b"\x80", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf",
    b"\xf0\x80\x80\x80", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xe2\x82", b"\xf0\x9f\x91",
    b"\xe2\x28\xa1", b"\xc3",
]
CLOSE_CODES = [0, 999, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1011, 1012, 1014, 1015, 1016, 2999, 3000, 4000,
               4999, 5000, 65535]


class Generator:
    """Makes a stream."""

    def __init__(self, rng, masked):
        self.rng = rng
        self.masked = masked
        # Most streams obey the rules as far as they are not broken afterwards.
        self.unruly = rng.random() < 0.4

    def stream(self):
        rng = self.rng
        parts = []
        for _ in range(rng.choice((1, 1, 2, 3, 4, 6))):
            parts += self.message()
        if rng.random() < 0.3:
            parts.append(self.close())
            if rng.random() < 0.3:
                parts += self.message()
        stream = b"".join(parts)
        if rng.random() < 0.3:
            stream = self.spoil(stream)
        if rng.random() < 0.15:
            stream = stream[: rng.randrange(len(stream) + 1)]
        return stream

    def message(self):
        rng = self.rng
        is_text = rng.random() < 0.6
        payload = self.text() if is_text else rng.randbytes(self.length())
        count = rng.choice((1, 1, 1, 2, 3, 5))
        cuts = sorted(rng.randint(0, len(payload)) for _ in range(count - 1))
        frames = []
        for index, (start, end) in enumerate(zip([0] + cuts, cuts + [len(payload)])):
            opcode = 0 if index else 1 if is_text else 2
            if self.unruly and rng.random() < 0.1:
                opcode = rng.choice((0, 1, 2))
            fin = index == count - 1
            if self.unruly and rng.random() < 0.05:
                fin = not fin
            frames.append(self.frame(opcode, payload[start:end], fin))
            if rng.random() < 0.25:
                frames.append(self.control())
        return frames

    def length(self):
        rng = self.rng
        kind = rng.random()
        if kind < 0.7:
            return rng.randrange(60)
        if kind < 0.995:
            return rng.choice((124, 125, 126, 127, 128, 200, 255, 256, 400, 699, 700, 701))
        return rng.choice((1000, 4096, 65535, 65536, 65537))

    def text(self):
        rng = self.rng
        length = self.length()
        text = "".join(rng.choices(ALPHABET, k=min(length, 30))).encode()
        text = (text * (length // max(len(text), 1) + 1))[: length + 3].decode("utf-8", "ignore").encode()
        if self.unruly and rng.random() < 0.3:
            place = rng.randint(0, len(text))
            text = text[:place] + rng.choice(NOT_UTF8) + text[place:]
        return text

    def control(self):
        rng = self.rng
        if self.unruly and rng.random() < 0.05:
            return self.close()
        length = rng.choice((0, 0, 1, 4, 20, 124, 125))
        fin = True
        if self.unruly and rng.random() < 0.1:
            length = rng.choice((126, 200, 300))
        if self.unruly and rng.random() < 0.1:
            fin = False
        return self.frame(rng.choice((9, 10)), rng.randbytes(length), fin)

    def close(self):
        rng = self.rng
        if rng.random() < 0.2:
            return self.frame(8, rng.choice((b"", b"", b"\x03")))
        code = rng.choice(CLOSE_CODES) if self.unruly else rng.choice((1000, 1001, 3000, 4999))
        reason = rng.choice((b"", b"bye", "wiedersehen…".encode(), b"r" * 123))
        if self.unruly and rng.random() < 0.2:
            reason = rng.choice(NOT_UTF8)
        return self.frame(8, struct.pack("!H", code) + reason)

    def frame(self, opcode, payload, fin=True):
        rng = self.rng
        first = (0x80 if fin else 0) | opcode
        masked = self.masked
        size = None
        if self.unruly:
            if rng.random() < 0.03:
                first |= rng.choice((0x10, 0x20, 0x40, 0x70))
            if rng.random() < 0.03:
                first = first & 0xF0 | rng.choice((3, 4, 7, 11, 15))
            if rng.random() < 0.02:
                masked = not masked
            if rng.random() < 0.03:
                size = rng.choice((126, 127))
        length = len(payload)
        if size is None:
            size = length if length < 126 else 126 if length < 65536 else 127
        if size == 126 and length > 65535:
            size = 127
        header = bytes((first, size | (0x80 if masked else 0)))
        if size == 126:
            header += struct.pack("!H", length)
        elif size == 127:
            top = 1 << 63 if self.unruly and rng.random() < 0.3 else 0
            header += struct.pack("!Q", length | top)
        if masked:
            key = rng.choice((rng.randbytes(4), b"\0\0\0\0"))
            header += key
            payload = mask(payload, key)
        return header + payload

    def spoil(self, stream):
        rng = self.rng
        stream = bytearray(stream)
        for _ in range(rng.randint(1, 3)):
            if not stream:
                break
            place = rng.randrange(len(stream))
            kind = rng.random()
            if kind < 0.5:
                stream[place] ^= 1 << rng.randrange(8)
            elif kind < 0.7:
                stream[place] = rng.randrange(256)
            elif kind < 0.85:
                del stream[place]
            else:
                stream[place:place] = rng.randbytes(rng.randint(1, 3))
        return bytes(stream)


def mask(payload, key):
    if not payload:
        return payload
    repeated = (key * (len(payload) // 4 + 1))[: len(payload)]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(len(payload), "big")


class Header:
    """The header at the start of some bytes, as far as it is there."""

    def __init__(self, data):
        self.is_complete = False
        self.length = None
        self.is_minimal = True
        self.is_short = len(data) < 2
        if self.is_short:
            return
        self.first, second = data[0], data[1]
        self.opcode = self.first & 15
        self.masked = second >= 128
        self.size = second & 127
        end = 2 + {126: 2, 127: 8}.get(self.size, 0)
        if len(data) < end:
            return
        self.length = self.size if self.size < 126 else int.from_bytes(data[2:end], "big")
        self.is_minimal = self.size < 126 or (self.length > 125 if self.size == 126 else 65535 < self.length < 1 << 63)
        self.key = data[end : end + 4] if self.masked else b""
        self.end = end + (4 if self.masked else 0)
        self.is_complete = len(data) >= self.end

    def codes(self, side, room, is_inside):
        """The close codes that name what is wrong in the header; none: nothing is."""
        codes = set()
        if self.is_short:
            return codes
        is_control = self.opcode >= 8
        if (self.first & 0x70 or self.opcode not in (0, 1, 2, 8, 9, 10) or self.masked != (side is Side.SERVER)
                or is_control and (self.first < 128 or self.size > 125)
                or not is_control and self.is_complete and (self.opcode == 0) != is_inside
                or not self.is_minimal):
            codes.add(1002)
        if not is_control and self.length is not None and self.length > room:
            codes.add(1009)
        return codes


class Reading:
    """What websockets makes of a stream, with the differences put right that stand above."""

    def __init__(self, stream, side, limit):
        self.events = []
        self.codes = None  # those of the close frame that is due
        self.is_failed = False
        self.may_fail = set()  # codes with which a header that is not all there may be refused already
        self.connection = Connection(side, State.OPEN, max_size=limit)
        self.kind = None
        self.message = b""
        self.limit = limit
        while stream and self.codes is None:
            stream = self.step(stream)

    def step(self, stream):
        connection = self.connection
        header = Header(stream)
        is_inside = connection.cur_size is not None
        room = self.limit - (connection.cur_size or 0)
        wrong = header.codes(connection.side, room, is_inside)
        if not header.is_complete:
            self.may_fail = wrong
            return b""
        payload = stream[header.end : header.end + header.length] if header.length < 1 << 31 else stream[header.end :]
        is_whole = len(payload) == header.length
        if not header.is_minimal or not is_whole and wrong:
            self.fail(wrong)
            return b""
        if not is_whole:
            self.check_text(header, mask(payload, header.key or b"\0\0\0\0"))
            return b""
        if header.opcode >= 8:
            connection.max_size = None
        if header.opcode == 8:
            connection.cur_size = None
        connection.receive_data(stream[: header.end + header.length])
        connection.max_size = self.limit
        for frame in connection.events_received():
            self.take(frame)
        if connection.parser_exc is not None:
            self.fail({connection.close_sent.code} | (wrong if len(wrong) > 1 else self.close_codes(header, payload)))
        elif connection.close_rcvd is not None:
            self.codes = {connection.close_sent.code}
        return stream[header.end + header.length :]

    def close_codes(self, header, payload):
        """The code that may name what is wrong in a close frame, besides that its reason is not UTF-8."""
        if header.opcode != 8 or len(payload) < 2:
            return set()
        code = int.from_bytes(mask(payload, header.key or b"\0\0\0\0")[:2], "big")
        return set() if code in EXTERNAL_CLOSE_CODES or 3000 <= code < 5000 else {1002}

    def take(self, frame):
        if frame.opcode in (OP_PING, OP_PONG):
            self.events.append((frame.opcode, frame.data))
        elif frame.opcode != OP_CLOSE:
            if frame.opcode != OP_CONT:
                self.begin(frame.opcode)
            self.message += frame.data
            if self.kind == OP_TEXT and not self.decode(frame.data, frame.fin):
                self.fail({1007})
            elif frame.fin:
                self.events.append((self.kind, self.message))
                self.begin(None)

    def begin(self, kind):
        self.kind = kind
        self.message = b""
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def check_text(self, header, part):
        """Judges the text in a frame that is not all there."""
        if header.opcode < 8 and (header.opcode == OP_TEXT or header.opcode == OP_CONT and self.kind == OP_TEXT):
            if header.opcode == OP_TEXT:
                self.begin(OP_TEXT)
            if not self.decode(part, False):
                self.fail({1007})

    def decode(self, data, final):
        try:
            self.decoder.decode(data, final)
        except UnicodeDecodeError:
            return False
        waiting = self.decoder.getstate()[0]
        return not (waiting[:1] == b"\xed" and waiting[1:2] >= b"\xa0")

    def fail(self, codes):
        if self.codes is None:
            self.codes = codes
            self.is_failed = True


def record(stream, role, limit, reading):
    """One record, numbers with the least byte first: all that follows the first length.

    u32 length, u8 role (0: read as a server), u32 limit, u32 length and bytes of the stream,
    u8 end (0: open, 1: closed, 2: failed, 3: open, or failed already), u8 count of codes, each u16,
    u16 count of events, each u8 opcode, u32 length, bytes.
    """
    end = 2 if reading.is_failed else 1 if reading.codes is not None else 3 if reading.may_fail else 0
    codes = sorted(reading.codes or reading.may_fail)
    parts = [struct.pack("<BII", role, limit, len(stream)), stream, struct.pack("<BB", end, len(codes))]
    parts += [struct.pack("<H", code) for code in codes]
    parts.append(struct.pack("<H", len(reading.events)))
    for opcode, data in reading.events:
        parts += [struct.pack("<BI", opcode, len(data)), data]
    body = b"".join(parts)
    return struct.pack("<I", len(body)) + body


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    for index in range(first, first + count):
        rng = random.Random(seed << 32 | index)
        role = rng.randrange(2)
        limit = rng.choice(LIMITS)
        stream = Generator(rng, masked=role == 0).stream()
        reading = Reading(stream, Side.CLIENT if role else Side.SERVER, limit)
        sys.stdout.buffer.write(record(stream, role, limit, reading))


main()
