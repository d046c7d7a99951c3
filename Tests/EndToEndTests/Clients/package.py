"""What scripts/package makes: what is in it, and that it agrees with the programs. Words: FOLDER

Nothing is installed; scripts/package --check does that.
"""

import gzip
import json
import os
import re
import subprocess
import tarfile
import tempfile

from broker import PROGRAM
from checks import Check, equal, main

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


def output(*words, environment=None, status=0):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, **(environment or {})})
    text = done.stdout.decode()
    assert done.returncode == status, "%s ended with %s: %s" % (words[0], done.returncode, text)
    return text


def field(deb, name):
    return output("dpkg-deb", "--field", deb, name).strip()


async def scenario(folder):
    version = output(PROGRAM, "--version").split()[1]
    found = sorted(os.listdir(folder))
    with Check("three files"):
        equal([re.sub(r"_[a-z0-9]+\.deb|-[a-z0-9]+\.tar\.gz", "", name) for name in found],
              ["fanfare-%s-linux" % version, "fanfare-image.tar", "fanfare_" + version])
    archive, image, deb = (os.path.join(folder, name) for name in found)
    with tempfile.TemporaryDirectory() as place:
        tree = place + "/deb"
        output("dpkg-deb", "--raw-extract", deb, tree)
        with Check("the package's fields"):
            equal(field(deb, "Package"), "fanfare")
            equal(field(deb, "Version"), version)
            equal(field(deb, "Architecture"), output("dpkg", "--print-architecture").strip())
            depends = field(deb, "Depends")
            for name in "adduser", "libc6 (>=", "libssl3 (>=", "libsqlite3-0 (>=", "libnats", "zlib1g (>=":
                assert name in depends, (name, depends)
            assert "swift" not in depends, depends
        with Check("its files belong to root, and nobody else may write them"):
            for line in output("dpkg-deb", "--contents", deb).splitlines():
                mode, owner, name = line.split()[0], line.split()[1], line.split()[5]
                equal(owner, "root/root", name)
                assert mode.startswith("d") or mode in ("-rwxr-xr-x", "-rw-r--r--"), line
                assert not mode.startswith("d") or mode == "drwxr-xr-x", line
        with Check("the programs run without the toolchain's libraries, and are of this version"):
            for name in "fanfare", "fanfare-load":
                equal(output(tree + "/usr/bin/" + name, "--version").strip(), "%s %s" % (name, version))
                assert not re.search("swift|Foundation|dispatch", output("ldd", tree + "/usr/bin/" + name)), name
        commands(tree)
        with Check("the default settings are a conffile, and are taken without a warning"):
            equal(open(tree + "/DEBIAN/conffiles").read(), "/etc/fanfare/settings.json\n")
            said = output(PROGRAM, "check", "--config", tree + "/etc/fanfare/settings.json",
                          environment={"FANFARE_TOKEN_SECRET": "0123456789" * 4})
            assert "warning" not in said and re.search(r"^data +/var/lib/fanfare ", said, re.M), said
        with Check("the maintainer's scripts are sound"):
            for name in "postinst", "prerm", "postrm":
                output("sh", "-n", "%s/DEBIAN/%s" % (tree, name))
                assert os.access("%s/DEBIAN/%s" % (tree, name), os.X_OK), name
                assert re.match("#!/bin/sh\nset -e\n", open("%s/DEBIAN/%s" % (tree, name)).read()), name
        units(tree)
        with Check("the checksums are right"):
            output("sh", "-c", 'cd "$1" && md5sum --check --quiet DEBIAN/md5sums', "sh", tree)
        with Check("the archive has the same programs, pages and completions, in one folder"):
            with tarfile.open(archive) as tar:
                names = {m.name.split("/", 1)[1] for m in tar.getmembers() if "/" in m.name}
                equal({m.name.split("/")[0] for m in tar.getmembers()}, {os.path.basename(archive)[:-len(".tar.gz")]})
                assert all(m.uid == m.gid == 0 for m in tar.getmembers())
                top = os.path.basename(archive)[:-len(".tar.gz")]
                equal(tar.extractfile(top + "/bin/fanfare").read(), open(tree + "/usr/bin/fanfare", "rb").read())
            for name in ["bin/fanfare-load", "LICENSE", "README.md", "etc/fanfare/settings.json",
                         "lib/systemd/system/fanfare.service", "share/man/fanfare-serve.1", "share/completion/_fanfare"]:
                assert name in names, name
        container(image, place + "/image")


def commands(tree):
    with Check("a manual page for each command and the settings, without a complaint of mandoc"):
        for program in "fanfare", "fanfare-load":
            main_page = gzip.open("%s/usr/share/man/man1/%s.1.gz" % (tree, program)).read().decode()
            named = re.findall(r"^\\fB%s ([a-z\\-]+)\\fR$" % re.escape(program.replace("-", "\\-")), main_page, re.M)
            assert named, program
            for command in named:
                command = command.replace("\\", "")
                path = "%s/usr/share/man/man1/%s-%s.1.gz" % (tree, program, command)
                page = output("mandoc", "-T", "utf8", path)
                help = output(os.path.join(os.path.dirname(PROGRAM), program), command, "--help")
                for option in re.findall(r"^  (--[a-z-]+)", help, re.M):
                    assert re.search(re.escape(option) + r"\b", re.sub(".\b", "", page)), (command, option)
        settings = re.sub(".\b", "", output("mandoc", "-T", "utf8", tree + "/usr/share/man/man5/fanfare-settings.5.gz"))
        for name in "limits.outbound_bytes 1024 to 1073741824", "(default 1048576)", "namespaces.NAMESPACE.policy distinct":
            assert name in settings, (name, settings)
        for section in "1", "5":
            pages = "%s/usr/share/man/man%s/" % (tree, section)
            for name in os.listdir(pages):
                equal(output("sh", "-c", 'mandoc -T lint "$1" || true', "sh", pages + name), "", name)
    with Check("the completions are what the programs print"):
        for program in "fanfare", "fanfare-load":
            for shell, path in (("bash", "bash-completion/completions/" + program),
                                ("zsh", "zsh/vendor-completions/_" + program),
                                ("fish", "fish/vendor_completions.d/%s.fish" % program)):
                equal(open("%s/usr/share/%s" % (tree, path)).read(),
                      output(tree + "/usr/bin/" + program, "completion", shell), path)


def units(tree):
    with Check("systemd takes the units, and what the service may do is little"):
        with tempfile.TemporaryDirectory() as place:
            paths = []
            for name in "fanfare.service", "fanfare.socket":
                with open("%s/lib/systemd/system/%s" % (tree, name)) as unit, open(place + "/" + name, "w") as copy:
                    # The program is not installed here.
                    copy.write(unit.read().replace("=/usr/bin/fanfare ", "=%s/usr/bin/fanfare " % tree))
                paths.append(place + "/" + name)
            equal(output("systemd-analyze", "verify", "--man=no", *paths), "")
        # Its score is 10 for a service without any bound, and 0 for one that may do nothing.
        report = output("systemd-analyze", "security", "--offline=yes", "--threshold=15", "--no-pager",
                        tree + "/lib/systemd/system/fanfare.service")
        score = re.search(r"exposure level for fanfare.service: ([0-9.]+) OK", report)
        assert score and float(score.group(1)) <= 1.5, report
        page = open(ROOT + "/Sources/Server/Documentation.docc/Systemd.md").read()
        assert "`%s`" % score.group(1) in page, "the page Systemd has another score than " + score.group(1)


def container(image, place):
    with Check("the image has the broker, its libraries and its data folder, and nothing else that runs"):
        with tarfile.open(image) as tar:
            members = {m.name.removeprefix("./").rstrip("/"): m for m in tar.getmembers()}
        programs = [n for n, m in members.items() if m.isfile() and m.mode & 0o111 and not re.search(r"\.so(\.|$)", n)]
        equal(programs, ["usr/bin/fanfare"])
        assert all(m.mode & 0o6000 == 0 for m in members.values()), "set-uid"
        assert not [n for n, m in members.items() if m.isdev()], "devices"
        data = members["var/lib/fanfare"]
        equal((data.uid, data.gid, data.mode), (10001, 10001, 0o750))
        assert all(m.uid == 0 for n, m in members.items() if n != "var/lib/fanfare"), "owners"
        os.makedirs(place)
        output("tar", "--extract", "--no-same-owner", "--directory", place, "--file", image)
        for library in re.findall(r"(/\S+) \(0x", output("ldd", place + "/usr/bin/fanfare")):
            assert library.lstrip("/") in members, library
    with Check("the Containerfile adds files that are there, and runs as nobody in particular, without a shell"):
        lines = [line.split(None, 1) for line in open(ROOT + "/Containerfile") if line.strip() and line[0] != "#"]
        words = dict(lines)
        equal([name for name, _ in lines], ["FROM", "ADD", "USER", "VOLUME", "EXPOSE", "ENTRYPOINT", "CMD"])
        equal(words["FROM"].strip(), "scratch")
        equal(words["ADD"].split(), [".build/packages/fanfare-image.tar", "/"])
        equal(words["USER"].strip(), "%d:%d" % (data.uid, data.gid))
        equal(json.loads(words["VOLUME"]), ["/var/lib/fanfare"])
        equal(json.loads(words["ENTRYPOINT"]), ["/usr/bin/fanfare"])
        options = re.findall("--[a-z-]+", words["CMD"])
        known = output(PROGRAM, "serve", "--help")
        assert json.loads(words["CMD"])[0] == "serve" and options and all(o + " " in known for o in options), words


main(scenario)
