"""Rate limits. Words: URL

The namespace chat lets a user have 10 at once and 5 a second; live lets a channel take 5 at once and 20 a second; line
lets a connection have 4 at once, host an address 6, both 0.5 a second.
"""

import asyncio
import http.client
import time
from urllib.parse import urlsplit

from checks import Check, Client, equal, main, matches


async def toggles(client, channel, count, **fields):
    """The replies to so many requests, sent without waiting."""
    first = client.last_id + 1
    client.last_id += count
    for id in range(first, first + count):
        await client.send(type="toggle", id=id, channel=channel, message="m", reaction="👍", **fields)
    replies = {}
    while len(replies) < count:
        message = await client.receive()
        if message.get("id", 0) >= first:
            replies[message["id"]] = message
    return [replies[id] for id in sorted(replies)]


async def scenario(url):
    with Check("the burst is taken, the rest is rate_limited with retry_after_ms"):
        async with await Client.connect(url, "ada") as client:
            began = time.monotonic()
            replies = await toggles(client, "chat:1", 30)
            taken = [r for r in replies if r["type"] == "ack"]
            refused = [r for r in replies if r["type"] == "error"]
            assert 10 <= len(taken) <= 11 + 5 * (time.monotonic() - began), len(taken)
            for reply in refused:
                matches(reply, code="rate_limited")
                assert isinstance(reply["retry_after_ms"], int) and 0 < reply["retry_after_ms"] <= 200, reply
            equal(taken[-1]["seq"], len(taken), "seq: what was refused had no effect")

    with Check("a user's tokens are those of all channels and connections"):
        async with await Client.connect(url, "ada") as client:
            replies = await toggles(client, "chat:2", 10)
            assert any(r.get("code") == "rate_limited" for r in replies), replies
        async with await Client.connect(url, "bob") as client:
            replies = await toggles(client, "chat:2", 10)
            assert all(r["type"] == "ack" for r in replies), replies

    with Check("a retry after retry_after_ms succeeds"):
        async with await Client.connect(url, "cy") as client:
            await toggles(client, "chat:3", 12)
            for _ in range(5):
                refused = await client.request("toggle", channel="chat:3", message="m", reaction="👍")
                while refused["type"] == "ack":
                    refused = await client.request("toggle", channel="chat:3", message="m", reaction="👍")
                await asyncio.sleep(refused["retry_after_ms"] / 1000)
                matches(await client.request("toggle", channel="chat:3", message="m", reaction="👍"), type="ack")

    with Check("duplicates, refusals and reading take no token"):
        async with await Client.connect(url, "dee") as client:
            words = dict(channel="chat:4", message="m")
            first = await client.request("add", reaction="👍", key="k", **words)
            for _ in range(20):
                again = await client.request("add", reaction="👍", key="k", **words)
                matches(again, duplicate=True, seq=first["seq"])
                matches(await client.request("add", reaction="nonsense", **words), code="invalid_reaction")
                matches(await client.request("list", channel="chat:4"), type="list")
            for _ in range(9):
                matches(await client.request("add", reaction="👍", **words), result="unchanged")

    with Check("a channel has a rate of its own, shared by all who react there"):
        async with await Client.connect(url, "eve") as eve, await Client.connect(url, "fay") as fay:
            began = time.monotonic()
            replies = await toggles(eve, "live:1", 10) + await toggles(fay, "live:1", 10)
            taken = [r for r in replies if r["type"] == "ack"]
            assert 5 <= len(taken) <= 6 + 20 * (time.monotonic() - began), len(taken)
            replies = await toggles(eve, "live:2", 5)
            assert all(r["type"] == "ack" for r in replies), replies

    with Check("a connection has a rate of its own, whoever it speaks for; over HTTP it is the connection there"):
        for user in ["gil", "gil"]:
            async with await Client.connect(url, user) as client:
                began = time.monotonic()
                replies = await toggles(client, "line:1", 8)
                assert 4 <= sum(r["type"] == "ack" for r in replies) <= 6 + time.monotonic() - began, replies
                assert all(0 < r["retry_after_ms"] <= 2000 for r in replies if r["type"] == "error"), replies
        connection = http.client.HTTPConnection(urlsplit(url).hostname, urlsplit(url).port, timeout=60)
        statuses, began = [], time.monotonic()
        for number in range(8):
            connection.request("PUT", "/v1/channels/line:1/messages/m/reactions/%%F0%%9F%%91%%8D?user=h%d" % number)
            answer = connection.getresponse()
            answer.read()
            statuses.append(answer.status)
            if answer.status == 429:
                assert answer.headers["Retry-After"] in ("1", "2"), answer.headers
        connection.close()
        assert 4 <= statuses.count(200) <= 6 + time.monotonic() - began, statuses

    with Check("an address has a rate of its own, shared by all who come from there"):
        async with await Client.connect(url, "ida") as one, await Client.connect(url, "jo") as other:
            began = time.monotonic()
            replies = await toggles(one, "host:1", 5) + await toggles(other, "host:2", 5)
            assert 6 <= sum(r["type"] == "ack" for r in replies) <= 8 + time.monotonic() - began, replies
            async with await Client.connect(url, "jo", local_addr=("127.0.0.2", 0)) as elsewhere:
                replies = await toggles(elsewhere, "host:2", 5)
                assert all(r["type"] == "ack" for r in replies), replies

    with Check("a client that waits as long as it is told gets through, when two buckets are short"):
        async with await Client.connect(url, "kim", local_addr=("127.0.0.3", 0)) as client:
            await toggles(client, "both:1", 3)
            refused = await client.request("toggle", channel="both:1", message="m", reaction="👍")
            matches(refused, code="rate_limited")
            assert 500 < refused["retry_after_ms"] <= 1000, "the longer one's wait: %r" % refused
            await asyncio.sleep(refused["retry_after_ms"] / 1000)
            matches(await client.request("toggle", channel="both:1", message="m", reaction="👍"), type="ack")

    with Check("a namespace without rates has none"):
        async with await Client.connect(url, "ada") as client:
            replies = await toggles(client, "tap:1", 300)
            assert all(r["type"] == "ack" for r in replies), replies[-1]


main(scenario)
