"""How much the browser kit weighs, as a bundler packs it and the wire carries it. Words: the folder of its files"""

import gzip
import pathlib
import subprocess
import sys

from checks import Check, finish

# Client and components together; what is loaded only when somebody searches, or asks who reacted, is not in it.
BOUND = 20 * 1024
LATER = ["./fallback.js", "./emoji-search.js", "./overview.js"]


def weight(folder, *modules):
    """The bytes of some modules in one bundle, minified and gzipped."""
    source = "".join('export * from "./%s"\n' % module for module in modules)
    bundle = subprocess.run(
        ["/usr/bin/esbuild", "--bundle", "--minify", "--format=esm", "--loader=js",
         *("--external:" + one for one in LATER)],
        cwd=folder, input=source.encode(), stdout=subprocess.PIPE, check=True).stdout
    return len(gzip.compress(bundle, 9))


folder = pathlib.Path(sys.argv[1])
with Check("client and components weigh less than 20 KB together"):
    together = weight(folder, "fanfare.js", "components.js")
    print("# client %d, components %d, together %d of %d" % (
        weight(folder, "fanfare.js"), weight(folder, "components.js"), together, BOUND))
    assert together < BOUND, "%d bytes" % together
with Check("they load nothing else before it is needed"):
    for module in ["fanfare.js", "components.js"]:
        text = (folder / module).read_text()
        assert not any('from "%s"' % one in text for one in LATER), module
finish()
