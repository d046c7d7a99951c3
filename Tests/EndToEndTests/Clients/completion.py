"""Shell completion, asked of the shells themselves. No words.

Whatever --help names must be offered, and what is offered must be understood.
"""

import os
import re
import subprocess
import tempfile

from checks import Check, equal, main

FOLDER = os.environ.get("FANFARE_BIN_DIR", ".build/release")
HOME = tempfile.TemporaryDirectory()  # fish makes folders there
ENVIRONMENT = {"PATH": os.path.abspath(FOLDER) + ":/usr/bin:/bin", "HOME": HOME.name, "TERM": "dumb", "LC_ALL": "C.UTF-8"}


def output(*words, **options):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, env=ENVIRONMENT, timeout=120, **options)
    assert done.returncode == 0 and not done.stderr, (words, done.returncode, done.stderr.decode())
    return done.stdout.decode()


def bash(folder, words):
    """What bash offers for the last word; `=` is a word of its own there."""
    parts = [part for word in words for part in re.split("(=)", word)]
    if words[-1].endswith("="):
        parts = parts[:-1]
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); $(complete -p "$1" | sed "s/.*-F //; s/ .*//")\n' \
             'printf "%s\\n" "${COMPREPLY[@]}"'
    return set(output("bash", "-c", script, "bash", folder + "/" + words[0] + ".bash", *parts, cwd=folder).split())


def fish(folder, words):
    script = 'source $argv[1]; complete -C $argv[2]'
    lines = output("fish", "--no-config", "-c", script, folder + "/" + words[0] + ".fish", " ".join(words), cwd=folder)
    found = {line.split("\t")[0] for line in lines.splitlines()}
    # fish gives the whole word, bash what follows the equals sign.
    return {word.split("=", 1)[1] if "=" in words[-1] and "=" in word else word for word in found}


# zsh completes in an editor only, so it gets one on a terminal of its own, in which what would be shown is printed.
ZSH = r'''
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT= RPROMPT=; stty -echo; unsetopt zle_bracketed_paste 2>/dev/null"
zpty -w shell "autoload -U compinit && compinit -D -u -d $1/dump"
zpty -w shell "source $1/$2.zsh; cd $1"
zpty -w shell 'compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
    local -a hits; builtin compadd -A hits "$@"; builtin compadd "$@"
    local hit; for hit in $hits; do print -r -- "<hit>$hit</hit>"; done
}'
zpty -w shell 'finish() { print "<done>"; zle kill-whole-line; }; zle -N finish; bindkey "^X" finish; bindkey "^I" complete-word; setopt no_list_beep no_beep'
zpty -w shell 'print "<re""ady>"'
zpty -m -r shell text "*<ready>*"
zpty -w -n shell "$3"$'\t\x18'
zpty -m -r shell text "*<done>*"
print -r -- "$text"
zpty -d shell
'''


def zsh(folder, words):
    text = output("zsh", "-f", "-c", ZSH, "zsh", folder, words[0], " ".join(words))
    return set(re.findall(r"<hit>(.*?)</hit>", text))


def options(program, *command):
    return set(re.findall(r"^  (--[a-z-]+)", output(program, *command, "--help"), re.M))


async def scenario():
    commands = re.findall(r"^  ([a-z-]+) ", output("fanfare", "--help").split("Commands:")[1], re.M)
    assert {"serve", "watch", "completion"} <= set(commands), commands
    with tempfile.TemporaryDirectory() as folder:
        for program in "fanfare", "fanfare-load":
            for shell in "bash", "zsh", "fish":
                with open("%s/%s.%s" % (folder, program, shell), "w") as script:
                    script.write(output(program, "completion", shell))
        os.mkdir(folder + "/data")
        open(folder + "/settings.json", "w").close()
        for ask in bash, fish, zsh:
            def offers(*words):
                return ask(folder, words)

            name = ask.__name__
            with Check(name + ": the commands"):
                equal(set(commands) | {"help"}, offers("fanfare", "") - {"--help", "--version"})
                equal(offers("fanfare", "ch"), {"check", "check-data"})
                equal(offers("fanfare", "help", "check-"), {"check-data"})
            with Check(name + ": every option of every command"):
                for command in commands:
                    equal(offers("fanfare", command, "--"), options("fanfare", command), command)
            with Check(name + ": the words that a value is one of, behind a blank and behind ="):
                equal(offers("fanfare", "serve", "--store", ""), {"sqlite", "memory"})
                equal(offers("fanfare", "serve", "--dev", "--log", "j"), {"json"})
                equal(offers("fanfare", "serve", "--store=m"), {"memory"})
            with Check(name + ": files and folders"):
                assert "settings.json" in offers("fanfare", "serve", "--config", "sett"), "no file"
                found = offers("fanfare", "serve", "--data", "")
                assert found & {"data", "data/"} and "settings.json" not in found, found
                assert "settings.json" in offers("fanfare", "import", "sett"), "no operand"
            with Check(name + ": nothing where nobody can know"):
                equal(offers("fanfare", "serve", "--token-secret", ""), set())
                equal(offers("fanfare", "watch", ""), set())
            with Check(name + ": a program that does something without a command"):
                equal(offers("fanfare-load", "--"), options("fanfare-load"))
                equal(offers("fanfare-load", "comp"), {"compare", "completion"})
                equal(offers("fanfare-load", "ws://127.0.0.1", "st"), {"storm"})
                equal(offers("fanfare-load", "worker", "--"), options("fanfare-load", "worker"))
                assert "settings.json" in offers("fanfare-load", "compare", "data", "sett"), "no second file"


main(scenario)
