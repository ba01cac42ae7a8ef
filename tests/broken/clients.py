"""What the broken clients share: honest studies and visits, people as a device holds them, a fault with a rate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec
import numpy as np

from semildp.audit import Visit, columns, default_studies
from semildp.audit.visits.asked import AskedOf, asked_of
from semildp.audit.visits.person import Person, arrays, people
from semildp.audit.visits.visits import study_visits
from semildp.client import People, answer, ready
from semildp.sources import Source, below
from semildp.study import Study
from semildp.wire.columns import Answers

EPSILON = 1.0
HIDDEN = np.array([True, False, True])
RESIDUALS = 5  # the first wave of SemiPrivate that asks for residuals, after four of labels


def paper(label: str = "laplace", epsilon: float = EPSILON) -> Study:
    """Return a study of the paper's protocol: everyone sends a label, then a cell."""
    study = default_studies(epsilon)[0]
    return msgspec.structs.replace(study, settings={**study.settings, "label_mechanism": label})


def semi_private() -> Study:
    """Return a study of which the wave `RESIDUALS` is audited: bins of features and the residual, in one report."""
    return next(study for study in default_studies(EPSILON) if study.protocol == "semi-private")


def honest(study: Study, wave: int = 1, kind: str = "") -> Visit[Person]:
    """Return the first visit of an honest study that ends in this wave, and has a kind of mask in its name."""
    found = (v for v in study_visits(study) if isinstance(v, Visit) and f"wave {wave}" in v.name.replace("1+", ""))
    return next(visit for visit in found if kind in visit.name)


def asked(study: Study, wave: int = 1) -> AskedOf:
    """Return what somebody who hides the first and the last feature is asked in a visit that ends in this wave."""
    return next(found for found in asked_of(study, HIDDEN) if found.questions[-1].wave == wave)


def on_devices(study: Study, person: Person, n: int, source: Source) -> People:
    """Return n people like this one, as their devices hold them."""
    X, mask, y = arrays([person])
    return ready(study, np.repeat(X, n, axis=0), np.repeat(y, n), np.repeat(mask, n, axis=0), source)


def both_waves(study: Study, spoilt: Callable[[Study, AskedOf, People, Source], tuple[np.ndarray, ...]]) -> Visit:
    """Return a visit without a stated law: both waves of the paper's protocol, answered by a spoilt client."""
    terms = asked(study, 2)

    def send(person: Person, n: int, source: Source) -> np.ndarray:
        return columns(*spoilt(study, terms, on_devices(study, person, n, source), source))

    return Visit(spoilt.__module__.rpartition(".")[2], EPSILON, people(study, terms.row, HIDDEN)[:4], send)


def answers_to(study: Study, terms: AskedOf, wave: int, who: People, source: Source) -> np.ndarray:
    """Return the number each person sends in a wave that asks for one."""
    sent: Answers = answer(study, terms.questions[wave - 1], who, source)
    return sent[0].value


def sometimes_bare(one_in: int) -> Visit:
    """Return an honest visit, as stated, but for one person in so many whose cell goes out as it is."""
    good = honest(paper("window"), 2, "all hidden")

    def send(person: Person, n: int, source: Source) -> np.ndarray:
        sent, cell = good.send(person, n, source), good.parts[1].known(person)
        if cell is not None:
            sent[below(source.words(n), one_in) == 0, 1] = cell
        return sent

    return replace(good, name=f"one in {one_in} bare", send=send, mixed=None, everyone=())
