"""A short conversation over another kind of listener. Words: URL tls CERTIFICATE | URL unix PATH | URL plain"""

import os
import ssl

from checks import Check, Client, main, matches


async def scenario(url, kind, file=None):
    options = {}
    if kind == "tls":
        options["ssl"] = ssl.create_default_context(cafile=file)
    if kind == "unix":
        options.update(unix=True, path=file)
    async with await Client.connect(url, "ada", **options) as client:
        with Check("a conversation over %s" % kind):
            channel = "chat:over-%s-%d" % (kind, os.getpid())
            matches(await client.request("subscribe", channel=channel), type="subscribed", seq=0)
            matches(await client.request("add", channel=channel, message="m", reaction="👍"), result="added", seq=1)
            matches(await client.receive(), type="added", seq=1)
            await client.ping()
    if kind == "tls":
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with Check("TLS by %s" % version.name):
                context = ssl.create_default_context(cafile=file)
                context.minimum_version = context.maximum_version = version
                async with await Client.connect(url, "ada", ssl=context) as client:
                    # More than one TLS record each way.
                    data = {"x": "a" * 900}
                    for i in range(60):
                        matches(await client.request("add", channel="chat:tls", message="m%d" % i, reaction="👍",
                                                     data=data), type="ack")
                    matches(await client.request("list", channel="chat:tls", limit=100), type="list")


main(scenario)
