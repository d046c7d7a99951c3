"""Keys and tokens by Debian's python3-cryptography and python3-jwt, which know nothing of the broker.

Run by itself it makes the keys of the tests of identity: minting.py FOLDER
"""

import base64
import json
import os
import sys
import time

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from checks import Check, finish

MAKE = {
    "RS256": lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate,
}
SECRET = "an oct key of thirty-two bytes !"


def number(value, length=None):
    length = length or (value.bit_length() + 7) // 8
    return base64.urlsafe_b64encode(value.to_bytes(length, "big")).rstrip(b"=").decode()


def public(key, kid):
    """The public half as a JSON Web Key."""
    if isinstance(key, str):
        fields = {"kty": "oct", "k": base64.urlsafe_b64encode(key.encode()).rstrip(b"=").decode()}
    elif isinstance(key, rsa.RSAPrivateKey):
        numbers = key.public_key().public_numbers()
        fields = {"kty": "RSA", "n": number(numbers.n), "e": number(numbers.e)}
    elif isinstance(key, ec.EllipticCurvePrivateKey):
        numbers = key.public_key().public_numbers()
        fields = {"kty": "EC", "crv": "P-256", "x": number(numbers.x, 32), "y": number(numbers.y, 32)}
    else:
        raw = key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        fields = {"kty": "OKP", "crv": "Ed25519", "x": base64.urlsafe_b64encode(raw).rstrip(b"=").decode()}
    return {**fields, **({"kid": kid} if kid else {})}


def pem(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


class Place:
    """The folder of a test: its keys, its key set, and a list of all that must never be in a log."""

    def __init__(self, folder):
        self.folder = folder
        self.set = os.path.join(folder, "keys.json")

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, algorithm, name):
        key = MAKE[algorithm]()
        with open(self.path(name + ".pem"), "wb") as file:
            file.write(pem(key))
        return key

    def key(self, name):
        with open(self.path(name + ".pem"), "rb") as file:
            return serialization.load_pem_private_key(file.read(), None)

    def write_set(self, keys):
        """Puts a new key set in the place of the old one."""
        text = json.dumps({"keys": [public(key, kid) for kid, key in keys.items()]})
        with open(self.set + ".new", "w") as file:
            file.write(text)
        os.replace(self.set + ".new", self.set)

    def keep_secret(self, text):
        with open(self.path("secrets.txt"), "a") as file:
            file.write(text + "\n")
        return text

    def token(self, key, algorithm, kid=None, lives=3600, header=None, **claims):
        now = time.time()
        claims = {"exp": int(now) + lives, "iat": now, **claims}
        claims = {name: value for name, value in claims.items() if value is not None}
        headers = {**({"kid": kid} if kid else {}), **(header or {})}
        return self.keep_secret(jwt.encode(claims, key, algorithm=algorithm, headers=headers))


if __name__ == "__main__":
    place = Place(sys.argv[1])
    with Check("keys are made"):
        keys = {algorithm: place.make(algorithm, algorithm) for algorithm in MAKE}
        place.write_set({**keys, "HS256": SECRET})
    finish()
