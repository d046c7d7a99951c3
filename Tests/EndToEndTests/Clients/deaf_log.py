"""A broker whose log nobody reads, and programs whose standard descriptors are closed. Words: FANFARE FOLDER"""

import contextlib
import os
import signal
import socket
import subprocess
import time
import urllib.request

from checks import Check, equal, main


def free_port():
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


@contextlib.contextmanager
def running(program, folder, *shell, **options):
    """A broker that is ready, with the address that says so; ended by force if need be."""
    port = free_port()
    words = [program, "serve", "--dev", "--data", folder, "--listen", "127.0.0.1:%d" % port]
    broker = subprocess.Popen([*shell, *words], **options)
    url = "http://127.0.0.1:%d/readyz" % port
    try:
        wait_until_ready(url, broker)
        yield broker, url
    finally:
        if broker.poll() is None:
            broker.kill()
            broker.wait()


def deaf(program, folder):
    reader, writer = os.pipe()
    with running(program, folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=writer) as (broker, url):
        with Check("a log that nobody reads keeps no signal waiting"):
            fill(writer)
            broker.send_signal(signal.SIGHUP)
            equal(get(url), 200)
            broker.send_signal(signal.SIGTERM)
            equal(broker.wait(timeout=120), 0, "exit status")
    os.close(writer)
    os.close(reader)


def closed(program, folder):
    """What a shell closes by `<&-`, `>&-` and `2>&-`."""
    with running(program, folder, "/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh") as (broker, _):
        with Check("where the standard descriptors are closed, no file of the broker's takes their place"):
            names = [os.readlink("/proc/%d/fd/%d" % (broker.pid, number)) for number in range(3)]
            equal(names, ["/dev/null"] * 3)
            broker.send_signal(signal.SIGTERM)
            equal(broker.wait(timeout=120), 0, "exit status")
    with Check("an import of a standard input that is closed fails at once"):
        done = subprocess.run(
            ["/bin/sh", "-c", 'exec "$0" import - --data "$1" <&-', program, folder + "-none"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        equal(done.returncode, 1, done.stderr.decode())
        assert "Bad file descriptor" in done.stderr.decode(), done.stderr.decode()


async def scenario(program, folder):
    deaf(program, os.path.join(folder, "deaf"))
    closed(program, os.path.join(folder, "closed"))


main(scenario)
