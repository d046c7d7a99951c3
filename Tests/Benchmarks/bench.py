"""Measures the broker beside the bare loop, in turn and with the same load. Words: see --help."""

import argparse
import json
import statistics
import sys
import time

from cases import CASES
from servers import Bench


def run(case, bench, options):
    """Measures a case several times, the broker and the bare loop in turn; what the table says of it."""
    ours, bare, judged, doubts = [], [], [], 0
    for bench.round in range(min(options.runs, case.most_runs)):
        bench.doubts = 0
        mine, other = case.measure(bench)
        doubts += bench.doubts > 0
        ours.append(mine)
        bare.append(other)
        judged.append(mine / other if case.is_ratio else mine)
        if options.verbose:
            print(case.name, mine, other, file=sys.stderr)
    value = statistics.median(judged)
    return {
        "case": case.name, "unit": case.unit, "ours": statistics.median(ours),
        "bare": None if bare[0] is None else statistics.median(bare), "judged": "ratio" if case.is_ratio else "ours",
        "value": value, "lowest": min(judged), "highest": max(judged), "sign": case.sign, "wanted": case.wanted,
        "is_met": value <= case.wanted if case.sign == "≤" else value >= case.wanted, "runs": len(judged),
        "invalid_runs": doubts}


def short(number):
    """A number as a table shows it."""
    if number is None:
        return "–"
    return "{:,.0f}".format(number) if abs(number) >= 100 else "{:.2f}".format(number)


def main():
    parser = argparse.ArgumentParser(description="Measures the broker beside a bare C loop under the same load.")
    for name in ("fanfare", "load", "ledger", "baseline", "certificates"):
        parser.add_argument("--" + name, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, default=5, help="how many times each is measured, in turn (default 5)")
    parser.add_argument("--seconds", type=float, default=3, help="how long each run publishes (default 3)")
    parser.add_argument("--loops", type=int, help="event loops of the broker (default: one a core)")
    parser.add_argument("--only", default="", help="only cases whose name has this in it")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    parser.add_argument("--verbose", action="store_true", help="a line for each run on standard error")
    options = parser.parse_args()
    results = []
    bench = Bench(options)
    for case in CASES:
        if options.only in case.name:
            print("%s measuring: %s" % (time.strftime("%T"), case.name), file=sys.stderr)
            results.append(run(case, bench, options))
    if options.json:
        print(json.dumps({"bench": results}))
        return
    print("%-58s %-12s %11s %11s %8s %17s %9s" % ("case", "unit", "broker", "bare loop", "judged", "spread", "wanted"))
    for r in results:
        print("%-58s %-12s %11s %11s %8s %17s %s %7s%s" % (
            r["case"], r["unit"], short(r["ours"]), short(r["bare"]), short(r["value"]),
            "%s–%s" % (short(r["lowest"]), short(r["highest"])), r["sign"], short(r["wanted"]),
            ("" if r["is_met"] else "  missed") + ("  doubtful" if r["invalid_runs"] else "")))


main()
