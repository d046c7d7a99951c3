"""Keys: racing duplicates by many connections, over WebSocket and HTTP mixed. First `race`, then `again` after a restart.

Words: race URL FILE     FILE takes what was answered, as JSON
       again URL FILE
"""

import asyncio
import json

from checks import Check, Client, equal, main, matches
from http_api import API, quote

CHANNEL = "chat:keys"
SOCKETS, REQUESTS, ROUNDS = 12, 6, 25
EMOJI = ["👍", "❤️", "🎉", "🔥", "😂"]


def without(message, *names):
    return {name: value for name, value in message.items() if name not in names}


def request_of(round):
    """A change that a second time would undo or repeat; its words for a WebSocket."""
    emoji = EMOJI[round % len(EMOJI)]
    words = dict(channel=CHANNEL, message="m%d" % (round // len(EMOJI)), key="key-%d" % round)
    if round % 3 == 2:
        return "set", dict(words, reactions=[emoji])
    return "toggle", dict(words, reaction=emoji)


def by_http(api, user, type, words):
    """The same change over HTTP, on a connection of its own."""
    path = "/v1/channels/%s/messages/%s/reactions" % (quote(CHANNEL, ""), words["message"])
    headers = {"Idempotency-Key": words["key"]}
    if type == "set":
        status, _, answer = api.call("PUT", path + "?user=" + user, {"reactions": words["reactions"]}, headers)
    else:
        path += "/" + quote(words["reaction"], "") + "/toggle?user=" + user
        status, _, answer = api.call("POST", path, None, headers)
    equal(status, 200, "status")
    return answer


async def race(url, file):
    api = API(url)
    kept = []
    watcher = await Client.connect(url, "watcher")
    await watcher.request("subscribe", channel=CHANNEL)
    clients = [await Client.connect(url, "ada") for _ in range(SOCKETS)]
    with Check("racing requests with the same key take effect once, however they come"):
        for round in range(ROUNDS):
            type, words = request_of(round)
            before = (await watcher.request("list", channel=CHANNEL))["seq"]
            answers = await asyncio.gather(
                *[client.request(type, **words) for client in clients],
                *[asyncio.to_thread(by_http, api, "ada", type, words) for _ in range(REQUESTS)])
            answers = [without(answer, "id") for answer in answers]
            firsts = [answer for answer in answers if "duplicate" not in answer]
            equal(len(firsts), 1, "answers that are no duplicates")
            for answer in answers:
                equal(without(answer, "duplicate"), firsts[0], "answer")
            after = (await watcher.request("list", channel=CHANNEL))["seq"]
            changes = 1 if type == "toggle" else after - before
            equal(after, before + changes, "seq")
            equal(firsts[0]["seq"], after, "the change's seq")
            kept.append([type, words, firsts[0]])
    with Check("and each change was told once"):
        await watcher.ping()
        seqs = [message["seq"] for message in watcher.seen if message["type"] in ("added", "removed", "replaced")]
        equal(seqs, list(range(1, len(seqs) + 1)), "the events' seqs")
        equal(seqs[-1], kept[-1][2]["seq"], "the last one")
    with Check("another user's use of the same key is another one"):
        type, words = request_of(0)
        async with await Client.connect(url, "bob") as bob:
            answer = await bob.request(type, **words)
            assert "duplicate" not in answer, answer
    with Check("another body with the same key is refused, over HTTP too"):
        matches(await clients[0].request("toggle", channel=CHANNEL, message="other", reaction="👍", key="key-0"),
                code="key_reused")
        path = "/v1/channels/%s/messages/m0/reactions/%s?user=ada" % (quote(CHANNEL, ""), quote("👍", ""))
        equal(api.call("PUT", path, None, {"Idempotency-Key": "key-0"})[0], 409, "status")
    with open(file, "w") as out:
        json.dump(kept, out)
    for client in clients + [watcher]:
        await client.close()


async def again(url, file):
    api = API(url)
    with open(file) as written:
        kept = json.load(written)
    async with await Client.connect(url, "ada") as ada:
        seq = (await ada.request("list", channel=CHANNEL))["seq"]
        with Check("after a restart every key still has its first answer, over WebSocket and HTTP"):
            equal(len(kept), ROUNDS, "keys")
            for type, words, first in kept:
                expected = {**first, "duplicate": True}
                equal(without(await ada.request(type, **words), "id"), expected, "answer")
                equal(by_http(api, "ada", type, words), expected, "answer over HTTP")
        with Check("and nothing has changed"):
            equal((await ada.request("list", channel=CHANNEL))["seq"], seq, "seq")


async def scenario(word, *words):
    await {"race": race, "again": again}[word](*words)


if __name__ == "__main__":
    main(scenario)
