"""Measures the broker beside the bare loop, in turn and with the same load. Words: see --help."""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

# Each case: a name, what fanfare-load is told, the baseline's words, which number is compared, and what is wanted.
CASES = [
    ("events one at a time, 1,000 subscribers",
     ["--subscribers", "1000", "--rate", "80"], ["send"], "per_cpu", 0.90),
    ("events one at a time, 10,000 subscribers",
     ["--subscribers", "10000", "--rate", "8"], ["send"], "per_cpu", 0.90),
    ("events at saturation, 1,000 subscribers",
     ["--subscribers", "1000", "--rate", "5000"], ["join"], "per_cpu", 0.80),
    ("events at saturation, 10,000 subscribers",
     ["--subscribers", "10000", "--rate", "200"], ["join"], "per_cpu", 0.80),
    ("1,000 channels of 10 subscribers, saturated",
     ["--subscribers", "10000", "--channels", "1000", "--publishers", "1000", "--rate", "40000"], ["join"], "per_cpu",
     0.75),
    ("events at saturation over TLS, 1,000 subscribers",
     ["--subscribers", "1000", "--rate", "3000"], ["join", "tls"], "per_cpu", 0.80),
    ("latency at a fifth of the load, 1,000 subscribers, p99",
     ["--subscribers", "1000", "--rate", "20"], ["send"], "p99", 1.15),
]


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
        self.process.wait(20)


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.certificate = [os.path.join(folder, name) for name in ("cert.pem", "key.pem")]

    def broker(self, tls):
        data = tempfile.mkdtemp(dir=self.folder)
        words = [self.options.fanfare, "serve", "--dev", "--store", "memory", "--data", data]
        if self.options.loops:
            words += ["--loops", str(self.options.loops)]
        if tls:
            return words + ["--tls-listen", "127.0.0.1:0", "--tls-cert", self.certificate[0], "--tls-key",
                            self.certificate[1]]
        return words + ["--listen", "127.0.0.1:0"]

    def baseline(self, words):
        tls = self.certificate if "tls" in words else []
        return [self.options.baseline, words[0], *tls]

    def measure(self, server, load, number):
        with Server(server) as running:
            # The baseline answers no question about final counts: a short drain waits less long for it.
            words = [self.options.load, running.url, *load, "--for", "%gs" % self.options.seconds, "--drain", "1s",
                     "--json", "--quiet", "--insecure", "--server-pid", str(running.process.pid)]
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if not done.stdout:
            raise SystemExit("fanfare-load ended with %d: %s" % (done.returncode, done.stderr.strip()))
        report = json.loads(done.stdout)
        value = (report["server"]["deliveries_per_cpu_second"] if number == "per_cpu" else report["latency_ms"]["p99"])
        return value, report

    def run(self, case):
        name, load, words, number, wanted = case
        ours, bare, doubts = [], [], 0
        for _ in range(self.options.runs):
            for server, values in ((self.broker("tls" in words), ours), (self.baseline(words), bare)):
                value, report = self.measure(server, load, number)
                values.append(value)
                doubts += not report["valid"]
                if self.options.verbose:
                    print(name, os.path.basename(server[0]), value, report["doubts"], report["delivered"],
                          report["lost"], report["server"]["cpu_percent"], file=sys.stderr)
        ratios = [o / b for o, b in zip(ours, bare)]
        return {
            "case": name, "number": number, "ours": statistics.median(ours), "bare": statistics.median(bare),
            "ratio": statistics.median(ratios), "lowest": min(ratios), "highest": max(ratios), "wanted": wanted,
            "invalid_runs": doubts}


def main():
    parser = argparse.ArgumentParser(description="Measures the broker beside a bare C loop under the same load.")
    for name in ("fanfare", "load", "baseline", "certificates"):
        parser.add_argument("--" + name, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, default=5, help="how many times each is measured, in turn (default 5)")
    parser.add_argument("--seconds", type=float, default=5, help="how long each run publishes (default 5)")
    parser.add_argument("--loops", type=int, help="event loops of the broker (default: one a core)")
    parser.add_argument("--only", default="", help="only cases whose name has this in it")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    parser.add_argument("--verbose", action="store_true", help="a line for each run on standard error")
    options = parser.parse_args()
    results = []
    bench = Bench(options, options.certificates)
    for case in CASES:
        if options.only in case[0]:
            print("measuring: " + case[0], file=sys.stderr)
            results.append(bench.run(case))
    if options.json:
        print(json.dumps({"bench": results}))
        return
    print("%-56s %12s %12s %7s %15s %7s" % ("case", "broker", "bare loop", "ratio", "spread", "wanted"))
    for r in results:
        sign = "≤" if r["number"] == "p99" else "≥"
        print("%-56s %12s %12s %7.2f %15s %s %.2f" % (
            r["case"], "{:,.2f}".format(r["ours"]) if sign == "≤" else "{:,.0f}".format(r["ours"]),
            "{:,.2f}".format(r["bare"]) if sign == "≤" else "{:,.0f}".format(r["bare"]), r["ratio"],
            "%.2f–%.2f" % (r["lowest"], r["highest"]), sign, r["wanted"]))


main()
