"""The devices' program: it has the raw rows; questions come and reports go by standard input and output, as bytes."""

from __future__ import annotations

import json
import sys

import msgspec
import numpy as np

from semildp.client import People, answer, enrol, ready
from semildp.sources import SeededSource
from semildp.study import Study
from semildp.wire.codec import decode, digest, encode
from semildp.wire.messages import Question
from semildp.wire.people import write_enrolment, write_report
from tests.programs import frames
from tests.programs.studies import SEED, cases

IN, OUT = sys.stdin.buffer, sys.stdout.buffer


def main() -> None:
    """Take part in studies until the curator says that it is over."""
    known = {case.name: case for case in cases()}
    while (name := frames.read(IN).decode()) != "over":
        take_part(*known[name].people())
    frames.write(OUT, json.dumps(sorted(sys.modules)).encode())


def take_part(X: np.ndarray, y: np.ndarray, mask: np.ndarray) -> None:
    """Enrol everyone, then answer waves until the study is done."""
    study, names = Study.from_dict(json.loads(frames.read(IN))), json.loads(frames.read(IN))
    children = np.random.SeedSequence(SEED).spawn(len(names))
    sources = {name: SeededSource(child) for name, child in zip(names, children, strict=True)}
    people = ready(study, X, y, mask, sources["fill"])
    enrolled = enrol(people)
    frames.write(OUT, *(encode(write_enrolment(study, enrolled, i)) for i in range(len(people))))
    while (stream := frames.read(IN).decode()) != "done":
        for who in json.loads(frames.read(IN)):
            asked = [frames.read(IN) for _ in who]
            _answer(study, people[np.array(who, dtype=np.int64)], asked, sources[stream])


def _answer(study: Study, people: People, asked: list[bytes], source: SeededSource) -> None:
    """Answer the questions of people who differ in their centres only, all at once as the simulation does."""
    questions = [decode(raw, Question) for raw in asked]
    if not questions:
        return
    common = msgspec.structs.replace(questions[0], centre=0.0)
    assert all(msgspec.structs.replace(q, centre=0.0) == common for q in questions)
    sent = answer(study, common, people, source, np.array([q.centre for q in questions]))
    frames.write(OUT, *(encode(write_report(digest(raw), sent, i)) for i, raw in enumerate(asked)))


if __name__ == "__main__":
    main()
