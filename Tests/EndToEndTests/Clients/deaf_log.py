"""A broker whose log nobody reads, and programs whose standard descriptors are closed. Words: FANFARE FOLDER"""

import fcntl
import os
import signal
import subprocess
import time
import urllib.request

from checks import Check, equal, main


def free_port():
    import socket
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def fill(pipe):
    os.set_blocking(pipe, False)
    try:
        while True:
            os.write(pipe, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(pipe, True)


def get(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.status


def wait_until_ready(url, process):
    while process.poll() is None:
        try:
            if get(url) == 200:
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the broker ended with %d" % process.returncode)


def until_read(pipe, words):
    """Reads a pipe until it has said something."""
    said = b""
    while words not in said:
        said += os.read(pipe, 65536)
    return said


async def deaf(program, folder):
    port = free_port()
    url = "http://127.0.0.1:%d/readyz" % port
    reader, writer = os.pipe()
    broker = subprocess.Popen(
        [program, "serve", "--dev", "--data", os.path.join(folder, "deaf"), "--listen", "127.0.0.1:%d" % port],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=writer)
    try:
        wait_until_ready(url, broker)
        with Check("a log that nobody reads keeps no signal waiting: SIGHUP, and what was left out is told"):
            fill(writer)
            for _ in range(3):
                broker.send_signal(signal.SIGHUP)
            equal(get(url), 200)
            time.sleep(1)  # For the lines to find no room; later ones would be written, and the check would fail.
            size = fcntl.fcntl(writer, 1032)  # F_GETPIPE_SZ
            os.read(reader, size)
            broker.send_signal(signal.SIGHUP)
            until_read(reader, b"nobody took log lines: left out: ")
        with Check("and SIGTERM ends the broker in order"):
            fill(writer)
            broker.send_signal(signal.SIGTERM)
            equal(broker.wait(timeout=120), 0, "exit status")
    finally:
        if broker.poll() is None:
            broker.kill()
            broker.wait()
        os.close(writer)
        os.close(reader)


def closed(program, folder):
    """What a shell closes by `<&-`, `>&-` and `2>&-`."""
    port = free_port()
    words = [program, "serve", "--dev", "--data", os.path.join(folder, "closed"), "--listen", "127.0.0.1:%d" % port]
    broker = subprocess.Popen(["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *words])
    try:
        wait_until_ready("http://127.0.0.1:%d/readyz" % port, broker)
        with Check("where the standard descriptors are closed, no file of the broker's takes their place"):
            names = [os.readlink("/proc/%d/fd/%d" % (broker.pid, number)) for number in range(3)]
            equal(names, ["/dev/null"] * 3)
        broker.send_signal(signal.SIGTERM)
        equal(broker.wait(timeout=120), 0, "exit status")
    finally:
        if broker.poll() is None:
            broker.kill()
            broker.wait()
    with Check("an import of a standard input that is closed fails at once"):
        done = subprocess.run(
            ["/bin/sh", "-c", 'exec "$0" import - --data "$1" <&-', program, os.path.join(folder, "none")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        equal(done.returncode, 1, done.stderr.decode())
        assert "Bad file descriptor" in done.stderr.decode(), done.stderr.decode()


async def scenario(program, folder):
    await deaf(program, folder)
    closed(program, folder)


main(scenario)
