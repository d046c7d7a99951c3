"""An operator's walk on this machine: scripts/packaging/operator with the package unpacked. Words: FOLDER, with a package"""

import glob
import os
import subprocess
import sys
import tempfile

from nodes import free_port
from snippets import ROOT

PARTS = str(ROOT / "scripts/packaging")

with tempfile.TemporaryDirectory() as folder:
    package, = glob.glob(sys.argv[1] + "/fanfare_*.deb")
    os.symlink(package, folder + "/first.deb")
    subprocess.run([PARTS + "/newer", package, folder + "/next.deb"], check=True)
    ports = {name: str(free_port()) for name in ("PLAIN", "SEALED", "PROXIED")}
    variables = {name: value for name, value in os.environ.items() if not name.startswith("FANFARE_")}
    done = subprocess.run([PARTS + "/operator", "unpacked", folder], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          env={**variables, **ports, "PATH": os.environ["PATH"] + ":/usr/sbin"})
    said = done.stdout.decode()
    print(said, end="")
    if "not ok" in said:
        for name in ("said", "watched", "proxy.log"):
            print(name, open(folder + "/" + name).read(), file=sys.stderr)
        sys.exit(1)
