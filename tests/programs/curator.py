"""The curator's program: a study from a file, devices behind a pipe; prints the model, the modules and the refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from semildp.curator.intake import question_bytes, take_enrolments, take_reports
from semildp.curator.waves import State
from semildp.protocols import conduct, protocol_of
from semildp.sources import SeededSource
from semildp.study import Study
from tests.programs import frames


def main() -> None:
    """Run a study over a pipe."""
    study = Study.read(sys.argv[1])
    protocol, seed = protocol_of(study), sys.argv[3]
    command = [sys.executable, "-m", "tests.programs.devices", sys.argv[2], json.dumps(protocol.streams), seed]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as devices:
        out, back = devices.stdin, devices.stdout
        frames.write(out, study.to_json())
        n_people = int(sys.argv[4])
        enrolled, refused = take_enrolments(study, [frames.read(back) for _ in range(n_people)])
        children = np.random.SeedSequence(int(seed)).spawn(len(protocol.streams))
        sources = {name: SeededSource(child) for name, child in zip(protocol.streams, children, strict=True)}
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
        frames.write(out, b"over")
        theirs = json.loads(frames.read(back))
    told = {"theirs": theirs, "ours": sorted(sys.modules), "refused": [r.problem for r in refused]}
    Path(sys.argv[5]).write_bytes(model.to_json())
    print(json.dumps(told))


if __name__ == "__main__":
    main()
