"""A request to a NATS server as its protocol has it, without a library."""

import asyncio
import json

from checks import PATIENCE


async def ask_nats(port, subject, body=b""):
    """Publishes one message that asks for an answer, to JetStream's interface or a stream, and returns the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b'CONNECT {"verbose":false}\r\nSUB _INBOX.test 1\r\nPUB %s _INBOX.test %d\r\n%s\r\n' % (
        subject.encode(), len(body), body))
    try:
        return json.loads(await asyncio.wait_for(answer_in(reader, writer), PATIENCE))
    except asyncio.TimeoutError:
        raise AssertionError("NATS does not answer %s" % subject) from None
    finally:
        writer.close()


async def answer_in(reader, writer):
    """The first message. A change of a stream may take long, and who leaves pings unanswered is thrown out meanwhile."""
    while not (line := await reader.readline()).startswith(b"MSG"):
        assert line and not line.startswith(b"-ERR"), "the NATS server has ended it: %r" % line
        if line.startswith(b"PING"):
            writer.write(b"PONG\r\n")
    return await reader.readexactly(int(line.split()[-1]))
