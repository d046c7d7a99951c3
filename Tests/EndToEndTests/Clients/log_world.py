"""The broker of logs.py, with servers of hooks and webhooks that say what they were told, and all that it ever said.

Every secret has the word "hush" in it.
"""

import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from urllib.parse import quote, urlsplit

import jwt

from checks import PATIENCE, Client
from http_api import API
from receiver import Receiver

SECRET = "hush-token-secret-of-more-than-32-bytes"
KEY = "hush-server-key-of-more-than-16-bytes"
SIGNING = "hush-signing-secret"
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
# A key of the key file: "hush" eight times.
OCTETS = {"kty": "oct", "kid": "octets", "k": "aHVzaGh1c2hodXNoaHVzaGh1c2hodXNoaHVzaGh1c2g"}
DATA = {"text": "hush-data", "nested": {"hush-name": "hush-value"}}


class Parrot:
    """A server that answers with what it was sent, which is no answer."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            peer, _ = self.listener.accept()
            threading.Thread(target=self.answer, args=(peer,), daemon=True).start()

    def answer(self, peer):
        with peer:
            while data := peer.recv(65536):
                peer.sendall(data)

    @property
    def url(self):
        return "http://127.0.0.1:%d/say?hush=hush-query" % self.port


class Broker:
    """The broker, with all that it ever said; `words` come behind `serve`."""

    def __init__(self, fanfare, *words):
        self.lines = []
        self.said = threading.Condition()
        self.process = subprocess.Popen([fanfare, "serve", *words], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stderr:
            with self.said:
                self.lines.append(line.decode().rstrip("\n"))
                self.said.notify_all()

    def wait(self, pattern, count=1):
        """Waits for so many lines with the pattern in them, and gives them."""
        def found():
            return [line for line in self.lines if re.search(pattern, line)]
        with self.said:
            assert self.said.wait_for(lambda: len(found()) >= count, PATIENCE), "no %r in %s" % (pattern, self.lines)
            return found()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


class World:
    def __init__(self, fanfare, folder, form):
        self.folder, self.tokens = folder, []
        self.backend = Receiver(lambda number, request: self.rule(request))
        self.sealed = Receiver(tls=(self.path("cert.pem"), self.path("key.pem")))
        self.parrot = Parrot()
        self.write_keys(json.dumps({"keys": [OCTETS]}))
        self.write_settings(self.settings())
        self.rule = self.allow
        self.broker = Broker(fanfare, "--config", self.path("settings.json"), "--log", form)
        plain, proxied, sealed = [line.split("listening on ")[1] for line in self.broker.wait("listening on ", 3)]
        self.url, self.proxied, self.sealed_url = plain, urlsplit(proxied), urlsplit(sealed)
        self.api = API(self.url)

    def path(self, name):
        return os.path.join(self.folder, name)

    def settings(self, **more):
        def webhook(url):
            return {"url": url, "secret": SIGNING, "interval_ms": 10, "timeout_ms": 2000, "max_retry_ms": 500}
        asked = {"url": self.backend.url + "&key=hush-query", "secret": SIGNING, "timeout_ms": 2000}
        parroted = {**asked, "url": self.parrot.url}
        return {
            "listen": [{"address": "127.0.0.1:0"}, {"address": "127.0.0.1:0", "proxy_protocol": True},
                       {"address": "127.0.0.1:0", "tls": {"cert": self.path("cert.pem"), "key": self.path("key.pem")}}],
            "data": self.path("data"), "trusted_proxies": ["127.0.0.1"], "server_keys": [KEY],
            "tokens": {"hs256_secret": SECRET, "jwks_file": self.path("keys.json")},
            "limits": {"stall_ms": 1000, "outbound_bytes": 4096, "connections_per_address": 20, "message_bytes": 4096},
            "hooks": {"connect": {**asked, "url": "http://127.0.0.1:1/?hush=hush-query", "when_down": "allow"}},
            "namespaces": {
                "chat": {"webhook": webhook(self.backend.url + "&key=hush-query"), "hooks": {"react": asked}},
                "anon": {"anonymous": True, "webhook": webhook(self.parrot.url),
                         "hooks": {"react": asked, "subscribe": parroted}},
                "sealed": {"webhook": webhook(self.sealed.url)}, "free": {"rate": None, "anonymous": True},
                "strict": {"rate": {"user": {"per_second": 0.001, "burst": 1}}}},
            **more}

    def write_settings(self, settings):
        with open(self.path("settings.json"), "w") as file:
            file.write(settings if isinstance(settings, str) else json.dumps(settings))

    def write_keys(self, text):
        with open(self.path("keys.json"), "w") as file:
            file.write(text)

    def token(self, user, secret=SECRET, lives=3600, algorithm="HS256", **claims):
        claims = {"sub": user, "exp": time.time() + lives, "iat": time.time() - 1, **claims}
        self.tokens.append(jwt.encode(claims, secret, algorithm))
        return self.tokens[-1]

    async def client(self, user, **claims):
        return await Client.connect(self.url + "?token=" + self.token(user, **claims))

    def add(self, channel, message="hush-message", user=None, data=DATA, **headers):
        """One reaction over HTTP, by the server's key or a user's token: status, headers, answer."""
        where = "/v1/channels/%s/messages/%s/reactions/%s" % (quote(channel, ""), message, quote("👍", ""))
        headers = {"Authorization": "Bearer " + (self.token(user) if user else KEY), "traceparent": TRACE, **headers}
        return self.api.call("PUT", where + ("" if user else "?user=hush-anon-ada"), {"data": data}, headers)

    # What the server of hooks and webhooks answers

    def allow(self, request):
        return 200, {}, b'{"allow": true}'

    def echo(self, request):
        return 500, {"x-echo": "hush-header", "retry-after": "hush"}, request.body

    def refuse(self, request):
        return 200, {}, json.dumps({"allow": False, "reason": "hush-reason"}).encode()
