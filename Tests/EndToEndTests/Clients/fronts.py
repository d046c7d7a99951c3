"""Real proxies in front of a broker, each with the settings that the guide has for it, on ports of its own.

They run as somebody without rights, where whoever runs this may choose.
"""

import os
import re
import shutil
import signal
import subprocess
import time

from checks import PATIENCE
from nodes import free_port


class Proxy:
    """A process with a log file; `fronts` are its ports, and whether they take TLS."""

    def __init__(self, folder, guide, broker_ports):
        self.folder = os.path.join(folder, "proxy")
        os.mkdir(self.folder)
        for name in ("cert.pem", "key.pem"):
            shutil.copy(os.path.join(folder, name), self.folder)
        self.pem = os.path.join(self.folder, "both.pem")
        with open(self.pem, "w") as both:
            for name in ("cert.pem", "key.pem"):
                both.write(open(os.path.join(self.folder, name)).read())
        with open(guide) as page:
            self.blocks = re.findall(r"(?ms)^```%s\n(.*?)^```" % self.language, page.read())
        self.ports = [free_port() for _ in range(4)]
        self.replacements = [("127.0.0.1:8080", "127.0.0.1:%d" % broker_ports[0]),
                             ("127.0.0.1:8443", "127.0.0.1:%d" % broker_ports[1])]
        self.log = os.path.join(self.folder, "log")
        self.file = os.path.join(self.folder, "settings")
        with open(self.file, "w") as file:
            file.write(self.settings())
        open(self.log, "w").close()
        self.nobody = {}
        if os.getuid() == 0:
            self.nobody = {"user": "nobody", "group": "nogroup", "extra_groups": []}
            # What leads there is this test's own folder.
            os.chmod(folder, 0o711)
            for place in [self.folder] + [os.path.join(self.folder, name) for name in os.listdir(self.folder)]:
                shutil.chown(place, "nobody", "nogroup")

    def block(self, number, *changes):
        """One of the guide's, with what is this test's own in place of what is an operator's."""
        text = self.blocks[number]
        for old, new in changes:
            assert old in text, "the guide has no %r any more: %s" % (old, text)
            text = text.replace(old, new)
        for old, new in self.replacements:
            text = text.replace(old, new)
        return text

    def run(self, *words):
        with open(self.log, "ab") as log:
            return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                                    env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": self.folder}, **self.nobody)

    def __enter__(self):
        self.process = self.run(*self.command())
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def until_ready(self, front):
        """Until the broker is seen through a front."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                connection, answer = front.ask(source="127.0.0.5")
                connection.close()
                if answer.status == 101:
                    return
            except OSError:
                pass
            assert self.process.poll() is None and time.monotonic() < end, self.said()
            time.sleep(0.05)

    def said(self):
        with open(self.log, errors="replace") as log:
            return log.read()

    def reload(self):
        self.process.send_signal(self.reloads)


class Nginx(Proxy):
    language = "nginx"
    reloads = signal.SIGHUP

    def settings(self):
        web, secure, passed, _ = self.ports
        self.fronts = [(web, False), (secure, True), (passed, True)]
        # So that a reload sends everyone away soon.
        top = self.block(0, ("worker_shutdown_timeout 30s;", "worker_shutdown_timeout 1s;"))
        http = self.block(
            1, ("listen 80;", "listen 127.0.0.1:%d;" % web), ("listen 443 ssl;", "listen 127.0.0.1:%d ssl;" % secure),
            ("/etc/ssl/example.org.pem", self.folder + "/cert.pem"), ("/etc/ssl/example.org.key", self.folder + "/key.pem"),
            ("/var/log/nginx/fanfare.log", self.folder + "/log"))
        stream = self.block(2, ("listen 443;", "listen 127.0.0.1:%d;" % passed))
        paths = "".join("    %s_temp_path %s/%s;\n" % (name, self.folder, name)
                        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return ("load_module /usr/lib/nginx/modules/ngx_stream_module.so;\ndaemon off;\nworker_processes 2;\n"
                "pid %s/pid;\n%sevents {}\nhttp {\n%s%s}\nstream {\n%s}\n" % (self.folder, top, paths, http, stream))

    def command(self):
        return "/usr/sbin/nginx", "-e", "stderr", "-c", self.file


class HAProxy(Proxy):
    language = "haproxy"
    reloads = signal.SIGUSR2

    def settings(self):
        web, secure, passed, _ = self.ports
        self.fronts = [(web, False), (secure, True), (passed, True)]
        everything = self.block(
            0, ("hard-stop-after 30s", "hard-stop-after 1s"), ("log /dev/log local0", "log stdout format raw local0"),
            ("bind :80\n", "bind 127.0.0.1:%d\n" % web), ("bind :443 ssl", "bind 127.0.0.1:%d ssl" % secure),
            ("/etc/haproxy/example.org.pem", self.pem))
        return everything + "\n" + self.block(1, ("bind :443\n", "bind 127.0.0.1:%d\n" % passed))

    def command(self):
        return "/usr/sbin/haproxy", "-W", "-f", self.file


class Caddy(Proxy):
    language = "caddyfile"

    def settings(self):
        web, secure, _, admin = self.ports
        self.fronts = [(web, False), (secure, True)]
        own = "{\n    admin 127.0.0.1:%d\n    auto_https off\n    grace_period 1s\n}\n" % admin
        tls = "    tls %s/cert.pem %s/key.pem\n" % (self.folder, self.folder)
        secured = self.block(0, ("example.org {\n", "https://127.0.0.1:%d {\n%s" % (secure, tls)))
        return own + secured + self.block(0, ("example.org {\n", "http://127.0.0.1:%d {\n" % web))

    def command(self):
        return "/usr/bin/caddy", "run", "--adapter", "caddyfile", "--config", self.file

    def reload(self):
        # It does nothing where nothing has changed.
        words = "/usr/bin/caddy", "reload", "--force", "--adapter", "caddyfile", "--config", self.file
        assert self.run(*words, "--address", "127.0.0.1:%d" % self.ports[3]).wait(PATIENCE) == 0, self.said()


KINDS = {"nginx": Nginx, "haproxy": HAProxy, "caddy": Caddy}
