"""Starts the broker and the bare loop, and puts the same load on both."""

import json
import os
import re
import subprocess
import tempfile


class Server:
    """A process that says where it listens, and is ended at the end of the block."""

    def __init__(self, words):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r"listening on (wss?://\S+)", line)
            if found:
                self.url = found.group(1)
                break
        else:
            raise SystemExit("%s did not start" % words[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(20)

    @property
    def port(self):
        return int(self.url.rsplit(":", 1)[1].split("/")[0])

    def thread_seconds(self):
        """The processor time of each thread so far."""
        ticks = os.sysconf("SC_CLK_TCK")
        seconds = {}
        for thread in os.listdir("/proc/%d/task" % self.process.pid):
            with open("/proc/%d/task/%s/stat" % (self.process.pid, thread)) as file:
                fields = file.read().rsplit(")", 1)[1].split()
            seconds[thread] = (int(fields[11]) + int(fields[12])) / ticks
        return seconds

    def seconds(self):
        """The processor time of the process so far."""
        return sum(self.thread_seconds().values())


class Bench:
    def __init__(self, options):
        self.options, self.folder = options, options.certificates
        self.certificate = [os.path.join(self.folder, name) for name in ("cert.pem", "key.pem")]
        # How many runs of the present round the generator itself calls invalid.
        self.doubts = 0
        # Which round this is, and what was found in each for several cases.
        self.round, self.found = 0, {}

    def broker(self, tls=False, store="memory", loops=None):
        data = tempfile.mkdtemp(dir=self.folder)
        words = [self.options.fanfare, "serve", "--dev", "--store", store, "--data", data]
        if loops or self.options.loops:
            words += ["--loops", str(loops or self.options.loops)]
        if tls:
            return words + ["--tls-listen", "127.0.0.1:0", "--tls-cert", self.certificate[0], "--tls-key",
                            self.certificate[1]]
        return words + ["--listen", "127.0.0.1:0"]

    def bare(self, mode, tls=False):
        return [self.options.baseline, mode, *(self.certificate if tls else [])]

    def load(self, running, words, seconds=None):
        """What fanfare-load reports of a load on a server that runs."""
        words = [self.options.load, running.url, *words, "--for", "%gs" % (seconds or self.options.seconds), "--json",
                 "--quiet", "--server-pid", str(running.process.pid)]
        if running.url.startswith("wss:"):
            words.append("--insecure")
        # The bare loop answers no question about final counts: a short drain waits less long for it.
        if "idle" not in words:
            words += ["--drain", "1s"]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=180)
        if not done.stdout:
            raise SystemExit("fanfare-load ended with %d: %s" % (done.returncode, done.stderr.strip()))
        report = json.loads(done.stdout)
        self.doubts += not report["valid"]
        return report

    def once(self, name, find):
        """What `find` gives, which several cases of the same round share."""
        if (name, self.round) not in self.found:
            self.found[name, self.round] = find()
        return self.found[name, self.round]

    def measure(self, server, words, seconds=None):
        with Server(server) as running:
            return self.load(running, words, seconds)
