"""What a broker must refuse, and how: every row is sent on a connection of its own, which has to stay up. Words: URL

The broker has to run with --dev --moderator mod.
"""

import asyncio
import json

from checks import ABSENT, Check, Client, equal, main, matches

ANY = object()


def message(**fields):
    """One request as text; `id` is 1 unless given."""
    return json.dumps({"id": 1, **fields}, ensure_ascii=False)


def add(**fields):
    return message(**{"type": "add", "channel": "chat:bad", "message": "m", "reaction": "👍", **fields})


def subscribe(**fields):
    return message(**{"type": "subscribe", "channel": "chat:bad", **fields})


def nested(levels):
    """A ping with so many levels, the top object included."""
    return '{"type":"ping","id":1,"x":%s}' % ("[" * (levels - 1) + "]" * (levels - 1))


# name, text, code, id of the error
REFUSED = [
    # Section 2: how JSON is read. What is not JSON has no id.
    ("empty text", "", "bad_request", ABSENT),
    ("white space", "  ", "bad_request", ABSENT),
    ("a word", "hello", "bad_request", ABSENT),
    ("single quotes", "{'type':'ping'}", "bad_request", ABSENT),
    ("cut off", '{"type":"ping","id":1', "bad_request", ANY),
    ("a comma too many", '{"type":"ping","id":1,}', "bad_request", ANY),
    ("something behind", '{"type":"ping","id":1}x', "bad_request", ANY),
    ("two objects", '{"type":"ping","id":1}{"type":"ping","id":2}', "bad_request", ANY),
    ("NaN", '{"type":"ping","id":NaN}', "bad_request", ABSENT),
    ("a leading zero", '{"type":"ping","id":01}', "bad_request", ABSENT),
    ("a plus sign", '{"type":"ping","id":+1}', "bad_request", ABSENT),
    ("a raw control character", '{"type":"ping","x":"\n"}', "bad_request", ABSENT),
    ("an unknown escape", '{"type":"ping","x":"\\x"}', "bad_request", ABSENT),
    ("a byte-order mark", '\ufeff{"type":"ping","id":1}', "bad_request", ABSENT),
    ("33 levels", nested(33), "bad_request", ANY),
    ("1000 levels", nested(1000), "bad_request", ANY),
    ("a lone high surrogate", '{"type":"ping","id":1,"x":"\\ud83d"}', "bad_request", 1),
    ("a lone low surrogate, deep inside", '{"type":"ping","id":1,"x":{"y":["\\ude00"]}}', "bad_request", 1),
    ("a lone surrogate in a name", '{"type":"ping","id":1,"x\\ud83d":1}', "bad_request", 1),
    ("surrogates the wrong way round", '{"type":"ping","id":1,"x":"\\ude00\\ud83d"}', "bad_request", 1),
    ("a name twice", '{"id":1,"type":"ping","type":"ping"}', "bad_request", 1),
    ("an unknown name twice", '{"id":1,"type":"ping","x":1,"x":1}', "bad_request", 1),
    ("a name twice, once escaped", '{"id":1,"type":"ping","\\u0074ype":"ping"}', "bad_request", 1),
    # Section 2: no object, no type.
    ("an array", "[]", "bad_request", ABSENT),
    ("a number", "1", "bad_request", ABSENT),
    ("a string", '"ping"', "bad_request", ABSENT),
    ("null", "null", "bad_request", ABSENT),
    ("no type", '{"id":1}', "bad_request", 1),
    ("an unknown type", '{"type":"nope","id":"a"}', "bad_request", "a"),
    ("a type of the wrong kind", '{"type":1,"id":1}', "bad_request", 1),
    ("type null", '{"type":null,"id":1}', "bad_request", 1),
    ("a type in capitals", '{"type":"PING","id":1}', "bad_request", 1),
    # Section 2: id.
    ("id 1.0", '{"type":"ping","id":1.0}', "bad_request", ABSENT),
    ("id 1e2", '{"type":"ping","id":1e2}', "bad_request", ABSENT),
    ("id -1", '{"type":"ping","id":-1}', "bad_request", ABSENT),
    ("id 2^53", '{"type":"ping","id":9007199254740992}', "bad_request", ABSENT),
    ("id 10^30", '{"type":"ping","id":1%s}' % ("0" * 30), "bad_request", ABSENT),
    ("id empty", '{"type":"ping","id":""}', "bad_request", ABSENT),
    ("id of 65 bytes", '{"type":"ping","id":"%s"}' % ("a" * 65), "bad_request", ABSENT),
    ("id of 22 characters, 66 bytes", '{"type":"ping","id":"%s"}' % ("€" * 22), "bad_request", ABSENT),
    ("id null", '{"type":"ping","id":null}', "bad_request", ABSENT),
    ("id true", '{"type":"ping","id":true}', "bad_request", ABSENT),
    ("id an object", '{"type":"ping","id":{}}', "bad_request", ABSENT),
    # Section 1: channel, message.
    ("no channel", message(type="subscribe"), "bad_request", 1),
    ("channel null", subscribe(channel=None), "bad_request", 1),
    ("channel a number", subscribe(channel=1), "bad_request", 1),
    ("channel empty", subscribe(channel=""), "bad_request", 1),
    ("channel of 201 bytes", subscribe(channel="chat:" + "a" * 196), "bad_request", 1),
    ("channel with a blank", subscribe(channel="chat:a b"), "bad_request", 1),
    ("channel beyond ASCII", subscribe(channel="chat:é"), "bad_request", 1),
    ("channel with DEL", subscribe(channel="chat:\x7f"), "bad_request", 1),
    ("message -", add(message="-"), "bad_request", 1),
    ("message .", add(message="."), "bad_request", 1),
    ("message ..", add(message=".."), "bad_request", 1),
    ("message *", add(message="*"), "bad_request", 1),
    ("message of 129 bytes", add(message="m" * 129), "bad_request", 1),
    ("message with a blank", add(message="a b"), "bad_request", 1),
    ("message null", add(message=None), "bad_request", 1),
    ("message a number", add(message=1), "bad_request", 1),
    # Section 3: subscribe, watch.
    ("an unknown mode", subscribe(mode="x"), "bad_request", 1),
    ("mode null", subscribe(mode=None), "bad_request", 1),
    ("messages a string", subscribe(messages="m"), "bad_request", 1),
    ("messages of numbers", subscribe(messages=[1]), "bad_request", 1),
    ("messages with *", subscribe(messages=["*"]), "bad_request", 1),
    ("1001 messages", subscribe(messages=["m%d" % i for i in range(1001)]), "bad_request", 1),
    ("since a number", subscribe(since=17), "bad_request", 1),
    ("since without seq", subscribe(since={"epoch": "e"}), "bad_request", 1),
    ("since without epoch", subscribe(since={"seq": 1}), "bad_request", 1),
    ("since with seq -1", subscribe(since={"epoch": "e", "seq": -1}), "bad_request", 1),
    ("occupancy a string", subscribe(occupancy="yes"), "bad_request", 1),
    ("occupancy null", subscribe(occupancy=None), "bad_request", 1),
    ("watch without messages", message(type="watch", channel="chat:bad"), "bad_request", 1),
    ("watch without a subscription", message(type="watch", channel="chat:bad", messages=["m"]), "not_subscribed", 1),
    # Section 3: add, remove, toggle.
    ("no reaction", message(type="add", channel="chat:bad", message="m"), "bad_request", 1),
    ("reaction a number", add(reaction=1), "bad_request", 1),
    ("reaction null", add(reaction=None), "bad_request", 1),
    ("key empty", add(key=""), "bad_request", 1),
    ("key of 65 bytes", add(key="k" * 65), "bad_request", 1),
    ("key with a blank", add(key="a b"), "bad_request", 1),
    ("key null", add(key=None), "bad_request", 1),
    ("key a number", add(key=1), "bad_request", 1),
    ("data a string", add(data="x"), "bad_request", 1),
    ("data an array", add(data=[]), "bad_request", 1),
    ("data null", add(data=None), "bad_request", 1),
    ("data of 1025 bytes", add(data={"x": "a" * 1016}), "bad_request", 1),
    ("count outside of multiple", add(count=1), "bad_request", 1),
    ("count 0", add(channel="clap:bad", count=0), "bad_request", 1),
    ("count 1001", add(channel="clap:bad", count=1001), "bad_request", 1),
    ("count 1.0", add(channel="clap:bad", count=1.0), "bad_request", 1),
    ("count null", add(channel="clap:bad", count=None), "bad_request", 1),
    ("toggle in multiple", add(type="toggle", channel="clap:bad"), "bad_request", 1),
    ("toggle in ephemeral", add(type="toggle", channel="burst:bad"), "bad_request", 1),
    # Section 7: what is no emoji.
    ("reaction empty", add(reaction=""), "invalid_reaction", 1),
    ("reaction a word", add(reaction="party_parrot"), "invalid_reaction", 1),
    ("two emoji", add(reaction="👍👍"), "invalid_reaction", 1),
    ("an emoji and text", add(reaction="👍a"), "invalid_reaction", 1),
    ("a lone skin tone", add(reaction="🏽"), "invalid_reaction", 1),
    ("a lone regional indicator", add(reaction="🇩"), "invalid_reaction", 1),
    ("a digit", add(reaction="1"), "invalid_reaction", 1),
    ("a lone ZWJ", add(reaction="\u200d"), "invalid_reaction", 1),
    ("a name that is none", add(channel="any:bad", reaction="Party Parrot"), "invalid_reaction", 1),
    ("removing what is no reaction", add(type="remove", reaction="x"), "invalid_reaction", 1),
    # Section 3: set.
    ("set without reactions", message(type="set", channel="chat:bad", message="m"), "bad_request", 1),
    ("set with a string", message(type="set", channel="chat:bad", message="m", reactions="👍"), "bad_request", 1),
    ("set with numbers", message(type="set", channel="chat:bad", message="m", reactions=[1]), "bad_request", 1),
    ("set of two in unique", message(type="set", channel="tap:bad", message="m", reactions=["👍", "❤"]), "bad_request", 1),
    ("set in multiple", message(type="set", channel="clap:bad", message="m", reactions=["👍"]), "bad_request", 1),
    ("set in ephemeral", message(type="set", channel="burst:bad", message="m", reactions=["👍"]), "bad_request", 1),
    ("set with a word", message(type="set", channel="chat:bad", message="m", reactions=["👍", "x"]), "invalid_reaction", 1),
    # Section 3: clear, delete, freeze.
    ("clear by no moderator", message(type="clear", channel="chat:bad", message="m"), "forbidden", 1),
    ("clear of everything", message(type="clear", channel="chat:bad", message="*"), "bad_request", 1),
    ("clear of no user", message(type="clear", channel="chat:bad", message="m", user=""), "bad_request", 1),
    ("delete by no moderator", message(type="delete", channel="chat:bad", message="m"), "forbidden", 1),
    ("delete of *", message(type="delete", channel="chat:bad", message="*"), "bad_request", 1),
    ("freeze by no moderator", message(type="freeze", channel="chat:bad", frozen=True), "forbidden", 1),
    ("freeze without frozen", message(type="freeze", channel="chat:bad"), "bad_request", 1),
    ("frozen a number", message(type="freeze", channel="chat:bad", frozen=1), "bad_request", 1),
    # Section 3: reactors, list.
    ("reactors limit 0", message(type="reactors", channel="chat:bad", message="m", limit=0), "bad_request", 1),
    ("reactors limit 101", message(type="reactors", channel="chat:bad", message="m", limit=101), "bad_request", 1),
    ("reactors limit a string", message(type="reactors", channel="chat:bad", message="m", limit="5"), "bad_request", 1),
    ("reactors after a number", message(type="reactors", channel="chat:bad", message="m", after=1), "bad_request", 1),
    ("reactors after a foreign cursor", message(type="reactors", channel="chat:bad", message="m", after="x"),
     "unknown_cursor", 1),
    ("reactors in anonymous", message(type="reactors", channel="anon:bad", message="m"), "forbidden", 1),
    ("list limit 0", message(type="list", channel="chat:bad", limit=0), "bad_request", 1),
    ("list limit 101", message(type="list", channel="chat:bad", limit=101), "bad_request", 1),
    ("list after a foreign cursor", message(type="list", channel="chat:bad", after="x"), "unknown_cursor", 1),
    # Section 3: auth.
    ("auth without token", message(type="auth"), "bad_request", 1),
    ("auth with a number", message(type="auth", token=1), "bad_request", 1),
    ("auth with a bad token", message(type="auth", token="a.b.c"), "unauthorized", 1),
    # Section 8: which comes first.
    ("an unknown namespace", subscribe(channel="nowhere:1"), "forbidden", 1),
    ("an unknown namespace without colon", subscribe(channel="nowhere"), "forbidden", 1),
    ("shape before namespace", add(channel="nowhere:1", message="*"), "bad_request", 1),
    ("namespace before reaction", add(channel="nowhere:1", reaction="x"), "forbidden", 1),
    ("right before policy", message(type="delete", channel="burst:bad", message="m"), "forbidden", 1),
    ("policy before reaction", add(reaction="x", count=2), "bad_request", 1),
    ("without id", '{"type":"add","channel":"chat:bad"}', "bad_request", ABSENT),
    ("without id, refused later", '{"type":"add","channel":"nowhere:1","message":"m","reaction":"👍"}', "forbidden",
     ABSENT),
]

# What looks odd and is right: name, text, fields of the reply.
ACCEPTED = [
    ("id -0 is 0", '{"type":"ping","id":-0}', dict(type="pong", id=0)),
    ("id 2^53-1", '{"type":"ping","id":9007199254740991}', dict(type="pong", id=9007199254740991)),
    ("id of 64 bytes", '{"type":"ping","id":"%s"}' % ("a" * 64), dict(type="pong", id="a" * 64)),
    ("id beyond ASCII", '{"type":"ping","id":"%s"}' % ("€" * 21), dict(type="pong", id="€" * 21)),
    ("id that looks like a number", '{"type":"ping","id":"1"}', dict(type="pong", id="1")),
    ("id with escapes", '{"type":"ping","id":"\\u0061\\ud83d\\udc4d"}', dict(type="pong", id="a👍")),
    ("white space", ' \t\r\n{ "type" : "ping" ,\n"id" : 1 } ', dict(type="pong", id=1)),
    ("unknown fields", '{"type":"ping","id":1,"x":[1.5e3,{"y":null}],"z":"\\ud83d\\udc4d"}', dict(type="pong", id=1)),
    ("a name twice, below the top", '{"type":"ping","id":1,"x":{"a":1,"a":2}}', dict(type="pong", id=1)),
    ("32 levels", nested(32), dict(type="pong", id=1)),
    ("an escaped type", '{"typ\\u0065":"\\u0070ing","id":1}', dict(type="pong", id=1)),
    ("since null", subscribe(since=None), dict(type="subscribed", id=1, recovered=False)),
    ("messages null", subscribe(messages=None), dict(type="subscribed", id=1)),
    ("1000 messages", subscribe(messages=["m%d" % i for i in range(1000)]), dict(type="subscribed", id=1)),
    ("a namespace alone", subscribe(channel="chat"), dict(type="subscribed", channel="chat")),
    ("channel of 200 bytes", subscribe(channel="chat:" + "a" * 195), dict(type="subscribed")),
    ("after null", message(type="list", channel="chat:bad", after=None), dict(type="list", after=None)),
    ("message of 128 bytes", add(message="m" * 128), dict(type="ack", result="added")),
    ("the channel itself", '{"type":"add","id":1,"channel":"chat:bad","reaction":"👍"}',
     dict(type="ack", message="", result="added")),
    ("data of 1024 bytes", add(message="d", data={"x": "a" * 1015}), dict(type="ack", result="added")),
    ("a heart without FE0F", add(message="h", reaction="❤"), dict(type="ack", reaction="❤️")),
    ("a thumb with FE0F", add(message="h", reaction="👍\ufe0f"), dict(type="ack", reaction="👍")),
    ("a skin tone", add(message="h", reaction="👍🏽"), dict(type="ack", reaction="👍🏽")),
    ("a family", add(message="h", reaction="👨‍👩‍👧‍👦"), dict(type="ack", reaction="👨‍👩‍👧‍👦")),
    ("a flag", add(message="h", reaction="🇩🇪"), dict(type="ack", reaction="🇩🇪")),
    ("a keycap", add(message="h", reaction="1\u20e3"), dict(type="ack", reaction="1️⃣")),
    ("a name in any", add(channel="any:bad", reaction="party_parrot"), dict(type="ack", reaction="party_parrot")),
    ("a count in multiple", add(channel="clap:bad", reaction="👏", count=7),
     dict(type="ack", count=7, own=["👏"], own_counts={"👏": 7})),
    ("ephemeral keeps nothing", add(channel="burst:bad"), dict(type="ack", result="added", seq=0, count=0, own=[])),
]


async def refused(url, witness):
    for name, text, code, id in REFUSED:
        with Check("refused: " + name):
            async with await Client.connect(url, "ada") as client:
                await client.socket.send(text)
                error = await client.receive()
                matches(error, type="error", code=code)
                if id is not ANY:
                    matches(error, id=id)
                assert isinstance(error["message"], str) and error["message"], error
                await client.ping()
    with Check("other connections live on"):
        await witness.ping()
        equal([m["type"] for m in witness.seen if m["type"] not in ("welcome", "subscribed", "pong")], [],
              "what a subscriber saw of the refused")


async def accepted(url):
    for name, text, fields in ACCEPTED:
        with Check("accepted: " + name):
            async with await Client.connect(url, "ada") as client:
                await client.socket.send(text)
                matches(await client.receive(), **fields)
                await client.ping()


async def limits(url):
    with Check("malformed: the 10th within a minute closes with 4000, without an error"):
        async with await Client.connect(url, "ada") as client:
            for _ in range(10):
                await client.socket.send("{")
            equal(await client.closed(), 4000, "close code")
            errors = [m for m in client.seen if m["type"] == "error"]
            equal(len(errors), 9, "errors before the close")
            matches(client.seen[-1], type="goodbye", code=4000)

    with Check("bad requests that are JSON never close"):
        async with await Client.connect(url, "ada") as client:
            for _ in range(30):
                matches(await client.request("nope"), code="bad_request")
            await client.ping()

    with Check("too_many_subscriptions at the 257th"):
        async with await Client.connect(url, "ada") as client:
            for i in range(256):
                matches(await client.request("subscribe", channel="chat:many-%d" % i), type="subscribed")
            matches(await client.request("subscribe", channel="chat:many-256"), code="too_many_subscriptions")
            matches(await client.request("subscribe", channel="chat:many-0"), type="subscribed")
            await client.request("unsubscribe", channel="chat:many-0")
            matches(await client.request("subscribe", channel="chat:many-256"), type="subscribed")

    emoji = [chr(0x1F400 + i) for i in range(21)]
    with Check("too_many_reactions: 10 a user and message, 20 kinds a message"):
        async with await Client.connect(url, "ada") as ada, await Client.connect(url, "bob") as bob, \
                await Client.connect(url, "cy") as cy:
            words = dict(channel="chat:limits", message="m")
            for client, mine in ((ada, emoji[:10]), (bob, emoji[10:20])):
                for reaction in mine:
                    matches(await client.request("add", reaction=reaction, **words), result="added")
            matches(await ada.request("add", reaction=emoji[10], **words), code="too_many_reactions")
            matches(await ada.request("add", reaction=emoji[0], **words), result="unchanged")
            matches(await cy.request("add", reaction=emoji[20], **words), code="too_many_reactions")
            matches(await cy.request("add", reaction=emoji[0], **words), result="added", count=2)


async def moderation(url):
    words = dict(channel="chat:moderated", message="m")
    async with await Client.connect(url, "ada") as ada, await Client.connect(url, "mod") as mod:
        with Check("frozen, and not frozen any more"):
            matches(await ada.request("add", reaction="👍", **words), result="added")
            matches(await mod.request("freeze", channel="chat:moderated", frozen=True), result="changed", frozen=True)
            matches(await mod.request("freeze", channel="chat:moderated", frozen=True), result="unchanged")
            for request in ("add", "remove", "toggle"):
                matches(await ada.request(request, reaction="👍", **words), type="error", code="frozen")
            matches(await ada.request("set", reactions=[], **words), type="error", code="frozen")
            matches(await ada.request("add", reaction="x", **words), code="invalid_reaction")
            matches(await mod.request("freeze", channel="chat:moderated", frozen=False), result="changed", frozen=False)
        with Check("clear, narrowed and whole"):
            await ada.request("add", reaction="❤️", **words)
            matches(await mod.request("clear", reaction="👍", **words), type="ack", result="cleared", removed=1)
            matches(await mod.request("clear", user="ada", **words), type="ack", result="cleared", removed=1)
            matches(await mod.request("clear", **words), type="ack", result="unchanged", removed=0)
        with Check("message_deleted"):
            await ada.request("add", reaction="👍", **words)
            matches(await mod.request("delete", **words), result="deleted", removed=1)
            matches(await mod.request("delete", **words), result="unchanged", removed=0)
            for request in ("add", "toggle"):
                matches(await ada.request(request, reaction="👍", **words), code="message_deleted")
            matches(await ada.request("set", reactions=["👍"], **words), code="message_deleted")
            matches(await ada.request("remove", reaction="👍", **words), type="ack", result="unchanged")
            listed = await ada.request("list", channel="chat:moderated", messages=["m"])
            equal(listed["messages"], [{"message": "m", "total": 0, "reactions": [], "deleted": True}], "by name")
            listed = await ada.request("list", channel="chat:moderated")
            equal(listed["messages"], [], "the whole channel")


async def scenario(url):
    async with await Client.connect(url, "witness") as witness:
        matches(await witness.request("subscribe", channel="chat:bad"), type="subscribed")
        await refused(url, witness)
    await accepted(url)
    await limits(url)
    await moderation(url)


main(scenario)
