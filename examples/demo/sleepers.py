"""The second act's study: what costs people sleep. All keep stress to themselves, most say when they work."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semildp.crowd import Person
from semildp.sources import SystemSource
from semildp.study import Category, Feature, Number, Study

SLEEP = Study(
    name="sleep",
    epsilon=3.0,
    label=Number(3, 11),
    features=(
        Feature("age", Number(18, 90)),
        Feature("work", Category(("by day", "at night", "in turns"))),
        Feature("coffee", Number(0, 8)),
        Feature("stress", Number(0, 10), private=True),
        Feature("snoring", Category(("yes", "no")), private=True),
    ),
)
HIDING = {"age": 0.2, "work": 0.1, "coffee": 0.35}  # share of people who keep it private; the others all do
NOISE = 0.5  # hours by which people differ though all features are alike

COLLECTION = """
[collection]
title = "How do we sleep?"
description = "We would like to learn what helps people sleep. All people in this demonstration are made up."
contact = "the one who runs scripts/demo"
access = "open"
people = {people}

[collection.questions]
age = {{ text = "How old are you?", unit = "years" }}
work = {{ text = "When do you work?" }}
coffee = {{ text = "How much coffee do you drink on a usual day?", unit = "cups" }}
stress = {{ text = "How stressed have you felt this week?", help = "0 is not at all, 10 is as much as can be." }}
snoring = {{ text = "Do you snore?" }}
label = {{ text = "How many hours did you sleep last night?", unit = "hours" }}
"""


def study_file(people: int) -> str:
    """Return the study with how it is collected, as TOML."""
    return SLEEP.to_toml() + COLLECTION.format(people=people)


def sleepers(count: int, seed: int) -> Iterator[Person]:
    """Make people up: stress, coffee and work at night cost sleep; their devices' noise is the operating system's."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        age, coffee, stress = rng.uniform(18, 90), rng.uniform(0, 8), rng.uniform(0, 10)
        work = ("by day", "at night", "in turns")[rng.choice(3, p=(0.6, 0.2, 0.2))]
        snoring = ("yes", "no")[rng.integers(2)]
        hours = 8.6 - 0.25 * stress - 0.12 * coffee - 1.2 * (work == "at night") - 0.015 * abs(age - 40)
        hidden = [name for name, share in HIDING.items() if rng.random() < share]
        label = float(np.clip(hours + NOISE * rng.standard_normal(), 3, 11))
        yield Person([age, work, coffee, stress, snoring], label, [*hidden, "stress", "snoring"], SystemSource())
