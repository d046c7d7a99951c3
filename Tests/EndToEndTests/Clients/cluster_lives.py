"""What brokers do when NATS is gone, comes back as another one, or was never what they need.

Words: FANFARE     FANFARE: the command
"""

import asyncio
import itertools
import json
import os
import shutil
import signal
import socket
import tempfile
import urllib.error
import urllib.request

from ask_nats import ask_nats
from checks import PATIENCE, Check, Client, equal, main, matches
from nodes import KEY, Nodes, Process, free_port

CHANNEL = "chat:lives"


async def call(url, method="GET"):
    """The status and the body of an answer."""
    def ask():
        request = urllib.request.Request(url, method=method, headers={"Authorization": "Bearer " + KEY})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
    return await asyncio.to_thread(ask)


async def until(wanted, what):
    for _ in range(PATIENCE * 10):
        if await wanted():
            return
        await asyncio.sleep(0.1)
    raise AssertionError("it never happens: " + what)


async def readiness(broker, status):
    await until(lambda: is_ready(broker, status), "/readyz says %d" % status)


async def is_ready(broker, status):
    return (await call(broker.http + "/readyz"))[0] == status


async def lost_and_found(nodes):
    server, broker = nodes.servers[0], nodes.brokers[0]
    await server.end()
    with Check("/readyz follows NATS although nobody asks for a change"):
        await readiness(broker, 503)
        matches({"up": "fanfare_shared_log_up 0" in (await call(broker.http + "/metrics"))[1]}, up=True)
    await server.start()
    await server.reachable()
    with Check("and is well again when NATS is back"):
        await readiness(broker, 200)
        metrics = (await call(broker.http + "/metrics"))[1]
        assert "fanfare_shared_log_up 1" in metrics and "fanfare_shared_log_losses_total 1" in metrics, metrics
    with Check("each is said once"):
        equal(broker.said().count("the shared log is lost"), 1, "lines")
        equal(broker.said().count("the shared log is back"), 1, "lines")


async def refused_for_a_while(nodes):
    """The servers' users are changed, and changed back: the library gives up when it is refused twice."""
    server, broker = nodes.servers[0], nodes.brokers[0]
    with open(server.file) as file:
        settings = file.read()
    before = server.said().count("authentication error")

    def reload(text):
        with open(server.file, "w") as file:
            file.write(text)
        server.tell(signal.SIGHUP)

    async def is_asked_again():
        return server.said().count("authentication error") - before > 4 * len(nodes.brokers)

    reload(settings + 'authorization { user: "eve", password: "secret" }\n')
    with Check("a broker that NATS refuses is not ready, and asks again and again"):
        await readiness(broker, 503)
        await until(is_asked_again, "refused more often than the library asks")
    reload(settings)
    with Check("and it goes on when NATS takes it again, with all that it follows"):
        for broker in nodes.brokers:
            await readiness(broker, 200)
        async with await Client.connect(nodes.brokers[1].url, "bob") as bob:
            # It may be connecting still: that is noticed after a while.
            while (await bob.request("subscribe", channel="chat:refused"))["type"] != "subscribed":
                await asyncio.sleep(0.1)
            async with await Client.connect(nodes.brokers[0].url, "ada") as ada:
                matches(await ada.request("add", channel="chat:refused", message="m", reaction="👍"), type="ack", seq=1)
            await bob.until(lambda m: m.get("seq") == 1 and "id" not in m)


async def forbidden_for_a_while(nodes):
    """The brokers' user may subscribe to less, and then again to all: NATS takes subscriptions away and never gives them back."""
    server = nodes.servers[0]
    with open(server.file) as file:
        settings = file.read()
    user = 'authorization { users: [{ user: "u", password: "p"%s }] }\nno_auth_user: "u"\n'

    async def reload(text):
        count = server.said().count("Reloaded server configuration")
        with open(server.file, "w") as file:
            file.write(text)
        server.tell(signal.SIGHUP)

        async def is_done():
            return server.said().count("Reloaded server configuration") > count

        await until(is_done, "NATS has read its settings")

    async def is_said():
        return all("subscription" in broker.said().lower() for broker in nodes.brokers)

    # Whom it takes who says no name is nothing that it reads again.
    await server.end()
    with open(server.file, "w") as file:
        file.write(settings + user % "")
    await server.start()
    async with await Client.connect(nodes.brokers[1].url, "bob") as bob:

        async def subscribes():
            return (await bob.request("subscribe", channel="chat:forbidden"))["type"] == "subscribed"

        await until(subscribes, "NATS is back")
        await reload(settings + user % ', permissions: { subscribe: ["_INBOX.>"] }')
        with Check("what NATS does not permit is said"):
            await until(is_said, "a line about the subscription")
        await reload(settings + user % "")

        numbers = itertools.count()

        async def hears():
            message = "m%d" % next(numbers)
            async with await Client.connect(nodes.brokers[0].url, "ada") as ada:
                answer = await ada.request("add", channel="chat:forbidden", message=message, reaction="👍")
                if answer["type"] == "error":
                    return False
            # Sooner than by the look that each channel is given every 30 s, whoever tells of it.
            try:
                await asyncio.wait_for(bob.until(lambda m: m.get("message") == message and "id" not in m), 5)
            except asyncio.TimeoutError:
                return False
            return True

        with Check("and when it permits it again, brokers hear each other again"):
            await until(hears, "an event by way of another broker")
            equal([await hears(), await hears()], [True, True], "what is heard then")


async def epoch_and_seq(broker, since=None):
    async with await Client.connect(broker.url, "ada") as ada:
        fields = {"since": since} if since else {}
        return await ada.request("subscribe", channel=CHANNEL, **fields)


async def add(broker, message):
    async with await Client.connect(broker.url, "ada") as ada:
        return await ada.request("add", channel=CHANNEL, message=message, reaction="👍")


async def ends_and_comes_back(broker, times):
    with Check("%s ends when the log is another one, with 1 and one line" % broker.name):
        equal(await asyncio.wait_for(broker.process.wait(), PATIENCE), 1, "status")
        equal(broker.said().count("the shared log has begun another life"), times, "lines so far")
    await broker.start()
    await broker.serving()


async def another_store(nodes, folder):
    server = nodes.servers[0]
    for number in range(5):
        matches(await add(nodes.brokers[number % 2], "m%d" % number), type="ack")
    before = await epoch_and_seq(nodes.brokers[0])
    await server.end()
    shutil.rmtree(os.path.join(folder, "jetstream-0"))
    await server.start()
    await server.reachable()
    with Check("nothing is acked in the old epoch when NATS has lost its store"):
        matches(await add(nodes.brokers[0], "n"), type="error", code="unavailable")
    for broker in nodes.brokers:
        await ends_and_comes_back(broker, 1)
    with Check("and all go on in one new epoch, in which nobody resumes what was before"):
        for broker in nodes.brokers:
            again = await epoch_and_seq(broker, {"epoch": before["epoch"], "seq": before["seq"]})
            matches(again, recovered=False, seq=0)
            assert again["epoch"] != before["epoch"], again
        equal(len({(await epoch_and_seq(b))["epoch"] for b in nodes.brokers}), 1, "epochs")


async def another_log(nodes):
    """Only the log is deleted; the stream of snapshots and revocations stays."""
    matches(await add(nodes.brokers[0], "m"), type="ack", seq=1)
    before = await epoch_and_seq(nodes.brokers[0])
    answer = await ask_nats(nodes.servers[0].port, "$JS.API.STREAM.DELETE.fanfare-log-0")
    matches(answer, success=True)
    for broker in nodes.brokers:
        await ends_and_comes_back(broker, 2)
    with Check("a log that was deleted begins anew, and takes changes"):
        matches(await add(nodes.brokers[0], "m"), type="ack", seq=1)
        assert (await epoch_and_seq(nodes.brokers[1]))["epoch"] != before["epoch"]


async def state_alone(nodes):
    """Only the stream of snapshots and revocations is deleted."""
    port = nodes.servers[0].port
    before = await epoch_and_seq(nodes.brokers[0])
    matches(await ask_nats(port, "$JS.API.STREAM.DELETE.fanfare-state"), success=True)
    for broker in nodes.brokers:
        with Check("%s ends when the snapshots' stream is deleted" % broker.name):
            equal(await asyncio.wait_for(broker.process.wait(), PATIENCE), 1, "status")
    broker = nodes.brokers[0]

    async def is_told():
        return "the stream 'fanfare-state' is missing, and the log that goes with it is there" in broker.said()

    await broker.start()
    with Check("and does not go on with a log whose snapshots may be gone: it says what to do"):
        await until(is_told, "it says so")
        equal((await ask_nats(port, "$JS.API.STREAM.INFO.fanfare-state"))["error"]["err_code"], 10059, "error")
    matches(await ask_nats(port, "$JS.API.STREAM.DELETE.fanfare-log-0"), success=True)
    with Check("when the log is deleted as well it begins with nothing"):
        await broker.serving()
        await nodes.brokers[1].start()
        await nodes.brokers[1].serving()
        again = await epoch_and_seq(nodes.brokers[1], {"epoch": before["epoch"], "seq": before["seq"]})
        matches(again, recovered=False, seq=0)


async def refusals(nodes, folder, fanfare):
    port = nodes.servers[0].port

    async def run(name, nats):
        file = os.path.join(folder, name + ".json")
        with open(file, "w") as out:
            json.dump({"nats": {"servers": ["nats://127.0.0.1:%d" % port], **nats}}, out)
        process = Process(name, folder, [
            fanfare, "serve", "--dev", "--listen", "127.0.0.1:0", "--data", os.path.join(folder, "data-" + name),
            "--config", file])
        await process.start()
        return await asyncio.wait_for(process.process.wait(), PATIENCE), process.said()

    for name, status, words, nats in [
            ("partitions", 1, "made with 1 partitions, and 'nats.partitions' is 2", {"partitions": 2}),
            ("replicas", 1, "replicas > 1 not supported", {"name": "other", "replicas": 3}),
            ("tls", 1, "has no TLS, and tls:// demands it", {"servers": ["tls://127.0.0.1:%d" % port]}),
            ("authorities", 2, "nats.ca_file: the file '/dev/null/ca' cannot be read", {"ca_file": "/dev/null/ca"}),
            ("path", 2, "is the URL of a NATS server", {"servers": ["nats://127.0.0.1:%d/foo" % port]})]:
        with Check("what does not mend is told at once: " + name):
            found, said = await run(name, nats)
            assert found == status and words in said, (found, said)


async def waiting(folder, fanfare):
    process = Process("waiting", folder, [
        fanfare, "serve", "--dev", "--listen", "127.0.0.1:0", "--data", os.path.join(folder, "data-waiting"),
        "--nats", "nats://ada:secret@127.0.0.1:%d" % free_port()])
    await process.start()

    async def is_waiting():
        return "waiting for NATS at 127.0.0.1:" in process.said()

    with Check("a broker that waits for NATS says so, and ends with 0 when it is told to"):
        await until(is_waiting, "it waits")
        await process.end()
        equal(process.process.returncode, 0, "status")
        assert "secret" not in process.said(), process.said()


async def own_channels(folder, fanfare):
    port, data = free_port(), os.path.join(folder, "data-own")
    words = [fanfare, "serve", "--dev", "--listen", "127.0.0.1:%d" % port, "--data", data]
    alone = Process("alone", folder, words)
    await alone.start()

    async def is_listening():
        return "listening on" in alone.said()

    await until(is_listening, "it listens")
    async with await Client.connect("ws://127.0.0.1:%d/v1/ws" % port, "ada") as ada:
        matches(await ada.request("add", channel="chat:own", message="m", reaction="👍"), type="ack")
    await alone.end()
    shared = Process("shared", folder, words + ["--nats", "nats://127.0.0.1:%d" % free_port()])
    await shared.start()

    async def is_told():
        return "the channels in '%s/fanfare.db' are not used" % data in shared.said()

    with Check("a broker with NATS says that its store has channels, which are not those of the log"):
        await until(is_told, "it says so")
    await shared.end()


async def plain_server(folder, fanfare):
    heard = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        async def offer(reader, writer):
            writer.write(b'INFO {"server_id":"X","version":"2.9.10","max_payload":1048576,"headers":true}\r\n')
            try:
                heard.append(await reader.read(4096))
            except OSError:
                # It was told nothing, and rudely so.
                pass
            writer.close()

        server = await asyncio.start_server(offer, sock=listener)
        process = Process("secret", folder, [
            fanfare, "serve", "--dev", "--listen", "127.0.0.1:0", "--data", os.path.join(folder, "data-secret"),
            "--nats", "tls://ada:secret@127.0.0.1:%d" % port])
        await process.start()
        with Check("tls:// tells nothing to a server without TLS"):
            equal(await asyncio.wait_for(process.process.wait(), PATIENCE), 1, "status")
            equal([text for text in heard if text], [], "what it was told")
        server.close()


async def scenario(fanfare):
    with tempfile.TemporaryDirectory(prefix="fanfare-lives-", ignore_cleanup_errors=True) as folder:
        async with Nodes(folder, fanfare, servers=1, brokers=2) as nodes:
            for part in (lost_and_found(nodes), refused_for_a_while(nodes), forbidden_for_a_while(nodes), another_store(nodes, folder),
                         another_log(nodes), state_alone(nodes), refusals(nodes, folder, fanfare), waiting(folder, fanfare), own_channels(folder, fanfare),
                         plain_server(folder, fanfare)):
                with Check(part.__name__ + " runs through"):
                    await part
            with Check("no broker has crashed"):
                equal(nodes.traps(), [], "said")


if __name__ == "__main__":
    main(scenario)
