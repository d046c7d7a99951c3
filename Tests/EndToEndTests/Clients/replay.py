"""The second phase of model.py: puts requests of many connections in the order that the broker's answers tell."""

import bisect

from plain import same
from verdicts import answer, spelled


def replay(world, calls):
    for channel in world.weighted:
        Replay(world, channel, [c for c in calls if c.request.get("channel") == channel.name]).run()
    for call in calls:
        if call.request.get("channel") not in world.channels:
            call.expected = answer(world, call)


class Replay:
    """Those of one channel.

    A reply that names a seq says when its request took effect; one that does not (an error, a page of reactors) has to
    be right at some moment between the replies to the requests of its connection before and after.
    """

    def __init__(self, world, channel, calls):
        self.world, self.channel = world, channel
        self.changes, self.reads, self.ranged, self.retries = [], {}, [], []
        for line in world.lines:
            self.sort([c for c in calls if c.line is line])
        self.changes.sort(key=lambda c: c.reply["seq"])

    def sort(self, calls):
        """The calls of one line, in the order in which they were sent."""
        last, unplaced = self.channel.seq, []
        for call in calls:
            reply, request = call.reply, call.request
            call.low, call.high = last, None
            if "duplicate" in reply or reply.get("code") == "key_reused":
                self.retries.append(call)
            elif "seq" in reply and not reply.get("recovered"):
                changed = reply.get("result", "unchanged") not in (
                    ("unchanged", "added") if self.channel.policy == "ephemeral" else ("unchanged",))
                assert reply["seq"] >= last + changed, "seq went back to %d from %d: %s" % (
                    reply["seq"], last, spelled(request))
                last = reply["seq"]
                if changed:
                    self.changes.append(call)
                else:
                    self.reads.setdefault(last, []).append(call)
                for other in unplaced:
                    other.high = last
                unplaced = []
            else:
                unplaced.append(call)
                self.ranged.append(call)

    def run(self):
        open_calls = self.ranged
        for call in self.changes + [None]:
            self.read()
            open_calls = [c for c in open_calls if not self.right_now(c)]
            if call is None:
                break
            before = self.channel.seq
            call.seq, call.freezes = before, len(self.channel.freezes)
            self.compare(call)
            assert self.channel.seq == call.reply["seq"] > before, "seq %d, expected %d: %s" % (
                call.reply["seq"], self.channel.seq, spelled(call.request))
            for seq in range(before + 1, self.channel.seq + 1):
                same(self.world.raw[self.channel.name][seq], self.channel.events[seq], "the event")
        for call in open_calls:
            self.compare(call)
        assert not self.reads, "answers with a seq that no change had: %r" % {
            seq: [spelled(c.request) for c in those] for seq, those in self.reads.items()}
        for call in self.retries:
            call.reads = True
            self.compare(call)
        for call in self.ranged:
            call.seq = call.high or self.channel.seq

    def read(self):
        for call in self.reads.pop(self.channel.seq, []):
            call.reads = True
            call.seq = self.channel.seq
            self.compare(call)

    def compare(self, call):
        call.expected = answer(self.world, call)
        same(call.reply, {**call.expected, "id": call.request["id"]}, "the reply to %s" % spelled(call.request))

    def right_now(self, call):
        """Whether the reply is right at this moment of the channel, which is one of those that it may speak of."""
        if not call.low <= self.channel.seq or call.high is not None and self.channel.seq > call.high:
            return False
        call.reads = True
        key = call.line.user, call.request.get("key")
        bursts, known = dict(self.channel.bursts), key in self.channel.keys
        try:
            self.compare(call)
        except AssertionError:
            call.expected, self.channel.bursts = None, bursts
            if not known:
                self.channel.keys.pop(key, None)
            return False
        return True
