"""A broker of a client's own, for what has to start and end several of them."""

import os
import re
import signal
import subprocess
import sys
import threading

PROGRAM = os.environ.get("FANFARE_BIN_DIR", ".build/release") + "/fanfare"


class Broker:
    """A process of `fanfare serve`, in development mode on a free port; nothing is waited for."""

    def __init__(self, data, *words, environment=None):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--dev", "--moderator", "mod", "--listen", "127.0.0.1:0", "--data", data, *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})})
        self.url = None
        self.said = []
        self.changed = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stderr:
            with self.changed:
                self.said.append(line.decode(errors="replace").rstrip())
                found = re.search(r"listening on (ws://\S+)", self.said[-1])
                self.url = found.group(1) if found else self.url
                self.changed.notify_all()
        with self.changed:
            self.said.append(None)
            self.changed.notify_all()

    def ready(self):
        """Waits until it serves, and gives its address."""
        with self.changed:
            self.changed.wait_for(lambda: self.url or None in self.said)
        if self.url is None:
            raise RuntimeError("the broker does not start: " + self.words())
        return self.url

    def words(self):
        return "; ".join(line for line in self.said if line)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """Ends it in order; gives its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait()


def run(*words, **options):
    """Runs `fanfare` with other words to its end: exit status, standard output, standard error."""
    done = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def note(line):
    print("# " + line)
    sys.stdout.flush()
