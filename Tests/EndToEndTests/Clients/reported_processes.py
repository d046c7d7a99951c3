"""Faults in how brokers start and end that were reported for others. Words: FANFARE FOLDER

The report stands in each check's name, which says what is right. Every broker is started here, and ended here.
"""

import asyncio
import os
import re
import resource
import signal
import socket
import stat
import subprocess
from urllib.parse import urlsplit

from checks import PATIENCE, Check, Client, equal, main, matches
from raw import RawClient


class Broker:
    """A broker in development mode with a store of its own, which is gone at the end of the block."""

    def __init__(self, fanfare, folder, *words, files=None):
        def limit():
            if files:
                resource.setrlimit(resource.RLIMIT_NOFILE, files)
        self.process = subprocess.Popen(
            [fanfare, "serve", "--dev", "--data", folder, *words], stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        self.said = []

    def lines(self, pattern):
        """Reads its lines to one that has the pattern, and gives that."""
        for line in self.process.stderr:
            self.said.append(line.strip())
            if re.search(pattern, line):
                return line.strip()
        raise AssertionError("it ended with %s: %s" % (self.process.wait(PATIENCE), self.said))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()


def listening(line):
    return line.split("listening on ")[1]


async def silent_peers(fanfare, folder):
    """hummingbird-websocket#61, renku-ui#2861: peers that say nothing and acknowledge nothing do not hold up its end."""
    with Broker(fanfare, folder, "--listen", "127.0.0.1:0") as broker:
        url = listening(broker.lines("listening on"))
        place = urlsplit(url)
        silent = [socket.create_connection((place.hostname, place.port), PATIENCE) for _ in range(20)]
        half = socket.create_connection((place.hostname, place.port), PATIENCE)
        half.sendall(b"GET /v1/ws HTTP/1.1\r\nHost: x\r\n")
        # Sockets that never read, so never answer the close.
        deaf = [RawClient(url, "deaf-%d" % i, receive_buffer=4096) for i in range(20)]
        broker.process.send_signal(signal.SIGTERM)
        equal(broker.process.wait(PATIENCE), 0, "exit status")
        for connection in silent + [half] + [client.socket for client in deaf]:
            connection.close()


async def soft_limit(fanfare, folder):
    """vapor#1472, vapor#1694: more connections than the soft limit of descriptors, as far as the hard one allows."""
    with Broker(fanfare, folder, "--listen", "127.0.0.1:0", files=(256, 2048)) as broker:
        url = listening(broker.lines("listening on"))
        clients = [RawClient(url, "u%d" % i) for i in range(600)]
        async with await Client.connect(url, "ada") as ada:
            await ada.ping()
        for client in clients:
            client.socket.close()


async def stale_socket(fanfare, folder):
    """MAS#2424, nginx#851: the socket file of a broker that was killed is used again, that of a living one is not."""
    path = os.path.join(folder, "socket")
    words = ("--listen", "unix:" + path)
    with Broker(fanfare, os.path.join(folder, "1"), *words) as first:
        first.lines("listening on")
        with Broker(fanfare, os.path.join(folder, "2"), *words) as second:
            status = second.process.wait(PATIENCE)
            assert status not in (0, -signal.SIGKILL), status
        async with await Client.connect("ws://localhost/v1/ws", "ada", unix=True, path=path) as ada:
            await ada.ping()
        first.process.kill()
    assert stat.S_ISSOCK(os.stat(path).st_mode), "nothing is left to be used again"
    with Broker(fanfare, os.path.join(folder, "1"), *words) as third:
        third.lines("listening on")
        async with await Client.connect("ws://localhost/v1/ws", "ada", unix=True, path=path) as ada:
            await ada.ping()
        third.process.terminate()
        equal(third.process.wait(PATIENCE), 0, "exit status")


async def regular_file(fanfare, folder):
    """katzenpost#1116: a file that is no socket is never deleted."""
    path = os.path.join(folder, "precious")
    with open(path, "w") as file:
        file.write("precious")
    with Broker(fanfare, folder, "--listen", "unix:" + path) as broker:
        assert broker.process.wait(PATIENCE) not in (0, -signal.SIGKILL), broker.process.returncode
        said = broker.process.stderr.read()
    assert path in said, said
    with open(path) as file:
        equal(file.read(), "precious", "the file")


async def both_families(fanfare, folder):
    """lightning#9148, uWebSockets#726: a listener is there for the family that it names, and a second one for the other."""
    with Broker(fanfare, folder, "--listen", "[::1]:0", "--listen", "127.0.0.1:0") as broker:
        for url in sorted(listening(broker.lines("listening on")) for _ in range(2)):
            async with await Client.connect(url, "ada") as ada:
                matches(await ada.request("add", channel="chat:1", message=urlsplit(url).hostname, reaction="👍"),
                        result="added")


async def first_process(fanfare, folder):
    """graph-explorer#2188, yhub#18: SIGTERM and SIGINT end it with 0, and soon."""
    for sent in (signal.SIGTERM, signal.SIGINT):
        with Broker(fanfare, folder, "--listen", "127.0.0.1:0") as broker:
            broker.lines("listening on")
            broker.process.send_signal(sent)
            equal(broker.process.wait(PATIENCE), 0, "exit status after %s" % sent.name)


async def scenario(fanfare, folder):
    for part in (silent_peers, soft_limit, stale_socket, regular_file, both_families, first_process):
        own = os.path.join(folder, part.__name__)
        os.makedirs(own)
        with Check(part.__doc__):
            await part(fanfare, own)


main(scenario)
