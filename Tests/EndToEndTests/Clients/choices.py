"""What the people of the model's run do, by chance."""

import json
import random

from plain import Digits
from verdicts import Raw

EMOJI = {kept: [kept] for kept in "🎉😂🔥👏🚀✨👀💯😍🙏🤔😢😮🥳👎"}
EMOJI.update({
    "👍": ["👍", "👍\ufe0f"], "❤\ufe0f": ["❤", "❤\ufe0f"], "💔": ["💔", "💔\ufe0f"], "☺\ufe0f": ["☺", "☺\ufe0f"],
    "☎\ufe0f": ["☎", "☎\ufe0f"], "1\ufe0f\u20e3": ["1\u20e3", "1\ufe0f\u20e3"], "👍🏽": ["👍🏽"], "🇩🇪": ["🇩🇪"],
    "🏳\ufe0f\u200d🌈": ["🏳\u200d🌈", "🏳\ufe0f\u200d🌈"], "👨\u200d👩\u200d👧": ["👨\u200d👩\u200d👧"]})
HOT = ["👍", "❤\ufe0f", "🎉", "😂", "🔥"]
SPELLINGS = {spelling: kept for kept, those in EMOJI.items() for spelling in those}
NAMES = ["party_parrot", "+1", "-1", "a" * 64, "ship-it", "7"]
NO_REACTIONS = ["thumbs up", "👍👍", "🏽", "🇩", "Shipit", "a" * 65, "❤👍", "\u200d", "👍 ", "#", "é"]
DATA = [{}, {"source": "ios"}, {"a": 1, "b": [True, None, {"c": "é"}]}, {"n": Digits("1.50"), "m": Digits("-2e3")},
        {"👍": "/", "x": "\\\"\n"}, {"big": 12345678901234567890}]
FULL = Raw('{"x":"%s"}' % ("y" * 1016))
MANY = ["m%d" % i for i in range(1001)]
WEIGHTS = {"add": 36, "remove": 11, "toggle": 13, "set": 9, "clear": 5, "delete": 1, "freeze": 1, "list": 5,
           "reactors": 5, "subscribe": 6, "watch": 4, "unsubscribe": 2, "ping": 1, "again": 5, "wrong": 5}


class Choices:
    def __init__(self, seed, world):
        self.random, self.world = random.Random(seed), world
        self.made = 0
        self.keyed = {}  # user -> requests with a key
        self.freezing = True

    def some(self, things):
        return self.random.choice(list(things))

    def chance(self, part):
        return self.random.random() < part

    def message(self, channel):
        if channel.endswith("wide"):
            return "w%d" % self.random.randrange(260)
        if self.chance(0.1):
            return self.some(["", "é".encode().hex() + "/:*~", "m" * 128])
        return "m%d" % (self.made // 500 + self.random.randrange(4))

    def reaction(self, channel, user, name):
        """Often one that the user has there; in any of its spellings."""
        mine = channel.own(name, user)["own"]
        if mine and self.chance(0.4):
            kept = self.some(mine)
        elif channel.names and self.chance(0.4):
            kept = self.some(NAMES)
        else:
            kept = self.some(HOT if self.chance(0.35) else EMOJI)
        return self.respelled(kept)

    def respelled(self, reaction):
        return self.some(EMOJI[SPELLINGS[reaction]]) if reaction in SPELLINGS else reaction

    def data(self, thing):
        """JSON of a value, in a spelling by chance."""
        gap = self.some(["", "", " ", "\t"])
        if isinstance(thing, dict):
            parts = ["%s%s:%s%s" % (self.data(n), gap, gap, self.data(v)) for n, v in thing.items()]
            self.random.shuffle(parts)
            return "{%s%s}" % (gap, (gap + "," + gap).join(parts))
        if isinstance(thing, list):
            return "[%s]" % ("," + gap).join(map(self.data, thing))
        if isinstance(thing, Digits):
            return str(thing)
        if isinstance(thing, str) and self.chance(0.3):
            return '"%s"' % "".join("\\u%04x" % unit for unit in memoryview(thing.encode("utf-16-le")).cast("H"))
        text = json.dumps(thing, ensure_ascii=self.chance(0.5))
        return text.replace("/", "\\/") if self.chance(0.5) else text

    def request(self, line):
        """What a person on this connection asks for next."""
        self.made += 1
        channel = self.some(self.world.weighted)
        kind = self.random.choices(list(WEIGHTS), WEIGHTS.values())[0]
        if kind in ("clear", "delete", "freeze") and not line.moderates and self.chance(0.8):
            kind = "add"
        if line.moderates and self.chance(0.2):
            kind = "freeze" if channel.frozen else "clear"
        if kind == "again" and not self.keyed.get(line.user):
            kind = "toggle"
        if kind == "ping":
            return {"type": "ping"}
        request = {"type": kind, "channel": channel.name}
        getattr(self, kind)(request, line, channel)
        if kind in ("again", "wrong"):
            return request
        if kind in ("add", "remove", "toggle", "set", "clear", "delete") and self.chance(0.15):
            request["key"] = "k%d" % self.made
            self.keyed.setdefault(line.user, []).append(request)
            del self.keyed[line.user][:-12]
        if self.chance(0.05):
            request[self.some(["extra", "seq", "own"])] = self.some([None, 1, "x", ["y"]])
        return request

    def put_message(self, request, name):
        if name or self.chance(0.5):
            request["message"] = name

    def add(self, request, line, channel):
        name = self.message(channel.name)
        self.put_message(request, name)
        request["reaction"] = self.reaction(channel, line.user, name)
        if channel.policy == "multiple" and self.chance(0.5):
            request["count"] = self.some([1, 2, 3, 50, 1000])
        if self.chance(0.2) and request["type"] != "remove":
            request["data"] = FULL if self.chance(0.05) else Raw(self.data(self.some(DATA)))

    remove = toggle = add

    def set(self, request, line, channel):
        name = self.message(channel.name)
        self.put_message(request, name)
        most = 1 if channel.policy == "unique" and self.chance(0.9) else self.some([1, 2, 3, 4, 11])
        wanted = [self.reaction(channel, line.user, name) for _ in range(self.random.randint(0, most))]
        if self.chance(0.1):
            wanted = self.random.sample(list(EMOJI), self.random.randint(8, 12))
        request["reactions"] = wanted + [self.respelled(r) for r in wanted if self.chance(0.2)]

    def clear(self, request, line, channel):
        name = self.message(channel.name)
        self.put_message(request, name)
        if self.chance(0.5):
            request["reaction"] = self.reaction(channel, line.user, name)
        if self.chance(0.6):
            request["user"] = self.some(self.world.users)
        if self.chance(0.3):
            request["message"] = "*"

    def delete(self, request, line, channel):
        name = self.message(channel.name)
        if name:
            request["message"] = name

    def freeze(self, request, line, channel):
        request["frozen"] = self.freezing and not channel.frozen and self.chance(0.8)

    def names(self, channel, most):
        return [self.message(channel.name) for _ in range(self.random.randint(0, most))]

    def list(self, request, line, channel):
        if self.chance(0.4):
            request["messages"] = list(dict.fromkeys(self.names(channel, 8)))
        elif self.chance(0.5):
            request["limit"] = self.some([1, 2, 3, 7, 100])
        if self.chance(0.1):
            request["after"] = None

    def reactors(self, request, line, channel):
        name = self.message(channel.name)
        self.put_message(request, name)
        if self.chance(0.5):
            request["reaction"] = self.reaction(channel, line.user, name)
        if self.chance(0.6):
            request["limit"] = self.some([1, 2, 3, 4, 100])

    def subscribe(self, request, line, channel):
        if self.chance(0.5):
            request["mode"] = self.some(["events", "summary", "summary"])
        if self.chance(0.5):
            request["messages"] = self.some([None] + [self.names(channel, 6) for _ in range(9)])
            if self.chance(0.02):
                request["messages"] = MANY[1:] + MANY[1:9]
        if self.chance(0.3):
            request["occupancy"] = self.chance(0.9)
        if self.chance(0.4):
            back = self.some([0, 0, 1, 2, 3, 5, 10, 30, 200, 600, 1600, -1])
            request["since"] = {"epoch": channel.epoch.known if self.chance(0.9) else "another",
                                "seq": max(0, channel.seq - back)}
        elif self.chance(0.1):
            request["since"] = None

    def watch(self, request, line, channel):
        request["messages"] = self.names(channel, 6)

    def unsubscribe(self, request, line, channel):
        pass

    def again(self, request, line, channel):
        """A retry in another spelling, or a key for another body."""
        old = dict(self.some(self.keyed[line.user]))
        if "reaction" in old:
            old["reaction"] = self.respelled(old["reaction"])
        if "reactions" in old:
            old["reactions"] = [self.respelled(r) for r in old["reactions"]]
        if self.chance(0.3):
            change = self.some(["message", "type", "reaction", "channel", "data"])
            old[change] = {"message": "m0", "type": self.some(["add", "remove"]), "reaction": "👍",
                           "channel": self.some(self.world.weighted).name, "data": Raw('{"other":1}')}[change]
        request.clear()
        request.update(old)

    def wrong(self, request, line, channel):
        """Something that is refused for its shape or its namespace."""
        name = self.message(channel.name)
        request.update(type="add", message=name, reaction=self.reaction(channel, line.user, name))
        request.update(self.some([
            {"type": "nothing"}, {"type": 1}, {"channel": "no where"}, {"channel": "nowhere:1"}, {"channel": "c" * 201},
            {"channel": 7}, {"message": "*"}, {"message": "-"}, {"message": ".."}, {"message": "m" * 129},
            {"message": 3}, {"message": "é"}, {"reaction": 5}, {"reaction": self.some(NO_REACTIONS)},
            {"reaction": self.some(NO_REACTIONS)},
            {"type": "set", "reactions": ["👍", self.some(NO_REACTIONS)]}, {"type": "set", "reactions": "👍"},
            {"type": "set", "reactions": [1]}, {"type": "set"}, {"count": 0}, {"count": 1001}, {"count": "1"},
            {"count": 1}, {"key": ""}, {"key": "k" * 65}, {"key": "k k"}, {"key": 5}, {"data": []}, {"data": Raw("1")},
            {"data": Raw('{"x":"%s"}' % ("y" * 1017))}, {"type": "list", "limit": 0}, {"type": "list", "limit": 101},
            {"type": "list", "messages": [1]}, {"type": "list", "messages": ["*"]}, {"type": "watch"},
            {"type": "watch", "messages": "m1"}, {"type": "subscribe", "mode": "all"},
            {"type": "subscribe", "messages": ["é"]}, {"type": "freeze"}, {"type": "freeze", "frozen": 1},
            {"type": "clear", "message": "*"}, {"type": "clear", "user": ""}, {"type": "reactors", "reaction": 5},
            {"type": "unsubscribe", "channel": "nowhere:2"}, {"type": "delete", "message": "*"},
            {"count": None}, {"data": None}, {"key": None}, {"message": None}, {"reaction": None}, {"id": None},
            {"type": "subscribe", "occupancy": 1}, {"type": "subscribe", "mode": None}, {"type": "list", "limit": None},
            {"type": "subscribe", "since": {"epoch": "e"}}, {"type": "subscribe", "since": {"epoch": 1, "seq": 1}},
            {"type": "subscribe", "since": Raw('{"epoch":"e","seq":1.0}')}, {"type": "subscribe", "since": "e/1"},
            {"type": "subscribe", "messages": MANY}, {"type": "list", "after": 1}, {"type": "watch", "messages": None},
            {"type": "set", "reactions": None}, {"type": "clear", "user": None}, {"type": "clear", "reaction": None},
            {"count": Raw("1.0")}, {"count": Raw("1e2")}, {"id": Raw("1.0")}, {"id": Raw("1e1")}, {"id": [1]},
            {"type": "list", "after": "nothing"}, {"type": "reactors", "after": "nothing"},
            {"id": -1}, {"id": ""}, {"id": "i" * 65}, {"id": 2**53}, {"id": True}]))
