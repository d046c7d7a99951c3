"""A broker as a service manager starts it: sockets that are open already are passed to it (sd_listen_fds(3))."""

import os
import re
import signal
import socket
import subprocess
import time

from broker import PROGRAM
from checks import PATIENCE


class Service:
    """A broker as a manager starts it; `sockets` are passed to it, `prefix` is a command that starts another, and
    `begin` is called in the new process."""

    def __init__(self, folder, *words, sockets=(), environment=None, mode=("--dev", "--store", "memory"), program=PROGRAM,
                 prefix=(), begin=None):
        self.log = open(folder + "/log", "w+b", buffering=0)
        variables = {k: v for k, v in os.environ.items() if not k.startswith(("LISTEN_", "NOTIFY_", "WATCHDOG_"))}
        command = [*prefix, program, "serve", *mode, *words]
        if sockets:
            variables["LISTEN_FDS"] = str(len(sockets))
            # The number of the process is known only in it.
            command = ["/bin/sh", "-c", 'export LISTEN_PID=${LISTEN_PID:-$$}; exec "$@"', "sh", *command]
        numbers = [s.fileno() for s in sockets]

        def child():
            # By way of high numbers, so that none is overwritten before it is moved.
            high = [os.dup2(number, 200 + index) for index, number in enumerate(numbers)]
            os.closerange(3, 200)
            for index, number in enumerate(high):
                os.dup2(number, 3 + index)
                os.close(number)

        # The output is a file: what is read of it is there whole, whatever comes later.
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log.fileno(),
            env={**variables, **(environment or {})}, preexec_fn=child if sockets else begin, close_fds=not sockets)

    def said(self):
        self.log.seek(0)
        return self.log.read().decode()

    def urls(self, count=1):
        """Waits until it serves."""
        while len(found := re.findall(r"listening on (\S+)", self.said())) < count:
            if self.process.poll() is not None:
                raise RuntimeError("it ended with %s: %s" % (self.process.returncode, self.said()))
            time.sleep(0.02)
        return found

    def until_said(self, words):
        while words not in self.said():
            assert self.process.poll() is None, self.said()
            time.sleep(0.02)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def fail(self):
        """The exit status and the words of one that does not start."""
        return self.process.wait(PATIENCE), self.said()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def listen(address=("127.0.0.1", 0), family=socket.AF_INET, reuse=False, backlog=64):
    opened = socket.socket(family)
    if reuse:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    opened.bind(address)
    opened.listen(backlog)
    return opened


def port(opened):
    return "127.0.0.1:%d" % opened.getsockname()[1]


class Manager:
    """Hears what a service tells."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.settimeout(PATIENCE)
        self.socket.bind(address)

    def hear(self):
        return dict(line.split("=", 1) for line in self.socket.recv(4096).decode().split("\n"))

    def until(self, name):
        """The first message with the name; what came before, watchdog apart."""
        before = []
        while True:
            message = self.hear()
            if name in message:
                return message, before
            if "WATCHDOG" not in message:
                before.append(message)

    def quiet(self):
        """Whether nothing is waiting."""
        self.socket.setblocking(False)
        try:
            return self.socket.recv(4096) == b""
        except BlockingIOError:
            return True
        finally:
            self.socket.settimeout(PATIENCE)
