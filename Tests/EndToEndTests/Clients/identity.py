"""Tokens of each algorithm, and keys that come and go. Words: URL FOLDER PID FANFARE SECRET

The broker takes the keys that minting.py has put into FOLDER/keys.json, and tokens signed with SECRET; of the issuer "me",
for the audience "fanfare", with a leeway of 5 s. FANFARE is the command.
"""

import asyncio
import hashlib
import hmac
import json
import os
import signal
import subprocess
import time

import jwt
import websockets
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from checks import PATIENCE, Check, Client, equal, main, matches
from http_api import API
from minting import SECRET, Place, public
from tokens import part

US = {"iss": "me", "aud": "fanfare"}
MESSAGE = "/v1/channels/chat:1/messages/m"


class World:
    def __init__(self, url, folder):
        self.url = url
        self.place = Place(folder)
        self.api = API(url)

    async def status(self, token):
        """101 where a token is let in, else the status of the refusal; both ways to send it and HTTP agree."""
        found = set()
        bearer = {"Authorization": "Bearer " + token}
        for options in ({"extra_headers": bearer}, None):
            try:
                async with await Client.connect(self.url + ("" if options else "?token=" + token), **(options or {})):
                    found.add(101)
            except websockets.InvalidStatusCode as answer:
                found.add(answer.status_code)
        found.add({200: 101}.get(self.api.call("GET", MESSAGE, headers=bearer)[0], 401))
        assert len(found) == 1, found
        return found.pop()

    async def taken(self, token):
        equal(await self.status(token), 101, "status")

    async def refused(self, token):
        equal(await self.status(token), 401, "status")


def forged(header, claims, sign):
    """A token put together by hand."""
    head = part(header if isinstance(header, bytes) else json.dumps(header).encode())
    body = part(claims if isinstance(claims, bytes) else json.dumps(claims).encode())
    return (head + b"." + body + b"." + part(sign(head + b"." + body))).decode()


async def algorithms(world, fanfare):
    place = world.place
    for algorithm in ("RS256", "ES256", "EdDSA", "HS256"):
        key = SECRET if algorithm == "HS256" else place.key(algorithm)
        with Check(algorithm + ": a token of another's making, with kid and without"):
            await world.taken(place.token(key, algorithm, algorithm, sub="ada", **US))
            await world.taken(place.token(key, algorithm, sub="ada", **US))
        with Check(algorithm + ": a changed token, another kid, another key"):
            good = place.token(key, algorithm, algorithm, sub="ada", **US)
            head, body, mark = good.split(".")
            other = place.token(key, algorithm, algorithm, sub="eve", **US).split(".")
            for bad in (head + "." + other[1] + "." + mark, head + "." + body + ".", good + "=", good[:-4],
                        head + "." + body + "." + mark.swapcase()):
                await world.refused(place.keep_secret(bad))
            await world.refused(place.token(key, algorithm, "nobody", sub="ada", **US))
            stranger = "a stranger's secret of thirty-two" if key == SECRET else place.make(algorithm, "stranger")
            await world.refused(place.token(stranger, algorithm, algorithm, sub="ada", **US))
        if algorithm == "HS256":
            continue
        with Check(algorithm + ": a token of the command is right for others, and for the broker"):
            words = [fanfare, "token", "--sub", "zoe", "--key", place.path(algorithm + ".pem"), "--kid", algorithm]
            made = subprocess.run(words + ["--issuer", "me", "--audience", "fanfare"], capture_output=True, check=True)
            token = place.keep_secret(made.stdout.decode().strip())
            claims = jwt.decode(token, key.public_key(), algorithms=[algorithm], audience="fanfare", issuer="me")
            equal(claims["sub"], "zoe", "sub")
            await world.taken(token)
            printed = json.loads(subprocess.run(words + ["--jwks"], capture_output=True, check=True).stdout)
            matches(printed["keys"][0], **public(key, algorithm), alg=algorithm, use="sig")


async def tricks(world, secret):
    place = world.place
    claims = {"sub": "ada", "exp": 4000000000, **US}

    def mac(key):
        return lambda text: hmac.new(key, text, hashlib.sha256).digest()

    with Check("a public key is no secret"):
        with open(place.set) as file:
            printed = json.load(file)["keys"]
        for key in printed[:3]:
            half = place.key(key["kid"]).public_key()
            guesses = [json.dumps(key).encode()]
            for encoding in (Encoding.PEM, Encoding.DER):
                guesses.append(half.public_bytes(encoding, PublicFormat.SubjectPublicKeyInfo))
            guesses += [guess.rstrip(b"\n") for guess in guesses]
            for guess in guesses:
                for kid in ({"kid": key["kid"]}, {}):
                    await world.refused(place.keep_secret(forged({"alg": "HS256", **kid}, claims, mac(guess))))
    with Check("none, crit, duplicate members, and junk"):
        sign = mac(secret.encode())
        await world.taken(place.keep_secret(forged({"alg": "HS256"}, claims, sign)))
        for header in ({"alg": "none"}, {"alg": "None"}, {"alg": "nOnE"}, {"alg": "NONE"}, {"alg": "HS512"},
                       {"alg": "HS256", "crit": ["exp"]}, {"alg": "HS256", "crit": []}, {"alg": "HS256", "b64": False, "crit": ["b64"]},
                       b'{"alg":"none","alg":"HS256"}', b"[]", b"{", b""):
            await world.refused(place.keep_secret(forged(header, claims, sign)))
            await world.refused(place.keep_secret(forged(header, claims, lambda _: b"")))
        for body in (b'{"sub":"eve","sub":"ada","exp":4000000000,"iss":"me","aud":"fanfare"}', b"[]", b"{}", b"\xff"):
            await world.refused(place.keep_secret(forged({"alg": "HS256"}, body, sign)))
        long = forged({"alg": "HS256"}, {**claims, "x": "x" * 8000}, sign)
        assert world.api.call("GET", MESSAGE, headers={"Authorization": "Bearer " + long})[0] in (400, 401, 431)
        for junk in (".", "..", "a.b.c", "%00", "x" * 4000):
            await world.refused(junk)

    with Check("claims: exp, nbf, iat with the leeway; iss and aud"):
        now = int(time.time())
        base = dict(key=secret, algorithm="HS256", sub="ada")

        async def judged(expected, **fields):
            equal(await world.status(place.token(**{**base, **US, **fields})), 101 if expected else 401, str(fields))

        await judged(True, exp=now - 2)
        await judged(False, exp=now - 8)
        await judged(True, nbf=now + 2)
        await judged(False, nbf=now + 60)
        await judged(True, iat=now + 2)
        await judged(False, iat=now + 60)
        await judged(False, exp=None)
        await judged(False, exp=str(now + 100))
        await judged(False, iss="you")
        await judged(False, iss=None)
        await judged(False, aud="others")
        await judged(False, aud=None)
        await judged(True, aud=["others", "fanfare"])
        await judged(False, aud=["others"])

    with Check("a token without an end, nearly: expires stays a whole number below 2^53"):
        for exp in (9e12, 9007199254741, 1e300):
            async with await Client.connect(world.url) as client:
                token = place.token(**{**base, **US, "exp": exp})
                ack = await client.request("auth", token=token)
                assert type(ack["expires"]) is int and 8.9e15 < ack["expires"] < 2**53, ack
                await client.ping()


async def rotation(world, process):
    place = world.place
    old, first, second = place.key("EdDSA"), place.make("ES256", "first"), place.make("EdDSA", "second")
    by_old = place.token(old, "EdDSA", "EdDSA", sub="ada", **US)
    async with await Client.connect(world.url + "?token=" + by_old) as client:
        with Check("a new key is taken as soon as the file has it, and an old one that is gone no more"):
            by_first = place.token(first, "ES256", "first", sub="ada", **US)
            await world.refused(by_first)
            place.write_set({"first": first})
            await world.taken(by_first)
            await world.refused(by_old)
        with Check("who is connected stays, and cannot renew with the old key"):
            await client.ping()
            matches(await client.request("auth", token=by_old), type="error", code="unauthorized")
            matches(await client.request("auth", token=by_first), type="ack", user="ada")
        with Check("SIGHUP reads the file again"):
            place.write_set({"second": second})
            os.kill(process, signal.SIGHUP)
            for _ in range(PATIENCE * 20):
                if world.api.call("GET", MESSAGE, headers={"Authorization": "Bearer " + by_first})[0] == 401:
                    break
                await asyncio.sleep(0.05)
            await world.refused(by_first)
            by_second = place.token(second, "EdDSA", "second", sub="ada", **US)
            await world.taken(by_second)
        with Check("a file that is wrong leaves the keys as they were"):
            with open(place.set, "w") as file:
                file.write("{")
            os.kill(process, signal.SIGHUP)
            await world.refused(place.token(first, "ES256", "third", sub="ada", **US))
            await asyncio.sleep(0.5)
            await world.taken(by_second)
            await client.ping()


async def scenario(url, folder, process, fanfare, secret):
    world = World(url, folder)
    await algorithms(world, fanfare)
    await tricks(world, secret)
    await rotation(world, int(process))


if __name__ == "__main__":
    main(scenario)
