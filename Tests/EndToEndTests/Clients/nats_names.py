"""Names and passwords for NATS with characters that mean something in JSON or in a URL.

Words: FANFARE     FANFARE: the command
"""

import json
import os
import tempfile
import urllib.parse

from checks import Check, Client, equal, main, matches
from nodes import KEY, Broker, Server, free_port

NAMES = [
    ("plain", "word"),
    ('q"u', 'a"b","lang":"x'),
    ("b\\s", "a\\nb\\"),
    ("\u00fcser", "\u00e4\u20ac\U0001f44d"),
    ("u", "a:b@c/d?e#f%41%zz <>&"),
]


async def is_taken(number, name, password, folder, fanfare):
    server = Server(number, folder, (free_port(), free_port()), [])
    with open(server.file, "a", encoding="utf-8") as out:
        out.write("authorization { user: %s, password: %s }\n" % tuple(
            json.dumps(text, ensure_ascii=False) for text in (name, password)))
    await server.start()
    await server.reachable()
    quote = lambda text: urllib.parse.quote(text, safe="")
    place = "127.0.0.1:%d" % server.port
    ways = {
        "fields": {"servers": ["nats://" + place], "user": name, "password": password},
        "a URL": {"servers": ["nats://%s:%s@%s" % (quote(name), quote(password), place)]},
        # The library is told who the broker is there by each URL alone.
        "different URLs": {"servers": [
            "nats://%s:%s@%s" % (quote(name), quote(password), place), "nats://other:one@127.0.0.1:%d" % free_port()],
            "replicas": 1},
    }
    for index, (way, nats) in enumerate(ways.items()):
        broker = Broker(10 * number + index, folder, fanfare, [], 1)
        with open(os.path.join(folder, "broker-%d.json" % broker.index), "w") as out:
            json.dump({"server_keys": [KEY], "nats": nats}, out)
        try:
            with Check("NATS takes %r and %r by %s" % (name, password, way)):
                await broker.start()
                await broker.serving()
                async with await Client.connect(broker.url, "ada") as ada:
                    matches(await ada.request("add", channel="chat:names", message="m%d" % index, reaction="\U0001f44d"),
                            type="ack", seq=index + 1)
        finally:
            await broker.end()
    with Check("and refuses another password in words, number %d" % number):
        broker = Broker(10 * number + 9, folder, fanfare, [], 1)
        with open(os.path.join(folder, "broker-%d.json" % broker.index), "w") as out:
            json.dump({"server_keys": [KEY], "nats": {**ways["fields"], "password": password + "x"}}, out)
        await broker.start()
        equal(await broker.process.wait(), 1, "status")
        assert "the NATS servers refuse the broker" in broker.said(), broker.said()
    await server.end()


async def scenario(fanfare):
    with tempfile.TemporaryDirectory(prefix="fanfare-names-", ignore_cleanup_errors=True) as folder:
        for number, (name, password) in enumerate(NAMES):
            await is_taken(number, name, password, folder, fanfare)


if __name__ == "__main__":
    main(scenario)
