"""Made-up people of the study of sleep: they enrol, are asked and report, over HTTP, in batches."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from semildp.client import Device, Ledger
from semildp.sources import SeededSource
from semildp.study import Category, Feature, Number, Study
from tests.service.serving import Server, each, tokens

NIGHTS = Study(
    name="sleep-2026",
    epsilon=3.0,
    label=Number(3, 11),
    features=(
        Feature("age", Number(18, 90)),
        Feature("work", Category(("day", "night", "both"))),
        Feature("coffee", Number(0, 8)),
        Feature("stress", Number(0, 10), private=True),
        Feature("alone", Category(("yes", "no")), private=True),
    ),
)


@dataclass(frozen=True)
class Sleeper:
    """A person: token, device."""

    token: str
    device: Device


def sleepers(seed: int) -> Iterator[Sleeper]:
    """Yield people without end; stress and coffee cost sleep, and so does working at night."""
    for number in itertools.count():
        rng = np.random.default_rng([seed, number])
        age, coffee, stress = rng.uniform(18, 90), rng.uniform(0, 8), rng.uniform(0, 10)
        work, alone = ("day", "night", "both")[rng.choice(3, p=(0.6, 0.2, 0.2))], ("yes", "no")[rng.integers(2)]
        label = (
            8.4 - 0.25 * stress - 0.12 * coffee - 1.2 * (work == "night") - 0.015 * abs(age - 40) + rng.normal(0, 0.5)
        )
        hidden = [name for name, share in (("age", 0.2), ("work", 0.1), ("coffee", 0.35)) if rng.random() < share]
        values = [age, work, coffee, stress, alone]
        source = SeededSource(np.random.SeedSequence([seed, number, 1]))
        device = Device(NIGHTS, values, float(np.clip(label, 3, 11)), [*hidden, "stress", "alone"], Ledger(3.0), source)
        yield Sleeper(tokens(1)[0], device)


def take_part(server: Server, people: list[Sleeper]) -> int:
    """Let people enrol, ask for their questions and report; return how many reports were taken."""
    server.batch([{"person": p.token, "enrolment": p.device.enrol().decode()} for p in people])
    replies = each(server, [("GET", "/api/question", None, p.token) for p in people])
    wave = server.status()["waves"][-1]["wave"]
    lines = [
        {"person": p.token, "wave": wave, "report": p.device.answer(reply.body).decode()}
        for p, reply in zip(people, replies, strict=True)
        if reply.status == 200
    ]
    return int(server.batch(lines)["accepted"])


WORDS = {
    "age": {"text": "How old are you?", "unit": "years"},
    "work": {"text": "When do you work?"},
    "coffee": {"text": "How much coffee do you drink on a usual day?", "unit": "cups"},
    "stress": {"text": "How stressed have you felt this week?"},
    "alone": {"text": "Do you sleep alone?"},
    "label": {"text": "How many hours did you sleep last night?", "unit": "hours"},
}


def write_nights(folder: Path, people: int) -> Path:
    """Write the study's file: open to all, one visit."""
    lines = [
        "",
        "[collection]",
        'title = "How do we sleep?"',
        'access = "open"',
        f"people = {people}",
        "wave_hours = 72",
    ]
    lines += ['description = "We would like to learn what helps people sleep."', 'contact = "sleep@example.org"']
    for name, words in WORDS.items():
        lines += [f"[collection.questions.{name}]", *(f"{key} = {json.dumps(text)}" for key, text in words.items())]
    path = folder / "study.toml"
    path.write_text(NIGHTS.to_toml() + "\n".join(lines) + "\n", "utf-8")
    return path
