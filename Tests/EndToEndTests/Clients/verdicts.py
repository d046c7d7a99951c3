"""What a channel of the plain model answers: sections 3, 6 and 8 of the wire contract, in the order of section 8."""

import json

from plain import KIND_LIMIT, USER_LIMIT, HELD_EVENTS, Refused, Words, load, value

REACTING = ("add", "remove", "toggle", "set")
MODERATING = ("clear", "delete", "freeze")
FIELDS = {"add": ("reaction", "count", "data"), "remove": ("reaction", "count"),
          "toggle": ("reaction", "count", "data"), "set": ("reactions",), "clear": ("reaction", "user"), "delete": ()}
TYPES = REACTING + MODERATING + ("subscribe", "watch", "unsubscribe", "list", "reactors", "ping")


class Raw:
    """A piece of JSON in a spelling of its own."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def spelled(request):
    return "{%s}" % ",".join("%s:%s" % (
        json.dumps(name), v.text if isinstance(v, Raw) else json.dumps(v, ensure_ascii=False))
        for name, v in request.items())


def need(holds, code="bad_request"):
    if not holds:
        raise Refused(code)


def is_word(thing, longest):
    return type(thing) is str and 1 <= len(thing) <= longest and all("!" <= c <= "~" for c in thing)


def is_whole(thing, least, most):
    return type(thing) is int and least <= thing <= most


def is_id(thing):
    return is_whole(thing, 0, 2**53 - 1) or type(thing) is str and 1 <= len(thing.encode()) <= 64


def is_message(thing):
    return thing == "" or is_word(thing, 128) and thing not in ("-", ".", "..", "*")


def check_shape(r):
    """`bad_request`, as far as the message's shape says it."""
    kind = r.get("type")
    need(kind in TYPES)
    need("id" not in r or is_id(r["id"]))
    if kind == "ping":
        return
    need(is_word(r.get("channel"), 200))
    everywhere = kind == "clear" and r.get("message") == "*" and "user" in r
    need(is_message(r.get("message", "")) or everywhere)
    if kind in ("add", "remove", "toggle"):
        need(type(r.get("reaction")) is str)
        need("count" not in r or is_whole(r["count"], 1, 1000))
        data = r.get("data")
        need("data" not in r or isinstance(data, Raw) and data.text[0] == "{" and len(data.text.encode()) <= 1024)
    if kind in REACTING + ("clear", "delete"):
        need("key" not in r or is_word(r["key"], 64))
    if kind == "set":
        need(type(r.get("reactions")) is list and all(type(x) is str for x in r["reactions"]))
    if kind == "freeze":
        need(type(r.get("frozen")) is bool)
    if kind in ("clear", "reactors"):
        need("reaction" not in r or type(r["reaction"]) is str)
        need("user" not in r or is_word(r["user"], 128))
    if kind in ("list", "reactors"):
        need("limit" not in r or is_whole(r["limit"], 1, 100))
        need(type(r.get("after")) in (str, type(None)))
    names = r.get("messages")
    if kind in ("subscribe", "watch", "list") and (names is not None or kind == "watch"):
        need(type(names) is list and all(type(n) is str and is_message(n) for n in names))
        need(len(set(names)) <= 1000)
    if kind == "subscribe":
        since = r.get("since")
        need(r.get("mode", "events") in ("events", "summary"))
        need(type(r.get("occupancy", False)) is bool)
        need(since is None or type(since) is dict and type(since.get("epoch")) is str
             and is_whole(since.get("seq"), 0, 2**53 - 1))


def answer(world, call):
    """Does what the request of a call does; gives the reply without `id`."""
    request, channel = call.request, world.channels.get(call.request.get("channel"))
    try:
        check_shape(request)
        kind = request["type"]
        if kind == "ping":
            return {"type": "pong", "time": world.time()}
        if kind == "unsubscribe":
            return {"type": "unsubscribed", "channel": request["channel"]}
        need(channel is not None, "forbidden")
        need(kind not in MODERATING or call.line.moderates, "forbidden")
        need(kind != "reactors" or not channel.anonymous, "forbidden")
        if kind in ASKING:
            return {"type": ASKING[kind][0], "channel": channel.name, **ASKING[kind][1](channel, call)}
        return change(world, channel, call)
    except Refused as refused:
        return {"type": "error", "code": str(refused), "message": Words()}


def change(world, channel, call):
    request, user = call.request, call.line.user
    kind, name = request["type"], request.get("message", "")
    check_policy(channel, request)
    key = (user, request["key"]) if "key" in request else None
    if key in channel.keys:
        body, first = channel.keys[key]
        need(body == body_of(channel, request), "key_reused")
        return {**first, "duplicate": True}
    reply = {"type": "ack", "channel": channel.name, "message": name}
    if kind == "freeze":
        unchanged = request["frozen"] == channel.frozen
        if not unchanged:
            channel.freeze(call, request["frozen"], user)
        return {"type": "ack", "result": "unchanged" if unchanged else "changed", "channel": channel.name,
                "frozen": channel.frozen}
    result, steps, fields = DECIDE[kind](world, channel, call, name)
    if call.reads:
        assert all(step[0] == channel.burst for step in steps), "it should have changed something: %r" % (steps,)
    for act, *words in steps:
        act(call, *words)
    reply.update(result=result, seq=channel.seq, **fields)
    if kind in REACTING:
        reply.update(channel.own(name, user))
    if kind in ("add", "remove", "toggle"):
        reply["reaction"] = reaction = channel.normal(request["reaction"])
        reply["count"] = channel.values(name, reaction)[0] if name in channel.messages else 0
    if key:
        channel.keys[key] = body_of(channel, request), reply
    return reply


def check_policy(channel, r):
    kind, policy = r["type"], channel.policy
    need("count" not in r or policy == "multiple" or kind not in ("add", "remove", "toggle"))
    need(kind != "toggle" or policy in ("unique", "distinct"))
    need(kind != "set" or policy in ("unique", "distinct"))
    if kind == "set" and policy == "unique":
        need(len(set(channel.normal(x) or x for x in r["reactions"])) <= 1)


def body_of(channel, r):
    """What makes two requests the same for a key."""
    kind = r["type"]
    known = {name: r[name] for name in FIELDS[kind] if name in r}
    listed = known.get("reactions", [known["reaction"]] if "reaction" in known else [])
    return (kind, r.get("message", ""), tuple(channel.normal(x) or (x,) for x in listed),
            known.get("user"), known.get("count"), value(load(r["data"].text)) if "data" in known else None)


def check_room(channel, name, user, out, into):
    """The limits, on what would be there after it."""
    message = channel.messages.get(name)
    mine = set(message.own.get(user, [])) if message else set()
    groups = message.groups if message else {}
    left = {r for r, g in groups.items() if not (r in out and list(g.entries) == [user])}
    need(not into or len(mine - set(out) | set(into)) <= USER_LIMIT, "too_many_reactions")
    need(left.issuperset(into) or len(left | set(into)) <= KIND_LIMIT, "too_many_reactions")


def check_state(channel, name, kind):
    need(not channel.frozen, "frozen")
    message = channel.messages.get(name)
    need(kind == "remove" or not (message and message.deleted), "message_deleted")


def decide_one(world, channel, call, name):
    r, user, policy = call.request, call.line.user, channel.policy
    reaction, kind = channel.normal(r["reaction"]), r["type"]
    need(reaction is not None, "invalid_reaction")
    check_state(channel, name, kind)
    data = load(r["data"].text) if "data" in r else None
    message = channel.messages.get(name)
    mine = message.own.get(user, []) if message else []
    there = reaction in mine
    if kind == "remove" or kind == "toggle" and there:
        steps = [(channel.take, name, reaction, user, r.get("count"))] if there else []
        return "removed" if there else "unchanged", steps, {}
    if policy == "ephemeral":
        return "added", [(channel.burst, name, reaction)], {}
    if there and policy != "multiple":
        entry = message.groups[reaction].entries[user]
        if data is None or entry.data is not None and value(data) == value(entry.data):
            return "unchanged", [], {}
        return "updated", [(channel.update, name, reaction, user, data)], {}
    out = mine[:] if policy == "unique" else []
    check_room(channel, name, user, out, [reaction])
    if out:
        return "replaced", [(channel.swap, name, out[0], reaction, user, data)], {"previous": out[0]}
    return "added", [(channel.give, name, reaction, user, r.get("count", 1), data)], {}


def decide_set(world, channel, call, name):
    user = call.line.user
    wanted = list(dict.fromkeys(channel.normal(x) for x in call.request["reactions"]))
    need(None not in wanted, "invalid_reaction")
    check_state(channel, name, "set")
    mine = channel.own(name, user)["own"]
    out, into = [x for x in mine if x not in wanted], [x for x in wanted if x not in mine]
    check_room(channel, name, user, out, into)
    if channel.policy == "unique" and out and into:
        steps = [(channel.swap, name, out[0], into[0], user)]
    else:
        steps = [(channel.take, name, x, user) for x in out] + [(channel.give, name, x, user) for x in into]
    return "changed" if steps else "unchanged", steps, {}


def decide_clear(world, channel, call, name):
    r, reaction = call.request, None
    if "reaction" in r:
        reaction = channel.normal(r["reaction"])
        need(reaction is not None, "invalid_reaction")
    names = [name]
    if name == "*":
        names = world.order(channel, [n for n in channel.messages if channel.wanted(n, reaction, r["user"])])
    gone = [(n, channel.wanted(n, reaction, r.get("user"))) for n in names]
    steps = [(channel.clear, n, reaction, r.get("user"), call.line.user) for n, those in gone if those]
    fields = {"removed": sum(count for _, those in gone for _, _, count in those)}
    if reaction is not None:
        fields["reaction"] = reaction
    return "cleared" if steps else "unchanged", steps, fields


def decide_delete(world, channel, call, name):
    message = channel.messages.get(name)
    if message and message.deleted:
        return "unchanged", [], {"removed": 0}
    return "deleted", [(channel.delete, name, call.line.user)], {"removed": message.total if message else 0}


def subscribed(channel, call):
    r, user = call.request, call.line.user
    interval, since, names = 100, r.get("since"), r.get("messages")
    reply = {"epoch": channel.epoch, "seq": channel.seq, "mode": r.get("mode", "events"), "policy": channel.policy,
             "interval_ms": interval, "allowed": None, "limits": {"kinds": KIND_LIMIT, "per_user": USER_LIMIT},
             "frozen": channel.frozen, "recovered": False}
    if since and since["epoch"] == channel.epoch.known and 0 <= channel.seq - since["seq"] <= HELD_EVENTS:
        return {**reply, "recovered": True, "seq": since["seq"]}
    if names is not None:
        return {**reply, "messages": channel.named(names, user), "more": None}
    listed, more = channel.page(user, 100)
    return {**reply, "messages": listed, "more": more}


def watched(channel, call):
    need(call.newly is not None, "not_subscribed")
    return {"seq": channel.seq, "messages": channel.named(call.newly, call.line.user)}


def listed(channel, call):
    r, user = call.request, call.line.user
    reply = {"epoch": channel.epoch, "seq": channel.seq}
    if r.get("messages") is not None:
        return {**reply, "messages": channel.named(r["messages"], user), "after": None}
    before = None
    if r.get("after") is not None:
        kind, *words = channel.cursors.get(r["after"], (None,))
        need(kind == "list", "unknown_cursor")
        before, = words
    page, after = channel.page(user, r.get("limit", 50), before)
    return {**reply, "messages": page, "after": after}


def reactors(channel, call):
    r = call.request
    name, reaction, before = r.get("message", ""), r.get("reaction"), None
    if reaction is not None:
        reaction = channel.normal(reaction)
        need(reaction is not None, "invalid_reaction")
    if r.get("after") is not None:
        kind, *words = channel.cursors.get(r["after"], (None,))
        need(kind == "reactors" and words[:2] == [name, reaction], "unknown_cursor")
        before = words[2]
    return {"message": name, **channel.reactors(name, reaction, r.get("limit", 50), before)}


DECIDE = {"add": decide_one, "remove": decide_one, "toggle": decide_one, "set": decide_set, "clear": decide_clear,
          "delete": decide_delete}
ASKING = {"subscribe": ("subscribed", subscribed), "watch": ("watched", watched), "list": ("list", listed),
          "reactors": ("reactors", reactors)}
