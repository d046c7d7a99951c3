"""What these clients share: the report of their checks, and a connection by Debian's python3-websockets.

The report is TAP: a line "ok NAME" or "not ok NAME: WHY" for each check, and at the end "1..N".
"""

import asyncio
import json
import sys
import traceback

import websockets

# How long an answer may take on a busy machine before it counts as missing.
PATIENCE = 60

ABSENT = object()

count = 0
failures = 0


def report(name, why=None):
    global count, failures
    count += 1
    if why is None:
        print("ok " + name)
    else:
        failures += 1
        print("not ok %s: %s" % (name, " ".join(str(why).split())))


class Check:
    """`with Check("name"):` reports whether the block ran through."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is None:
            report(self.name)
        elif isinstance(error, Exception):
            where = traceback.extract_tb(trace)[0]
            report(self.name, "line %d (%s): %s %s" % (where.lineno, where.line, kind.__name__, error))
        return isinstance(error, Exception)


def finish():
    print("1..%d" % count)
    sys.exit(1 if failures else 0)


def main(scenario):
    """Runs the coroutine function with the words of the command, and ends the program with its report."""
    with Check("runs to its end"):
        asyncio.run(scenario(*sys.argv[1:]))
    finish()


def equal(found, expected, what="value"):
    assert found == expected, "%s is %r, expected %r" % (what, found, expected)


def matches(found, **expected):
    """Those fields of a message have these values; ABSENT says that there is no such field."""
    for name, value in expected.items():
        if value is ABSENT:
            assert name not in found, "%s is there: %r" % (name, found)
        else:
            assert name in found and found[name] == value and type(found[name]) is type(value), (
                "%s is not %r: %r" % (name, value, found))


class Client:
    """One connection. Everything that came is kept in `seen`, in order."""

    def __init__(self, socket):
        self.socket = socket
        self.seen = []
        self.last_id = 0

    @classmethod
    async def connect(cls, url, user=None, **options):
        address = url if user is None else url + "?user=" + user
        options = {"ping_interval": None, "max_size": None, "max_queue": None, "open_timeout": PATIENCE, **options}
        client = cls(await websockets.connect(address, **options))
        client.welcome = await client.receive()
        matches(client.welcome, type="welcome")
        return client

    async def send(self, **message):
        await self.socket.send(json.dumps(message, ensure_ascii=False))

    async def receive(self):
        text = await asyncio.wait_for(self.socket.recv(), PATIENCE)
        assert isinstance(text, str), "a binary message: %r" % text
        message = json.loads(text)
        assert isinstance(message, dict) and isinstance(message.get("type"), str), "no message: " + text
        self.seen.append(message)
        return message

    async def until(self, wanted):
        """Receives until `wanted(message)` holds; what came before is in `seen`."""
        while True:
            message = await self.receive()
            if wanted(message):
                return message

    async def request(self, type, **fields):
        """Sends a request with an id of its own and gives its reply."""
        self.last_id += 1
        id = self.last_id
        await self.send(type=type, id=id, **fields)
        return await self.until(lambda m: m.get("id") == id)

    async def ping(self):
        matches(await self.request("ping"), type="pong")

    async def closed(self):
        """Receives until the connection is closed, and gives the close code."""
        try:
            while True:
                await self.receive()
        except websockets.ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None

    async def close(self):
        await self.socket.close()

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.close()
