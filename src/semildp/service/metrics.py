"""Counters for Prometheus: how many, how fast; nothing about a person."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from semildp.service.jobs import Told
from semildp.service.store import StudyRow, WaveRow

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # seconds


@dataclass
class Metrics:
    """What has happened since the process started."""

    waiting: int = 0
    groups: int = 0
    group_seconds: float = 0.0
    requests: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    jobs: Counter[str] = field(default_factory=Counter)
    seconds: Counter[float] = field(default_factory=Counter)
    total_seconds: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def group(self, told: Iterable[Told], seconds: float) -> None:
        """Count a group that was committed or refused."""
        outcomes = Counter(each.problem or each.status for each in told)
        with self._lock:
            self.groups += 1
            self.group_seconds += seconds
            self.jobs.update({str(outcome): n for outcome, n in outcomes.items()})

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request. Called by the event loop's thread alone."""
        self.requests[method, route, status] += 1
        self.seconds[next((b for b in BUCKETS if seconds <= b), float("inf"))] += 1
        self.total_seconds += seconds

    def text(self, study: StudyRow, waves: list[WaveRow]) -> str:
        """Write everything in Prometheus's format."""
        lines = [
            "# TYPE semildp_people gauge",
            f"semildp_people {study.people}",
            "# TYPE semildp_wave gauge",
            f"semildp_wave {waves[-1].number}",
            "# TYPE semildp_wave_reports gauge",
            *(f'semildp_wave_reports{{wave="{wave.number}"}} {wave.received}' for wave in waves if wave.number),
            "# TYPE semildp_closed gauge",
            f"semildp_closed {int(study.closed is not None)}",
            "# TYPE semildp_waiting_jobs gauge",
            f"semildp_waiting_jobs {self.waiting}",
            "# TYPE semildp_group_seconds summary",
            f"semildp_group_seconds_sum {self.group_seconds:.6f}",
            f"semildp_group_seconds_count {self.groups}",
            "# TYPE semildp_jobs_total counter",
            *(f'semildp_jobs_total{{outcome="{name}"}} {n}' for name, n in sorted(self.jobs.items())),
            "# TYPE semildp_requests_total counter",
        ]
        for (method, route, status), n in sorted(self.requests.items()):
            lines.append(f'semildp_requests_total{{method="{method}",route="{route}",status="{status}"}} {n}')
        lines.append("# TYPE semildp_request_seconds histogram")
        below = 0
        for bound in (*BUCKETS, float("inf")):
            below += self.seconds[bound]
            label = "+Inf" if bound == float("inf") else repr(bound)
            lines.append(f'semildp_request_seconds_bucket{{le="{label}"}} {below}')
        lines += [f"semildp_request_seconds_sum {self.total_seconds:.6f}", f"semildp_request_seconds_count {below}"]
        return "\n".join(lines) + "\n"
