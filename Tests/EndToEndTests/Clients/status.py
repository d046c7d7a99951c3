"""GET /v1/status and its settings, from outside; and traces in the log. Words: URL FANFARE SECRET KEY LOG

The broker has the namespaces chat, burst (ephemeral), anon (anonymous) and hooked, whose hook is not there.
"""

import asyncio
import json
import socket
import struct
import time
from urllib.parse import urlsplit

import jwt

from checks import PATIENCE, Check, Client, equal, main, matches
from http_api import API

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


class World:
    def __init__(self, url, secret, key):
        self.url, self.secret, self.key = url, secret, key
        self.api = API(url)

    def token(self, user):
        return jwt.encode({"sub": user, "exp": int(time.time()) + 3600}, self.secret, "HS256")

    async def client(self, user, **options):
        return await Client.connect(self.url + "?token=" + self.token(user), **options)

    def status(self):
        code, headers, status = self.api.call("GET", "/v1/status", headers={"Authorization": "Bearer " + self.key})
        equal((code, headers["Cache-Control"]), (200, "no-store"), "answer")
        return status

    async def until(self, wanted):
        """Looks until something holds."""
        end = time.monotonic() + PATIENCE
        while not wanted(status := await asyncio.to_thread(self.status)):
            assert time.monotonic() < end, status
            await asyncio.sleep(0.05)
        return status


async def figures(world):
    before = world.status()
    async with await world.client("ada") as ada, await world.client("bob") as bob:
        for client in (ada, bob):
            matches(await client.request("subscribe", channel="chat:1"), type="subscribed")
        for number in range(20):
            matches(await ada.request("toggle", channel="chat:1", message="m%d" % (number % 3), reaction="👍"), type="ack")
        for _ in range(7):
            matches(await ada.request("add", channel="burst:1", message="x", reaction="🎉"), type="ack")
        matches(await ada.request("add", channel="chat:1", message="m", reaction="nothing"), type="error")
        with Check("counters grow by what happened, and the rest says what is there"):
            after = await world.until(lambda s: sum(s["latency"]["deliveries"]) - sum(before["latency"]["deliveries"]) == 40)
            grown = {name: value - before["counters"][name] for name, value in after["counters"].items()}
            matches(grown, changes=20, refusals=1, requests=30, commit_failures=0, lagged=0)
            assert grown["deliveries"] >= 40 and grown["bytes_sent"] > 2000 and grown["busy_us"] > 0, grown
            matches(after["present"], connections=2, subscriptions=2, channels=2)
            matches(after["store"], kind="sqlite", healthy=True)
            assert after["started_at"] < before["time"] <= after["time"] and after["serving"] and "nats" not in after, after
            equal(len(after["latency"]["acks"]), len(after["latency"]["bounds_us"]) + 1, "ranges")
            equal(after["latency"]["bounds_us"], sorted(after["latency"]["bounds_us"]), "bounds")
        with Check("busiest channels and messages are those where most happened, within the window"):
            # The last look was long enough ago, or this one is.
            seen, messages = {}, {}
            def look(status):
                if status["busiest"] != getattr(look, "last", None):
                    look.last = status["busiest"]
                    for one in status["busiest"]["channels"]:
                        seen[one["channel"]] = seen.get(one["channel"], 0) + one["changes"]
                    for one in status["busiest"]["messages"]:
                        messages[one["message"]] = messages.get(one["message"], 0) + one["changes"]
                return seen.get("chat:1", 0) >= 20 and seen.get("burst:1", 0) >= 7
            for number in range(20):
                await ada.request("toggle", channel="chat:1", message="m%d" % (number % 3), reaction="❤️")
            for _ in range(7):
                await ada.request("add", channel="burst:1", message="x", reaction="🎉")
            status = await world.until(look)
            assert messages and set(messages) <= {"m0", "m1", "m2"}, messages
            equal({one["channel"]: one["subscriptions"] for one in status["busiest"]["channels"]}, {"chat:1": 2, "burst:1": 0}, "subscriptions")


def deaf(world, user, channels):
    """A connection with little room that follows channels and never reads what it is told."""
    parts = urlsplit(world.url)
    peer = socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    peer.connect((parts.hostname, parts.port))
    peer.sendall(("GET /v1/ws?token=%s HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" % world.token(user)).encode())
    for channel in channels:
        text = json.dumps({"type": "subscribe", "channel": channel}).encode()
        peer.sendall(b"\x81" + bytes([0x80 | len(text)]) + b"\0\0\0\0" + text)
    return peer


async def slow(world):
    readers = [deaf(world, "slow", ["chat:slow"]), deaf(world, "ghost", ["chat:slow", "anon:slow"])]
    async with await world.client("ada") as ada:
        await world.until(lambda s: s["present"]["subscriptions"] == 3)
        with Check("a reader that takes nothing is told with its user, and without where it follows an anonymous channel"):
            data = {"text": "x" * 900}
            while len((status := await asyncio.to_thread(world.status))["slow_readers"]) < 2:
                for number in range(200):
                    await ada.send(type="toggle", channel="chat:slow", message="m", reaction="👍", data=data)
                await ada.ping()
            slow = {one.get("user"): one for one in status["slow_readers"]}
            equal(set(slow), {"slow", None}, "users")
            matches(slow["slow"], subscriptions=1)
            matches(slow[None], subscriptions=2)
            for one in slow.values():
                assert one["connection"].startswith("c-") and one["waiting_bytes"] > 0 and one["address"], one
            assert status["present"]["blocked_connections"] >= 1, status["present"]
    for reader in readers:
        # Ends it at once, whatever waits.
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        reader.close()


def keys(world):
    with Check("only a server's key may look"):
        for path in ("/v1/status", "/v1/settings"):
            for header in (None, "Bearer " + world.key + "x", "Bearer " + world.token("ada"), world.key):
                code, headers, body = world.api.call("GET", path, headers={"Authorization": header} if header else {})
                equal((code, body["code"]), (401, "unauthorized"), "answer to %r" % header)
                assert "busiest" not in body and "settings" not in body, body
            equal(world.api.call("POST", path, headers={"Authorization": "Bearer " + world.key})[0], 405, "status")
    with Check("the settings in force are told without any secret"):
        code, _, body = world.api.call("GET", "/v1/settings", headers={"Authorization": "Bearer " + world.key})
        equal(code, 200, "status")
        rows = {row["name"]: row for row in body["settings"]}
        text = json.dumps(body)
        for secret in (world.secret, world.key, "hook-secret"):
            assert secret not in text, "a secret is told"
        matches(rows["server_keys"], value="•••")
        matches(rows["tokens.hs256_secret"], value="•••")
        matches(rows["limits.outbound_bytes"], value="65536")
        assert rows["limits.outbound_bytes"]["source"].endswith("settings.json:2"), rows["limits.outbound_bytes"]
        matches(rows["namespaces.anon.anonymous"], value="true")


async def traces(world):
    good = "00-%s-%s-01" % (TRACE, PARENT)
    with Check("a request that a hook holds up is answered with or without a trace"):
        async with await world.client("ada", extra_headers={"traceparent": good}) as traced:
            matches(await traced.request("add", channel="hooked:1", message="m", reaction="👍"), type="error", code="unavailable")
    with Check("what is no trace does no harm"):
        for bad in ("00-4bf92f3577b34da6a3ce929d0e0eXXXX-%s-01" % PARENT, "00", "", "x" * 4000, good + "-more"):
            async with await world.client("ada", extra_headers={"traceparent": bad}) as client:
                await client.ping()
    with Check("the last lines of the log are told"):
        status = world.status()
        lines = [one["line"] for one in status["problems"] if one["level"] == "warning"]
        assert any("the react hook http://127.0.0.1:1/ could not decide" in line for line in lines), lines


async def scenario(url, fanfare, secret, key, log):
    world = World(url, secret, key)
    keys(world)
    await figures(world)
    await slow(world)
    await traces(world)


main(scenario)
