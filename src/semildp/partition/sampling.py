"""A bounded sample of people, chosen by hash: the same people in whatever batches they come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats, Ints, Words
from semildp.partition.samples import Samples


@dataclass(frozen=True, eq=False)
class Sampled:
    """The rows of the people with the smallest keys; two of them merge with `+`."""

    most: int
    key: Words
    rows: Floats

    def __add__(self, other: Sampled) -> Sampled:
        key, rows = np.concatenate([self.key, other.key]), np.concatenate([self.rows, other.rows])
        if len(key) <= self.most:
            return Sampled(self.most, key, rows)
        kept = np.argpartition(key, self.most)[: self.most]
        return Sampled(self.most, key[kept], rows[kept])


def sample_of(samples: Samples, features: Ints, most: int) -> Sampled:
    """Return the features of at most so many people; NaN where private."""
    rows = np.where(samples.mask[:, features], np.nan, samples.unit[:, features])
    position = np.arange(samples.first, samples.first + len(rows), dtype=np.uint64)
    nobody = Sampled(most, np.zeros(0, dtype=np.uint64), rows[:0])
    return nobody + Sampled(most, hashed(position), rows)


def hashed(position: Words) -> Words:
    """Mix the bits of whole numbers (the finaliser of SplitMix64, Steele, Lea and Flood 2014)."""
    z = (position + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))
