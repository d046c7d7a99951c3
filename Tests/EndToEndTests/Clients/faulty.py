"""A small broker of the wire contract that is wrong in one way, to see that a load test notices.

It serves on a free port, says "listening on URL" on standard error, and goes on until it is ended.
"""

import asyncio
import http
import json
import sys
from collections import defaultdict
from urllib.parse import parse_qs, urlsplit

import websockets

FAULT = sys.argv[1]
# Every so many-th event, or request, is the one that goes wrong.
EVERY = 20


class Channel:
    def __init__(self):
        self.seq = 0
        self.reactions = defaultdict(lambda: defaultdict(set))
        self.history = []
        self.readers = {}


channels = defaultdict(Channel)
# One request at a time: what is not meant to be wrong has to be right.
turn = asyncio.Lock()


class Reader:
    last_number = 0

    def __init__(self, socket, mode):
        Reader.last_number += 1
        self.number = Reader.last_number
        self.socket = socket
        self.mode = mode
        self.count = 0
        self.held = None

    async def send(self, event):
        self.count += 1
        wrong = self.count % EVERY == 0
        if wrong and FAULT == "lose":
            return
        if FAULT == "wrong-for-some" and self.number % 2:
            event = event.replace('"total":', '"total":1')
        if wrong and FAULT == "reorder":
            self.held = event
            return
        if wrong and FAULT == "drop":
            await self.socket.close(1011)
            return
        await self.socket.send(event)
        if wrong and FAULT == "repeat":
            await self.socket.send(event)
        if self.held:
            event, self.held = self.held, None
            await self.socket.send(event)


async def broadcast(channel, name, event):
    if FAULT.startswith("wrong-event-") and event["seq"] % EVERY == 0:
        event[FAULT.removeprefix("wrong-event-")] += 1
    text = json.dumps({**event, "channel": name}, separators=(",", ":"), ensure_ascii=False)
    channel.history.append(text)
    group = {key: event[key] for key in ("reaction", "count", "users")}
    delta = {"message": event["message"], "total": event["total"], "reactions": [group]}
    summary = json.dumps({"type": "summary", "channel": name, "seq": event["seq"], "messages": [delta]})
    for reader in list(channel.readers.values()):
        try:
            await reader.send(text if reader.mode == "events" else summary)
        except websockets.ConnectionClosed:
            pass


class Connection:
    def __init__(self, socket, user):
        self.socket = socket
        self.user = user
        self.requests = 0

    async def answer(self, message):
        await self.socket.send(json.dumps(message, separators=(",", ":"), ensure_ascii=False))

    async def subscribe(self, request, name, channel):
        since = request.get("since")
        reply = {
            "type": "subscribed", "id": request["id"], "channel": name, "epoch": "e1", "seq": channel.seq,
            "mode": request.get("mode", "events"), "policy": "distinct", "interval_ms": 100, "allowed": None,
            "limits": {"kinds": 20, "per_user": 10}, "frozen": False, "recovered": False,
        }
        if since:
            missed = channel.history[since["seq"]:]
            if FAULT == "false-recovery":
                missed = missed[1:]
            await self.answer({**reply, "seq": since["seq"], "recovered": True})
            for event in missed:
                await self.socket.send(event)
        else:
            await self.answer({**reply, "messages": [], "more": None})
        channel.readers[self.socket] = Reader(self.socket, request.get("mode", "events"))

    async def unsubscribe(self, request, name, channel):
        if FAULT != "after-unsubscribe":
            channel.readers.pop(self.socket, None)
        await self.answer({"type": "unsubscribed", "id": request["id"], "channel": name})

    async def list(self, request, name, channel):
        extra = 1 if FAULT == "wrong-counts" else 0
        messages = []
        for message in request["messages"]:
            groups = [
                {"reaction": reaction, "count": len(users) + extra, "users": len(users), "first": 1, "last": 1,
                 "latest": []}
                for reaction, users in channel.reactions[message].items() if users or extra
            ]
            if groups:
                total = sum(group["count"] for group in groups)
                messages.append({"message": message, "total": total, "reactions": groups, "own": []})
        await self.answer({
            "type": "list", "id": request["id"], "channel": name, "epoch": "e1", "seq": channel.seq,
            "messages": messages, "after": None,
        })

    async def change(self, request, name, channel):
        message, reaction = request["message"], request["reaction"]
        users = channel.reactions[message][reaction]
        kind = request["type"]
        isThere = self.user in users
        result = {"add": "updated" if isThere else "added", "remove": "removed" if isThere else "unchanged",
                  "toggle": "removed" if isThere else "added"}[kind]
        if result == "added":
            users.add(self.user)
        if result == "removed":
            users.discard(self.user)
        if result != "unchanged":
            channel.seq += 1
        self.requests += 1
        if not (FAULT == "no-ack" and self.requests % EVERY == 0):
            said = "unchanged" if FAULT == "wrong-result" and self.requests % EVERY == 0 else result
            await self.answer({
                "type": "ack", "id": request["id"], "result": said, "channel": name, "message": message,
                "reaction": reaction, "seq": channel.seq, "count": len(users), "own": [],
            })
        if result != "unchanged":
            total = sum(len(others) for others in channel.reactions[message].values())
            event = {"type": result, "seq": channel.seq, "message": message, "reaction": reaction, "user": self.user,
                     "count": len(users), "users": len(users), "total": total, "at": 1}
            if "data" in request and result != "removed":
                event["data"] = request["data"]
            await broadcast(channel, name, event)

    async def serve(self):
        await self.answer({
            "type": "welcome", "connection": "c-1", "user": self.user, "time": 1, "heartbeat_ms": 25000,
            "limits": {"max_message_bytes": 65536, "max_subscriptions": 256},
        })
        try:
            async for text in self.socket:
                request = json.loads(text)
                name = request["channel"]
                channel = channels[name]
                kind = request["type"]
                method = getattr(self, kind) if kind in ("subscribe", "unsubscribe", "list") else self.change
                async with turn:
                    await method(request, name, channel)
        except websockets.ConnectionClosed:
            pass
        finally:
            for channel in channels.values():
                channel.readers.pop(self.socket, None)


async def refuse(path, headers):
    if FAULT == "unauthorized":
        return http.HTTPStatus.UNAUTHORIZED, [], b"a token is wanted"


async def connected(socket):
    user = parse_qs(urlsplit(socket.path).query).get("user", ["guest"])[0]
    await Connection(socket, user).serve()


async def main():
    async with websockets.serve(
            connected, "127.0.0.1", 0, subprotocols=["fanfare.v1.json"], process_request=refuse) as server:
        port = server.sockets[0].getsockname()[1]
        print("listening on ws://127.0.0.1:%d/v1/ws" % port, file=sys.stderr, flush=True)
        await asyncio.Future()


asyncio.run(main())
