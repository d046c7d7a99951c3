"""Whether fanfare-load tells the truth: beside what the broker has counted, and beside tsung, a load tester by others.

Both testers go by way of a relay that holds back every byte for a while, so that what they are to measure is known and is
much more than what this machine is slower or faster by from one run to the next. Words: see --help.
"""

import argparse
import asyncio
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import urllib.request

from servers import Server

# How long the relay holds back what goes by, each way, in seconds.
DELAY = 0.1
USERS = 20
TIMES = 25
PAUSE = 0.3
# How often tsung may be tried until it has done, and logged, all of it.
ATTEMPTS = 4
# What the broker counts of changes.
CHANGES = r'fanfare_reactions_total\{result="(added|removed)"\}'


class Relay(threading.Thread):
    """Passes bytes on to a port, late, on a port of its own."""

    def __init__(self, target):
        super().__init__(daemon=True)
        self.target = target
        self.listens = threading.Event()
        self.start()
        self.listens.wait(60)

    def run(self):
        asyncio.run(self.serve())

    async def serve(self):
        server = await asyncio.start_server(self.accepted, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.listens.set()
        await server.serve_forever()

    async def accepted(self, reader, writer):
        out_reader, out_writer = await asyncio.open_connection("127.0.0.1", self.target)
        await asyncio.gather(self.pump(reader, out_writer), self.pump(out_reader, writer))

    async def pump(self, reader, writer):
        loop = asyncio.get_running_loop()
        try:
            while data := await reader.read(65536):
                loop.call_later(DELAY, writer.write, data)
        except OSError:
            pass
        loop.call_later(DELAY, writer.close)


def broker(options):
    return Server([options.fanfare, "serve", "--dev", "--store", "memory", "--data", tempfile.mkdtemp(dir=options.folder),
                   "--listen", "127.0.0.1:0"])


def counters(port):
    """What the broker has counted."""
    with urllib.request.urlopen("http://127.0.0.1:%d/metrics" % port, timeout=60) as answer:
        text = answer.read().decode()
    return {name: float(value) for name, value in re.findall(r"^(fanfare_\S+) (\S+)$", text, re.M)}


def changes(before, after):
    """How many changes it has made between two looks."""
    return sum(after[name] - before.get(name, 0) for name in after if re.match(CHANGES, name))


def load(options, port, *words):
    done = subprocess.run(
        [options.load, "ws://127.0.0.1:%d" % port, *words, "--json", "--quiet"], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, timeout=180)
    if not done.stdout:
        raise SystemExit("fanfare-load ended with %d: %s" % (done.returncode, done.stderr.strip()))
    return json.loads(done.stdout)


def beside_broker(options):
    """What is compared of a run: what it is, what fanfare-load says, what the broker says."""
    with broker(options) as running:
        before = counters(running.port)
        report = load(options, running.port, "--subscribers", "200", "--publishers", "20", "--rate", "200", "--for", "5s")
        after = counters(running.port)
    deliveries = after["fanfare_deliveries_total"] - before["fanfare_deliveries_total"]
    return [("changes acked", "", report["published"]["acked"], changes(before, after)),
            ("events delivered", "", report["delivered"]["events"], deliveries)]


TSUNG = """<?xml version="1.0"?>
<!DOCTYPE tsung SYSTEM "/usr/share/tsung/tsung-1.0.dtd" []>
<tsung loglevel="notice" version="1.0">
  <clients><client host="localhost" use_controller_vm="true" maxusers="1000"/></clients>
  <servers><server host="127.0.0.1" port="%d" type="tcp"/></servers>
  <load><arrivalphase phase="1" duration="20" unit="second">
    <users maxnumber="%d" arrivalrate="%d" unit="second"/>
  </arrivalphase></load>
  <sessions><session name="react" probability="100" type="ts_websocket">
    <request><websocket type="connect" path="/v1/ws?user=tsung" subprotocols="fanfare.v1.json"/></request>
    <thinktime value="1" random="false"/>
    <for from="1" to="%d" var="i">
      <transaction name="ack"><request subst="true"><websocket type="message" frame="text">%s</websocket></request></transaction>
      <thinktime value="%g" random="false"/>
    </for>
    <request><websocket type="close"/></request>
  </session></sessions>
</tsung>
"""
TOGGLE = r'{"type":"toggle","id":%%_i%%,"channel":"chat:load","message":"m1","reaction":"\ud83d\udc4d"}'


def tsung_says(options, port, attempt):
    """How many acks tsung has seen, and their mean in ms."""
    file = os.path.join(options.folder, "tsung.xml")
    with open(file, "w") as out:
        out.write(TSUNG % (port, USERS, USERS, TIMES, TOGGLE, PAUSE))
    log = os.path.join(options.folder, "log%d" % attempt)
    subprocess.run(["tsung", "-f", file, "-l", log, "start"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "HOME": options.folder}, timeout=300, check=True)
    with open(glob.glob(os.path.join(log, "*", "tsung.log"))[0]) as lines:
        # stats: NAME count mean deviation max min mean-before count-before, of each ten seconds
        told = [line.split() for line in lines if line.startswith("stats: tr_ack ")]
    count = sum(int(words[2]) for words in told)
    return count, sum(int(words[2]) * float(words[3]) for words in told) / max(1, count)


def beside_tsung(options):
    """The same load by both: what it is, what fanfare-load says, what tsung says."""
    for attempt in range(ATTEMPTS):
        with broker(options) as running:
            port = Relay(running.port).port
            before = counters(running.port)
            count, mean = tsung_says(options, port, attempt)
            answered = counters(running.port)
            # tsung waits for the answer before it pauses.
            turn = PAUSE + 2 * DELAY
            ours = load(options, port, "--subscribers", "1", "--publishers", str(USERS), "--rate", "%g" % (USERS / turn),
                        "--for", "%gs" % (TIMES * turn))
        changed = changes(before, answered)
        # On a busy machine it may not get around to all of its users, or end before it has written its last ten seconds.
        if count == changed == USERS * TIMES:
            break
        print("tsung has logged %d acks of %d (%d by the broker's count): once more" % (count, USERS * TIMES, changed),
              file=sys.stderr)
    return [("changes acked", "", ours["published"]["acked"], count),
            ("how late acks are", "ms", ours["ack_ms"]["p50"], mean)]


def main():
    parser = argparse.ArgumentParser(
        description="Compares what fanfare-load says with what the broker counts, and with tsung under the same load.")
    for name in ("fanfare", "load", "folder"):
        parser.add_argument("--" + name, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--tolerance", type=float, default=5, metavar="PERCENT",
                        help="how far figures may be apart (default 5)")
    options = parser.parse_args()
    print("%-20s %-6s %14s %14s %10s" % ("", "", "fanfare-load", "the other", "apart"))
    is_apart = False
    for other, rows in (("the broker", beside_broker(options)), ("tsung", beside_tsung(options))):
        print("beside %s" % other)
        for name, unit, ours, theirs in rows:
            apart = 100 * abs(ours - theirs) / max(abs(theirs), 1e-9)
            is_apart |= apart > options.tolerance
            print("  %-18s %-6s %14.2f %14.2f %8.1f %%" % (name, unit, ours, theirs, apart))
    return 1 if is_apart else 0


sys.exit(main())
