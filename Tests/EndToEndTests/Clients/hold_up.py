"""Runs a load test and stops it for three seconds once all its 110 connections do what they are for; prints its report.

Words: PROGRAM URL OPTION...
"""

import signal
import subprocess
import sys
import time

program = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, text=True)
for line in program.stderr:
    # A row with all connections, and something published where the scenario publishes.
    row = line.split()[2:4]
    if row[:1] == ["110"] and (row[1] != "0" or "idle" in sys.argv):
        program.send_signal(signal.SIGSTOP)
        time.sleep(3)
        program.send_signal(signal.SIGCONT)
        break
program.stderr.read()
sys.exit(program.wait())
