"""A broker behind a real proxy, with the settings that the guide has for it. Words: PROXY FOLDER GUIDE

PROXY is nginx, haproxy or caddy. FOLDER has cert.pem and key.pem.
"""

import asyncio
import contextlib
import json
import os
import re
import signal
import ssl

from bare_http import connect, over_tls, read_answer, upgrade
from checks import PATIENCE, Check, Client, equal, main, matches
from fronts import KINDS
from followers import Crowd, storm
from nodes import free_port
from services import Service

MOST = 8  # connections of one address
FOLLOWERS = 30  # through each front

TRUSTING = ssl.create_default_context()
TRUSTING.check_hostname = False
TRUSTING.verify_mode = ssl.CERT_NONE


class Front:
    """A port of the proxy, and how one comes in there."""

    def __init__(self, port, tls):
        self.port = port
        self.tls = TRUSTING if tls else None
        self.url = "%s://127.0.0.1:%d/v1/ws" % ("wss" if tls else "ws", port)
        self.host = b"127.0.0.1:%d" % port
        self.name = "%s, port %d" % ("wss" if tls else "ws", port)
        self.options = {"ssl": TRUSTING} if tls else {}

    def connect(self, source=None):
        connection = connect(self.url, source=source)
        return over_tls(connection) if self.tls else connection

    def ask(self, *fields, source=None):
        """Answers to an upgrade, on a connection that stays open."""
        connection = self.connect(source)
        connection.sendall(upgrade(*fields, host="127.0.0.1:%d" % self.port))
        return connection, read_answer(connection)

    def same_origin(self):
        return "%s://127.0.0.1:%d" % ("https" if self.tls else "http", self.port)

    def other_origin(self):
        return "%s://127.0.0.1:%d" % ("http" if self.tls else "https", self.port)


def settings(folder, places, most):
    plain, passing = places
    path = os.path.join(folder, "settings.json")
    with open(path, "w") as file:
        json.dump({
            "listen": [{"address": plain},
                       {"address": passing, "proxy_protocol": True,
                        "tls": {"cert": folder + "/cert.pem", "key": folder + "/key.pem"}}],
            "trusted_proxies": ["127.0.0.1"], "origins": [], "limits": {"connections_per_address": most}}, file)
    return path


async def reading(front):
    with Check("a reaction, and its event, by WebSocket: " + front.name):
        async with await Client.connect(front.url, "ada", **front.options) as client:
            matches(await client.request("subscribe", channel="chat:read"), type="subscribed")
            matches(await client.request("add", channel="chat:read", message="m%d" % front.port, reaction="👍"), type="ack")
            await client.until(lambda m: m["type"] == "added")
    with Check("an event stream is not held back: " + front.name), front.connect() as stream:
        stream.sendall(b"GET /v1/channels/chat:stream/stream?user=cy HTTP/1.1\r\nHost: %s\r\n\r\n" % front.host)
        wait_for(stream, b'"subscribed"')
        async with await Client.connect(front.url, "ada", **front.options) as client:
            matches(await client.request("toggle", channel="chat:stream", message="m", reaction="👍"), type="ack")
        wait_for(stream, b'"seq":')
    with Check("the API: " + front.name), front.connect() as connection:
        connection.sendall(b"PUT /v1/channels/chat:read/messages/m/reactions/%F0%9F%91%8D?user=bob HTTP/1.1\r\nHost: " + front.host
                           + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        answer = read_answer(connection, until_end=True)
        equal(answer.status, 200, "status")
        assert b'"own":["' in answer.body, answer


def wait_for(connection, words):
    """Reads until the words have come."""
    data = b""
    while words not in data:
        more = connection.recv(65536)
        assert more, data
        data += more


def addresses(front):
    one, other, third = ("127.0.%d.%d" % (front.port % 250 + 1, number) for number in (1, 2, 3))
    with Check("the client's address counts, not the proxy's: " + front.name), contextlib.ExitStack() as held:
        def ask(source, *fields):
            connection, answer = front.ask(*fields, source=source)
            if answer.status == 101:
                held.enter_context(connection)
            else:
                connection.close()
            return answer

        for _ in range(MOST):
            equal(ask(one).status, 101, "status of a first one")
        answer = ask(one)
        equal(answer.status, 503, "status of the one behind")
        assert int(answer.headers["retry-after"]) >= 1, answer
        equal(ask(other).status, 101, "status of another client")
        for forged in ("X-Forwarded-For: 192.0.2.9", "X-Forwarded-For: 192.0.2.9, 127.0.0.1", "Forwarded: for=192.0.2.9"):
            equal(ask(one, forged).status, 503, "status of one that forges " + forged)
    with Check("pages are judged by the scheme by which they came: " + front.name):
        for origin, expected in ((front.same_origin(), 101), (front.other_origin(), 403)):
            connection, answer = front.ask("Origin: " + origin, source=third)
            with connection:
                equal(answer.status, expected, "status for " + origin)


async def reload(proxy, fronts):
    """Under load; connections of the old workers end, and all of them come back."""
    crowds = [Crowd(front.url, FOLLOWERS, channels=5, tls=front.tls) for front in fronts]
    everyone = len(crowds) * FOLLOWERS
    for crowd in crowds:
        await crowd.begin()

    async def reloading():
        await crowds[0].until(lambda: crowds[0].events > 50)
        proxy.reload()
        for crowd in crowds:
            await crowd.until(lambda: crowd.ends >= FOLLOWERS and crowd.there == FOLLOWERS)
        already = crowds[0].events
        await crowds[0].until(lambda: crowds[0].events > already + 50)

    stormy = fronts[-1]
    writers, seqs = await storm(stormy.url, 6, 5, 0.02, asyncio.ensure_future(reloading()), **stormy.options)
    with Check("a reload under load: all of %d connections come back to where they were" % everyone):
        for crowd in crowds:
            await crowd.heard_all(seqs)
            equal(crowd.problems, [])
            equal({follower.recovered for follower in crowd.followers}, {True}, "recovered")
    with Check("nobody found the proxy's door closed meanwhile"):
        equal([crowd.refused for crowd in crowds], [0] * len(crowds), "followers")
        equal([writer.refused for writer in writers], [0] * len(writers), "writers")
        equal([crowd.turned_away for crowd in crowds], [[]] * len(crowds), "handshakes turned away")
    with Check("what was acked meanwhile is there, once, although those who reacted had to connect again"):
        assert all(writer.connections > 1 for writer in writers), [writer.connections for writer in writers]
        async with await Client.connect(stormy.url, "reader", **stormy.options) as client:
            for writer in writers:
                await writer.check(client)
        equal(sum(seqs.values()), sum(len(writer.acks) for writer in writers), "seqs in all")
    for crowd in crowds:
        crowd.end()


async def scenario(kind, folder, guide):
    ports = [free_port() for _ in range(2)]
    places = ["127.0.0.1:%d" % port for port in ports]
    path = settings(folder, places, MOST)
    mode = ("--dev", "--config", path, "--data", os.path.join(folder, "data"))
    with Service(folder, mode=mode) as broker:
        broker.urls(2)
        with KINDS[kind](folder, guide, ports) as proxy:
            fronts = [Front(port, tls) for port, tls in proxy.fronts]
            for front in fronts:
                proxy.until_ready(front)
                await reading(front)
                addresses(front)
            settings(folder, places, None)
            broker.process.send_signal(signal.SIGHUP)
            await asyncio.to_thread(broker.until_said, "were read again")
            await reload(proxy, fronts)
            if kind != "caddy":
                with Check("the proxy's log has who asked for what, and what was answered"):
                    assert re.search(r"127\.0\.0\.\d.* GET /v1/\S+ (?:\S+ )*?101 ", proxy.said()), proxy.said()
            with Check("the proxy's log keeps no query of an address"):
                assert "user=" not in proxy.said(), proxy.said()
        with Check("the broker has nothing to say against the proxy"):
            equal(broker.stop(), 0, "exit status")
            assert "proxy" not in broker.said().lower(), broker.said()


main(scenario)
