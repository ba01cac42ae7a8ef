"""The noisy label is drawn anew for every cell it might be counted in: their mean is less noisy than was paid for."""

from __future__ import annotations

import numpy as np

from semildp.audit import Visit
from semildp.audit.visits.asked import AskedOf
from semildp.client import People
from semildp.sources import Source
from semildp.study import Study
from semildp.wire.forms import read_partition
from tests.broken.clients import answers_to, both_waves, paper


def spoilt(study: Study, terms: AskedOf, who: People, source: Source) -> tuple[np.ndarray, ...]:
    partition = read_partition(terms.questions[1].asks[0].partition, study.bounds)
    n_cells = int(partition.count(who.rows[:1], who.mask[:1])[0])
    labels = [answers_to(study, terms, 1, who, source) for _ in range(n_cells)]
    return (*labels, answers_to(study, terms, 2, who, source))


def build() -> Visit:
    return both_waves(paper(), spoilt)
