"""The curator's program: conducts all studies in turn with devices behind a pipe; prints models, modules, refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, BinaryIO

from semildp.arrivals import check_enrolment, check_reports, with_centre
from semildp.protocols import protocol_of
from semildp.running import Planned, Running
from tests.programs import frames
from tests.programs.studies import SEED, Case, cases


def main() -> None:
    """Run every study over one pipe."""
    command = [sys.executable, "-m", "tests.programs.devices"]
    models: dict[str, Any] = {}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as devices:
        for case in cases():
            models[case.name] = run(case, devices.stdin, devices.stdout)
        frames.write(devices.stdin, b"over")
        theirs = json.loads(frames.read(devices.stdout))
    print(json.dumps({"theirs": theirs, "ours": sorted(sys.modules), "models": models}))


def run(case: Case, out: BinaryIO, back: BinaryIO) -> dict[str, Any]:
    """Conduct one study."""
    study, running = case.study, Running(case.study, SEED)
    frames.write(out, case.name.encode(), study.to_json(), json.dumps(protocol_of(study).streams).encode())
    enrolments = [frames.read(back) for _ in range(case.n_people)]
    for raw in enrolments:
        check_enrolment(study, raw)
    running.enrol(enrolments)
    refused = list[str]()
    while isinstance(planned := running.plan(), Planned):
        groups = [[each for each in planned.asked if each[1] == k] for k in range(len(planned.questions))]
        frames.write(out, planned.stream.encode(), json.dumps([[p for p, _, _ in group] for group in groups]).encode())
        received, rows = [], []
        for group in groups:
            asked = [(planned.questions[k], centre) for _, k, centre in group]
            frames.write(out, *(with_centre(question, centre) for question, centre in asked))
            for (person, k, centre), (question, _) in zip(group, asked, strict=True):
                rows.append((person, k, centre, frames.read(back)))
                received.append((question, centre, enrolments[person], rows[-1][-1]))
        refused += [problem for problem in check_reports(study, received) if problem is not None]
        running.collect(planned.questions, rows)
    frames.write(out, b"done")
    return {"model": planned.to_json().decode(), "refused": refused}


if __name__ == "__main__":
    main()
