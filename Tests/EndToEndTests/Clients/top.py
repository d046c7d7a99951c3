"""fanfare top, on a terminal of its own and without one. Words: URL FANFARE KEY"""

import asyncio
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from checks import PATIENCE, Check, equal, main
from http_api import API

# What moves the cursor, clears or colours (ECMA-48).
ESCAPES = re.compile(r"\x1b\[[?0-9;]*[A-Za-z]")


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FANFARE_") and name != "NO_COLOR"}
    return {**kept, "TERM": "xterm", **more}


class Terminal:
    """`with Terminal(command) as terminal:` a program on a pseudo-terminal; what it wrote is in `seen`."""

    def __init__(self, command, **variables):
        self.own, other = pty.openpty()
        fcntl.ioctl(self.own, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.before = termios.tcgetattr(other)
        self.other = other
        self.process = subprocess.Popen(command, stdin=other, stdout=other, stderr=subprocess.PIPE, env=environment(**variables))
        self.seen = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        os.close(self.own)
        os.close(self.other)

    def until(self, words):
        end = time.monotonic() + PATIENCE
        while words not in ESCAPES.sub("", self.seen):
            assert time.monotonic() < end, "%r did not come: %r" % (words, self.seen[-2000:])
            if select.select([self.own], [], [], 0.2)[0]:
                self.seen += os.read(self.own, 65536).decode(errors="replace")
            assert self.process.poll() is None or words in self.seen, self.process.stderr.read()

    def end(self):
        """Its exit code, with all that it wrote."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < end, "it does not end"
            self.drain(0.1)
        self.drain(0)
        return self.process.returncode

    def drain(self, seconds):
        while select.select([self.own], [], [], seconds)[0]:
            self.seen += os.read(self.own, 65536).decode(errors="replace")
            seconds = 0

    def is_restored(self):
        """The other screen is left, the cursor there, and the settings of the terminal as before."""
        assert self.seen.endswith("\x1b[?7h\x1b[?25h\x1b[?1049l"), self.seen[-60:]
        equal(termios.tcgetattr(self.other)[3], self.before[3], "modes")


def react(api, key):
    for number in range(5):
        status, _, _ = api.call("PUT", "/v1/channels/chat:1/messages/m/reactions/%%F0%%9F%%91%%8D?user=u%d" % number,
                                headers={"Authorization": "Bearer " + key})
        equal(status, 200, "status")


async def top(url, fanfare, key):
    command = [fanfare, "top", url, "--interval", "1s"]
    api = API(url)

    def run(*words, **variables):
        return subprocess.run([fanfare, "top", *words], capture_output=True, text=True, timeout=PATIENCE, env=environment(**variables))

    with Check("without a terminal it writes a line an answer, without escapes"):
        react(api, key)
        done = run(url, "--key", key, "--interval", "1s", "--count", "2")
        equal((done.returncode, done.stderr), (0, ""), "end")
        lines = done.stdout.splitlines()
        equal(len(lines), 2, "lines")
        for line in lines:
            assert "\x1b" not in line, line
            fields = dict(word.split("=", 1) for word in line.split(" "))
            assert {"time", "over", "connections", "changes", "deliveries", "memory", "cpu", "store"} <= set(fields), line
            equal((fields["connections"], fields["store"]), ("0", "ok"), "fields")
        assert "ack_p99=" in lines[0], lines[0]
    with Check("the key and the address may come from the environment, and --url says the same as URL"):
        equal(run("--count", "1", FANFARE_SERVER_KEY=key, FANFARE_URL=url).returncode, 0, "end")
        equal(run("--url", url, "--count", "1", "--key", key).returncode, 0, "end")
        equal(run(url, "--count", "1", FANFARE_SERVER_KEY=key, FANFARE_URL="ws://127.0.0.1:1").returncode, 0, "end")
    with Check("a wrong key, no key, and nobody there end with 1 and one line, and repeat no key"):
        for words in ([url, "--key", "a-wrong-key"], [url], ["ws://127.0.0.1:1", "--key", key]):
            done = run(*words)
            equal((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), "end of %r" % words)
            assert "a-wrong-key" not in done.stderr and key not in done.stderr, done.stderr
    with Check("wrong words end with 2 and one line that says which"):
        for words, named in (([url, "--url", url], "--url"), (["nowhere"], "nowhere"), ([url, "--interval", "10ms"], "--interval"),
                             ([url, "--count", "0"], "--count"), ([url, "more"], "more"), ([url, "--key", "a b"], "--key")):
            done = run(*words)
            equal((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), "end of %r" % words)
            assert named in done.stderr, done.stderr
    with Check("on a terminal it is a live view that moves, and q ends it and leaves all as it was"):
        with Terminal(command, FANFARE_SERVER_KEY=key) as terminal:
            terminal.until("q quits")
            terminal.until("busiest channels")
            react(api, key)
            terminal.until("connections")
            terminal.until("chat:1")
            assert "\x1b[2m" in terminal.seen, "no renditions"
            os.write(terminal.own, b"q")
            equal(terminal.end(), 0, "end")
            terminal.is_restored()
    with Check("with NO_COLOR there are no renditions"):
        with Terminal(command, FANFARE_SERVER_KEY=key, NO_COLOR="1") as terminal:
            terminal.until("q quits")
            assert not re.search(r"\x1b\[[0-9;]*m", terminal.seen), terminal.seen
            os.write(terminal.own, b"\x03")
            equal(terminal.end(), 0, "end")
            terminal.is_restored()
    with Check("a signal ends it in order, on a terminal and without one"):
        with Terminal(command, FANFARE_SERVER_KEY=key) as terminal:
            terminal.until("q quits")
            terminal.process.send_signal(signal.SIGTERM)
            equal(terminal.end(), 0, "end")
            terminal.is_restored()
        process = subprocess.Popen([fanfare, "top", url, "--interval", "1h"], stdout=subprocess.PIPE, env=environment(FANFARE_SERVER_KEY=key))
        assert process.stdout.readline().startswith(b"time="), "no line"
        process.send_signal(signal.SIGINT)
        equal(await asyncio.to_thread(process.wait, PATIENCE), 0, "end")
        process.stdout.close()


main(top)
