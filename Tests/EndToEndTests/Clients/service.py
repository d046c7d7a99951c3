"""What a service manager gives to a broker and hears from it: NOTIFY_SOCKET, WATCHDOG_USEC, passed sockets, the journal.

This is the manager. No words.
"""

import json
import os
import re
import signal
import socket
import tempfile
import time
import urllib.request

from checks import PATIENCE, Check, equal, main
from services import Manager, Service, listen, port


def get(url, path="/readyz"):
    place = url.replace("ws://", "http://").replace("/v1/ws", path)
    return urllib.request.urlopen(place, timeout=PATIENCE).read().decode().strip()


async def scenario():
    with tempfile.TemporaryDirectory() as folder:
        for kind, name in ("a path", folder + "/notify"), ("an abstract name", "@fanfare-test-%d" % os.getpid()):
            with Check("READY, RELOADING, READY and STOPPING, over " + kind):
                states(folder, name)
        with Check("WATCHDOG comes again and again, from READY to the end"):
            watchdog(folder)
        with Check("a watchdog of another process is left alone"):
            with_manager(folder, {"WATCHDOG_USEC": "20000", "WATCHDOG_PID": "1"}, other_process)
        with Check("a manager that does not listen, or cannot be, costs a warning and nothing else"):
            for name in folder + "/nowhere", "vsock:2:1234", "relative/path":
                with Service(folder, "--listen", "127.0.0.1:0", environment={"NOTIFY_SOCKET": name}) as service:
                    equal(get(service.urls()[0]), "ready")
                    equal(service.stop(), 0)
                    assert "warning" in service.said(), service.said()
        with Check("without a manager nothing is told, and lines have no prefix"):
            with Service(folder, "--listen", "127.0.0.1:0") as service:
                service.urls()
                equal(service.stop(), 0)
                assert not re.search(r"^<\d>", service.said(), re.M), service.said()
        passed(folder)
        journal(folder)


def with_manager(folder, environment, body, *words):
    address = folder + "/manager"
    manager = Manager(address)
    try:
        variables = {"NOTIFY_SOCKET": address, **environment}
        with Service(folder, "--listen", "127.0.0.1:0", *words, environment=variables) as service:
            body(manager, service)
    finally:
        manager.socket.close()
        os.unlink(address)


def states(folder, name):
    manager = Manager("\0" + name[1:] if name.startswith("@") else name)
    with Service(folder, "--listen", "127.0.0.1:0", environment={"NOTIFY_SOCKET": name}) as service:
        ready = manager.hear()
        # Whoever hears READY can connect at once: the address is in the status.
        equal(ready["READY"], "1")
        url = re.search(r"ws://\S+", ready["STATUS"]).group()
        equal(get(url), "ready")
        before = time.clock_gettime(time.CLOCK_MONOTONIC)
        service.process.send_signal(signal.SIGHUP)
        reloading = manager.hear()
        equal(reloading["RELOADING"], "1")
        told = int(reloading["MONOTONIC_USEC"]) / 1e6
        assert before <= told <= time.clock_gettime(time.CLOCK_MONOTONIC), (before, told)
        equal(manager.hear(), {"READY": "1"})
        assert manager.quiet(), "without a watchdog something more was told"
        equal(service.stop(), 0)
        equal(manager.hear()["STOPPING"], "1")
        assert manager.quiet(), "something follows the end"
    manager.socket.close()


def watchdog(folder):
    def body(manager, service):
        ready, before = manager.until("READY")
        equal(before, [])
        for _ in range(5):
            equal(manager.hear(), {"WATCHDOG": "1"})
        service.process.send_signal(signal.SIGHUP)
        manager.until("RELOADING")
        manager.until("READY")
        equal(manager.hear(), {"WATCHDOG": "1"})
        service.process.send_signal(signal.SIGTERM)
        manager.until("STOPPING")
        # While it drains, too: here it gives notice, until a second signal.
        manager.until("WATCHDOG")
        manager.until("WATCHDOG")
        equal(service.stop(), 0)

    with_manager(folder, {"WATCHDOG_USEC": "20000"}, body, "--drain-notice", "1m")


def other_process(manager, service):
    equal(manager.hear()["READY"], "1")
    # Were there a watchdog, it would be heard between the two.
    service.process.send_signal(signal.SIGHUP)
    equal(manager.hear()["RELOADING"], "1")
    equal(manager.hear()["READY"], "1")
    equal(service.stop(), 0)


def passed(folder):
    with Check("a passed socket is the listener with its address"):
        one = listen()
        # Someone who came before the broker was there is served as well.
        early = socket.create_connection(one.getsockname())
        early.sendall(b"GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
        with Service(folder, "--listen", port(one), sockets=[one]) as service:
            equal(service.urls(), ["ws://%s/v1/ws" % port(one)])
            early.settimeout(PATIENCE)
            assert early.recv(4096).startswith(b"HTTP/1.1 200 "), "the one who waited"
            equal(get(service.urls()[0]), "ready")
            equal(service.stop(), 0)
        early.close()
        # The manager's copy listens on: nobody is refused, and the next broker serves who waits.
        waiting = socket.create_connection(one.getsockname())
        waiting.sendall(b"GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
        with Service(folder, "--listen", port(one), sockets=[one]) as service:
            waiting.settimeout(PATIENCE)
            assert waiting.recv(4096).startswith(b"HTTP/1.1 200 "), "the one who came between"
            equal(service.stop(), 0)
        waiting.close()
        one.close()
    with Check("several sockets, a Unix socket, names, and a listener of the broker's own beside them"):
        path = folder + "/socket"
        one, two = listen(), listen(path, socket.AF_UNIX)
        words = ["--listen", port(one), "--listen", "unix:" + path, "--listen", "127.0.0.1:0"]
        with Service(folder, *words, sockets=[two, one], environment={"LISTEN_FDNAMES": "unix:tcp"}) as service:
            urls = service.urls(3)
            equal(get(urls[0]), "ready")
            equal(get(urls[2]), "ready")
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(PATIENCE)
            client.connect(path)
            client.sendall(b"GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert client.recv(4096).startswith(b"HTTP/1.1 200 ")
            client.close()
            equal(service.stop(), 0)
        assert os.path.exists(path), "the path is the manager's, and it was removed"
        for opened in one, two:
            opened.close()
        os.unlink(path)
    with Check("two sockets at one address share the work of two loops"):
        one = listen(reuse=True)
        two = listen(one.getsockname(), reuse=True)
        with Service(folder, "--loops", "2", "--listen", port(one), sockets=[one, two]) as service:
            url = service.urls()[0]
            # Each of the two is accepted from: none of these would be answered otherwise.
            for _ in range(32):
                equal(get(url), "ready")
            equal(service.stop(), 0)
        one.close()
        two.close()
    with Check("all addresses are 0.0.0.0 as well as [::]"):
        with open(folder + "/settings.json", "w") as file:
            json.dump({"listen": [{"address": ":0"}], "server_keys": ["k" * 32]}, file)
        for family, address in (socket.AF_INET, ("0.0.0.0", 0)), (socket.AF_INET6, ("::", 0)):
            one = listen(address, family)
            where = ":%d" % one.getsockname()[1]
            with Service(folder, "--listen", where, sockets=[one]) as service:
                # Development mode is for loopback addresses, passed or not.
                status, words = service.fail()
                equal(status, 2)
                assert "loopback" in words, words
            mode = ("--store", "memory", "--config", folder + "/settings.json")
            with Service(folder, "--listen", where, sockets=[one], mode=mode) as service:
                equal(get(service.urls()[0].replace("0.0.0.0", "127.0.0.1")), "ready")
                equal(service.stop(), 0)
            one.close()
    with Check("a socket that no listener is for, or that is none, ends the start with 2 and one line"):
        one, other, datagrams = listen(), socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        for opened, words, named in [
                (one, ["--listen", "127.0.0.1:0"], [port(one), "web", "127.0.0.1:0"]),
                (other, ["--listen", "127.0.0.1:0"], ["descriptor 3 (web)"]),
                (datagrams, ["--listen", "127.0.0.1:0"], ["descriptor 3 (web)"])]:
            with Service(folder, *words, sockets=[opened], environment={"LISTEN_FDNAMES": "web"}) as service:
                status, said = service.fail()
                equal(status, 2)
                equal(len(said.splitlines()), 1)
                assert all(name in said for name in named), said
        for variables in {"LISTEN_FDS": "many"}, {"LISTEN_PID": "me"}, {"LISTEN_FDS": "2"}:
            with Service(folder, "--listen", port(one), sockets=[one], environment=variables) as service:
                status, said = service.fail()
                equal(status, 2)
                assert len(said.splitlines()) == 1 and ("LISTEN_" in said), said
        for opened in one, other, datagrams:
            opened.close()
    with Check("sockets that were passed to another process are not touched"):
        one = listen()
        with Service(folder, "--listen", "127.0.0.1:0", sockets=[one], environment={"LISTEN_PID": "1"}) as service:
            equal(get(service.urls()[0]), "ready")
            equal(service.stop(), 0)
        one.close()


def journal(folder):
    for form in "text", "json":
        with Check("in the journal each line begins with how much it matters, as " + form):
            # A file is a stream as good as a socket: what counts is that it is the one that was named.
            with open(folder + "/log", "w+b") as log:
                status = os.fstat(log.fileno())
                stream = "%d:%d" % (status.st_dev, status.st_ino)
            with Service(folder, "--log", form, "--listen", "127.0.0.1:0", environment={"JOURNAL_STREAM": stream}) as service:
                service.urls()
                service.process.send_signal(signal.SIGHUP)
                while "were read again" not in service.said():
                    time.sleep(0.02)
                equal(service.stop(), 0)
                lines = service.said().splitlines()
                priorities = {"info": "<6>", "warning": "<4>", "error": "<3>"}
                assert all(re.match("<[346]>", line) for line in lines), lines
                for line in lines:
                    rest = line[3:]
                    level = json.loads(rest)["level"] if rest.startswith("{") else rest.split(":")[0]
                    equal(line[:3], priorities.get(level, "<6>"), line)
                assert any(line.startswith("<4>") and "DEVELOPMENT MODE" in line for line in lines), lines
                assert any(line.startswith("<6>listening on ") for line in lines), lines
    with Check("an error that ends the start is one in the journal"):
        with open(folder + "/log", "w+b") as log:
            status = os.fstat(log.fileno())
        with Service(folder, "--nonsense", environment={"JOURNAL_STREAM": "%d:%d" % (status.st_dev, status.st_ino)}) as service:
            status, said = service.fail()
            equal(status, 2)
            assert said.startswith("<3>fanfare serve: "), said
    with Check("where standard error is not the journal, lines are as ever"):
        with Service(folder, "--listen", "127.0.0.1:0", environment={"JOURNAL_STREAM": "1:2"}) as service:
            service.urls()
            equal(service.stop(), 0)
            assert not re.search(r"^<\d>", service.said(), re.M), service.said()


main(scenario)
