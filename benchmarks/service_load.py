"""How many reports a second the service takes: python -m benchmarks.service_load [--database postgresql].

All ratios are of one run, on one machine: single reports against an endpoint of the same server that only parses the
request and the report and answers; reports in batches against single ones; response times at half load; memory and
response times as reports pile up. The load comes from another process, over connections that are kept open.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from semildp.wire.codec import digest, encode
from semildp.wire.messages import Report
from tests.service.crowd import Crowded
from tests.service.serving import Server, serving, tokens, write_study
from tests.service.stores import Cluster, cluster

CONNECTIONS, BATCH_CONNECTIONS, BATCH, STEPS = 64, 4, 10_000, 5
NO_LIMITS = {"token_rate": 1e9, "token_burst": 1e9, "rate": 1e9, "burst": 1e9}


class Bench:
    """A server with people who have all been asked the same."""

    def __init__(self, server: Server, folder: Path, people: int, cluster: Cluster | None = None) -> None:
        self.server, self.folder, self.cluster = server, folder, cluster
        case = Crowded("hist-of-tree", "both", "aligned", 100)
        entries = json.dumps([None, 0.5, None, 0.25])
        enrolment = f'{{"message":"enrolment","study":"{case.study.digest}","public":{entries},"version":1}}'
        self.people = tokens(people)
        for at in range(0, people, BATCH):
            server.batch([{"person": token, "enrolment": enrolment} for token in self.people[at : at + BATCH]])
        server.until(1, 1200)
        question = server.ask("GET", "/api/question", None, self.people[0]).body
        name = digest(question)
        self.reports = [encode(Report(name, ((k % 1000,),))) for k in range(people)]
        self.next = 0

    def take(self, n: int) -> range:
        """Return people who have not reported yet."""
        self.next += n
        return range(self.next - n, self.next)

    def send(self, path: str, who: range, rate: float | None = None) -> dict[str, Any]:
        """Let people send single reports."""
        requests = (
            _request(f"PUT {path}", self.reports[k], f"Authorization: Bearer {self.people[k]}\r\n") for k in who
        )
        told = self._load(requests, CONNECTIONS, rate)
        told["cpu"] /= len(who)
        assert told["statuses"] == {"201": len(who)}, told
        return told

    def batches(self, who: range) -> float:
        """Let people send reports in batches; return the seconds that it took."""
        parts = [who[at : at + BATCH] for at in range(0, len(who), BATCH)]
        told = self._load((_request("POST /api/batch", self._lines(part)) for part in parts), BATCH_CONNECTIONS)
        expected = {json.dumps({"accepted": len(part), "refused": []}, separators=(",", ":")) for part in parts}
        assert set(told["answers"]) == expected, told
        return float(told["seconds"])

    def _lines(self, who: range) -> bytes:
        lines = [{"person": self.people[k], "wave": 1, "report": self.reports[k].decode()} for k in who]
        return b"\n".join(json.dumps(line).encode() for line in lines)

    def _load(self, requests: Iterable[bytes], connections: int, rate: float | None = None) -> dict[str, Any]:
        """Send requests, which are all prepared before the first is sent, from another process."""
        file = self.folder / "requests"
        with file.open("wb") as out:
            for request in requests:
                out.write(struct.pack(">I", len(request)) + request)
        order = {"file": str(file), "port": self.server.port, "connections": connections, "rate": rate}
        command = [sys.executable, "-m", "benchmarks.service_sender"]
        before = self.cpu_seconds()
        done = subprocess.run(command, input=json.dumps(order).encode(), capture_output=True, check=True)
        told: dict[str, Any] = json.loads(done.stdout)
        told["cpu"] = self.cpu_seconds() - before
        return told

    def cpu_seconds(self) -> float:
        """Return the processor time of the server, all its threads, and of PostgreSQL, all its processes."""
        return sum(_cpu_seconds(process) for process in [self.server.process.pid, *self._database()])

    def _database(self) -> list[int]:
        """Return PostgreSQL's processes."""
        if self.cluster is None:
            return []
        found = (Path(path).parent for path in glob.glob("/proc/[0-9]*/stat"))
        root = self.cluster.process
        return [root, *(int(each.name) for each in found if _stat(int(each.name))[1:2] == [str(root)])]

    def megabytes(self) -> float:
        """Return the server's resident memory."""
        pages = Path(f"/proc/{self.server.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20


def _stat(process: int) -> list[str]:
    """Return what the system says of a process, from its state on; nothing if it has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _cpu_seconds(process: int) -> float:
    fields = _stat(process)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def _request(line: str, body: bytes, more: str = "") -> bytes:
    return f"{line} HTTP/1.1\r\nHost: x\r\n{more}Content-Length: {len(body)}\r\n\r\n".encode() + body


def measure(bench: Bench, n: int) -> None:
    """Print the figures; `n` single reports per measurement."""
    for path in ("/parse/1", "/api/reports/1"):
        bench.send(path, bench.take(n // 4))  # warm up
    parse, single, cpu = list[float](), list[float](), [0.0, 0.0]
    for _ in range(3):
        for k, (path, rates) in enumerate((("/parse/1", parse), ("/api/reports/1", single))):
            told = bench.send(path, bench.take(n))
            rates.append(n / told["seconds"])
            cpu[k] += told["cpu"] / 3
    print(f"parse and answer: {_rates(parse)} a second; processor {1e6 * cpu[0]:.0f} us each")
    print(f"single reports:   {_rates(single)} a second; processor {1e6 * cpu[1]:.0f} us each")
    print(f"single against parse: {max(single) / max(parse):.2f}, by processor {cpu[0] / cpu[1]:.2f} (at least 0.5)")
    half = bench.send("/api/reports/1", bench.take(n), max(single) / 2)["quantiles"]
    ratio = half["0.99"] / half["0.5"]
    print(f"at half load: median {1e3 * half['0.5']:.2f} ms, p99 {1e3 * half['0.99']:.2f} ms: {ratio:.1f} (at most 5)")
    few, early = bench.next, bench.send("/api/reports/1", bench.take(n))["quantiles"]
    rest = range(bench.next, len(bench.people) - n - 1)  # the last of them has not answered: the wave stays open
    memory, rates, before = [bench.megabytes()], list[float](), bench.cpu_seconds()
    step = max(BATCH, len(rest) // STEPS // BATCH * BATCH)
    for at in range(rest.start, rest.stop, step):
        chosen = range(at, min(at + step, rest.stop))
        rates.append(len(chosen) / bench.batches(chosen))
        memory.append(bench.megabytes())
    each = (bench.cpu_seconds() - before) / len(rest)
    print(f"batches: {_rates(rates)} a second; processor {1e6 * each:.1f} us each")
    print(f"batches against single: {max(rates) / max(single):.1f}, by processor {cpu[1] / each:.1f} (at least 20)")
    late = bench.send("/api/reports/1", range(rest.stop, rest.stop + n))["quantiles"]
    print(f"stored {few:,} and {rest.stop:,}: median {1e3 * early['0.5']:.2f} and {1e3 * late['0.5']:.2f} ms, ", end="")
    print(f"p99 {1e3 * early['0.99']:.2f} and {1e3 * late['0.99']:.2f} ms")
    print(f"memory over {len(rest):,} reports: {', '.join(f'{m:.0f}' for m in memory)} MB")


def _rates(rates: list[float]) -> str:
    return f"{max(rates):,.0f} (lowest {min(rates):,.0f})"


def main() -> None:
    """Start a server, enrol people, measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=200_000)
    parser.add_argument("--single", type=int, default=5_000, help="single reports per measurement")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite", help="made for the run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="semildp-load-") as name, ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o755)  # PostgreSQL runs as another user
        case = Crowded("hist-of-tree", "both", "aligned", 100)
        study = write_study(folder, case.study, people=options.people, access="open")
        url, own = f"sqlite:///{folder / 'study.sqlite'}", None
        if options.database == "postgresql":
            own = stack.enter_context(cluster(folder / "cluster"))
            url = own.database()
        with serving(study, url, folder / "log", limits=NO_LIMITS, parse_route=True) as server:
            begun = time.perf_counter()
            bench = Bench(server, folder, options.people, own)
            print(f"{options.people:,} people enrolled and asked in {time.perf_counter() - begun:.0f} s")
            measure(bench, options.single)


if __name__ == "__main__":
    main()
