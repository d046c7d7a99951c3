"""Servers that a broker posts to, and the broker itself, for the tests of webhooks and hooks."""

import http.server
import json
import os
import pathlib
import re
import signal
import ssl
import subprocess
import threading
import urllib.request

from checks import PATIENCE

PAGE = pathlib.Path(__file__).parents[3] / "Sources/Server/Documentation.docc/Webhooks.md"


def documented():
    """What the documentation tells receivers to do, as it stands there."""
    snippet = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL).group(1)
    names = {}
    exec(snippet, names)
    return names["verify"]


verify = documented()


class Request:
    def __init__(self, headers, body):
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)


class Receiver:
    """An HTTP server that keeps what is posted to it; `answer(number, request)` says what it does with each.

    An answer is (status, headers, body), or one of the words hang, half, garbage, vanish.
    """

    def __init__(self, answer=None, port=0, tls=None):
        self.answer = answer or (lambda number, request: (204, {}, b""))
        self.requests = []
        self.changed = threading.Condition()
        self.isOver = threading.Event()
        self.server = Server(("127.0.0.1", port), Handler)
        self.server.receiver = self
        self.port = self.server.server_address[1]
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = "%s://localhost:%d/hook?from=fanfare" % ("https" if tls else "http", self.port)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def take(self, request):
        with self.changed:
            self.requests.append(request)
            number = len(self.requests)
            self.changed.notify_all()
        return self.answer(number, request)

    def wait(self, condition, what="something"):
        """Waits until the condition holds, which is asked again with each request."""
        with self.changed:
            assert self.changed.wait_for(condition, PATIENCE), "%s did not come; %d requests" % (what, len(self.requests))

    def stop(self):
        self.isOver.set()
        self.server.shutdown()
        self.server.server_close()

    @property
    def events(self):
        return [event for request in self.requests for event in request.json["events"]]


class Server(http.server.ThreadingHTTPServer):
    allow_reuse_address = True
    daemon_threads = True

    def handle_error(self, request, client):
        pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes

    def do_POST(self):
        receiver = self.server.receiver
        if receiver.isOver.is_set():  # its connections go with a server that is down
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers["content-length"]))
        answer = receiver.take(Request(self.headers, body))
        if answer == "hang":
            receiver.isOver.wait(PATIENCE)
        elif answer == "half":
            self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")
        elif answer == "garbage":
            self.wfile.write(b"\x00\x01 what is this\r\n\r\n")
        if isinstance(answer, str):
            self.close_connection = True
            return
        status, headers, content = answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        if status != 204:
            self.wfile.write(content)

    def log_message(self, *_):
        pass


class Broker:
    """A broker in development mode, with a settings file that may be written anew."""

    def __init__(self, binary, folder, settings):
        self.words = [
            binary, "serve", "--dev", "--moderator", "mod", "--listen", "127.0.0.1:0", "--loops", "2",
            "--data", os.path.join(folder, "data"), "--config", os.path.join(folder, "settings.json")]
        self.file = self.words[-1]
        self.process = None
        self.lines = []
        self.said = threading.Condition()
        self.write(settings)
        self.start()

    def write(self, settings):
        with open(self.file, "w") as file:
            json.dump(settings, file)

    def start(self):
        self.lines = []
        self.process = subprocess.Popen(self.words, stderr=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, args=(self.process.stderr,), daemon=True).start()
        self.url = self.wait("listening on ").split("listening on ")[1]

    def read(self, stream):
        for line in stream:
            with self.said:
                self.lines.append(line.strip())
                self.said.notify_all()

    def wait(self, words):
        """Waits until the broker says a line with these words, and gives it."""
        def find():
            return next((line for line in self.lines if words in line), None)
        with self.said:
            line = self.said.wait_for(find, PATIENCE)
        assert line, "the broker does not say '%s': %s" % (words, self.lines)
        return line

    def reload(self, settings):
        self.write(settings)
        self.lines = []
        self.process.send_signal(signal.SIGHUP)
        self.wait("were read again")

    def end(self, how):
        self.process.send_signal(how)
        return self.process.wait(30)

    @property
    def http(self):
        return self.url.replace("ws://", "http://").replace("/v1/ws", "")

    def metric(self, name):
        with urllib.request.urlopen(self.http + "/metrics", timeout=PATIENCE) as answer:
            text = answer.read().decode()
        line = next((line for line in text.split("\n") if line.startswith(name + " ")), None)
        return None if line is None else float(line.split()[-1])
