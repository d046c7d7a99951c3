"""The blocks of code on the pages of documentation, with the marks that stand before them.

A mark is an HTML comment, which readers do not see; several may stand above each other, directly before the block:

    <!-- not run: REASON -->     it cannot be run on a test machine
    <!-- before: COMMANDS -->    what is run before it, for readers have it done already
    <!-- says: TEXT -->          what its output has to hold
    <!-- shows: EXPRESSION -->   what has to become true on the page in the browser
    <!-- file: NAME -->          it is also saved under that name, for the blocks behind it
    <!-- answers: PATH -->       a broker's answer, whose fields it has to be
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
MARKS = {"not run", "before", "says", "shows", "file", "answers"}


def pages():
    """All of them. The wire contract's examples are read and written by WireTests, each one."""
    found = [ROOT / "README.md", *sorted(ROOT.glob("Sources/*/Documentation.docc/*.md"))]
    return [page for page in found if page.name != "Protocol.md"]


class Block:
    def __init__(self, page, line, language, text, marks):
        self.page, self.line, self.language, self.text, self.marks = page, line, language, text, marks
        self.place = "%s:%d" % (page.name, line)

    def mark(self, name):
        return next((value for key, value in self.marks if key == name), None)

    def all(self, name):
        return [value for key, value in self.marks if key == name]


def marks_of(text, place):
    found = []
    for comment in re.findall(r"<!--(.*?)-->", text, re.DOTALL):
        name, _, value = comment.strip().partition(":")
        assert name in MARKS and value.strip(), "%s: there is no mark '%s'" % (place, comment.strip())
        found.append((name, value.strip()))
    return found


def blocks(page):
    """The blocks of a page, in order. A block without a language, or one that is only indented, is an error."""
    found, comments = [], ""
    lines = page.read_text().split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        place = "%s:%d" % (page.name, number + 1)
        if line.startswith("```"):
            language = line[3:].strip()
            assert language, place + ": a block without a language"
            end = lines.index("```", number + 1)
            found.append(Block(page, number + 1, language, "\n".join(lines[number + 1:end]) + "\n", marks_of(comments, place)))
            number, comments = end, ""
        elif line.startswith("<!--") or (comments and not comments.rstrip().endswith("-->")):
            comments += line + "\n"
        elif line:
            assert not comments, place + ": a mark that is not directly before a block"
            # Below a list an indented line goes on with it.
            is_list = re.match(r"(- |\d+\. |  )", next((l for l in reversed(lines[:number]) if l), ""))
            assert not line.startswith("    ") or is_list or page.name == "Fanfare.md", place + ": an indented block; say its language"
        number += 1
    return found
