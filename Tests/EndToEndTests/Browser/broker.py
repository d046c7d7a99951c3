"""A broker of a test's own, which can be killed and started again at the same address; and a proxy that blocks WebSockets."""

import asyncio
import contextlib
import re
import urllib.request

PATIENCE = 100


class Broker:
    """`async with Broker(binary, folder) as broker:` in development mode unless told otherwise, on a free port."""

    def __init__(self, binary, folder, *words, development=True):
        mode = ["--dev", "--moderator", "mod"] if development else []
        self.command = [binary, "serve", "--data", folder, *mode, *words]
        self.address = "127.0.0.1:0"
        self.process = None

    async def __aenter__(self):
        await self.start()
        return self

    async def __aexit__(self, *_):
        if self.process.returncode is None:
            self.process.terminate()
            await asyncio.wait_for(self.process.wait(), PATIENCE)
        self.draining.cancel()

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            *self.command, "--listen", self.address, stderr=asyncio.subprocess.PIPE)
        while True:
            line = await asyncio.wait_for(self.process.stderr.readline(), PATIENCE)
            assert line, "the broker ended before it listened"
            found = re.search(rb"listening on (ws://(\S+?)/v1/ws)", line)
            if found:
                self.url, self.address = found[1].decode(), found[2].decode()
                self.draining = asyncio.create_task(self.drain())
                return

    async def drain(self):
        while await self.process.stderr.read(65536):
            pass

    async def kill(self):
        self.process.kill()
        await self.process.wait()

    @property
    def page(self):
        """An address with nothing on it, whose origin is the broker's."""
        return "http://%s/healthz" % self.address

    async def metric(self, name):
        """The sum of a metric's values."""
        text = await asyncio.to_thread(
            lambda: urllib.request.urlopen("http://%s/metrics" % self.address, timeout=PATIENCE).read().decode())
        return sum(float(line.split()[-1]) for line in text.splitlines() if re.match(name + r"[ {]", line))

    def post(self, path, key):
        headers = {"Authorization": "Bearer " + key}
        request = urllib.request.Request("http://" + self.address + path, data=b"", headers=headers, method="POST")
        urllib.request.urlopen(request, timeout=PATIENCE).read()

    async def connections(self, count):
        """Waits until so many are connected."""
        while await self.metric("fanfare_connections") != count:
            await asyncio.sleep(0.02)


async def relay(reader, writer):
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


class Cable:
    """`async with Cable(address) as cable:` what lies between a page and the broker, at `cable.address`; it can be cut."""

    def __init__(self, behind):
        self.behind = behind.split(":")
        self.ends = []
        self.is_cut = False

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.address = "%s:%d" % self.server.sockets[0].getsockname()
        return self

    async def __aexit__(self, *_):
        self.server.close()
        self.cut()

    async def serve(self, reader, writer):
        if self.is_cut:
            return writer.transport.abort()
        behind, ahead = await asyncio.open_connection(*self.behind)
        self.ends += [writer, ahead]
        await asyncio.gather(relay(reader, ahead), relay(behind, writer))

    def cut(self):
        self.is_cut = True
        for end in self.ends:
            end.transport.abort()
        self.ends.clear()

    def mend(self):
        self.is_cut = False


@contextlib.asynccontextmanager
async def blocking_proxy(address):
    """A proxy in front of the broker that lets plain HTTP through and answers every upgrade with 403; gives its address."""
    host, port = address.split(":")

    async def serve(reader, writer):
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            if re.search(rb"\r\nupgrade:", head, re.IGNORECASE):
                writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                await writer.drain()
                return writer.close()
            behind, ahead = await asyncio.open_connection(host, int(port))
            # One request a connection, so that every head passes by here.
            ahead.write(re.sub(rb"(?i)\r\nconnection:[^\r]*", b"", head).replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
            await asyncio.gather(relay(reader, ahead), relay(behind, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield "%s:%d" % server.sockets[0].getsockname()
    server.close()
