"""Runs a load test and stops it for three seconds once it publishes; prints its report. Words: PROGRAM URL OPTION..."""

import signal
import subprocess
import sys
import time

program = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, text=True)
for line in program.stderr:
    # The first row with all connections.
    if line.split()[1:2] == ["110"]:
        program.send_signal(signal.SIGSTOP)
        time.sleep(3)
        program.send_signal(signal.SIGCONT)
        break
program.stderr.read()
sys.exit(program.wait())
