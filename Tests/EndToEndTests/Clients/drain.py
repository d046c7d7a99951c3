"""An orderly end in the middle of a storm. First `storm`, which sends SIGTERM, then `verify` against the next broker.

Words: storm URL FILE PID
       verify URL FILE
FILE takes what was sent and what was acked, as JSON.
"""

import asyncio
import json
import os
import signal

import websockets

from checks import Check, Client, equal, main, matches

CHANNEL = "chat:drain"
WRITERS = 30
FOLLOWERS = 8
WINDOW = 100  # requests of one writer that are not answered
BEFORE_END = 2000  # acks, of all writers together


class Writer:
    """Sends without waiting for answers, and reads until the broker ends the connection."""

    def __init__(self, number):
        self.user = "writer-%d" % number
        self.sent, self.acks, self.others = [], {}, []
        self.room = asyncio.Semaphore(WINDOW)
        self.code = None

    async def run(self, url, count):
        client = await Client.connect(url, self.user)
        sender = asyncio.create_task(self.send(client))
        try:
            while True:
                message = await client.receive()
                if message["type"] == "ack":
                    self.acks[message["id"]] = message
                    self.room.release()
                    count()
                else:
                    self.others.append(message)
        except websockets.ConnectionClosed as closed:
            self.code = closed.rcvd.code if closed.rcvd else None
        sender.cancel()
        await asyncio.gather(sender, return_exceptions=True)

    async def send(self, client):
        while True:
            await self.room.acquire()
            number = len(self.sent)
            request = dict(type="add", channel=CHANNEL, message="m%d" % number, reaction="👍", key="k%d" % number)
            self.sent.append(request)
            await client.send(id=number, **request)


class Follower:
    """Hears what happens until the broker ends the connection."""

    def __init__(self):
        self.seq, self.last = 0, None

    async def run(self, url, begun):
        client = await Client.connect(url, "follower")
        matches(await client.request("subscribe", channel=CHANNEL), type="subscribed")
        begun.release()
        try:
            while True:
                message = await client.receive()
                self.seq, self.last = max(self.seq, message.get("seq") or 0), message["type"]
        except websockets.ConnectionClosed:
            pass


async def storm(url, file, pid):
    acks = 0
    followers, begun = [Follower() for _ in range(FOLLOWERS)], asyncio.Semaphore(0)
    following = [asyncio.create_task(follower.run(url, begun)) for follower in followers]
    for _ in followers:
        await begun.acquire()
    enough = asyncio.Event()

    def count():
        nonlocal acks
        acks += 1
        if acks >= BEFORE_END:
            enough.set()

    writers = [Writer(number) for number in range(WRITERS)]
    tasks = [asyncio.create_task(writer.run(url, count)) for writer in writers]
    await enough.wait()
    os.kill(int(pid), signal.SIGTERM)
    await asyncio.gather(*tasks, *following)
    with Check("who follows the channel has heard all that was acked, and then goodbye"):
        last = max(ack["seq"] for writer in writers for ack in writer.acks.values())
        for follower in followers:
            equal((follower.seq, follower.last), (last, "goodbye"), "the last that was heard")
    with Check("each connection hears goodbye, with a time of its own to come back, and 1012"):
        for writer in writers:
            equal(writer.code, 1012, "close code")
            goodbye, = [m for m in writer.others if m["type"] != "error"]
            matches(goodbye, type="goodbye", code=1012)
            assert 0 <= goodbye["retry_after_ms"] <= 5000, goodbye
        times = {m["retry_after_ms"] for writer in writers for m in writer.others if m["type"] == "goodbye"}
        assert len(times) > WRITERS // 2, times
    with Check("whatever was refused meanwhile was unavailable"):
        for writer in writers:
            for message in writer.others[:-1]:
                matches(message, type="error", code="unavailable")
    with open(file, "w") as out:
        json.dump([[writer.user, writer.sent, writer.acks] for writer in writers], out)


async def retry(url, user, requests):
    """Sends all requests again and gives their answers by id."""
    answers = {}
    async with await Client.connect(url, user) as client:
        for number, request in requests:
            await client.send(id=number, **request)
        while len(answers) < len(requests):
            message = await client.receive()
            answers[message["id"]] = message
    return answers


async def verify(url, file):
    with open(file) as written:
        writers = json.load(written)
    acked = lost = 0
    for user, sent, acks in writers:
        answers = await retry(url, user, list(enumerate(sent)))
        for number, answer in answers.items():
            before = acks.get(str(number))
            if before:
                acked += 1
                if answer != {**before, "duplicate": True}:
                    lost += 1
            else:
                # Who read to the end of the connection has the ack of everything that took effect.
                lost += "duplicate" in answer or answer.get("result") != "added"
    with Check("every change that took effect was acked, and every ack is answered again"):
        equal(lost, 0, "of %d acked changes" % acked)
        assert acked >= BEFORE_END, acked


async def scenario(word, *words):
    await {"storm": storm, "verify": verify}[word](*words)


main(scenario)
