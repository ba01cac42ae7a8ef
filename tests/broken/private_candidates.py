"""The cells a person could be in are judged from a private feature too: the report never leaves them."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np

from semildp.audit import Visit
from semildp.audit.visits.asked import AskedOf
from semildp.client import People
from semildp.sources import Source
from semildp.study import Study
from tests.broken.clients import answers_to, both_waves, paper


def spoilt(study: Study, terms: AskedOf, who: People, source: Source) -> tuple[np.ndarray, ...]:
    as_if_public = replace(who, mask=who.mask & np.array([False, True, True]))
    return answers_to(study, terms, 1, who, source), answers_to(study, terms, 2, as_if_public, source)


def build() -> Visit:
    study = paper()
    free = tuple(msgspec.structs.replace(feature, private=False) for feature in study.features)
    return both_waves(msgspec.structs.replace(study, features=free), spoilt)
