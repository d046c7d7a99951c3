"""Who is who where it counts: a broker with a token secret and without --dev. Words: URL SECRET TOKEN

Its settings have the namespaces chat and tap. TOKEN was made by `fanfare token`: zoe's, who may only moderate chat:*.
"""

import base64
import hashlib
import hmac
import json
import time

import websockets

from checks import ABSENT, Check, Client, equal, main, matches


def part(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=")


def token(secret, lives=3600, algorithm="HS256", **claims):
    head = part(json.dumps({"alg": algorithm, "typ": "JWT"}).encode())
    body = part(json.dumps({"exp": int(time.time()) + lives, **claims}).encode())
    signature = hmac.new(secret.encode(), head + b"." + body, hashlib.sha256).digest()
    return (head + b"." + body + b"." + part(signature)).decode()


async def rejected(url, name, **options):
    with Check("401 at the upgrade: " + name):
        try:
            async with await Client.connect(url, **options):
                raise AssertionError("let in")
        except websockets.InvalidStatusCode as answer:
            equal(answer.status_code, 401, "status")


async def scenario(url, secret, made):
    def with_token(value):
        return url + "?token=" + value

    await rejected(with_token("a.b.c"), "no token at all")
    await rejected(with_token(token("another secret", sub="ada")), "another secret")
    await rejected(with_token(token(secret, lives=-60, sub="ada")), "expired")
    await rejected(with_token(token(secret)), "no sub")
    await rejected(with_token(token(secret, sub="a b")), "a sub that is no user name")
    await rejected(with_token(token(secret, algorithm="none", sub="ada")), "algorithm none")
    await rejected(with_token(token(secret, sub="ada")), "a bad header wins over a good query",
                   extra_headers={"Authorization": "Bearer a.b.c"})

    with Check("by query, and by header"):
        async with await Client.connect(with_token(token(secret, sub="ada"))) as client:
            matches(client.welcome, user="ada")
        bearer = {"Authorization": "Bearer " + token(secret, sub="bob")}
        async with await Client.connect(with_token(token(secret, sub="ada")), extra_headers=bearer) as client:
            matches(client.welcome, user="bob")

    with Check("?user= names nobody outside of development"):
        async with await Client.connect(url, "ada") as client:
            matches(client.welcome, user=None)

    with Check("nothing given: only auth and ping"):
        async with await Client.connect(url) as client:
            matches(client.welcome, user=None)
            await client.ping()
            for request in ("subscribe", "unsubscribe"):
                matches(await client.request(request, channel="chat:1"), code="unauthorized")
            matches(await client.request("list", channel="nowhere:1"), code="unauthorized")
            matches(await client.request("auth", token="a.b.c"), code="unauthorized")
            await client.send(type="add", id=99, channel="chat:1")
            matches(await client.receive(), code="bad_request", id=99)
            value = token(secret, sub="ada")
            ack = await client.request("auth", token=value)
            matches(ack, type="ack", user="ada")
            assert isinstance(ack["expires"], int) and ack["expires"] % 1000 == 0, ack
            matches(await client.request("subscribe", channel="chat:1"), type="subscribed")
            matches(await client.request("auth", token=token(secret, sub="bob")), code="forbidden")
            matches(await client.request("add", channel="chat:1", message="m", reaction="👍"), own=["👍"])
            matches(await client.request("freeze", channel="chat:1", frozen=True), code="forbidden")

    with Check("a renewal brings its own rights, and ends what it no longer allows"):
        async with await Client.connect(with_token(token(secret, sub="ada"))) as client:
            await client.request("subscribe", channel="chat:2")
            await client.request("subscribe", channel="tap:2")
            narrow = token(secret, sub="ada", channels=[{"pattern": "tap:*", "can": ["subscribe"]}])
            matches(await client.request("auth", token=narrow), type="ack", user="ada")
            matches(await client.request("add", channel="tap:2", message="m", reaction="👍"), code="forbidden")
            # What a channel says keeps its order, so this comes behind the end of the subscription.
            matches(await client.request("subscribe", channel="chat:2"), code="forbidden")
            equal([m for m in client.seen if m["type"] == "unsubscribed"],
                  [{"type": "unsubscribed", "channel": "chat:2", "reason": "forbidden"}], "what ended")

    with Check("rights: what the entries say, added up"):
        rights = [{"pattern": "chat:1", "can": ["react"], "reactions": ["👍"]}, {"pattern": "chat:*", "can": ["query"]}]
        async with await Client.connect(with_token(token(secret, sub="cy", channels=rights))) as client:
            words = dict(channel="chat:1", message="rights")
            matches(await client.request("add", reaction="👍", **words), result="added")
            matches(await client.request("add", reaction="🎉", **words), code="reaction_not_allowed")
            matches(await client.request("subscribe", channel="chat:1"), code="forbidden")
            matches(await client.request("list", channel="chat:9"), type="list")
            matches(await client.request("add", channel="chat:12", message="m", reaction="👍"), code="forbidden")

    with Check("4001 when the token runs out, with a goodbye"):
        async with await Client.connect(with_token(token(secret, lives=2, sub="ada"))) as client:
            equal(await client.closed(), 4001, "close code")
            matches(client.seen[-1], type="goodbye", code=4001)

    with Check("4001 when none comes within 10 s"):
        began = time.monotonic()
        async with await Client.connect(url) as client:
            equal(await client.closed(), 4001, "close code")
            matches(client.seen[-1], type="goodbye", code=4001)
            assert 9 < time.monotonic() - began < 15, time.monotonic() - began

    with Check("a token made by the command"):
        async with await Client.connect(with_token(made)) as client:
            matches(client.welcome, user="zoe")
            matches(await client.request("clear", channel="chat:1", message="m"), result="cleared")
            matches(await client.request("add", channel="chat:1", message="m", reaction="👍"), code="forbidden", id=2)
            matches(await client.request("list", channel="tap:1"), code="forbidden", retry_after_ms=ABSENT)


if __name__ == "__main__":
    main(scenario)
