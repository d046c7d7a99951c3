"""Commands against a broker that lets nobody in now: what they say, and what they end with. Words: FOLDER"""

import http.server
import json
import re
import subprocess
import threading
import time

from broker import PROGRAM, run
from checks import PATIENCE, Check, equal, main
from services import Service

REFUSAL = json.dumps({"type": "error", "code": "unavailable", "message": "no more connections are taken now; try later"})


class Front:
    """What stands where a broker should, and answers everything with one status."""

    def __init__(self, status, wait, body=REFUSAL):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                self.server.count += 1
                self.send_response(status)
                if wait is not None:
                    self.send_header("Retry-After", wait)
                self.send_header("Connection", "close")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.count = 0
        self.url = "ws://127.0.0.1:%d" % self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def react(url):
    status, out, said = run("react", "chat:1", "m1", "👍", "--user", "ada", "--url", url, timeout=PATIENCE * 2)
    equal((status, out), (1, ""), said)
    *tries, last = said.splitlines()
    # The same reason is told again after 5 s, and 10 s are all that it tries.
    assert 1 <= len(tries) <= 4 and all(re.match(r"fanfare react: not connected: .*; next attempt in [\d.]+ s$", line) for line in tries), said
    assert "check --url" not in said, said
    return last


def reacting():
    with Check("react: the broker, its status, when to come back, and what that means; exit status 1"), Front(503, "3") as front:
        said = react(front.url)
        assert re.search(r"no connection to %s\S*: the broker lets nobody in now \(HTTP status 503\), and asks to come back "
                         r"in 3 s — it is full, short of memory or about to end; try again later" % re.escape(front.url), said), said
    with Check("it waits as long as it is told to"), Front(503, "120") as front:
        assert "come back in 120 s" in react(front.url)
        equal(front.server.count, 1, "attempts")
    with Check("without a time it says none"), Front(503, None) as front:
        said = react(front.url)
        assert "lets nobody in now (HTTP status 503) — it is full" in said, said
        assert front.server.count > 1, front.server.count
    with Check("a proxy whose broker is gone"), Front(502, None, "<html>") as front:
        assert "the broker answered with HTTP status 502 — " in react(front.url)
    with Check("a time that is none is left out"), Front(503, "soon") as front:
        react(front.url)


def watching():
    with Check("watch says it and tries again, until a signal"), Front(503, "1") as front:
        watch = subprocess.Popen([PROGRAM, "watch", "chat:1", "--user", "ada", "--url", front.url],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + PATIENCE
        while front.server.count < 2:
            assert watch.poll() is None and time.monotonic() < end, "it does not come back"
            time.sleep(0.02)
        watch.terminate()
        out, said = watch.communicate(timeout=PATIENCE)
        equal((watch.returncode, out), (0, b""), said)
        waits = re.findall(r"not connected: the broker lets nobody in now \(HTTP status 503\), and asks to come back in 1 s; "
                           r"next attempt in (\d+\.\d) s", said.decode())
        assert waits and all(float(wait) >= 1 for wait in waits), said


def asking():
    for words in (["top"], ["top", "--count", "1"], ["revoke", "--user", "eve", "--key", "k" * 32]):
        with Check("%s: what the broker says, and when to come back; exit status 1" % words[0]), Front(503, "4") as front:
            status, out, said = run(*words, "--url", front.url, timeout=PATIENCE)
            equal((status, out), (1, ""), said)
            equal(said, "fanfare %s: no more connections are taken now; try later (unavailable); try again in 4 s\n" % words[0])
        with Check("%s: a proxy whose broker is gone" % words[0]), Front(503, "5", "<html>nothing here</html>") as front:
            status, out, said = run(*words, "--url", front.url, timeout=PATIENCE)
            equal((status, out), (1, ""), said)
            equal(said, "fanfare %s: the broker, or a proxy before it, cannot answer now (HTTP status 503); try again in 5 s\n"
                  % words[0])


def real(folder):
    with open(folder + "/settings.json", "w") as file:
        json.dump({"limits": {"memory_bytes": 1_048_576}}, file)
    mode = ("--dev", "--store", "memory", "--config", folder + "/settings.json")
    with Check("against a broker that is short of memory"), Service(folder, "--listen", "127.0.0.1:0", mode=mode) as broker:
        url = broker.urls()[0]
        assert re.search(r"lets nobody in now \(HTTP status 503\), and asks to come back in [1-5] s", react(url))
        status, out, said = run("top", "--count", "1", "--url", url, timeout=PATIENCE)
        equal((status, said), (0, ""))
        memory = re.search(r"memory=(\d+)B memory_limit=1048576B memory_used=(\d+)\.\d%", out)
        assert memory and int(memory.group(1)) > 1_048_576 and int(memory.group(2)) > 100, out
        equal(broker.stop(), 0, "exit status")


async def scenario(folder):
    reacting()
    watching()
    asking()
    real(folder)


main(scenario)
