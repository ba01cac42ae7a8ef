"""Reading a study's file whole: the study, how it is collected, and whether its protocol takes it."""

from __future__ import annotations

import tomllib
from pathlib import Path

from semildp.drafting.draft import Draft, draft_toml
from semildp.errors import InputError
from semildp.protocols import asks_newcomers, must_be_public, protocol_of
from semildp.running import Running
from semildp.service.settings import Collection, collection_from, read_study_file
from semildp.study import Feature, Number, Study
from semildp.wire.codec import encode
from semildp.wire.messages import Enrolment

FEW = 50  # people, to try whether the protocol takes the study


def read_whole(path: Path) -> tuple[Study, Collection]:
    """Return the study and how it is collected; what cannot be used is refused."""
    study, collection = read_study_file(path)
    protocol_of(study)
    _try_to_plan(study)
    return study, collection


def checked_toml(draft: Draft) -> str:
    """Return a draft's file, if what it says can be used."""
    text = draft_toml(draft)
    table = tomllib.loads(text)["collection"]
    study = draft.study()
    collection_from(table).fit(study)
    protocol_of(study)
    _try_to_plan(study)
    return text


def _try_to_plan(study: Study) -> None:
    """Plan the first wave for nobody, or for a few people: a protocol that cannot refuses the study."""
    public = must_be_public(study)
    if public and (study.hide_mask or any(feature.private for feature in study.features)):
        raise InputError(
            f"With the protocol {study.protocol!r} every feature must be public. Got private ones. "
            "Take 'semi-private', or make them public."
        )
    if asks_newcomers(study):
        Running(study, 0, FEW).plan()
        return
    running = Running(study, 0)
    running.enrol(
        [encode(Enrolment(study.digest, tuple(_anything(f) if public else None for f in study.features)))] * FEW
    )
    running.plan()


def _anything(feature: Feature) -> float | str:
    """Return some value of a feature."""
    return feature.domain.low if isinstance(feature.domain, Number) else feature.domain.values[0]
