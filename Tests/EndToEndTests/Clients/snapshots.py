"""A snapshot whose head is taken while its acknowledgment comes too late: the channel is whole for whoever comes to it.

Words: FANFARE     FANFARE: the command
"""

import asyncio
import signal
import tempfile

from checks import PATIENCE, Check, Client, equal, main, matches
from nodes import Broker, Nodes, Relay, free_port

CHANNEL = "chat:kept"
HEAD = b"HPUB fanfare.state.head."
# As many batches as a snapshot takes, and some more.
BATCHES = 520
# For longer than a broker waits for an answer, in seconds.
HELD = 7


class Holding(Relay):
    """A relay that holds back what the server says for a while when the first head is under way."""

    def __init__(self, relay):
        super().__init__(relay.port, relay.target)
        self.seen, self.over = asyncio.Event(), asyncio.Event()

    async def pump(self, reader, writer):
        try:
            while data := await reader.read(65536):
                if HEAD in data and not self.seen.is_set():
                    self.seen.set()
                    asyncio.get_running_loop().call_later(HELD, self.over.set)
                if writer.get_extra_info("peername")[1] != self.target and self.seen.is_set():
                    await self.over.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            self.writers.discard(writer)
            writer.close()


class Noting(Relay):
    """A relay that notes what a broker asks JetStream for."""

    def __init__(self, target):
        super().__init__(free_port(), target)
        self.asked = b""

    async def pump(self, reader, writer):
        try:
            while data := await reader.read(65536):
                if writer.get_extra_info("peername")[1] == self.target:
                    self.asked += data
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()


async def until(client, type, result, **fields):
    """Asks until it is not `unavailable`, under one key, so that it counts once."""
    for _ in range(PATIENCE * 5):
        reply = await client.request(type, **fields)
        if reply.get("code") != "unavailable":
            return matches(reply, result=result)
        await asyncio.sleep(0.2)
    raise AssertionError("it stays unavailable: %s" % reply)


async def scenario(fanfare):
    with tempfile.TemporaryDirectory(prefix="fanfare-snapshots-", ignore_cleanup_errors=True) as folder:
        nodes = Nodes(folder, fanfare, servers=1, brokers=1)
        relay = nodes.ways[0, 0]
        holding = nodes.ways[0, 0] = Holding(relay)
        nodes.relays[nodes.relays.index(relay)] = holding
        async with nodes:
            ada = await Client.connect(nodes.brokers[0].url, "ada")
            for number in range(BATCHES):
                await until(ada, "add", "added", channel=CHANNEL, message="m%d" % number, reaction="👍", key=str(number))
            await asyncio.wait_for(holding.over.wait(), PATIENCE)
            with Check("the log takes changes again"):
                await until(ada, "add", "added", channel=CHANNEL, message="last", reaction="👍", key="last")
            noting = Noting(nodes.servers[0].port)
            await noting.open()
            late = Broker(1, folder, fanfare, [noting.port], 1)
            await late.start()
            try:
                await late.serving()
                with Check("a broker that comes to it knows all of it"):
                    bob = await Client.connect(late.url, "bob")
                    reply = await bob.request("list", channel=CHANNEL, messages=["m0", "m%d" % (BATCHES - 1), "last"])
                    matches(reply, type="list")
                    equal([m["total"] for m in reply["messages"]], [1, 1, 1], "reactions")
                    equal(reply["seq"], BATCHES + 1, "seq")
                    await bob.close()
                with Check("and has asked the stream's leader for it, since replicas may differ"):
                    assert b"$JS.API.STREAM.MSG.GET.fanfare-log-0 " in noting.asked
                    assert b"$JS.API.DIRECT.GET." not in noting.asked
            finally:
                await late.end(signal.SIGKILL)
            await ada.close()


if __name__ == "__main__":
    main(scenario)
