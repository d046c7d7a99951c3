"""Measures the broker and other WebSocket servers that Debian has, in turn, by one clock. Words: see --help.

Every server is one process that sends what is published to all who subscribed, and keeps nothing. The broker does more for
each event than the others: it counts, orders, and answers whoever publishes.
"""

import argparse
import json
import math
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

# A marker is 24 bytes.
MARKER = 24


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def mqtt(kind, *parts):
    """A packet of MQTT 3.1.1 with a marker behind its parts where it publishes, as a template for fanfare-load."""
    body = b"".join(parts)
    length = len(body) + (MARKER if kind == 0x30 else 0)
    return "{hex:%s}%s" % ((bytes([kind, length]) + body).hex(), "{marker}" if kind == 0x30 else "")


def counted(text):
    """A text of MQTT, with its length ahead."""
    return len(text).to_bytes(2, "big") + text


class Peer:
    """A server: how it is started, in a folder of its own, and what it is told."""

    def __init__(self, name, start, words, path="/", needs=None):
        self.name, self.start, self.words, self.path, self.needs = name, start, words, path, needs

    def run(self, folder, port):
        """The process, once it listens."""
        process = subprocess.Popen(
            self.start(folder, port), cwd=folder, env={**os.environ, "NODE_PATH": "/usr/share/nodejs"}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(os.path.join(folder, "log"), "wb"))
        for _ in range(600):
            if process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return process
            except OSError:
                time.sleep(0.05)
        process.kill()
        with open(os.path.join(folder, "log"), errors="replace") as log:
            raise SystemExit("%s did not start: %s" % (self.name, log.read()[-500:]))


def written(folder, name, text):
    file = os.path.join(folder, name)
    with open(file, "w") as out:
        out.write(text)
    return file


def nchan(folder, port):
    text = """daemon off;
master_process off;
pid nginx.pid;
error_log stderr error;
load_module /usr/lib/nginx/modules/ngx_nchan_module.so;
events { worker_connections 20000; }
http {
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {
        listen 127.0.0.1:%d;
        location / { nchan_pubsub websocket; nchan_channel_id load; nchan_subscriber_first_message newest; }
    }
}
""" % port
    return ["/usr/sbin/nginx", "-p", folder, "-e", "stderr", "-c", written(folder, "nginx.conf", text)]


def mosquitto(folder, port):
    # It does not start with WebSockets alone.
    text = ("listener %d 127.0.0.1\nprotocol mqtt\nlistener %d 127.0.0.1\nprotocol websockets\n"
            "allow_anonymous true\nmax_queued_messages 0\n" % (free_port(), port))
    return ["/usr/sbin/mosquitto", "-c", written(folder, "mosquitto.conf", text)]


def nats(folder, port):
    text = 'listen: "127.0.0.1:%d"\nwebsocket { listen: "127.0.0.1:%d", no_tls: true }\n' % (free_port(), port)
    return [shutil.which("nats-server") or "/usr/sbin/nats-server", "-c", written(folder, "nats.conf", text)]


def peers(options):
    """All of them, the broker first."""
    here = os.path.dirname(os.path.abspath(__file__))
    return [
        Peer("Fanfare", lambda folder, port: [
            options.fanfare, "serve", "--dev", "--store", "memory", "--data", folder, "--listen", "127.0.0.1:%d" % port],
            ["--raw-subscribe", '{"type":"subscribe","id":1,"channel":"{channel}"}', "--raw-publish",
             '{"type":"add","id":{n},"channel":"{channel}","message":"m{n}","reaction":"👍","data":{"m":"{marker}"}}',
             "--raw-protocol", "fanfare.v1.json"], "/v1/ws?user=load"),
        Peer("nginx with nchan", nchan, ["--raw-publish", "{marker}"],
             needs="/usr/lib/nginx/modules/ngx_nchan_module.so"),
        Peer("nats-server", nats, [
            "--raw-open", 'CONNECT {"verbose":false}{hex:0d0a}', "--raw-subscribe", "SUB load 1{hex:0d0a}",
            "--raw-publish", "PUB load %d{hex:0d0a}{marker}{hex:0d0a}" % MARKER, "--raw-binary"],
            needs="/usr/sbin/nats-server"),
        Peer("mosquitto", mosquitto, [
            "--raw-open", mqtt(0x10, counted(b"MQTT"), bytes([4, 2, 0, 60]), counted(b"")),
            "--raw-subscribe", mqtt(0x82, b"\0\1", counted(b"load"), b"\0"),
            "--raw-publish", mqtt(0x30, counted(b"load")), "--raw-binary", "--raw-protocol", "mqtt"],
            needs="/usr/sbin/mosquitto"),
        Peer("node with ws", lambda _, port: ["/usr/bin/node", os.path.join(here, "peers.js"), str(port)],
             ["--raw-subscribe", "join", "--raw-publish", "{marker}"], needs="/usr/share/nodejs/ws"),
    ]


class Case:
    """A load, and what is told of each server under it."""

    def __init__(self, name, unit, words, number):
        self.name, self.unit, self.words, self.number = name, unit, words, number


def per_cpu(report):
    return report["server"]["deliveries_per_cpu_second"]


CASES = [
    Case("1,000 subscribers, 80 events/s", "per CPU s", ["--subscribers", "1000", "--rate", "80"], per_cpu),
    Case("10,000 subscribers, 8 events/s", "per CPU s", ["--subscribers", "10000", "--rate", "8"], per_cpu),
    Case("1,000 subscribers, 3,000 events/s", "per CPU s", ["--subscribers", "1000", "--rate", "3000"], per_cpu),
    Case("… delivered in time", "%", ["--subscribers", "1000", "--rate", "3000"],
         lambda report: 100 * report["delivered"]["events"] / max(1, report["delivered"]["expected"])),
    Case("p99 at 20 events/s to 1,000", "ms", ["--subscribers", "1000", "--rate", "20"],
         lambda report: report["latency_ms"]["p99"] or math.nan),
]


def measure(peer, words, options):
    folder = tempfile.mkdtemp(dir=options.folder)
    port = free_port()
    process = peer.run(folder, port)
    try:
        done = subprocess.run(
            [options.load, "ws://127.0.0.1:%d%s" % (port, peer.path), "raw", *peer.words, *words, "--for",
             "%gs" % options.seconds, "--drain", "2s", "--json", "--quiet", "--server-pid", str(process.pid)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=180)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if not done.stdout:
        raise SystemExit("%s: fanfare-load ended with %d: %s" % (peer.name, done.returncode, done.stderr.strip()))
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(
        description="Measures the broker and other WebSocket servers that Debian has, under the same loads.")
    for name in ("fanfare", "load", "folder"):
        parser.add_argument("--" + name, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, default=3, help="how many times each is measured, in turn (default 3)")
    parser.add_argument("--seconds", type=float, default=3, help="how long each run publishes (default 3)")
    parser.add_argument("--only", default="", help="only cases whose name has this in it")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    options = parser.parse_args()
    found, missing = [], []
    for peer in peers(options):
        (found if peer.needs is None or os.path.exists(peer.needs) else missing).append(peer)
    for peer in missing:
        print("not there, so not measured: %s (%s)" % (peer.name, peer.needs), file=sys.stderr)
    cases = [case for case in CASES if options.only in case.name]
    numbers = {(case.name, peer.name): [] for case in cases for peer in found}
    doubtful = set()
    for _ in range(options.runs):
        reports = {}
        for case in cases:
            for peer in found:
                key = (peer.name, *case.words)
                if key not in reports:
                    print("%s measuring: %s, %s" % (time.strftime("%T"), case.name, peer.name), file=sys.stderr)
                    reports[key] = measure(peer, case.words, options)
                numbers[case.name, peer.name].append(case.number(reports[key]))
                if not reports[key]["valid"]:
                    doubtful.add((case.name, peer.name))
    if options.json:
        print(json.dumps({"peers": [
            {"case": case.name, "unit": case.unit, "server": peer.name, "value": statistics.median(some),
             "lowest": min(some), "highest": max(some), "doubtful": (case.name, peer.name) in doubtful}
            for case in cases for peer in found for some in [numbers[case.name, peer.name]]]}))
        return
    print("%-36s %-10s" % ("case", "unit") + "".join("%20s" % peer.name for peer in found))
    for case in cases:
        cells = ["%s%s" % (short(statistics.median(numbers[case.name, peer.name])),
                           " ?" if (case.name, peer.name) in doubtful else "  ") for peer in found]
        print("%-36s %-10s" % (case.name, case.unit) + "".join("%20s" % cell for cell in cells))
    if doubtful:
        print("?: in one of its runs the generator was the limit")


def short(number):
    return "{:,.0f}".format(number) if abs(number) >= 100 else "{:.1f}".format(number)


if __name__ == "__main__":
    main()
