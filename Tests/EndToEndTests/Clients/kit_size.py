"""How much of the browser kit a page loads before anything is opened. Words: URL, and MODULE BYTES once or more often"""

import gzip
import re
import urllib.request
from urllib.parse import urljoin

from checks import PATIENCE, Check, main


def modules(address, seen):
    """The module and those that it imports, each once."""
    if address not in seen:
        seen[address] = urllib.request.urlopen(address, timeout=PATIENCE).read()
        for name in re.findall(r'^(?:import|export)\b.*?"(\./[^"]+)"', seen[address].decode(), re.MULTILINE):
            modules(urljoin(address, name), seen)
    return seen


async def scenario(url, *limits):
    kit = re.sub("^ws", "http", url).replace("/v1/ws", "/kit/")
    for name, limit in zip(limits[::2], limits[1::2]):
        with Check("%s and what it imports stay below %s bytes, by gzip" % (name, limit)):
            parts = modules(kit + name, {})
            size = len(gzip.compress(b"".join(parts.values()), 9))
            print("# %s: %d modules, %d bytes, %d by gzip" % (name, len(parts), sum(map(len, parts.values())), size))
            assert size < int(limit), size


main(scenario)
