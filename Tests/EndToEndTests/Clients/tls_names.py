"""Which certificate is served for which name. Words: WSS-URL NAME=CERTIFICATE…; an empty NAME asks for none.

With CLIENT:CERTIFICATE:KEY:AUTHORITY as a word: also a conversation by a client with that certificate, and none without.
"""

import socket
import ssl
from urllib.parse import urlsplit

from checks import PATIENCE, Check, Client, equal, main


def served(url, name, client=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if client:
        context.load_cert_chain(*client)
    parts = urlsplit(url)
    raw = socket.create_connection((parts.hostname, parts.port), PATIENCE)
    with context.wrap_socket(raw, server_hostname=name or None) as tls:
        return tls.getpeercert(True)


async def scenario(url, *words):
    client = None
    for word in words:
        if word.startswith("CLIENT:"):
            _, certificate, key, authority = word.split(":")
            client = (certificate, key)
            context = ssl.create_default_context(cafile=authority)
            with Check("a client without a certificate does not come in"):
                came = True
                try:
                    await Client.connect(url, "ada", ssl=context)
                except Exception as error:  # by TLS 1.3 the alert comes behind the handshake, so in many guises
                    came = False
                    assert not isinstance(error, AssertionError), error
                assert not came
            with Check("a client with a certificate comes in"):
                context.load_cert_chain(certificate, key)
                async with await Client.connect(url, "ada", ssl=context) as connection:
                    await connection.ping()
            continue
        name, file = word.split("=")
        with Check("the certificate for %r" % name):
            with open(file) as text:
                equal(served(url, name, client), ssl.PEM_cert_to_DER_cert(text.read()))


main(scenario)
