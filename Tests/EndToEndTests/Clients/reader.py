"""What a subscription has to bring, told by the plain model: sections 3 to 6 of the wire contract, for a reader."""

import collections

from plain import same

EVENTS = ("added", "removed", "updated", "replaced", "cleared")

# How many seconds this client may be held up.
HELD_UP = 1


class Subscription:
    """Checks all that comes of one channel on one connection, from `subscribed` on.

    `position` is the seq that it has come to; of a watched message only what is after its own seq in `names` counts.
    """

    def __init__(self, line, channel, reply, call):
        self.line, self.channel, self.call = line, channel, call
        self.position = seq = reply["seq"]
        self.mode = call.request.get("mode", "events")
        names = call.request.get("messages")
        self.names = None if names is None else {name: seq for name in names}
        self.start, self.owns_due = seq, max(seq, call.seq)
        self.known, self.fresh = {}, {None} if self.names is None else set(self.names)
        # How many summaries may repeat what is fresh: an interval is everyone's, what was missed has one of its own.
        self.repeats = 2 if reply["recovered"] else 1
        self.told_own = {}  # message -> seq
        self.freezes = call.freezes
        self.received, self.bases = {}, {}
        self.occupancy = None
        self.began, self.told = line.now, collections.Counter()

    def watch(self, seq, call):
        names, old = call.request["messages"], self.names
        fresh = {n for n in names if old is None or n not in old}
        self.repeats = max(self.repeats, 1)
        self.known = {at: v for at, v in self.changed(seq).items() if at[0] in names and at[0] not in fresh}
        self.fresh = fresh | {n for n in names if n in self.fresh or None in self.fresh}
        self.names = {n: old[n] if old is not None and n in old else seq for n in names}
        for name in self.names:
            if old is not None and name not in old:
                self.bases[name] = call
                self.received = {at: n for at, n in self.received.items() if at[0] != name}
                self.told_own.pop(name, None)

    def wants(self, name, seq):
        return self.names is None or name in self.names and seq > self.names[name]

    def paced(self, message, seconds):
        """Not more often than that over a time; what was missed comes besides.

        On a busy machine this client may read late what was sent in time: then more comes at once, for a moment."""
        what = message["type"], message.get("message")
        self.told[what] += 1
        most = (self.line.now - self.began + HELD_UP) / seconds + (3 if self.start < self.call.seq else 2)
        assert self.told[what] <= most, "%d in the time of %d: %r" % (self.told[what], most, message)

    def push(self, message):
        kind = message["type"]
        if kind in EVENTS:
            self.event(message)
        else:
            {"summary": self.summary, "own": self.own, "burst": self.burst, "frozen": self.freeze,
             "occupancy": self.count}.get(kind, self.stranger)(message)

    def stranger(self, message):
        raise AssertionError("never: %r" % message)

    def next_event(self):
        for seq in range(self.position + 1, self.channel.seq + 1):
            if self.wants(self.channel.changes[seq].message, seq):
                return seq
        return None

    def event(self, message):
        assert self.mode == "events", "an event in mode summary: %r" % message
        seq = self.next_event()
        assert seq is not None, "an event too many: %r" % message
        same(message, self.channel.events[seq], "the event")
        author = self.channel.changes[seq].author
        assert author.line is not self.line or author.replied or not author.answered, "before the ack: %r" % message
        self.position = seq

    def changed(self, seq):
        """The groups that changed up to `seq` and were not told since, with their values when they were; a deletion is
        the group None."""
        found = dict(self.known)
        for at in range(self.position + 1, seq + 1):
            change = self.channel.changes[at]
            if self.wants(change.message, at):
                if change.deleted:
                    found.setdefault((change.message, None), None)
                for reaction, (before, _) in change.groups.items():
                    found.setdefault((change.message, reaction), before[:2])
        return found

    def due(self, changed, seq):
        """Those of which the reader does not know the value."""
        return [at for at, before in changed.items() if at[1] is None or self.channel.at(seq, *at)[:2] != before]

    def summary(self, message):
        assert self.mode == "summary", "a summary in mode events: %r" % message
        seq, channel = message["seq"], self.channel
        assert self.position < seq <= channel.seq, "seq %d after %d of %d" % (seq, self.position, channel.seq)
        changed, told = self.changed(seq), set()
        assert message["messages"], "an empty summary"
        for part in message["messages"]:
            name, born = part["message"], []
            assert self.names is None or name in self.names, "%r is not watched: %r" % (name, message)
            assert self.names is None or seq >= self.names[name], "older than what was watched: %r" % message
            for group in part["reactions"]:
                at = name, group["reaction"]
                assert at not in told and (at in changed or name in self.fresh or None in self.fresh), (
                    "%r is told again: %r" % (at, message))
                count, users, since = channel.at(seq, *at)
                same(group, {"reaction": at[1], "count": count, "users": users}, "the group of %r" % message)
                told.add(at)
                born += [since] if count and at in changed and not changed[at][0] else []
            assert born == sorted(born), "the order of new groups: %r" % part
            total, deleted = channel.at(seq, name)[:2]
            body = {"message": name, "total": total, "reactions": part["reactions"]}
            if deleted:
                body["deleted"] = True
                told.add((name, None))
            same(part, body, "a message of the summary")
        same(message, {"type": "summary", "channel": channel.name, "seq": seq, "messages": message["messages"]})
        assert told.issuperset(self.due(changed, seq)), "not told: %r in %r" % (set(changed) - told, message)
        assert len({p["message"] for p in message["messages"]}) == len(message["messages"]), "twice: %r" % message
        self.position, self.known = seq, {}
        self.repeats -= 1
        if self.repeats <= 0:
            self.fresh = set()
        self.paced(message, 0.1)

    def entitled(self, name, record):
        """Whether the reader is to hear of this change of what its user has."""
        seq, _, author, by, _ = record
        if not self.wants(name, seq) or seq <= self.start or self.mode == "events" and not self.channel.anonymous:
            return False
        return by != self.line.user or author.line is not self.line

    def own(self, message):
        """It says what the user has as of its seq, which may be later than that of the change."""
        name, seq = message["message"], message["seq"]
        records = [r for r in self.channel.owns.get(self.line.user, {}).get(name, []) if r[0] <= seq]
        told = self.told_own.get(name, 0)
        reasons = [r[0] for r in records if r[0] > told and self.entitled(name, r)]
        assert reasons and seq <= self.channel.seq, "an own for nothing: %r" % message
        expected = {"type": "own", "channel": self.channel.name, "message": name, "seq": seq, **records[-1][1]}
        same(message, expected, "own")
        if self.mode == "events":
            assert self.position >= reasons[-1], "own before its event: %r" % message
        self.told_own[name] = seq

    def burst(self, message):
        same(message, {**message, "type": "burst", "channel": self.channel.name, "window_ms": 100}, "the burst")
        assert message.keys() == {"type", "channel", "message", "reactions", "window_ms", "at"}, message
        assert self.channel.policy == "ephemeral" and message["reactions"], message
        assert self.wants(message["message"], self.channel.seq + 1), "a burst of what isn't watched: %r" % message
        for reaction, count in message["reactions"].items():
            assert type(count) is int and count > 0, message
            at = message["message"], reaction
            self.received[at] = self.received.get(at, 0) + count
        self.paced(message, 0.1)

    def burst_missing(self):
        for at, all_told in self.channel.bursts.items():
            if self.wants(at[0], self.channel.seq + 1):
                base = self.bases.get(at[0], self.call)
                least = all_told - base.bursts.get(at, 0)
                most = least + base.outstanding.get(at, 0)
                found = self.received.get(at, 0)
                assert found <= most, "bursts of %r: %d, expected at most %d" % (at, found, most)
                if found < least:
                    return "bursts of %r: %d of %d" % (at, found, least)
        return None

    def freeze(self, message):
        assert self.freezes < len(self.channel.freezes), "frozen too often: %r" % message
        same(message, self.channel.freezes[self.freezes], "frozen")
        self.freezes += 1

    def count(self, message):
        assert self.call.request.get("occupancy"), "occupancy was not asked for: %r" % message
        same(message, {**message, "type": "occupancy", "channel": self.channel.name})
        assert message.keys() == {"type", "channel", "connections", "users"}, message
        self.occupancy = message["connections"], message["users"]
        self.paced(message, 1)

    def missing(self):
        """What has still to come, or None."""
        if self.freezes < len(self.channel.freezes):
            return "frozen"
        if self.mode == "events":
            if (seq := self.next_event()) is not None:
                return "the event %r" % self.channel.events[seq]
        elif due := self.due(self.changed(self.channel.seq), self.channel.seq):
            return "a summary of %r" % due
        for name, records in self.channel.owns.get(self.line.user, {}).items():
            due = [r for r in records if r[0] > self.owns_due and r[4] and self.entitled(name, r)]
            if due and self.told_own.get(name, 0) < due[-1][0]:
                return "own of %r: %r" % (name, due[-1][:2])
        return self.burst_missing()
