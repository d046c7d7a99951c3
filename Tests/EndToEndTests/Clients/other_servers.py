"""Servers of other kinds, put under load by `fanfare-load raw` as scripts/bench --peers does it.

Words: FANFARE LOAD     the two commands
"""

import argparse
import asyncio
import os
import sys
import tempfile

from checks import Check, equal, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Benchmarks"))
import peers  # noqa: E402

# What this machine has for other tests; the rest is for scripts/bench --peers.
TESTED = ("Fanfare", "nats-server", "node with ws")


async def scenario(fanfare, load):
    with tempfile.TemporaryDirectory(prefix="fanfare-peers-") as folder:
        options = argparse.Namespace(fanfare=fanfare, load=load, folder=folder, seconds=1)
        found = {peer.name: peer for peer in peers.peers(options)}
        for name in TESTED:
            with Check("%s tells every subscriber what is published" % name):
                report = await asyncio.to_thread(
                    peers.measure, found[name], ["--subscribers", "20", "--rate", "50"], options)
                equal(report["delivered"]["expected"], 1000, "expected")
                equal(report["delivered"]["events"], 1000, "events")
                equal((report["lost"], report["duplicates"], report["reordered"]), (0, 0, 0), "faults")


if __name__ == "__main__":
    main(scenario)
