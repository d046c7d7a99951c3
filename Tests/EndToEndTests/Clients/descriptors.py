"""A broker that may open few files: it stays up, and accepts again when there are some. Words: URL PID MOST"""

import time

from bare_http import connect, cpu_seconds, read_answer, upgrade
from checks import PATIENCE, Check, Client, equal, main, matches


async def scenario(url, pid, most):
    most = int(most)
    async with await Client.connect(url, "ada") as client:
        with Check("more connections than it can open: those that are there are served"):
            others = [connect(url) for _ in range(2 * most)]
            for i in range(20):
                matches(await client.request("add", channel="chat:full", message="m%d" % i, reaction="👍"), result="added")
        with Check("it does not spin meanwhile"):
            before = cpu_seconds(pid)
            time.sleep(2)
            used = cpu_seconds(pid) - before
            # Each loop tries again ten times a second.
            assert used < 0.4, "%.2f s of CPU in 2 s" % used
            await client.ping()
        with Check("what waits to be accepted is served as soon as others go"):
            for other in others[:-1]:
                other.close()
            others[-1].sendall(upgrade())
            equal(read_answer(others[-1]).status, 101, "status")
            others[-1].close()
        with Check("and it accepts again"):
            end = time.monotonic() + PATIENCE
            for _ in range(most // 2):
                async with await Client.connect(url, "bob") as other:
                    await other.ping()
            assert time.monotonic() < end, "it is slow"


main(scenario)
