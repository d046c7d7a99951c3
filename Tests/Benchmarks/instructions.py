"""Counts the instructions of the hot paths with callgrind, and compares them with instructions.json beside this file.

A wall clock says little on a busy machine; a count of instructions is nearly the same on each run. Words: see --help.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from client import Client

EXPECTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.json")
# Each step: how often it is done more in the second run than in the first.
STEPS = {"decode-frame": 2000, "parse-request": 2000, "apply-operation": 2000, "encode-event": 2000,
         "encode-ack": 2000, "encode-summary": 100}
SUBSCRIBERS = (1, 41)
REACTIONS = (100, 300)
CYCLES = (40, 160)


def run(words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, **more)


def instructions(output):
    """How many instructions all threads of a run have done."""
    found = re.search(r"Collected : (\d+)", output)
    if not found:
        raise SystemExit("callgrind has counted nothing: " + output[-500:])
    return int(found.group(1))


class Counter:
    def __init__(self, options, folder):
        self.folder = folder
        # This valgrind may not read the compiler's debugging information, and needs none.
        self.steps, self.broker = [self.strip(options.hot_paths), self.strip(options.fanfare)]

    def strip(self, program):
        stripped = os.path.join(self.folder, os.path.basename(program))
        subprocess.run(["strip", "--strip-debug", "-o", stripped, program], check=True)
        return stripped

    def callgrind(self, *words):
        return ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *words]

    def step(self, name, times):
        done = run(self.callgrind(self.steps, name, str(times)))
        if done.returncode:
            raise SystemExit("%s ended with %d: %s" % (name, done.returncode, done.stderr[-500:]))
        return instructions(done.stderr)

    def broker_doing(self, load):
        """All that a broker does from its start to its end, while `load` uses its port."""
        data = tempfile.mkdtemp(dir=self.folder)
        broker = subprocess.Popen(
            self.callgrind(self.broker, "serve", "--dev", "--loops", "1", "--store", "memory", "--data", data,
                           "--listen", "127.0.0.1:0"), stderr=subprocess.PIPE, text=True)
        try:
            port = None
            for line in broker.stderr:
                found = re.search(r"listening on ws://127.0.0.1:(\d+)", line)
                if found:
                    port = int(found.group(1))
                    break
            if port is None:
                raise SystemExit("the broker did not start")
            load(port)
        finally:
            broker.terminate()
            output = broker.communicate(timeout=60)[1]
        return instructions(output)

    def whole(self, subscribers, reactions):
        """So many reactions, one after the other, that so many subscribers hear."""
        def load(port):
            listeners = [Client(port, "s%d" % number) for number in range(subscribers)]
            for listener in listeners:
                listener.say('{"type":"subscribe","id":1,"channel":"chat:42"}')
                listener.wait_for(b'{"type":"subscribed"')
            publisher = Client(port, "ada")
            for number in range(reactions):
                kind = "remove" if number % 2 else "add"
                publisher.say('{"type":"%s","id":%d,"channel":"chat:42","message":"m1","reaction":"👍"}' % (
                    kind, number))
                publisher.wait_for(b'{"type":"ack"')
                for listener in listeners:
                    listener.hear()
        return self.broker_doing(load)

    def cycles(self, count):
        """So many that connect, subscribe, get the state and close."""
        def load(port):
            for number in range(count):
                client = Client(port, "s%d" % number)
                client.say('{"type":"subscribe","id":1,"channel":"chat:42"}')
                client.wait_for(b'{"type":"subscribed"')
                client.close()
        return self.broker_doing(load)

    def counts(self):
        counts = {}
        for name, times in STEPS.items():
            print("counting: " + name, file=sys.stderr)
            counts[name] = (self.step(name, 2 * times) - self.step(name, times)) / times
        print("counting: the whole broker", file=sys.stderr)
        one = [self.whole(SUBSCRIBERS[0], reactions) for reactions in REACTIONS]
        many = [self.whole(SUBSCRIBERS[1], reactions) for reactions in REACTIONS]
        more = REACTIONS[1] - REACTIONS[0]
        counts["reaction"] = (one[1] - one[0]) / more
        counts["delivery"] = ((many[1] - many[0]) / more - counts["reaction"]) / (SUBSCRIBERS[1] - SUBSCRIBERS[0])
        counts["connect"] = (self.cycles(CYCLES[1]) - self.cycles(CYCLES[0])) / (CYCLES[1] - CYCLES[0])
        return {name: round(count) for name, count in counts.items()}


def main():
    parser = argparse.ArgumentParser(description="Counts the instructions of the hot paths, outside of the kernel.")
    for name in ("fanfare", "hot-paths"):
        parser.add_argument("--" + name, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--tolerance", type=float, default=5, metavar="PERCENT",
                        help="how much a count may be above the expected one (default 5)")
    parser.add_argument("--write", action="store_true", help="make what is counted the expected counts")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    options = parser.parse_args()
    with open(EXPECTED) as file:
        expected = json.load(file)
    folder = tempfile.mkdtemp()
    try:
        counts = Counter(options, folder).counts()
    finally:
        shutil.rmtree(folder)
    if options.write:
        with open(EXPECTED, "w") as file:
            json.dump(counts, file, indent=4)
            file.write("\n")
        expected = counts
    slipped = [name for name in counts if counts[name] > expected.get(name, 0) * (1 + options.tolerance / 100)]
    if options.json:
        print(json.dumps({"instructions": counts, "expected": expected, "slipped": slipped}))
    else:
        print("%-18s %12s %12s %8s" % ("step", "counted", "expected", "change"))
        for name, count in counts.items():
            wanted = expected.get(name)
            change = "new" if not wanted else "%+.1f %%" % (100 * (count / wanted - 1))
            print("%-18s %12s %12s %8s%s" % (
                name, "{:,}".format(count), "{:,}".format(wanted or 0), change, "  slipped" if name in slipped else ""))
    return 1 if slipped else 0


sys.exit(main())
