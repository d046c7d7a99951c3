"""SIGHUP. Words: URL NAMESPACE, or URL connected FILE SETTINGS PID

First form: NAMESPACE, one of old and new, is there, with the policy unique where it is new, and the other is not.
Second form: writes SETTINGS, which have kept and no longer old, into FILE and sends SIGHUP while connected.
"""

import asyncio
import os
import signal

from checks import PATIENCE, Check, Client, main, matches


async def scenario(url, namespace, *words):
    if namespace == "connected":
        return await connected(url, *words)
    with Check("the settings in force are those of " + namespace):
        other = {"old": "new", "new": "old"}[namespace]
        async with await Client.connect(url, "ada") as client:
            matches(await client.request("list", channel=other + ":1"), code="forbidden")
            policy = {"old": "distinct", "new": "unique"}[namespace]
            matches(await client.request("subscribe", channel=namespace + ":1"), policy=policy)
            matches(await client.request("subscribe", channel="chat:1"), policy="distinct")


async def connected(url, file, settings, process):
    async with await Client.connect(url, "ada") as client:
        with Check("a subscription to a namespace that is gone ends"):
            for namespace in ("old", "kept"):
                matches(await client.request("subscribe", channel=namespace + ":1"), type="subscribed", allowed=None)
                matches(await client.request("add", channel=namespace + ":1", message="m", reaction="👍"), result="added")
            with open(file, "w") as new:
                new.write(settings)
            os.kill(int(process), signal.SIGHUP)
            ended = await client.until(lambda m: m["type"] == "unsubscribed")
            matches(ended, channel="old:1", reason="forbidden")
            matches(await client.request("subscribe", channel="old:1"), code="forbidden")
            matches(await client.request("unsubscribe", channel="old:1"), type="unsubscribed")

        with Check("a channel that is there goes on with the new rules"):
            words = dict(channel="kept:1", message="m")
            # Each loop hears of the settings by itself.
            for _ in range(PATIENCE * 20):
                reply = await client.request("add", reaction="👏", **words)
                if reply["type"] == "error":
                    break
                await client.request("remove", reaction="👏", **words)
                await asyncio.sleep(0.05)
            matches(reply, code="reaction_not_allowed")
            matches(await client.request("add", reaction="🎉", **words), result="added", own=["👍", "🎉"])
            matches(await client.request("remove", reaction="👍", **words), result="removed")
            matches(await client.until(lambda m: m["type"] == "removed" and m["reaction"] == "👍"), channel="kept:1")


main(scenario)
