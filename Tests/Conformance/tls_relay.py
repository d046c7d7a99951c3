"""A relay that speaks TLS to clients and passes their bytes on as they are. Words: CERTIFICATE KEY PORT

The conformance suite has no TLS of its own for clients; with this between, what they read and write is encrypted.
It listens on a free port of 127.0.0.1, which it prints, and connects to PORT there. It ends with its standard input.
"""

import asyncio
import ssl
import sys


async def pump(reader, writer):
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    except (ConnectionError, ssl.SSLError):
        pass
    writer.close()


async def main(certificate, key, port):
    async def relay(reader, writer):
        try:
            inner, outer = await asyncio.open_connection("127.0.0.1", int(port))
        except ConnectionError:
            writer.close()
            return
        await asyncio.gather(pump(reader, outer), pump(inner, writer))

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = await asyncio.start_server(relay, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)


asyncio.run(main(*sys.argv[1:]))
