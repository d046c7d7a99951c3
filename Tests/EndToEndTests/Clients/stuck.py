"""Files of settings, secrets, keys and certificates in whose place stands something else, or that never answer.

Words: FOLDER, which has cert.pem and key.pem
"""

import json
import os
import pathlib
import shutil
import signal
import time

from broker import note, run
from checks import PATIENCE, Check, equal, main
from bare_http import ask
from services import Manager, Service
from unanswered import Unanswered, is_possible

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
FILES = ("settings.json", "keys.json", "secret", "authorities.pem", "chain.pem", "chain-key.pem")


class Place:
    """A folder with settings and all files that they can name."""

    def __init__(self, folder, name):
        self.given, self.folder = folder, os.path.join(folder, name)
        os.mkdir(self.folder)
        for name in FILES:
            self.write(name)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name):
        """Writes a file as it should be, whatever is there."""
        path = self.path(name)
        if os.path.lexists(path):
            os.rename(path, path + ".old-%d" % time.monotonic_ns())
        copies = {"authorities.pem": "cert.pem", "chain.pem": "cert.pem", "chain-key.pem": "key.pem"}
        if name in copies:
            shutil.copy(os.path.join(self.given, copies[name]), path)
        else:
            pathlib.Path(path).write_text({
                "secret": "a secret of a hook\n",
                "keys.json": json.dumps({"keys": [{"kty": "oct", "k": "A" * 64, "kid": "one", "alg": "HS256"}]}),
                "settings.json": json.dumps({
                    "listen": [{"address": "127.0.0.1:0"}, {
                        "address": "127.0.0.1:0", "tls": {"cert": self.path("chain.pem"), "key": self.path("chain-key.pem")}}],
                    "store": {"kind": "memory"}, "tokens": {"jwks_file": self.path("keys.json")},
                    "namespaces": {"chat": {"hooks": {"react": {
                        "url": "https://127.0.0.1:1/", "secret_file": self.path("secret"),
                        "ca_file": self.path("authorities.pem")}}}}}),
            }[name])

    def put(self, name, kind):
        """Puts something else in the place of a file."""
        path = self.path(name)
        os.unlink(path)
        if kind == "a pipe":
            os.mkfifo(path)
        elif kind == "a device":
            os.symlink("/dev/zero", path)
        elif kind == "a folder":
            os.mkdir(path)
        else:
            with open(path, "wb") as file:
                file.truncate(64 << 20)

    def start(self, **options):
        return Service(self.folder, mode=("--config", self.path("settings.json"), "--drain-within", "2s"), **options)


def words_of(kind):
    return "it has more than " if kind == "a large file" else "it is %s, and no regular file" % kind


def lasting(broker, words, count=1):
    """Waits until it has said that so often, and gives the last line."""
    end = time.monotonic() + PATIENCE
    while broker.said().count(words) < count:
        assert time.monotonic() < end and broker.process.poll() is None, broker.said()
        time.sleep(0.02)
    return broker.said().splitlines()[-1]


def at_start(folder):
    place = Place(folder, "start")
    for name in FILES:
        for kind in ("a pipe", "a device", "a folder", "a large file"):
            with Check("at the start %s in place of %s is refused at once, in one line" % (kind, name)):
                place.put(name, kind)
                for command in ("check", "serve"):
                    status, _, said = run(command, "--config", place.path("settings.json"), timeout=PATIENCE)
                    equal((status, len(said.splitlines())), (2, 1), said)
                    assert words_of(kind) in said and place.path(name) in said, said
            place.write(name)
    with Check("the files of NATS as well"):
        path = place.path("pipe")
        os.mkfifo(path)
        for name in ("credentials_file", "ca_file"):
            settings = {"nats": {"servers": ["tls://127.0.0.1:1"], name: path}}
            pathlib.Path(place.path("nats.json")).write_text(json.dumps(settings))
            status, _, said = run("serve", "--dev", "--config", place.path("nats.json"), timeout=PATIENCE)
            equal(status, 2)
            assert "nats.%s: the file '%s' cannot be read: it is a pipe" % (name, path) in said, said


def at_reload(folder):
    place = Place(folder, "reload")
    manager = Manager(place.path("notify"))
    parts = {"settings.json": "failed: the settings stay as they were; certificates were read again",
             "chain.pem": "failed in part: settings were read again, one certificate stays as it was"}
    with place.start(environment={"NOTIFY_SOCKET": place.path("notify")}) as broker:
        url = broker.urls(2)[0]
        status = manager.until("READY")[0]["STATUS"]
        for name in FILES:
            last = parts["chain.pem" if name.startswith("chain") else "settings.json"]
            for kind in ("a pipe", "a device"):
                with Check("at a reload %s in place of %s leaves its part as it was, and the last line says so" % (kind, name)):
                    place.put(name, kind)
                    count = broker.said().count("the reload (SIGHUP)") + 1
                    broker.process.send_signal(signal.SIGHUP)
                    equal(lasting(broker, "the reload (SIGHUP)", count), "error: the reload (SIGHUP) " + last)
                    assert words_of(kind) in broker.said(), broker.said()
                    equal(ask(url, HEALTH).status, 200, "status")
                with Check("and the service manager hears it: RELOADING, READY with a status"):
                    equal(manager.hear()["RELOADING"], "1")
                    equal(manager.hear(), {"READY": "1", "STATUS": status + "; the last reload failed, see the log"})
                place.write(name)
        with Check("when all is right again, that is said last, and the status is as it was"):
            broker.process.send_signal(signal.SIGHUP)
            equal(lasting(broker, "settings and certificates were read again"),
                  "info: settings and certificates were read again (SIGHUP)")
            equal(manager.hear()["RELOADING"], "1")
            equal(manager.hear(), {"READY": "1", "STATUS": status})
        with Check("what takes effect at the next start alone is named last"):
            settings = json.loads(pathlib.Path(place.path("settings.json")).read_text())
            settings["data"], settings["listen"] = "elsewhere", settings["listen"][:1]
            pathlib.Path(place.path("settings.json")).write_text(json.dumps(settings))
            broker.process.send_signal(signal.SIGHUP)
            equal(lasting(broker, "settings and certificates were read again", 2),
                  "info: settings and certificates were read again (SIGHUP); what has changed in listen, data takes effect "
                  "at the next start")
        with Check("with settings and a certificate that are wrong, both are named"):
            place.put("settings.json", "a pipe")
            place.put("chain.pem", "a pipe")
            broker.process.send_signal(signal.SIGHUP)
            equal(lasting(broker, "stay as they were; one certificate"),
                  "error: the reload (SIGHUP) failed: the settings stay as they were; one certificate stays as it was")
        equal(broker.stop(), 0, "exit status")
    manager.socket.close()


def without_answer(folder):
    for name in FILES:
        place = Place(folder, "hung-" + name)
        with Check("%s never answers: the broker serves on, hears SIGHUP and ends at SIGTERM, told in order" % name):
            files, manager = Unanswered(), Manager(place.path("notify"))
            with place.start(begin=files.begin, environment={"NOTIFY_SOCKET": place.path("notify")}) as broker:
                url = broker.urls(2)[0]
                manager.until("READY")
                files.silence(place.path(name))
                broker.process.send_signal(signal.SIGHUP)
                files.until_asked(1, PATIENCE)
                equal(manager.hear()["RELOADING"], "1")
                for count in range(1, 4):
                    broker.process.send_signal(signal.SIGHUP)
                    lasting(broker, "SIGHUP: files are still being read since the last one", count)
                equal(ask(url, HEALTH).status, 200, "status")
                equal(broker.stop(), 0, "exit status")
                assert "stopping (SIGTERM)" in broker.said() and "read again (SIGHUP)" not in broker.said(), broker.said()
            equal(manager.hear(), {"STOPPING": "1", "STATUS": "draining"})
            assert manager.quiet(), "something follows the end"
            manager.socket.close()
    place = Place(folder, "slow")
    with Check("one that answers late is taken then, and once more for all that was asked meanwhile"):
        files = Unanswered()
        with place.start(begin=files.begin) as broker:
            url = broker.urls(2)[0]
            files.silence(place.path("settings.json"))
            broker.process.send_signal(signal.SIGHUP)
            files.until_asked(1, PATIENCE)
            for count in range(1, 4):
                broker.process.send_signal(signal.SIGHUP)
                lasting(broker, "SIGHUP: files are still being read since the last one", count)
            files.release()
            lasting(broker, "settings and certificates were read again (SIGHUP)", 2)
            broker.process.send_signal(signal.SIGHUP)
            lasting(broker, "settings and certificates were read again (SIGHUP)", 3)
            equal(ask(url, HEALTH).status, 200, "status")
            equal(broker.stop(), 0, "exit status")
            equal(broker.said().count("settings and certificates were read again (SIGHUP)"), 3, "reloads")
    for name in FILES:
        place = Place(folder, "late-" + name)
        with Check("%s does not answer at the start: SIGTERM ends it" % name):
            files = Unanswered()
            files.silence(place.path(name))
            with place.start(begin=files.begin) as broker:
                files.until_asked(1, PATIENCE)
                equal(broker.stop(), 0, "exit status")
                equal(broker.said(), "info: stopping (SIGTERM) before it has begun\n")


def keys(folder):
    """A key set is looked at by those who bring tokens."""
    place = Place(folder, "keys")
    run_openssl = os.system("openssl genpkey -algorithm ed25519 -out %s 2>&1 >/dev/null" % place.path("signing.pem"))
    equal(run_openssl, 0, "exit status of openssl")
    status, token, said = run("token", "--key", place.path("signing.pem"), "--kid", "two", "--sub", "ada")
    equal(status, 0, said)
    status, public, said = run("token", "--key", place.path("signing.pem"), "--kid", "two", "--jwks")
    equal(status, 0, said)
    request = (b"GET /v1/channels/chat:1/messages/m?token=%s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
               % token.strip().encode())
    with Check("a key set that never answers holds nobody up: its keys stay, and that is said once"):
        files = Unanswered()
        with place.start(begin=files.begin) as broker:
            url = broker.urls(2)[0]
            files.silence(place.path("keys.json"))
            for _ in range(5):
                equal(ask(url, request).status, 401, "status for a key that nobody knows")
            files.until_asked(1, PATIENCE)
            equal(ask(url, HEALTH).status, 200, "status")
            equal(broker.said().count("the keys stay as they were: the key set '%s' does not answer" % place.path("keys.json")), 1)
            equal(len(files.waiting), 1, "calls that wait")
            pathlib.Path(place.path("new.json")).write_text(public)
            os.rename(place.path("new.json"), place.path("keys.json"))
            files.release()
            end = time.monotonic() + PATIENCE
            while (found := ask(url, request).status) != 200:
                assert found == 401 and time.monotonic() < end, found
                time.sleep(0.05)
            equal(broker.stop(), 0, "exit status")


async def scenario(folder):
    at_start(folder)
    at_reload(folder)
    if not is_possible():
        return note("the kernel lets nobody be asked about files here: those that never answer are not tried")
    without_answer(folder)
    keys(folder)


main(scenario)
