"""One page of documentation, worked through in a folder of its own: its commands, with ports and brokers of its own."""

import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import time

from checks import PATIENCE
from nodes import free_port
from snippets import ROOT

# What stands in place of the programs: one broker at a time, which goes on when its block is over, and so does what follows
# a channel.
PROGRAM = """#!/bin/bash
case "${1-}" in
serve)
    shift
    case " $* " in *" --listen"* | *" --tls-listen"* | *" --config"*) ;; *) set -- --listen "127.0.0.1:$GUIDE_PORT" "$@" ;; esac
    "$GUIDE/bin/stop"
    echo $$ >"$GUIDE/serving"
    exec "$GUIDE_BINARIES/fanfare" serve "$@" >/dev/null 2>"$GUIDE/said.$$"
    ;;
watch | top)
    case " $* " in *" --count "*) exec "$GUIDE_BINARIES/fanfare" "$@" ;; esac
    echo $$ >>"$GUIDE/following"
    exec "$GUIDE_BINARIES/fanfare" "$@" >"$GUIDE/followed.$$" 2>&1
    ;;
*) exec "$GUIDE_BINARIES/fanfare" "$@" ;;
esac
"""
STOP = """#!/bin/bash
[ -e "$GUIDE/serving" ] || exit 0
read -r broker <"$GUIDE/serving"
rm "$GUIDE/serving"
kill -TERM "$broker" 2>/dev/null || exit 0
# One whose parent is gone may stay as a zombie.
while grep -q '^State:.[^Z]' "/proc/$broker/status" 2>/dev/null; do sleep 0.05; done
"""
BEGIN = """set -e -o pipefail
up() {
    until grep -q 'listening on' "$GUIDE/said.$1" 2>/dev/null; do
        grep -q '^State:.[^Z]' "/proc/$1/status" || { cat "$GUIDE/said.$1" >&2; return 1; }
        sleep 0.05
    done
}
"""
LONG = re.compile(r"^((?:\S*/)?fanfare (?:serve|watch|top)\b|scripts/serve\b)(?!.*--count)")


class GuidePage:
    def __init__(self, folder, binaries):
        self.folder = pathlib.Path(folder)
        self.binaries = binaries
        self.ports = {}
        self.port = self.own(8080)
        self.broker = "http://127.0.0.1:%d" % self.port
        for place in ("bin", "scripts", ".build/release"):
            (self.folder / place).mkdir(parents=True)
        self.program("bin/fanfare", PROGRAM)
        self.program("bin/stop", STOP)
        self.program("scripts/serve", '#!/bin/bash\nexec fanfare serve --dev --data data "$@"\n')
        (self.folder / "scripts/dev-cert").symlink_to(ROOT / "scripts/dev-cert")
        (self.folder / ".build/release/fanfare").symlink_to(self.folder / "bin/fanfare")
        for place in ("bin", ".build/release"):
            (self.folder / place / "fanfare-load").symlink_to(os.path.abspath(binaries) + "/fanfare-load")
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("FANFARE_")},
            "PATH": "%s/bin:%s" % (folder, os.environ["PATH"]), "HOME": str(folder), "LANG": "C.UTF-8", "GUIDE": str(folder),
            "GUIDE_PORT": str(self.port), "GUIDE_BINARIES": os.path.abspath(binaries),
            "FANFARE_URL": "ws://127.0.0.1:%d" % self.port}

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    # Ports of its own

    def own(self, port):
        """The port that stands on this machine for one that a page names."""
        if port not in self.ports:
            self.ports[port] = free_port()
        return self.ports[port]

    def with_own_ports(self, text):
        return re.sub(r"(?<=[\w\]\s\"',=]):(\d{4,5})\b(?=[/\"'\s?`,;&)]|$)", lambda m: ":%d" % self.own(int(m[1])), text, flags=re.M)

    # Commands

    def script(self, text):
        """Commands as bash is to run them: what goes on for ever does so behind the others."""
        text = re.sub(r"\\\n\s*", "", self.with_own_ports(text))
        lines = []
        for line in text.split("\n"):
            if LONG.match(line):
                line = re.sub(r"\s+#.*$", "", line).rstrip("& ") + " &"
                line += " up $!" if "serve" in line.split()[0] + line.split()[1] else ""
            lines.append(line)
        return BEGIN + "\n".join(lines)

    def run(self, text, **variables):
        """Runs commands to their end: what they wrote."""
        done = subprocess.run(
            ["/bin/bash", "-c", self.script(text)], cwd=self.folder, env={**self.environment, **variables}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=2 * PATIENCE)
        said = done.stdout.decode(errors="replace")
        assert done.returncode == 0, "it ended with %d: %s%s" % (done.returncode, said, self.broker_said())
        return said

    def broker_said(self):
        return "".join(" | " + path.read_text() for path in self.folder.glob("said.*"))

    def serving(self):
        """Has a broker in development mode at the usual port, unless the page has one of its own."""
        if not (self.folder / "serving").exists():
            self.run("fanfare serve --dev --data data")

    def until_followed(self, text):
        """Waits until something that follows a channel has written it."""
        end = time.monotonic() + PATIENCE
        while not any(text in path.read_text() for path in self.folder.glob("followed.*")):
            assert time.monotonic() < end, "%r in %s" % (text, [path.read_text() for path in self.folder.glob("followed.*")])
            time.sleep(0.05)

    def end(self):
        """Ends all that still runs; a broker has to end in order."""
        for pid in (self.folder / "following").read_text().split() if (self.folder / "following").exists() else []:
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.run("stop")

    # Settings

    def settings(self, text):
        """Has 'fanfare check' read settings, beside which lie the files that they name."""
        place = self.folder / "settings"
        place.mkdir(exist_ok=True)
        self.files_of(json.loads(text), place)
        (place / "checked.json").write_text(text)
        return self.run("cd settings && fanfare check --config checked.json", FANFARE_TOKEN_SECRET="a secret of a test, of 32 bytes or more")

    def files_of(self, value, place):
        """Makes the files that settings name, where they are not there."""
        for name, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []:
            self.files_of(one, place)
            if not isinstance(one, str) or one.startswith("/") or (place / one).exists():
                continue
            if name in ("cert", "client_ca", "ca_file", "key"):
                if not (place / "made").exists():
                    self.run("scripts/dev-cert settings/made")
                (place / one).write_bytes((place / "made" / ("key.pem" if name == "key" else "cert.pem")).read_bytes())
            elif name == "jwks_file":
                self.run("cd settings && openssl genpkey -algorithm ed25519 -out signing.pem && fanfare token --key signing.pem --kid k --jwks >" + one)
