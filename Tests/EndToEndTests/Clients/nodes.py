"""Some NATS servers and some brokers on loopback, with relays between them that can be cut.

Every server reaches every other by a relay of its own, and every broker every server; none is told of another way.
"""

import asyncio
import json
import os
import random
import re
import signal
import socket

from checks import PATIENCE


# A server's key, with which anyone may be revoked.
KEY = "key-of-a-server-of-the-cluster-0123456789"


# Names that say to runs beside this one which ports are given away, as long as this one lasts.
claims = []


def free_port():
    """One that stays free while a server is away: below those that the system gives to connections (32768 on)."""
    # Not of the seed that repeats a run: runs beside each other should not meet.
    ports = random.SystemRandom()
    while True:
        port = ports.randrange(20_000, 32_000)
        claim = socket.socket(socket.AF_UNIX)
        with socket.socket() as taken:
            try:
                claim.bind("\0fanfare-test-port-%d" % port)
                taken.bind(("127.0.0.1", port))
            except OSError:
                claim.close()
                continue
        claims.append(claim)
        return port


class Relay:
    """A port that passes on to another one, until it is cut."""

    def __init__(self, port, target):
        self.port, self.target = port, target
        self.is_cut = False
        self.writers = set()

    async def open(self):
        self.server = await asyncio.start_server(self.accepted, "127.0.0.1", self.port)

    async def accepted(self, reader, writer):
        if self.is_cut:
            return writer.close()
        try:
            out_reader, out_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return writer.close()
        self.writers |= {writer, out_writer}
        await asyncio.gather(self.pump(reader, out_writer), self.pump(out_reader, writer))

    async def pump(self, reader, writer):
        try:
            while data := await reader.read(65536):
                while self.is_cut:
                    # As a cable that is pulled: nothing comes through, and nobody is told.
                    await asyncio.sleep(0.05)
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            self.writers.discard(writer)
            writer.close()

    def cut(self):
        self.is_cut = True

    def mend(self):
        self.is_cut = False


class Process:
    """A program with a log file, which is started again with the same words."""

    def __init__(self, name, folder, words, environment=None):
        self.name, self.words = name, words
        self.log = os.path.join(folder, name + ".log")
        self.environment = {**os.environ, **(environment or {})}
        self.process = None

    async def start(self):
        with open(self.log, "ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *self.words, stdout=log, stderr=log, stdin=asyncio.subprocess.DEVNULL, env=self.environment)

    def tell(self, number):
        if self.process and self.process.returncode is None:
            self.process.send_signal(number)

    async def end(self, number=signal.SIGTERM):
        self.tell(number)
        try:
            await asyncio.wait_for(self.process.wait(), 60)
        except asyncio.TimeoutError:
            self.tell(signal.SIGKILL)
            await self.process.wait()

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()


class Server(Process):
    """A NATS server with JetStream."""

    def __init__(self, index, folder, ports, routes, max_payload=1048576):
        self.index, self.port, self.cluster_port = index, ports[0], ports[1]
        self.file = os.path.join(folder, "nats-%d.conf" % index)
        cluster = ""
        if routes:
            cluster = """
cluster {
  name: fanfare
  listen: 127.0.0.1:%d
  # Nobody is told of a way around the relays.
  advertise: "127.0.0.1:1"
  no_advertise: true
  routes: [%s]
}""" % (self.cluster_port, ", ".join('"nats-route://127.0.0.1:%d"' % port for port in routes))
        self.monitor = free_port()
        with open(self.file, "w") as out:
            out.write("""server_name: n%d
listen: 127.0.0.1:%d
http: 127.0.0.1:%d
ping_interval: "2s"
max_payload: %d
jetstream { store_dir: "%s", max_memory_store: 64MB, max_file_store: 4GB }%s
""" % (index, self.port, self.monitor, max_payload, os.path.join(folder, "jetstream-%d" % index), cluster))
        super().__init__("nats-%d" % index, folder, [nats_server(), "-c", self.file])

    def state(self):
        """Whether it runs, and what it said last; for whom a broker ended without it."""
        ended = "runs" if self.process.returncode is None else "ended with %d" % self.process.returncode
        return "%s %s: %s" % (self.name, ended, self.said()[-1500:])

    async def reachable(self):
        for _ in range(PATIENCE * 10):
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                return
            except OSError:
                await asyncio.sleep(0.1)
        raise AssertionError("%s cannot be reached: %s" % (self.name, self.said()))

    async def healthy(self):
        """Waits until it has all that it should have of the streams.

        A replica of NATS 2.9 that begins its raft log anew may be out of step with it ("last sequence mismatch", once a
        second) until the leader takes a snapshot of the stream, which it does every 2 to 2.5 minutes.
        """
        for _ in range(PATIENCE * 25):
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.monitor)
                writer.write(b"GET /healthz HTTP/1.0\r\n\r\n")
                answer = await reader.read()
                writer.close()
                if b" 200 " in answer.split(b"\r\n")[0]:
                    return
            except OSError:
                pass
            await asyncio.sleep(0.2)
        raise AssertionError("%s does not get well: %s" % (self.name, self.said()[-2000:]))


class Broker(Process):
    """A broker that shares its channels by NATS."""

    def __init__(self, index, folder, fanfare, servers, replicas, words=(), limits=None):
        self.index = index
        self.port = free_port()
        self.data = os.path.join(folder, "data-%d" % index)
        os.makedirs(self.data, exist_ok=True)
        file = os.path.join(folder, "broker-%d.json" % index)
        with open(file, "w") as out:
            names = ", ".join('"nats://127.0.0.1:%d"' % port for port in servers)
            out.write('{"server_keys": ["%s"], "nats": {"servers": [%s], "replicas": %d}, "limits": %s}' % (
                KEY, names, replicas, json.dumps(limits or {})))
        super().__init__("broker-%d" % index, folder, [
            fanfare, "serve", "--dev", "--moderator", "mod", "--listen", "127.0.0.1:%d" % self.port, "--data", self.data,
            "--loops", "2", "--config", file, *words])

    @property
    def url(self):
        return "ws://127.0.0.1:%d/v1/ws" % self.port

    @property
    def http(self):
        return "http://127.0.0.1:%d" % self.port

    async def serving(self):
        for _ in range(1200):
            if self.process.returncode is not None:
                raise AssertionError("%s ended with %d: %s" % (self.name, self.process.returncode, self.said()))
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                return
            except OSError:
                await asyncio.sleep(0.1)
        raise AssertionError("%s cannot be reached: %s" % (self.name, self.said()))


class Nodes:
    """All of them."""

    def __init__(self, folder, fanfare, servers=3, brokers=3, words=(), limits=None, max_payload=1048576):
        ports = [(free_port(), free_port()) for _ in range(servers)]
        self.relays, self.routes, self.ways = [], {}, {}
        for here in range(servers):
            for there in range(servers):
                if here != there:
                    self.routes[here, there] = self.relay(ports[there][1])
        self.servers = [
            Server(i, folder, ports[i], [r.port for (here, _), r in self.routes.items() if here == i],
                   max_payload)
            for i in range(servers)]
        for broker in range(brokers):
            for server in range(servers):
                self.ways[broker, server] = self.relay(ports[server][0])
        self.brokers = [
            Broker(i, folder, fanfare, [self.ways[i, s].port for s in range(servers)], min(servers, 3), words,
                   limits)
            for i in range(brokers)]

    def relay(self, target):
        relay = Relay(free_port(), target)
        self.relays.append(relay)
        return relay

    async def __aenter__(self):
        try:
            await self.open()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def open(self):
        for relay in self.relays:
            await relay.open()
        for server in self.servers:
            await server.start()
        for server in self.servers:
            await server.reachable()
        await self.well()
        for broker in self.brokers:
            await broker.start()
        try:
            for broker in self.brokers:
                await broker.serving()
        except AssertionError as error:
            raise AssertionError("%s; %s" % (error, "; ".join(server.state() for server in self.servers))) from error

    async def __aexit__(self, *_):
        self.mend()
        for process in self.brokers + self.servers:
            if process.process:
                process.tell(signal.SIGCONT)
        await asyncio.gather(*(p.end(signal.SIGKILL) for p in self.brokers + self.servers if p.process))

    async def well(self):
        """Waits until all NATS servers have all that they should have."""
        for server in self.servers:
            await server.healthy()

    def cut_broker(self, broker):
        """No NATS server can be reached by a broker."""
        for (here, _), relay in self.ways.items():
            if here == broker:
                relay.cut()

    def cut_server(self, server):
        """A NATS server is cut off from the other ones; brokers still reach it."""
        for pair, relay in self.routes.items():
            if server in pair:
                relay.cut()

    def mend(self):
        for relay in self.relays:
            relay.mend()

    def traps(self):
        """What a broker said that it must never say."""
        return [
            line for broker in self.brokers for line in broker.said().splitlines()
            if re.search(r"Fatal error|Crash|Illegal instruction", line)]


def nats_server():
    for place in ("/usr/sbin/nats-server", "/usr/bin/nats-server"):
        if os.path.exists(place):
            return place
    return "nats-server"
