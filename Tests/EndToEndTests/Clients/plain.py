"""A plain model of a channel, written from sections 1 and 3 to 8 of the wire contract.

It decides what a request does, and what is answered. What only the broker can know (a time, an epoch, a cursor) is a
leaf that takes the first value that it is compared with, and from then on has to be the same.
"""

import bisect
import json
import re
import time

USER_LIMIT, KIND_LIMIT, HELD_EVENTS, LATEST = 10, 20, 1000, 5


class Digits(str):
    """A number that is not whole, by its digits."""


def load(text):
    return json.loads(text, parse_float=Digits)


def value(thing):
    """A JSON value in a form that is equal where the values are."""
    if isinstance(thing, dict):
        return frozenset((name, value(v)) for name, v in thing.items())
    if isinstance(thing, list):
        return tuple(value(v) for v in thing)
    return type(thing).__name__, thing


class Leaf:
    def __init__(self):
        self.known = None

    def match(self, found, where):
        if self.known is None:
            assert self.fits(found), "%s is %r" % (where, found)
            self.known = found
        assert found == self.known and type(found) is type(self.known), "%s is %r, before it was %r" % (
            where, found, self.known)

    def fits(self, found):
        return isinstance(found, str) and found != ""

    def __repr__(self):
        return "<%s %r>" % (type(self).__name__, self.known)


class Epoch(Leaf):
    pass


class Time(Leaf):
    def fits(self, found):
        return type(found) is int and abs(found / 1000 - time.time()) < 60


class Words(Leaf):
    """What is said to a person."""


class Cursor(Leaf):
    """Where a page ended; the channel learns it with the page."""

    def __init__(self, cursors, position):
        super().__init__()
        self.cursors, self.position = cursors, position

    def match(self, found, where):
        super().match(found, where)
        self.cursors[found] = self.position


def same(found, expected, where="it"):
    """They are equal, kinds and absent fields included."""
    if isinstance(expected, Leaf):
        expected.match(found, where)
    elif isinstance(expected, dict):
        assert isinstance(found, dict) and found.keys() == expected.keys(), "%s is %r, expected %r" % (
            where, found, expected)
        for name, part in expected.items():
            same(found[name], part, "%s.%s" % (where, name))
    elif isinstance(expected, list):
        assert isinstance(found, list) and len(found) == len(expected), "%s is %r, expected %r" % (
            where, found, expected)
        for place, part in enumerate(expected):
            same(found[place], part, "%s[%d]" % (where, place))
    else:
        assert found == expected and type(found) is type(expected), "%s is %r, expected %r" % (where, found, expected)


class Refused(Exception):
    """The request has no effect; `str()` is the error's code."""


class Entry:
    """One user's reaction on a message; `seq` is that of its last add or update."""

    def __init__(self, count, data, seq, at):
        self.count, self.data, self.seq, self.at = count, data, seq, at


class Group:
    def __init__(self, born, at):
        self.born, self.first, self.last, self.entries = born, at, at, {}

    @property
    def count(self):
        return sum(e.count for e in self.entries.values())


class Message:
    def __init__(self):
        self.groups, self.own, self.deleted, self.changed = {}, {}, False, 0

    @property
    def total(self):
        return sum(g.count for g in self.groups.values())


class Change:
    """What one seq changed: values before and after of each group, and the message's total."""

    def __init__(self, message, total, deleted, author):
        self.message, self.total, self.deleted, self.author, self.groups = message, total, deleted, author, {}


class Channel:
    def __init__(self, name, policy, names=False, anonymous=False, spellings=None):
        self.name, self.policy, self.names, self.anonymous = name, policy, names, anonymous
        self.spellings = spellings
        self.epoch, self.seq, self.frozen = Epoch(), 0, False
        self.messages, self.keys, self.cursors = {}, {}, {}
        self.events, self.changes, self.freezes = [None], [None], []
        self.past = {}  # (message, reaction) or (message, None) -> [(seq, values)]
        self.owns = {}  # user -> message -> [(seq, body, author, by whom, due)]
        self.bursts = {}  # (message, reaction) -> how many

    # What is there

    def normal(self, reaction):
        """The reaction in the form that is kept, or None."""
        if reaction in self.spellings:
            return self.spellings[reaction]
        return reaction if self.names and re.fullmatch("[a-z0-9_+-]{1,64}", reaction) else None

    def own(self, name, user):
        message = self.messages.get(name)
        mine = list(message.own.get(user, [])) if message else []
        body = {"own": mine}
        if self.policy == "multiple":
            body["own_counts"] = {r: message.groups[r].entries[user].count for r in mine}
        return body

    def summary(self, name, user):
        message = self.messages[name]
        if message.deleted:
            return {"message": name, "total": 0, "reactions": [], "deleted": True}
        groups = []
        for reaction, group in message.groups.items():
            told = {"reaction": reaction, "count": group.count, "users": len(group.entries), "first": group.first,
                    "last": group.last}
            if not self.anonymous:
                newest = sorted(group.entries, key=lambda u: -group.entries[u].seq)
                told["latest"] = newest[:LATEST]
            groups.append(told)
        return {"message": name, "total": message.total, "reactions": groups, **self.own(name, user)}

    def named(self, names, user):
        """Those of them that are not bare, in the order in which they were asked for."""
        there = [n for n in dict.fromkeys(names) if n in self.messages and (
            self.messages[n].groups or self.messages[n].deleted)]
        return [self.summary(n, user) for n in there]

    def page(self, user, limit, before=None):
        """The messages with the newest change, and a cursor if there are more."""
        there = [n for n, m in self.messages.items() if m.groups and (before is None or m.changed < before)]
        there.sort(key=lambda n: -self.messages[n].changed)
        more = None
        if len(there) > limit:
            more = Cursor(self.cursors, ("list", self.messages[there[limit - 1]].changed))
        return [self.summary(n, user) for n in there[:limit]], more

    def reactors(self, name, reaction, limit, before=None):
        message = self.messages.get(name)
        groups = message.groups if message else {}
        entries = [(e, u, r) for r, g in groups.items() if reaction in (None, r) for u, e in g.entries.items()]
        total = len(entries)
        entries = sorted((e for e in entries if before is None or e[0].seq < before), key=lambda e: -e[0].seq)
        more = None
        if len(entries) > limit:
            more = Cursor(self.cursors, ("reactors", name, reaction, entries[limit - 1][0].seq))
        told = [{"user": u, "reaction": r, "count": e.count, "at": e.at,
                 **({} if e.data is None else {"data": e.data})} for e, u, r in entries[:limit]]
        return {"total": total, "reactors": told, "after": more}

    # Changes: each is one seq and one event

    def emit(self, kind, name, touched, author, user=None, **fields):
        """`touched` are the groups with what they had before; gives the event."""
        message = self.messages[name]
        self.seq += 1
        message.changed = self.seq
        event = {"type": kind, "channel": self.name, "seq": self.seq, "message": name, "total": message.total,
                 "at": Time(), **{k: v for k, v in fields.items() if v is not None}}
        if user is not None and not self.anonymous:
            event["user"] = user
        change = Change(name, message.total, message.deleted, author)
        for reaction, before in touched.items():
            group = message.groups.get(reaction)
            after = (group.count, len(group.entries), group.born) if group and group.entries else (0, 0, 0)
            change.groups[reaction] = before, after
            self.past.setdefault((name, reaction), []).append((self.seq, after))
        self.past.setdefault((name, None), []).append((self.seq, (message.total, message.deleted)))
        self.events.append(event)
        self.changes.append(change)
        return event

    def at(self, seq, name, reaction=None):
        """The values of a group, or of a message, as of a seq."""
        past = self.past.get((name, reaction), [])
        place = bisect.bisect_right(past, seq, key=lambda p: p[0])
        return past[place - 1][1] if place else (0, 0, 0)

    def values(self, name, reaction):
        group = self.messages[name].groups.get(reaction)
        return (group.count, len(group.entries), group.born) if group else (0, 0, 0)

    def owned(self, name, user, author, by, due=True):
        """Remembers what a user has now; where it is what it was (other data), readers need not hear of it."""
        histories = self.owns.setdefault(user, {})
        histories.setdefault(name, []).append((self.seq, self.own(name, user), author, by, due))

    def put(self, name, reaction, user, count, data):
        """Puts it there without an event; the event's time is to be filled in."""
        message = self.messages.setdefault(name, Message())
        at, seq = Time(), self.seq + 1
        group = message.groups.setdefault(reaction, Group(seq, at))
        group.last = at
        entry = group.entries.setdefault(user, Entry(0, None, seq, at))
        entry.count, entry.seq, entry.at = entry.count + count, seq, at
        entry.data = data if data is not None else entry.data
        mine = message.own.setdefault(user, [])
        if reaction not in mine:
            mine.append(reaction)
        return at, entry.data

    def drop(self, name, reaction, user):
        message = self.messages[name]
        del message.groups[reaction].entries[user]
        if not message.groups[reaction].entries:
            del message.groups[reaction]
        message.own[user].remove(reaction)

    def give(self, author, name, reaction, user, count=1, data=None):
        self.messages.setdefault(name, Message())
        before = self.values(name, reaction)
        at, kept = self.put(name, reaction, user, count, data)
        total, users, _ = self.values(name, reaction)
        event = self.emit("added", name, {reaction: before}, author, user, reaction=reaction, count=total, users=users,
                          data=kept, by_count=count if self.policy == "multiple" else None)
        event["at"] = at
        self.owned(name, user, author, user)

    def update(self, author, name, reaction, user, data):
        entry = self.messages[name].groups[reaction].entries[user]
        before = self.values(name, reaction)
        event = self.emit("updated", name, {reaction: before}, author, user, reaction=reaction, count=before[0],
                          users=before[1], data=data)
        entry.data, entry.seq, entry.at = data, self.seq, event["at"]
        self.owned(name, user, author, user, due=False)

    def take(self, author, name, reaction, user, count=None):
        entry = self.messages[name].groups[reaction].entries[user]
        before = self.values(name, reaction)
        step = entry.count if count is None else min(count, entry.count)
        entry.count -= step
        if entry.count == 0:
            self.drop(name, reaction, user)
        total, users, _ = self.values(name, reaction)
        self.emit("removed", name, {reaction: before}, author, user, reaction=reaction, count=total, users=users,
                  by_count=step if self.policy == "multiple" else None)
        self.owned(name, user, author, user)

    def swap(self, author, name, old, new, user, data=None):
        before = {old: self.values(name, old), new: self.values(name, new)}
        self.drop(name, old, user)
        at, kept = self.put(name, new, user, 1, data)
        total, users, _ = self.values(name, new)
        previous_total, previous_users, _ = self.values(name, old)
        event = self.emit("replaced", name, before, author, user, reaction=new, count=total, users=users, previous=old,
                          previous_count=previous_total, previous_users=previous_users, data=kept)
        event["at"] = at
        self.owned(name, user, author, user)

    def wanted(self, name, reaction, user):
        """What a clear takes away."""
        message = self.messages.get(name)
        groups = message.groups if message else {}
        return [(r, u, e.count) for r, g in groups.items() if reaction in (None, r)
                for u, e in g.entries.items() if user in (None, u)]

    def clear(self, author, name, reaction, user, by, reason=None):
        gone = self.wanted(name, reaction, user)
        before = {r: self.values(name, r) for r, _, _ in gone}
        for r, u, _ in gone:
            self.drop(name, r, u)
        groups = [dict(zip(("reaction", "count", "users"), (r, *self.values(name, r)))) for r in before]
        self.emit("cleared", name, before, author, user, reaction=reaction, by=by, reason=reason, groups=groups,
                  removed=sum(c for _, _, c in gone))
        for u in dict.fromkeys(u for _, u, _ in gone):
            self.owned(name, u, author, by)

    def delete(self, author, name, by):
        message = self.messages.setdefault(name, Message())
        message.deleted = True
        self.clear(author, name, None, None, by, "deleted")

    def freeze(self, author, frozen, by):
        self.frozen = frozen
        self.freezes.append({"type": "frozen", "channel": self.name, "frozen": frozen, "by": by})

    def burst(self, author, name, reaction):
        self.bursts[name, reaction] = self.bursts.get((name, reaction), 0) + 1
