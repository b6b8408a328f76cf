"""Many visitors at once: `.venv/bin/python tests/load --visitors 20 --seconds 60`.

Starts a server of its own, lets visitors change pages at random moments (Poisson), and prints how
long they waited for the title, how many errors there were, and what the server took. With
`--heavy` two comparisons and a search for a budget go on beside them. With `--soak` visitors come
and go on all pages and samples, for the slope of the server's memory and exceptions in its log.
"""

import argparse
import asyncio
import json
import os
import random
import resource
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path
from threading import Thread
from typing import IO, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from visitor import Visitor

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0  # seconds after which a change counts as failed
TABLES = ("us-households", "us-population", "running-example", "us-households")
PAGES = ("", "zoom", "inside", "privacy", "compare", "plan", "decide", "present", "data", "learn")
NO_TABLE = ("data", "learn")  # pages that open without one
DEFAULT = ""  # the table that opens without a word


class Server:
    """A server of the app, with what it takes."""

    def __init__(self, root: Path, *, old: bool) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._folder = tempfile.TemporaryDirectory(prefix="load-")
        self._log = Path(self._folder.name) / "log"
        self.base, self.cookie = f"http://127.0.0.1:{port}", ""
        command = ["hierdp_core", "--no-browser", "--port", str(port)]
        if old:  # a version without the door
            command = ["streamlit", "run", "app.py", "--server.headless=true"]
            command += [f"--server.port={port}"]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=root,
                env={**os.environ, "PYTHONPATH": str(root)},
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.process.stdout is not None
        if not old:
            first = next(line.split()[-1] for line in self.process.stdout if "?token=" in line)
            with urllib.request.urlopen(first, timeout=60) as answer:
                self.cookie = answer.headers["set-cookie"].partition(";")[0]
        Thread(target=self._keep, args=(self.process.stdout,), daemon=True).start()
        while not self._is_up():
            time.sleep(0.1)

    def _keep(self, output: IO[str]) -> None:
        """Take what the server prints: nobody's full pipe then holds it up."""
        with (self._log.parent / "output").open("w", encoding="utf-8") as kept:
            for line in output:
                kept.write(line)
                kept.flush()

    def _is_up(self) -> bool:
        try:
            with urllib.request.urlopen(self.base + "/_stcore/health", timeout=2):
                return True
        except OSError:
            return False

    @property
    def megabytes(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text(encoding="utf-8").split()[1])
        return pages * resource.getpagesize() / 2**20

    @property
    def cpu_seconds(self) -> float:
        times = (
            Path(f"/proc/{self.process.pid}/stat")
            .read_text(encoding="utf-8")
            .rpartition(")")[2]
            .split()
        )
        return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)
        self._folder.cleanup()

    @property
    def exceptions(self) -> list[str]:
        """The last line of each traceback in the log, and how often it stands there."""
        last, inside = Counter[str](), False
        files = (self._log, self._log.parent / "output")
        texts = [file.read_text(encoding="utf-8", errors="replace") for file in files]
        for line in "\n".join(texts).splitlines():
            inside = inside or line.startswith("Traceback")
            if inside and line[:1].isalpha() and not line.startswith("Traceback"):
                last[line.strip()[:200]] += 1
                inside = False
        return [f"{n} x {line}" for line, n in last.most_common()]


def question(rng: random.Random, table: str) -> dict[str, str]:
    """A budget with three digits, log-uniform from 0.01 to 10, on a table."""
    epsilon = f"{10 ** rng.uniform(-2, 1):.3g}"
    return {"epsilon": epsilon} | ({"sample": table} if table else {})


async def visit(server: Server, flags: argparse.Namespace, rng: random.Random) -> dict[str, Any]:
    tables = [DEFAULT if k % 2 else TABLES[k // 2 % len(TABLES)] for k in range(flags.visitors)]
    visitors = [Visitor(base=server.base, page=flags.page, cookie=server.cookie) for _ in tables]
    for visitor, table in zip(visitors, tables, strict=True):
        await visitor.arrive(question(rng, table))
        await visitor.titled(PATIENCE)
    for visitor in visitors:
        visitor.waits.clear()
    heavy = await at_work(server) if flags.heavy else []
    before, peak, cpu, begun = server.megabytes, 0.0, server.cpu_seconds, time.monotonic()
    own = time.process_time()
    unanswered = 0
    waiting: list[asyncio.Task[bool]] = []
    while time.monotonic() - begun < flags.seconds:
        await asyncio.sleep(rng.expovariate(flags.rate))
        chosen = rng.randrange(len(visitors))
        await visitors[chosen].ask(question(rng, tables[chosen]))
        waiting.append(asyncio.create_task(visitors[chosen].titled(PATIENCE)))
        peak = max(peak, server.megabytes)
    # A change that its visitor changed again has no title of its own, as in a browser.
    answered = await asyncio.gather(*waiting)
    unanswered = answered.count(False)
    took = time.monotonic() - begun
    used = (server.cpu_seconds - cpu) / took, (time.process_time() - own) / took
    for visitor in (*visitors, *heavy):
        await visitor.leave()
    await asyncio.sleep(flags.afterwards)
    waits = np.array([wait for visitor in visitors for wait in visitor.waits] or [np.nan])
    return {
        "visitors": flags.visitors,
        "changes": len(answered),
        "p50": round(float(np.quantile(waits, 0.5)), 2),
        "p95": round(float(np.quantile(waits, 0.95)), 2),
        "longest": round(float(waits.max()), 2),
        "unanswered": unanswered,
        "errors": sorted({e for v in (*visitors, *heavy) for e in v.errors}),
        "exceptions in the log": server.exceptions,
        "server MB before, most, after": [round(m) for m in (before, peak, server.megabytes)],
        "server's CPU": round(used[0], 2),
        "load generator's CPU": round(used[1], 2),
        "load average": round(os.getloadavg()[0], 1),
    }


async def at_work(server: Server) -> list[Visitor]:
    """Two comparisons and a search for a budget, on their way."""
    heavy = [
        Visitor(base=server.base, page=page, cookie=server.cookie)
        for page in ("compare", "compare", "plan")
    ]
    for number, visitor in enumerate(heavy):
        await visitor.arrive({"sample": "us-households"} if number == 1 else {})
        await visitor.titled(PATIENCE)
    await asyncio.sleep(2.0)
    if not await heavy[2].press("Find"):
        heavy[2].errors.append("no button begins a search")
    return heavy


async def soak(server: Server, flags: argparse.Namespace, rng: random.Random) -> dict[str, Any]:
    """Visitors who come, look at a page or two, and leave."""
    begun, memory, errors = time.monotonic(), list[tuple[float, float]](), set[str]()
    samples, seen = names_of_samples(), Counter[str]()
    own = time.process_time()

    async def come_and_go() -> None:
        while time.monotonic() - begun < flags.seconds:
            visitor = Visitor(base=server.base, page=rng.choice(PAGES), cookie=server.cookie)
            table = rng.choice(samples)
            await visitor.arrive({} if visitor.page in NO_TABLE else question(rng, table))
            seen["visits"] += 1
            seen["without a title"] += not await visitor.titled(PATIENCE)
            await asyncio.sleep(rng.uniform(1, 10))
            await visitor.leave()
            errors.update(visitor.errors)

    async def look() -> None:
        while True:
            memory.append((time.monotonic() - begun, server.megabytes))
            await asyncio.sleep(5)

    looking = asyncio.create_task(look())
    await asyncio.gather(*(come_and_go() for _ in range(flags.visitors)))
    looking.cancel()
    later = np.array([m for m in memory if m[0] > flags.seconds / 3])
    slope = float(np.polyfit(later[:, 0] / 60, later[:, 1], 1)[0]) if len(later) > 2 else None
    return {
        "visitors": flags.visitors,
        "minutes": round(flags.seconds / 60, 1),
        "MB a minute, last two thirds": slope and round(slope, 2),
        "MB first, most, last": [round(f(m for _, m in memory)) for f in (min, max)]
        + [round(memory[-1][1])],
        "samples": samples,
        **seen,
        "errors": sorted(errors),
        "exceptions in the log": server.exceptions,
        "load generator's CPU": round((time.process_time() - own) / flags.seconds, 2),
    }


def names_of_samples() -> list[str]:
    """All samples that the app offers."""
    sys.path.insert(0, str(ROOT))
    from hierdp_core import samples

    return list(samples.names())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=1.0, help="changes a second, of all together")
    parser.add_argument("--page", default="", help="its place in the address; the first page")
    parser.add_argument("--heavy", action="store_true")
    parser.add_argument("--soak", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--afterwards", type=float, default=5.0, help="seconds before the last look"
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="another version's checkout")
    parser.add_argument("--old", action="store_true", help="a version without the door")
    flags = parser.parse_args()
    server = Server(flags.root, old=flags.old)
    try:
        work = soak if flags.soak else visit
        print(json.dumps(asyncio.run(work(server, flags, random.Random(flags.seed))), indent=1))
    finally:
        server.stop()


if __name__ == "__main__":
    main()
