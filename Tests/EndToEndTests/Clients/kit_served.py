"""The browser kit as the broker serves it: what it weighs, and that it is made of the sources. Words: URL REPOSITORY"""

import gzip
import http.client
import json
import pathlib
import subprocess
import sys
import tempfile
from urllib.parse import urlsplit

from checks import Check, PATIENCE, equal, finish

# Client and components together, on the wire; what is loaded when it is needed first is not in it.
BOUND = 20 * 1024
FIRST = ["components.js", "fanfare.js"]
LATER = ["emoji-search.js", "fallback.js", "overview.js"]
DECLARATIONS = ["components.d.ts", "fanfare.d.ts", "overview.d.ts"]
# Keeps nothing, so that it may be there twice.
SHARED = {"claims.js"}

address = urlsplit(sys.argv[1]).netloc
repository = pathlib.Path(sys.argv[2])


def get(name, coding=None, method="GET", **fields):
    """The status, fields and bytes of an answer, just as they come."""
    connection = http.client.HTTPConnection(address, timeout=PATIENCE)
    fields = {key.replace("_", "-"): value for key, value in fields.items()}
    connection.request(method, "/kit/" + name, headers={"Accept-Encoding": coding or "identity", **fields})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.headers, body


with tempfile.TemporaryDirectory() as folder:
    made = pathlib.Path(folder) / "kit"
    description = pathlib.Path(folder) / "kit.json"
    with Check("the files in the repository are those that scripts/kit makes"):
        done = subprocess.run([repository / "scripts/kit", made, "--metafile=%s" % description],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        equal((done.returncode, done.stdout), (0, ""))
        kept = repository / "Sources/Web/Generated"
        names = sorted(file.name for file in made.iterdir())
        equal(names, sorted(FIRST + LATER + DECLARATIONS))
        equal(sorted(file.name for file in kept.iterdir()), names)
        for name in names:
            assert (made / name).read_bytes() == (kept / name).read_bytes(), name + " is old: run scripts/kit, and commit"
    outputs = {pathlib.Path(path).name: output for path, output in json.loads(description.read_text())["outputs"].items()}
    with Check("the broker serves them"):
        for name in names:
            assert get(name)[2] == (made / name).read_bytes(), name + ": the broker was built before it was made"
    with Check("the declarations for TypeScript lie beside, as text that a browser shows"):
        for name in DECLARATIONS:
            equal(get(name)[1]["Content-Type"], "text/plain; charset=utf-8")
            equal(get(name)[2], (repository / "Sources/Web/kit" / name).read_bytes())

with Check("no module is in two of them, so that nothing is kept twice"):
    places = {}
    for name, output in outputs.items():
        for module in output["inputs"]:
            places.setdefault(module, []).append(name)
    equal({module for module in places if len(places[module]) > 1}, SHARED)
    modules = {file.name for file in (repository / "Sources/Web/kit").glob("*.js")}
    equal(set(places), modules)

with Check("client and components load nothing else before it is needed"):
    kinds = {"import-statement": [], "dynamic-import": []}
    for name in FIRST:
        for one in outputs[name]["imports"]:
            kinds[one["kind"]].append(one["path"])
    equal(kinds["import-statement"], [])
    equal(sorted(kinds["dynamic-import"]), ["./" + name for name in LATER])

with Check("client and components weigh less than 20 KB as they are sent"):
    weights = {name: len(get(name, "gzip")[2]) for name in FIRST + LATER}
    together = sum(weights[name] for name in FIRST)
    print("# " + ", ".join("%s %d" % pair for pair in weights.items()) + "; the first two %d of %d" % (together, BOUND))
    assert together < BOUND, "%d bytes" % together

with Check("gzip comes to those who take it, and unpacks to the same"):
    for name in FIRST + LATER:
        plain, coded = get(name), get(name, "gzip, deflate, br")
        equal((plain[1]["Content-Encoding"], coded[1]["Content-Encoding"]), (None, "gzip"))
        equal(gzip.decompress(coded[2]), plain[2])
        equal({plain[1]["Vary"], coded[1]["Vary"]}, {"Accept-Encoding"})
    for refusal in ["gzip;q=0", "*;q=0, br", "br"]:
        equal(get("fanfare.js", refusal)[1]["Content-Encoding"], None)

with Check("HEAD tells the length of either form, and each is known by its own tag"):
    for coding, other in [("gzip", "identity"), ("identity", "gzip")]:
        status, fields, body = get("fanfare.js", coding)
        equal(int(get("fanfare.js", coding, "HEAD")[1]["Content-Length"]), len(body))
        equal(get("fanfare.js", coding, If_None_Match=fields["ETag"])[::2], (304, b""))
        equal(get("fanfare.js", other, If_None_Match=fields["ETag"])[0], 200)
finish()
