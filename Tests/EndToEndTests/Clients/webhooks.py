"""Webhooks: what is posted, in which order, and that nothing is lost. Words: BINARY FOLDER CERTIFICATE KEY"""

import asyncio
import signal
import time

import websockets

from checks import ABSENT, Check, Client, equal, main, matches
from receiver import Broker, Receiver, verify

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def webhook(receiver, **more):
    return {"url": receiver.url, "secret": SECRET, "interval_ms": 20, "timeout_ms": 60_000, "max_retry_ms": 500, **more}


async def waits(receiver, condition, what):
    await asyncio.to_thread(receiver.wait, condition, what)


def places(events):
    return [(event["channel"], event["epoch"], event["seq"]) for event in events]


def first_arrivals(events):
    seen, first = set(), []
    for event, place in zip(events, places(events)):
        if place not in seen:
            seen.add(place)
            first.append(event)
    return first


def check_order(events):
    """Every channel's events, without those that came again, have the seqs 1, 2, 3 and so on."""
    last = {}
    for event in first_arrivals(events):
        channel = event["channel"]
        equal(event["seq"], last.get(channel, 0) + 1, "seq in " + channel)
        last[channel] = event["seq"]
    return last


def check_signatures(receiver, secret=SECRET):
    for request in receiver.requests:
        assert verify(secret, request.headers, request.body), "a signature is wrong"
        assert not verify(secret, request.headers, request.body + b" "), "a body may be changed"


async def react(url, channel, count, user="ada", first=0):
    """Adds so many reactions, each to a message of its own, and gives the seqs that were acked."""
    seqs = []
    async with await Client.connect(url, user) as client:
        for number in range(first, first + count):
            seqs.append((await client.request("add", channel=channel, message="m%d" % number, reaction="👍"))["seq"])
    return seqs


async def contents(broker, receiver):
    with Check("what is posted is what a subscriber gets, with the epoch"):
        async with await Client.connect(broker.url, "mod") as client:
            epoch = (await client.request("subscribe", channel="chat:1"))["epoch"]
            await client.request("freeze", channel="chat:1", frozen=True)
            await client.request("freeze", channel="chat:1", frozen=False)
            await client.request("add", channel="chat:1", message="m", reaction="👍", data={"a": [1, "ü"]})
            await client.request("add", channel="chat:1", message="m", reaction="👍")
            await client.request("set", channel="chat:1", message="m", reactions=["🎉", "❤️"])
            await client.request("clear", channel="chat:1", message="m", reaction="🎉")
            await client.request("delete", channel="chat:1", message="m")
            await client.until(lambda m: m.get("reason") == "deleted")
            seen = [{**m, "epoch": epoch} for m in client.seen if m["type"] in ("added", "removed", "cleared")]
        await waits(receiver, lambda: len(receiver.events) >= len(seen), "the events")
        equal(receiver.events, seen, "events")
        for request in receiver.requests:
            equal(list(request.json), ["events"], "names")
            equal(request.headers["content-type"], "application/json", "type")
            assert len(request.json["events"]) <= 3, "more than a batch"
    with Check("requests are signed as the documentation says"):
        check_signatures(receiver)


async def anonymous(broker, receiver):
    with Check("in an anonymous namespace nobody is named"):
        await react(broker.url, "anon:1", 3)
        async with await Client.connect(broker.url, "mod") as client:
            await client.request("clear", channel="anon:1", message="m1", user="ada")
        await waits(receiver, lambda: len(receiver.events) == 4, "the events")
        for event in receiver.events:
            matches(event, user=ABSENT)
        assert all(b"ada" not in request.body for request in receiver.requests)


async def failures(broker, receiver):
    bad = [(500, {}, b"no"), "hang", "half", "garbage", "vanish", (302, {"location": "/elsewhere"}, b""), (400, {}, b""),
           (410, {}, b""), (429, {"retry-after": "2"}, b"")]
    receiver.requests.clear()
    last_at = {}

    def answer(number, request):
        last_at[number] = time.monotonic()
        return bad[number - 1] if number <= len(bad) else (200, {}, b"{}")
    receiver.answer = answer
    with Check("whatever goes wrong, all is posted again, in order"):
        await react(broker.url, "chat:bad", 5)
        await waits(receiver, lambda: len(receiver.requests) > len(bad), "the last attempt")
        await react(broker.url, "chat:bad", 5, first=5)
        await waits(receiver, lambda: len(set(places(receiver.events))) == 10, "the rest")
        equal(check_order(receiver.events), {"chat:bad": 10}, "last seqs")
        check_signatures(receiver)
    with Check("a retry is the same request with the same id"):
        tries = receiver.requests[:len(bad) + 1]
        equal({(r.headers["webhook-id"], r.body) for r in tries}, {(tries[0].headers["webhook-id"], tries[0].body)})
    with Check("Retry-After is kept"):
        assert last_at[len(bad) + 1] - last_at[len(bad)] >= 1.9, last_at
    receiver.answer = lambda number, request: (200, {}, b"{}")


async def others(broker, down):
    with Check("a receiver that is down stops nobody else, and what waits is told"):
        down.answer = lambda number, request: (503, {}, b"")
        await react(broker.url, "tap:1", 4)
        await waits(down, lambda: len(down.requests) >= 2, "attempts")
        equal(broker.metric('fanfare_webhook_pending{namespace="tap"}'), 4.0, "pending")
        assert broker.metric('fanfare_webhook_failed_total{namespace="tap"}') >= 1
        assert broker.metric('fanfare_webhook_delivered_total{namespace="chat"}') >= 10
        assert broker.metric('fanfare_webhook_oldest_seconds{namespace="tap"}') >= 0
    with Check("past the cap the oldest are dropped, and that is told"):
        await react(broker.url, "tap:1", 30, first=4)
        while broker.metric('fanfare_webhook_pending{namespace="tap"}') > 20:
            requests = len(down.requests)
            await waits(down, lambda: len(down.requests) > requests, "another attempt")
        dropped = broker.metric('fanfare_webhook_dropped_total{namespace="tap"}')
        assert dropped >= 14, dropped
        down.requests.clear()
        down.answer = lambda number, request: (200, {}, b"")
        await waits(down, lambda: any(e["seq"] == 34 for e in down.events), "the newest")
        seqs = [event["seq"] for event in first_arrivals(down.events)]
        equal(seqs, list(range(int(dropped) + 1, 35)), "seqs")


async def encrypted(broker, trusted, untrusted):
    with Check("over TLS, to a server whose certificate is trusted"):
        await react(broker.url, "any:1", 3)
        await waits(trusted, lambda: len(trusted.events) == 3, "the events")
        check_signatures(trusted)
    with Check("nothing is sent to a server whose certificate is not"):
        await react(broker.url, "clap:1", 3)
        line = await asyncio.to_thread(broker.wait, "'clap'")
        assert "certificate" in line, line
        equal(untrusted.requests, [])
        equal(broker.metric('fanfare_webhook_pending{namespace="clap"}'), 3.0, "pending")


async def killed(broker, receiver):
    """The receiver is down, then up; the broker is killed in the middle of writes, twice."""
    receiver.requests.clear()
    port = receiver.port
    acked = {}
    enough = asyncio.Event()
    target = 0

    async def write(number):
        channel = "chat:kill%d" % (number % 4)
        try:
            async with await Client.connect(broker.url, "w%d" % number) as client:
                step = 0
                while True:
                    ack = await client.request(
                        "add", channel=channel, message="m%d-%d" % (broker.process.pid, step), reaction="👍")
                    acked[channel] = max(acked.get(channel, 0), ack["seq"])
                    if sum(acked.values()) >= target:
                        enough.set()
                    step += 1
        except (websockets.ConnectionClosed, ConnectionError):
            pass

    for is_up in (False, True):
        if not is_up:
            receiver.stop()
        target = sum(acked.values()) + 400
        enough.clear()
        writers = [asyncio.create_task(write(number)) for number in range(8)]
        await enough.wait()
        await asyncio.to_thread(broker.end, signal.SIGKILL)
        await asyncio.gather(*writers)
        if not is_up:
            receiver = Receiver(port=port)
        broker.start()
    with Check("after kill -9 every acked change is posted, in order of its channel"):
        def all_there():
            there = set((event["channel"], event["seq"]) for event in receiver.events)
            return all((channel, seq) in there for channel, last in acked.items() for seq in range(1, last + 1))
        await waits(receiver, all_there, "what was acked")
        last = check_order(receiver.events)
        for channel, seq in acked.items():
            assert last[channel] >= seq, (channel, last[channel], seq)
    receiver.stop()
    return port


async def reloaded(broker, settings, port):
    other = Receiver()
    with Check("SIGHUP brings another URL and secret, also to what waits"):
        await react(broker.url, "chat:reload", 3)
        secret = "another secret"
        with open(broker.file + ".secret", "w") as file:
            file.write(secret + "\n")
        settings["namespaces"]["chat"]["webhook"] = {
            "url": other.url, "secret_file": broker.file + ".secret", "interval_ms": 0}
        broker.reload(settings)
        await waits(other, lambda: len([e for e in other.events if e["channel"] == "chat:reload"]) == 3, "the events")
        check_signatures(other, secret)
    with Check("without a webhook what waits is kept, and a warning says so"):
        other.answer = lambda number, request: (500, {}, b"")
        tries = len(other.requests)
        await react(broker.url, "chat:kept", 2)
        await waits(other, lambda: len(other.requests) > tries, "an attempt")
        kept = settings["namespaces"]["chat"].pop("webhook")
        broker.reload(settings)
        await asyncio.to_thread(broker.wait, "2 events of the namespace 'chat' kept for a webhook")
        other.requests.clear()
        other.answer = lambda number, request: (200, {}, b"")
        settings["namespaces"]["chat"]["webhook"] = kept
        broker.reload(settings)
        await waits(other, lambda: len(other.events) == 2, "the events")
        equal(check_order(other.events), {"chat:kept": 2}, "last seqs")


async def scenario(binary, folder, certificate, key):
    chat, anon, down = Receiver(), Receiver(), Receiver()
    trusted, untrusted = Receiver(tls=(certificate, key)), Receiver(tls=(certificate, key))
    settings = {"namespaces": {
        "chat": {"webhook": webhook(chat, batch=3)},
        "anon": {"anonymous": True, "webhook": webhook(anon)},
        "tap": {"policy": "unique", "webhook": webhook(down, max_pending=20, batch=5)},
        "any": {"webhook": webhook(trusted, ca_file=certificate)},
        "clap": {"policy": "multiple", "webhook": webhook(untrusted)},
    }}
    broker = Broker(binary, folder, settings)
    try:
        await contents(broker, chat)
        await anonymous(broker, anon)
        # Only where an answer is waited for in vain is the wait short.
        settings["namespaces"]["chat"]["webhook"] = webhook(chat, batch=3, timeout_ms=3000)
        broker.reload(settings)
        await failures(broker, chat)
        await others(broker, down)
        await encrypted(broker, trusted, untrusted)
        settings["namespaces"]["chat"]["webhook"] = webhook(chat, batch=50)
        broker.reload(settings)
        port = await killed(broker, chat)
        await reloaded(broker, settings, port)
        with Check("the broker ends in order"):
            equal(await asyncio.to_thread(broker.end, signal.SIGTERM), 0, "exit code")
    finally:
        broker.process.kill()


main(scenario)
