"""The devices' program: raw rows from a file, questions and reports over standard input and output, as bytes alone."""

from __future__ import annotations

import json
import sys

import msgspec
import numpy as np

from semildp.client import answer, enrol, ready
from semildp.sources import SeededSource
from semildp.study import Study
from semildp.wire.codec import decode, digest, encode
from semildp.wire.messages import Question
from semildp.wire.people import write_enrolment, write_report
from tests.programs import frames


def main() -> None:
    """Enrol everyone, then answer waves until the curator says that it is over."""
    study = Study.from_dict(json.loads(frames.read(sys.stdin.buffer)))
    names = json.loads(sys.argv[2])
    children = np.random.SeedSequence(int(sys.argv[3])).spawn(len(names))
    sources = {name: SeededSource(child) for name, child in zip(names, children, strict=True)}
    data = np.load(sys.argv[1])
    people = ready(study, data["X"], data["y"], data["mask"], sources["fill"])
    enrolled = enrol(people)
    frames.write(sys.stdout.buffer, *(encode(write_enrolment(study, enrolled, i)) for i in range(len(people))))
    while (stream := frames.read(sys.stdin.buffer).decode()) != "over":
        for who, asked in _groups(json.loads(frames.read(sys.stdin.buffer))):
            _answer(study, people[who], asked, sources[stream])
    frames.write(sys.stdout.buffer, json.dumps(sorted(sys.modules)).encode())


def _groups(sizes: list[list[int]]):
    """Read, for each group of people, one question each."""
    for who in sizes:
        yield np.array(who, dtype=np.int64), [frames.read(sys.stdin.buffer) for _ in who]


def _answer(study: Study, people, asked: list[bytes], source: SeededSource) -> None:
    """Answer the questions of people who differ in their centres only, all at once as the simulation does."""
    questions = [decode(raw, Question) for raw in asked]
    if not questions:
        return
    common = msgspec.structs.replace(questions[0], centre=0.0)
    assert all(msgspec.structs.replace(q, centre=0.0) == common for q in questions)
    sent = answer(study, common, people, source, np.array([q.centre for q in questions]))
    frames.write(sys.stdout.buffer, *(encode(write_report(digest(raw), sent, i)) for i, raw in enumerate(asked)))


if __name__ == "__main__":
    main()
