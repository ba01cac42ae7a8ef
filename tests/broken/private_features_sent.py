"""The enrolment carries all features, private ones included."""

from __future__ import annotations

import numpy as np

from semildp.audit import Visit
from semildp.audit.visits.asked import AskedOf
from semildp.client import People
from semildp.sources import Source
from semildp.study import Study
from tests.broken.clients import answers_to, both_waves, paper


def spoilt(study: Study, terms: AskedOf, who: People, source: Source) -> tuple[np.ndarray, ...]:
    return (*(answers_to(study, terms, wave, who, source) for wave in (1, 2)), who.rows, who.mask)


def build() -> Visit:
    return both_waves(paper(), spoilt)
