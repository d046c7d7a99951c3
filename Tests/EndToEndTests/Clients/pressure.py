"""Much at once, for readers who are not slow: nothing stops, nothing is missing. Words: URL"""

import asyncio
import json

from checks import Check, Client, equal, main, matches
from raw import TEXT, RawClient, frame

# More answers than the bound of 1 MiB, from requests that one read may bring.
REQUESTS = 40_000
# More events than the bound, all of them in the history of 1,000.
EVENTS = 990
DATA = {"filler": "x" * 1010}


def messages(raw):
    while True:
        opcode, payload = raw.frame()
        if opcode == TEXT:
            yield json.loads(payload)


async def scenario(url):
    with Check("a client that sends much and reads all of it later is read on"):
        raw = RawClient(url, "eager")
        incoming = messages(raw)
        matches(next(incoming), type="welcome")
        sending = asyncio.get_running_loop().run_in_executor(None, raw.send, frame(TEXT, b"{}") * REQUESTS)
        for _ in range(REQUESTS):
            matches(await asyncio.to_thread(next, incoming), type="error", code="bad_request")
        await sending
    with Check("recovered: all that was missed follows, also past the bound, and then what happens next"):
        channel = "chat:missed"
        async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
            epoch = (await bob.request("subscribe", channel=channel))["epoch"]
            await bob.request("unsubscribe", channel=channel)
            for start in range(0, EVENTS, 90):
                for i in range(start, start + 90):
                    await ada.send(
                        type="add", id=i, channel=channel, message="m%d" % i, reaction="👍", data=DATA)
                await ada.until(lambda m: m.get("id") == start + 89)
            subscribed = await bob.request("subscribe", channel=channel, since={"epoch": epoch, "seq": 0})
            matches(subscribed, recovered=True, seq=0)
            for seq in range(1, EVENTS + 1):
                matches(await bob.receive(), type="added", seq=seq)
            await ada.request("add", channel=channel, message="next", reaction="👍")
            matches(await bob.receive(), type="added", seq=EVENTS + 1)
    with Check("a summary is not late because an occupancy is due later"):
        channel = "chat:both"
        async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob:
            await bob.request("subscribe", channel=channel, mode="summary", occupancy=True)
            await bob.until(lambda m: m["type"] == "occupancy")
            await ada.request("subscribe", channel=channel)
            await ada.request("add", channel=channel, message="m1", reaction="👍")
            await ada.request("add", channel=channel, message="m2", reaction="👍")
            await bob.until(lambda m: m["type"] == "summary" and m["seq"] == 2)
            # The occupancy is due about 900 ms after this summary.
            await bob.send(type="ping", id="now")
            equal((await bob.receive())["type"], "pong", "what comes next")
            matches(await bob.receive(), type="occupancy", connections=2)


main(scenario)
