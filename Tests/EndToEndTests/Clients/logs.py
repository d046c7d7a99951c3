"""The log of a broker to which everything happens: no line has a secret, a reaction's data, or who reacts where nobody
is named. Words: FANFARE FOLDER FORM     FOLDER has cert.pem and key.pem; FORM is text or json

Whatever must not be in a line has the word "hush" in it, or is a part of a token. The broker has one level of log, which
holds everything that it ever says.
"""

import asyncio
import json
import re
import signal
import socket
import sqlite3
import ssl
import struct
import time
from urllib.parse import urlsplit

import jwt
import websockets

from checks import PATIENCE, Check, Client, equal, main, matches
from log_world import DATA, KEY, OCTETS, SECRET, SIGNING, TRACE, Broker, World
from raw import frame

# What a run has to say at least: without these lines nothing would have been tried.
SAID = {
    "a hook's answer that is none": r"the react hook \S+ could not decide.*status 500",
    "a hook's answer that is no HTTP": r"the subscribe hook \S+ could not decide",
    "a hook that is not there": r"the connect hook \S+ could not decide",
    "a webhook that is not taken": r"the webhook of 'chat' is not taken by",
    "a webhook whose answer is no HTTP": r"the webhook of 'anon' is not taken by",
    "a webhook without a valid certificate": r"the webhook of 'sealed' is not taken by",
    "a store that refuses": r"the store refused the changes of \d+ channels?\b",
    "an answer of 503, with its trace": r"an HTTP request \(PUT\) was answered with 503.*4bf92f3577b34da6a3ce929d0e0e4736",
    "a kicked user": r"a user was revoked by \S+",
    "a connection of a kicked user": r"was ended with 4003",
    "a token that ran out": r"was ended with 4001",
    "malformed messages": r"was ended with 4000",
    "a message that is too long": r"was ended with 1009: ",
    "a message that is no text": r"was ended with 1003: messages are text",
    "a frame that is none": r"was ended with 1002: ",
    "a slow reader": r"was ended with 4008",
    "TLS at a plain port": r"speaks TLS to a plain port",
    "plain HTTP at a port of TLS": r"TLS with \S+ failed",
    "no header of a proxy": r"it sent no header of the PROXY protocol",
    "a line of a proxy that is none": r"its header of the PROXY protocol, version 1, is not written as it must be",
    "a full broker": r"was refused: limits\.connections_per_address",
    "settings that are wrong": r"the settings stay as they were",
    "keys that are wrong": r"the keys stay as they were",
    "settings that are right again": r"were read again",
    "an end in order": r"stopping \(SIGTERM\)",
}


async def tokens(world):
    """Whoever is not let in, and how."""
    good = world.token("hush-anon-eve")
    head, body, signature = good.split(".")
    bad = [
        world.token("hush-anon-eve", secret="another secret of more than 32 bytes"), world.token("hush-anon-eve", lives=-60),
        world.token("hush anon eve"), world.token(""), world.token("hush-anon-eve", channels=None),
        world.token("hush-anon-eve", nbf=time.time() + 3600), jwt.encode({"sub": "hush-none"}, None, "none"),
        ".".join([head, body, signature[::-1]]), head + "." + body, "hush-no-token", good + "=", "%00" + good]
    with Check("bad tokens are refused wherever they are given"):
        for token in bad:
            try:
                await Client.connect(world.url + "?token=" + token)
                raise AssertionError("let in by " + token)
            except websockets.InvalidStatusCode as answer:
                equal(answer.status_code, 401, "status")
            for path in ("/v1/channels/anon:1/messages/m", "/v1/channels/anon:1/stream", "/v1/status", "/v1/settings"):
                equal(world.api.call("GET", path, headers={"Authorization": "Bearer " + token.replace("%00", "x")})[0], 401)
        async with await Client.connect(world.url) as client:
            for token in bad:
                matches(await client.request("auth", token=token), type="error")
            matches(await client.request("auth", token=good), type="ack")
            matches(await client.request("auth", token=world.token("hush-anon-cy")), code="forbidden")
    with Check("a token that runs out ends its connection"):
        equal(await (await world.client("hush-anon-short", lives=0.5)).closed(), 4001)
    world.tokens += [token for token in bad if token.count(".") == 2]


async def outbound(world):
    """Servers of hooks and webhooks that say what they were told."""
    async with await world.client("hush-anon-ada") as ada:
        with Check("a hook refuses, fails, and answers nonsense"):
            async def add(channel, **more):
                return await ada.request("add", channel=channel, message="hush-m", reaction="👍", data=DATA, key="hush-key", **more)
            world.rule = world.refuse
            matches(await add("anon:hush"), code="forbidden", message="hush-reason")
            for rule in (world.echo, lambda request: (200, {}, request.body), lambda request: "garbage", lambda request: "vanish"):
                world.rule = rule
                matches(await add("anon:hush"), code="unavailable")
                world.rule = world.allow
                matches(await add("anon:hush"), type="ack")
            matches(await ada.request("subscribe", channel="anon:hush"), code="unavailable")
            world.broker.wait(SAID["a hook's answer that is no HTTP"])
        with Check("webhooks are not taken, by those who say what they were sent"):
            world.rule = lambda request: world.echo(request) if "events" in request.json else world.allow(request)
            matches(await ada.request("add", channel="chat:1", message="m", reaction="🎉", data=DATA), type="ack")
            matches(await ada.request("add", channel="sealed:1", message="m", reaction="🎉", data=DATA), type="ack")
            for name in ("chat", "anon", "sealed"):
                await asyncio.to_thread(world.broker.wait, "the webhook of '%s' is not taken by" % name)
    world.rule = world.allow


async def wrong(world):
    """What a client may send, right and wrong."""
    async with await world.client("hush-anon-ada") as ada:
        with Check("requests that are refused"):
            for fields, code in [
                    ({"type": "hush-type"}, "bad_request"),
                    ({"type": "add", "channel": "anon:1", "message": "hush m", "reaction": "👍"}, "bad_request"),
                    ({"type": "add", "channel": "anon:1", "message": "m", "reaction": "hush-reaction"}, "invalid_reaction"),
                    ({"type": "add", "channel": "anon:1", "message": "m", "reaction": "👍", "data": "hush"}, "bad_request"),
                    ({"type": "add", "channel": "anon:1", "message": "m", "reaction": "👍", "data": {"hush": "hush" * 300}}, "bad_request"),
                    ({"type": "subscribe", "channel": "hush:1"}, "forbidden"),
                    ({"type": "reactors", "channel": "anon:1", "message": "m"}, "forbidden"),
                    ({"type": "list", "channel": "chat:1", "after": "hush-cursor"}, "unknown_cursor"),
                    ({"type": "clear", "channel": "anon:1", "message": "*", "user": "hush-anon-ada"}, "forbidden")]:
                matches(await ada.request(**fields), type="error", code=code)
            matches(await ada.request("add", channel="strict:1", message="m", reaction="👍"), type="ack")
            matches(await ada.request("add", channel="strict:1", message="m", reaction="🎉"), code="rate_limited")
    with Check("what is no message, and what is no frame"):
        client = await world.client("hush-anon-mal")
        for number in range(10):
            await client.socket.send('{"type":"add","data":{"hush":"hush-%d' % number)
        equal(await client.closed(), 4000)
        client = await world.client("hush-anon-big")
        await client.socket.send(json.dumps({"type": "hush", "data": "hush" * 2000}))
        equal(await client.closed(), 1009)
        client = await world.client("hush-anon-bin")
        await client.socket.send(b"hush")
        equal(await client.closed(), 1003)
        client = await world.client("hush-anon-raw")
        client.socket.transport.write(frame(3, b"hush-frame", masked=False))
        equal(await client.closed(), 1002)


def send(address, data, tls=False):
    """Sends bytes to a port, and reads until it has nothing more to say."""
    with socket.create_connection(address, PATIENCE) as peer:
        if tls:
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            peer = context.wrap_socket(peer)
        peer.sendall(data)
        try:
            while peer.recv(65536):
                pass
        except OSError:
            pass


def ports(world):
    """Bytes that no port expects."""
    plain = urlsplit(world.url)
    plain, proxied, sealed = ((one.hostname, one.port) for one in (plain, world.proxied, world.sealed_url))
    with Check("bytes that no port expects"):
        for line in ("GET /v1/ws?token=hush-token HTTP/9.9", "hush-token", "GET /hush%zz?token=hush HTTP/1.1\r\nHost: x",
                     "GET /v1/ws?token=%s HTTP/1.1\r\nHost: x" % ("hush" * 4000),
                     "GET /v1/ws HTTP/1.1\r\nHost: x\r\nAuthorization: hush\x01", "POST /v1/users/hush/revoke HTTP/1.1\r\nHost: x"):
            send(plain, line.encode() + b"\r\nConnection: close\r\n\r\n")
        send(plain, b"\x16\x03\x01\x00\xf4\x01\x00\x00\xf0\x03\x03hush-client-hello")
        send(sealed, b"GET /v1/ws?token=hush-token HTTP/1.1\r\nHost: x\r\n\r\n")
        send(sealed, b"GET /v1/ws?token=hush-token HTTP/9.9\r\n\r\n", tls=True)
        send(proxied, b"GET /v1/ws?token=hush-token HTTP/1.1\r\nHost: x\r\n\r\n")
        send(proxied, b"PROXY TCP4 hush-address 127.0.0.1 1 2\r\n")


async def crowds(world):
    """Too many from one address, a reader that does not read, a user who is kicked, a store that fails."""
    with Check("too many from one address"):
        header = {"X-Forwarded-For": "192.0.2.7"}
        clients = [await Client.connect(world.url + "?token=" + world.token("hush-anon-%d" % n), extra_headers=header) for n in range(20)]
        try:
            await Client.connect(world.url + "?token=" + world.token("hush-anon-late"), extra_headers=header)
            raise AssertionError("let in")
        except websockets.InvalidStatusCode as answer:
            equal(answer.status_code, 503, "status")
        for client in clients:
            await client.close()
    with Check("a reader that takes nothing"):
        deaf = socket.socket()
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        place = urlsplit(world.url)
        deaf.connect((place.hostname, place.port))
        deaf.sendall(("GET /v1/ws?token=%s HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" % world.token("hush-anon-deaf")).encode())
        deaf.sendall(frame(1, json.dumps({"type": "subscribe", "channel": "free:hush"}).encode()))
        async with await world.client("hush-anon-busy") as busy:
            while not any(re.search(SAID["a slow reader"], line) for line in world.broker.lines):
                for number in range(200):
                    await busy.send(type="toggle", channel="free:hush", message="m", reaction="👍", data={"hush": "h" * 900})
                await busy.ping()
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        deaf.close()
    with Check("a user who is kicked, and what a moderator does to another"):
        client = await world.client("hush-anon-out")
        bearer = {"Authorization": "Bearer " + KEY, "traceparent": TRACE}
        equal(world.api.call("POST", "/v1/users/hush-anon-out/revoke?user=mod", headers=bearer)[0], 200, "status")
        equal(await client.closed(), 4003)
        clear = "/v1/channels/free:hush/messages/m/reactions?target=hush-anon-busy&user=mod"
        equal(world.api.call("DELETE", clear, headers=bearer)[0], 200, "status")
    with Check("a store that takes nothing"):
        other = sqlite3.connect(world.path("data/fanfare.db"), isolation_level=None, timeout=PATIENCE)
        other.execute("BEGIN IMMEDIATE")
        answers = await asyncio.gather(
            asyncio.to_thread(world.add, "free:hush"), asyncio.to_thread(world.add, "strict:1", user="visible"))
        equal([answer[0] for answer in answers], [503, 503], "statuses")
        other.execute("ROLLBACK")


def reloads(world):
    """Settings and keys that are wrong where a secret stands."""
    def reload(count):
        world.broker.process.send_signal(signal.SIGHUP)
        world.broker.wait("the settings stay as they were", count)

    with Check("settings that are wrong where a secret stands"):
        right = json.dumps(world.settings())
        wrong = [
            {"server_keys": "hush-server-key"}, {"tokens": {"hs256_secret": ["hush-secret"]}}, {"tokens": "hush-secret"},
            {"namespaces": {"chat": {"webhook": {"url": "http://127.0.0.1/?hush=hush", "secret": {"hush": 1}}}}},
            {"namespaces": {"chat": {"webhook": {"url": "ftp://hush:hush@127.0.0.1/", "secret": SIGNING}}}},
            {"namespaces": {"chat": {"webhook": {"url": "http://127.0.0.1/", "secret": "whsec_hush!"}}}}]
        for count, settings in enumerate([*map(json.dumps, wrong), right.replace(KEY + '"', KEY), right[:-1]], 1):
            world.write_settings(settings)
            reload(count)
    with Check("keys that are wrong, and all that is right again"):
        world.write_settings(right)
        for more, text in enumerate(('{"keys": [{"kty": "oct", "k": "hush-key-of-an-octet"', '{"keys": "hush-key"}'), 1):
            world.write_keys(text)
            reload(count + more)
            # A token of a key that is not known has the file read again.
            other = jwt.encode({"sub": "hush-anon-ada"}, SECRET, "HS256", headers={"kid": "hush-kid-%d" % more})
            world.tokens.append(other)
            equal(world.api.call("GET", "/v1/channels/anon:1/messages/m", headers={"Authorization": "Bearer " + other})[0], 401)
        world.broker.wait("the keys stay as they were")
        short = {"kty": "oct", "k": "aHVzaA"}
        world.write_keys(json.dumps({"keys": [OCTETS, short, {"kty": "OKP", "crv": "Ed25519", "d": "hush", "x": "hush"}]}))
        world.broker.process.send_signal(signal.SIGHUP)
        world.broker.wait("settings and certificates were read again")


def nats(world, fanfare, form):
    with Check("a password of NATS"):
        lost = Broker(fanfare, "--dev", "--listen", "127.0.0.1:0", "--data", world.path("other"), "--log", form,
                      "--nats", "nats://hush-user:hush-password@127.0.0.1:1")
        lost.wait("waiting for NATS")
        lost.end()
        world.broker.lines += lost.lines


def check(world, form):
    lines = world.broker.lines
    for name, pattern in SAID.items():
        with Check("the log tells of " + name):
            assert any(re.search(pattern, line) for line in lines), lines
    with Check("no line has a secret, a token or a part of one, data, or a name that nobody is to know"):
        pieces = {piece for token in world.tokens for piece in token.split(".")[1:] if len(piece) > 10}
        for line in lines + world.problems:
            assert "hush" not in line.lower(), line
            assert "aHVzaC" not in line, "Base64 of it: " + line
            assert not any(piece in line for piece in pieces), "a part of a token: " + line
        assert len(pieces) > 40, pieces
    if form == "json":
        with Check("each line is JSON"):
            for line in lines:
                if "listening on " not in line:
                    matches(json.loads(line), level=json.loads(line)["level"], message=json.loads(line)["message"])


async def scenario(fanfare, folder, form):
    world = World(fanfare, folder, form)
    await tokens(world)
    await outbound(world)
    await wrong(world)
    await asyncio.to_thread(ports, world)
    await crowds(world)
    reloads(world)
    status = world.api.call("GET", "/v1/status", headers={"Authorization": "Bearer " + KEY})[2]
    world.problems = [one["line"] for one in status["problems"]]
    with Check("it ends in order"):
        equal(world.broker.end(), 0, "status")
        world.broker.wait(SAID["an end in order"])
    nats(world, fanfare, form)
    check(world, form)


main(scenario)
