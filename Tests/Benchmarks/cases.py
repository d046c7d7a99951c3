"""What is measured: each case gives a number of the broker and, where there is one, of the bare loop."""

import re
import subprocess

from client import Client
from servers import Server


class Case:
    """A case. `measure` gives the two numbers; what is judged is their ratio, or the broker's number alone."""

    def __init__(self, name, unit, measure, sign, wanted, is_ratio=True, most_runs=5):
        self.name, self.unit, self.measure, self.sign, self.wanted = name, unit, measure, sign, wanted
        self.is_ratio, self.most_runs = is_ratio, most_runs


def per_cpu(report):
    return report["server"]["deliveries_per_cpu_second"]


def compared(load, mode, number=per_cpu, tls=False):
    """The same load on both."""
    def measure(bench):
        return (number(bench.measure(bench.broker(tls), load)), number(bench.measure(bench.bare(mode, tls), load)))
    return measure


def fan_out(subscribers, rate):
    return ["--subscribers", str(subscribers), "--rate", str(rate)]


MANY = ["--subscribers", "10000", "--channels", "1000", "--publishers", "1000", "--rate", "40000"]
CYCLES = 4000
TALK = ["--subscribers", "1", "--publishers", "200"]


def overload(bench):
    """Twice the load of saturation beside saturation itself."""
    return (per_cpu(bench.measure(bench.broker(), fan_out(1000, 10000))),
            per_cpu(bench.measure(bench.broker(), fan_out(1000, 5000))))


def overload_memory(bench):
    """By how much memory grows under it, in MB."""
    server = bench.measure(bench.broker(), fan_out(1000, 10000))["server"]
    return (server["rss_bytes"] - server["rss_before_bytes"]) / 1e6, None


def ack(percentile):
    """How late acks of durable changes are; an echo of the bare loop keeps nothing."""
    def measure(bench):
        load = [*TALK, "--rate", "5000"]
        ours = bench.once("ack", lambda: bench.measure(bench.broker(store="sqlite"), load))
        bare = bench.once("echo", lambda: bench.measure(bench.bare("send"), load))
        return ours["ack_ms"][percentile], bare["ack_ms"][percentile]
    return measure


def group_commit(bench):
    """Acked changes a second where more are always under way."""
    report = bench.measure(bench.broker(store="sqlite"), [*TALK, "--closed", "4000"])
    return report["published"]["acked"] / bench.options.seconds, None


def summary(number):
    """10,000 followers of one channel in mode summary, and 20,000 durable reactions a second there."""
    def measure(bench):
        report = bench.once("summary", lambda: bench.measure(
            bench.broker(store="sqlite"),
            ["--subscribers", "10000", "--mode", "summary", "--publishers", "100", "--rate", "20000"]))
        return number(report, bench), None
    return measure


def writes(report, bench):
    """Summaries that were told, in subscribers times intervals of 100 ms."""
    return report["delivered"]["events"] / (10_000 * bench.options.seconds / 0.1)


def idle(tls):
    """Bytes of process memory for each connection that is subscribed and silent."""
    def measure(bench):
        load = ["idle", "--connections", "10000", "--subscribe"]
        numbers = [bench.measure(server, load, seconds=1)["server"]["bytes_per_connection"]
                   for server in (bench.broker(tls), bench.bare("join", tls))]
        return numbers[0], numbers[1]
    return measure


def cycles(bench):
    """Connect, subscribe, snapshot, close: so often for each second of the server's processor time."""
    def count(server):
        with Server(server) as running:
            Client(running.port, "first").close()
            before = running.seconds()
            for number in range(CYCLES):
                client = Client(running.port, "u%d" % number)
                client.say('{"type":"subscribe","id":1,"channel":"chat:42"}')
                client.wait_for(b'{"type":"subscribed"')
                client.close()
            return CYCLES / max(0.01, running.seconds() - before)
    return count(bench.broker(loops=1)), count(bench.bare("join"))


def reactors(pattern, unit=1):
    """A million people who reacted to one message: what the ledger alone takes."""
    def measure(bench):
        text = bench.once("ledger", lambda: subprocess.run(
            [bench.options.ledger], stdout=subprocess.PIPE, text=True, timeout=300, check=True).stdout)
        return int(re.search(pattern, text).group(1)) / unit, None
    return measure


def growth(bench):
    """What a delivery costs at 18,000 subscribers, in what it costs at 1,000."""
    def grown(server):
        few, many = [per_cpu(bench.measure(server(), fan_out(*load))) for load in ((1000, 80), (18000, 5))]
        return few / many
    return grown(bench.broker), grown(lambda: bench.bare("send"))


def channels(bench):
    """What a reaction costs with 8,000 channels, in what it costs with one, in µs; each is delivered once."""
    def cost(words):
        return 1e6 / per_cpu(bench.measure(bench.broker(loops=1), ["--publishers", "8000", "--rate", "4000", *words]))
    return cost(["--subscribers", "8000", "--channels", "8000"]), cost(["--subscribers", "1"])


def two_cores(bench):
    """How much more two loops can do than one: what a delivery costs one loop, in what it costs the busier of two.

    The generator needs a core of its own, so that the machine need not have both free at once.
    """
    def cost(loops):
        with Server(bench.broker(loops=loops)) as running:
            before = running.thread_seconds()
            report = bench.load(running, fan_out(2000, 40))
            after = running.thread_seconds()
            busiest = max(after[thread] - before.get(thread, 0) for thread in after)
            return busiest / report["delivered"]["events"]
    return 1 / cost(2), 1 / cost(1)


CASES = [
    Case("events one at a time, 1,000 subscribers", "per CPU s", compared(fan_out(1000, 80), "send"), "≥", 0.90),
    Case("events one at a time, 10,000 subscribers", "per CPU s", compared(fan_out(10000, 8), "send"), "≥", 0.90),
    Case("events at saturation, 1,000 subscribers", "per CPU s", compared(fan_out(1000, 5000), "join"), "≥", 0.80),
    Case("events at saturation, 10,000 subscribers", "per CPU s", compared(fan_out(10000, 200), "join"), "≥", 0.80),
    Case("1,000 channels of 10 subscribers, saturated", "per CPU s", compared(MANY, "join"), "≥", 0.75),
    Case("events at saturation over TLS, 1,000 subscribers", "per CPU s",
         compared(fan_out(1000, 3000), "join", tls=True), "≥", 0.80),
    Case("overload beside saturation, 1,000 subscribers", "per CPU s", overload, "≥", 0.80),
    Case("memory under overload", "MB", overload_memory, "≤", 1100, is_ratio=False, most_runs=3),
    Case("latency at a fifth of the load, 1,000 subscribers, p99", "ms",
         compared(fan_out(1000, 20), "send", lambda report: report["latency_ms"]["p99"]), "≤", 1.15),
    Case("ack of 5,000 durable reactions/s, p50", "ms", ack("p50"), "≤", 3, is_ratio=False),
    Case("ack of 5,000 durable reactions/s, p99", "ms", ack("p99"), "≤", 25, is_ratio=False),
    Case("durable reactions at saturation", "per s", group_commit, "≥", 50_000, is_ratio=False),
    Case("summary, 10,000 subscribers, 20,000/s: wrong counts", "counts",
         summary(lambda report, _: report["counts_wrong"]), "≤", 0, is_ratio=False, most_runs=3),
    Case("… summaries a subscriber and interval", "times", summary(writes), "≤", 1.05, is_ratio=False, most_runs=3),
    Case("… ack, p99", "ms", summary(lambda report, _: report["ack_ms"]["p99"]), "≤", 50, is_ratio=False, most_runs=3),
    Case("idle subscribed connection, ws", "bytes", idle(False), "≤", 1024, is_ratio=False, most_runs=3),
    Case("idle subscribed connection, wss", "bytes", idle(True), "≤", 20 * 1024, is_ratio=False, most_runs=2),
    Case("connect, subscribe, snapshot, close", "per CPU s", cycles, "≥", 0.70),
    Case("a million reactors on a message: ledger, each", "bytes", reactors(r"memory: (\d+) bytes"), "≤", 150, is_ratio=False,
         most_runs=1),
    Case("… add, p99", "ms", reactors(r"add, up to.*p99 (\d+) ns", 1e6), "≤", 1, is_ratio=False, most_runs=1),
    Case("… page of reactors, p99", "ms", reactors(r"page of 100.*p99 (\d+) ns", 1e6), "≤", 1, is_ratio=False,
         most_runs=1),
    Case("growth of a delivery's cost, 1,000 to 18,000", "times", growth, "≤", 1.10, most_runs=3),
    Case("growth of a reaction's cost, 1 to 8,000 channels", "CPU µs", channels, "≤", 1.15),
    Case("two loops beside one", "deliveries/s", two_cores, "≥", 1.70),
]
