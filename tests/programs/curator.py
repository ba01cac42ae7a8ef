"""The curator's program: conducts all studies in turn with devices behind a pipe; prints models, modules, refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, BinaryIO

import numpy as np

from semildp.curator.intake import question_bytes, take_enrolments, take_reports
from semildp.curator.waves import State
from semildp.protocols import conduct, protocol_of
from semildp.sources import SeededSource
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
    study = case.study
    protocol = protocol_of(study)
    frames.write(out, case.name.encode(), study.to_json(), json.dumps(protocol.streams).encode())
    enrolled, refused = take_enrolments(study, [frames.read(back) for _ in range(case.n_people)])
    children = np.random.SeedSequence(SEED).spawn(len(protocol.streams))
    sources = {stream: SeededSource(child) for stream, child in zip(protocol.streams, children, strict=True)}
    state = State(study, enrolled, sources)

    def collect(wave):
        frames.write(out, wave.stream.encode(), json.dumps([a.people.tolist() for a in wave.asked]).encode())
        raw = []
        for asked in wave.asked:
            frames.write(out, *(question_bytes(asked, i) for i in range(len(asked.people))))
            raw.append([frames.read(back) for _ in asked.people])
        done, bad = take_reports(state, wave, raw)
        refused.extend(bad)
        return done

    model, _ = conduct(protocol, state, collect)
    frames.write(out, b"done")
    return {"model": model.to_json().decode(), "refused": [r.problem for r in refused]}


if __name__ == "__main__":
    main()
