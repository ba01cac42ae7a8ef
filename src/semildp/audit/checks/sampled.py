"""Checks of the sampler that ships: what `randomise` draws is held against what the mechanism states.

Each check raises on a correct mechanism with probability at most 1e-7 (see `statistics`), for any seed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.audit.checks.many_values import fit_every_value
from semildp.audit.checks.wide_rows import fit_wide
from semildp.audit.finding import require
from semildp.audit.laws.estimates import estimate_law, estimates, targets
from semildp.audit.laws.listed import listed_outputs, log_table
from semildp.audit.laws.rows import (
    as_rows,
    entry_chances,
    independent,
    n_symbols,
    neighbour_chances,
    own_entries,
    sends_rows,
    width,
)
from semildp.audit.laws.values import MANY_VALUES, all_values, some_values, spread_values
from semildp.audit.laws.wide import is_wide
from semildp.audit.statistics import assert_counts, assert_means
from semildp.mechanisms import Mechanism
from semildp.sources import SeededSource, Source, SystemSource

PEOPLE = 200_000  # in all; enough to see twice the epsilon wherever the battery looks
MANY_PEOPLE = 600_000  # enough to see one person in a hundred who goes out bare
LEAST_PER_VALUE = 20_000
MANY_OUTPUTS, COUNTED_OUTPUTS = 512, 1 << 14
WORDS = 8_000_000  # Entries drawn at most in one check, to bound its memory.
WIDE_WORDS, WIDE_ROWS = 1 << 25, (16, 64)  # entries of wide rows in one check; rows per value


def draw(mechanism: Mechanism, values: Ints, n: int, sources: Sequence[Source]) -> Ints:
    """Randomise n people of each value, the values in turn, in one call per source; returns (person, value, ...)."""
    people = np.tile(values, -(-n // len(sources)))
    outputs = np.concatenate([as_rows(mechanism, mechanism.randomise(people, source)) for source in sources])
    return outputs.reshape(-1, len(values), *outputs.shape[1:])


def check_frequencies(mechanism: Mechanism, seed: int = 0, people: int = PEOPLE) -> float:
    """For every value, every output is as likely as stated; of rows also every entry and every two neighbours.

    Half of the people are drawn from a seeded source, half from the operating system's. Of more than MANY_VALUES values
    a few are held against every output, and all against the likelihood of what they send (`many_values`); of wide rows
    see `wide_rows`.
    """
    n_values, sources = mechanism.n_values, (SeededSource(seed), SystemSource())
    if is_wide(mechanism):
        return fit_wide(mechanism, int(np.clip(WIDE_WORDS // (n_values * width(mechanism)), *WIDE_ROWS)), sources)
    rows = sends_rows(mechanism)
    values = all_values(mechanism) if rows or n_values <= MANY_VALUES else spread_values(mechanism)
    n = max(people // len(values), LEAST_PER_VALUE)
    if rows:
        n = min(n, WORDS // (len(values) * width(mechanism)))
    fit = fit_outputs(mechanism, draw(mechanism, values, n, sources), values)
    return fit if len(values) == n_values else min(fit, fit_every_value(mechanism, people, sources))


def fit_outputs(mechanism: Mechanism, outputs: Ints, values: Ints) -> float:
    """Hold outputs (person, value, ...) against what the mechanism states for these values."""
    p_value = 1.0
    if sends_rows(mechanism):
        p_value = _check_rows(mechanism, outputs, values)
    listed = listed_outputs(mechanism)
    return (
        p_value if listed is None else min(p_value, fit_listed(outputs, listed, log_table(mechanism, listed, values)))
    )


def fit_listed(outputs: Ints, listed: Ints, logs: Floats) -> float:
    """Hold outputs (person, value, ...) against their stated log probabilities (value, listed output)."""
    n, chance = len(outputs), np.exp(logs)
    place = output_index(listed, outputs)
    count = np.array([np.bincount(column, minlength=chance.shape[1]) for column in place.T])
    pooled = 1.0
    if 1 < chance.shape[1] <= COUNTED_OUTPUTS:
        people, mean = n * len(chance), chance.mean(axis=0)
        pooled = assert_counts(count.sum(axis=0), people, mean, "an output is not drawn as often as stated")
    if chance.shape[1] > MANY_OUTPUTS:
        count, chance = _grouped(count, chance)
    single = assert_counts(count, n, chance, "(value, output) is not drawn as often as stated")
    running = np.cumsum(chance, axis=1)
    summed = assert_counts(
        np.cumsum(count, axis=1), n, running, "outputs up to (value, output) are not drawn as often as stated"
    )
    return min(single, summed, pooled, _check_levels(count, chance, n))


def _check_levels(count: Ints, chance: Floats, n: int) -> float:
    """Pool all values: how often is an output drawn that is as likely as this? A small shift in epsilon shows here."""
    level = np.unique(chance.round(12), return_inverse=True)[1].reshape(chance.shape)
    mass = np.array(
        [np.bincount(row, weights=p, minlength=level.max() + 1) for row, p in zip(level, chance, strict=True)]
    )
    drawn, people = np.bincount(level.ravel(), weights=count.ravel()), n * len(chance)
    what = "outputs of one likelihood are not drawn as often as stated"
    return assert_counts(drawn, people, mass.mean(axis=0), what)


def _check_rows(mechanism: Mechanism, outputs: Ints, values: Ints) -> float:
    n, chance = len(outputs), entry_chances(mechanism, values)
    marks = np.arange(1, n_symbols(mechanism))
    entries = outputs.dtype.kind in "biu" and outputs.min() >= 0 and outputs.max() <= len(marks)
    require(bool(entries), "A row holds something that is no entry.")
    count = np.stack([(outputs == mark).sum(axis=0) for mark in marks], axis=2)
    p_value = assert_counts(count, n, chance[:, :, 1:], "(value, candidate, entry) is not drawn as often as stated")
    if width(mechanism) > 2:
        after = np.roll(outputs, -1, axis=2)
        both = np.array([[((outputs == a) & (after == b)).sum(axis=0) for b in marks] for a in marks])
        stated = neighbour_chances(mechanism, values)
        assert_counts(np.moveaxis(both, (0, 1), (2, 3)), n, stated, "neighbours are not drawn together as stated")
    _check_pooled(mechanism, outputs, values, chance)
    return p_value


def _check_pooled(mechanism: Mechanism, outputs: Ints, values: Ints, chance: Floats) -> None:
    """Pool all values: how often is each entry drawn of the true candidate, of others, of all? A small shift shows."""
    own = own_entries(mechanism, values)
    if own is None:
        return
    candidate, entry = own
    each = np.arange(len(values))
    told, expected = outputs[:, each, candidate] == entry, chance[each, candidate, entry]
    equal = np.ptp(expected) <= 1e-9
    require(equal or independent(mechanism), "The truth is stated to be likelier for one value than for another.")
    assert_counts([told.sum()], told.size, [expected.mean()], "The true entry is not drawn as often as stated")
    if not independent(mechanism):
        return
    truth = np.zeros(outputs.shape[1:], dtype=np.int64)
    truth[each, candidate] = entry
    _check_all(outputs == truth, np.take_along_axis(chance, truth[:, :, None], axis=2)[:, :, 0])
    for mark in range(1, n_symbols(mechanism)):
        _check_all(outputs[:, truth == 0] == mark, chance[truth == 0, mark])


def _check_all(happened: Bools, chance: Floats) -> None:
    """Pool independent events."""
    if chance.size:
        assert_counts([happened.sum()], happened.size, [chance.mean()], "entries are not drawn as often as stated")


def output_index(domain: Ints, outputs: Ints) -> Ints:
    """Return where in the list of outputs each output is; one that is not there is an error."""
    if domain.ndim == 2:  # A random combination of the entries tells rows apart.
        key = np.random.default_rng(0).integers(2**62, size=domain.shape[1])
        domain, outputs = domain @ key, outputs @ key
        require(len(np.unique(domain)) == len(domain), "An output is listed twice.")
    if outputs.dtype.kind == "i" and np.array_equal(domain, np.arange(domain[0], domain[0] + len(domain))):
        index = np.clip(outputs - domain[0], 0, len(domain) - 1)
    else:
        order = np.argsort(domain)
        index = order[np.minimum(np.searchsorted(domain, outputs, sorter=order), len(domain) - 1)]
    require((domain[index] == outputs).all(), "An output was drawn that is not in output_domain.")
    return np.asarray(index)


def _grouped(count: Ints, chance: Floats) -> tuple[Ints, Floats]:
    """Merge neighbouring outputs, value by value, in steps of 1/4 of the logit of the distribution function."""
    below, above = np.cumsum(chance, axis=1), np.cumsum(chance[:, ::-1], axis=1)[:, ::-1]
    group = np.floor(4 * (np.log(below) - np.log(above))).astype(np.int64)
    group -= group.min()
    size = int(group.max()) + 1
    merged = [np.bincount(g, weights=c, minlength=size) for g, c in zip(group, count, strict=True)]
    mass = [np.bincount(g, weights=p, minlength=size) for g, p in zip(group, chance, strict=True)]
    return np.array(merged).astype(np.int64), np.array(mass)


def _errors(mechanism: Mechanism, seed: int) -> tuple[Floats, Floats, Floats]:
    """Return errors of drawn estimates (person, value, column), and their stated law (value, column, possibility)."""
    values = some_values(mechanism)
    worth, chance = estimate_law(mechanism, values)
    target = targets(mechanism, values, worth.shape[1])
    n = min(4 * LEAST_PER_VALUE, WORDS // (2 * target.size))
    outputs = draw(mechanism, values, n, [SeededSource(seed)])
    drawn = estimates(mechanism, outputs.reshape(-1, *outputs.shape[2:])).reshape(len(outputs), *target.shape)
    return drawn - target, worth - target[:, :, None], chance


def check_unbiased_in_samples(mechanism: Mechanism, seed: int = 0) -> None:
    """The mean error of drawn estimates is 0, within Bernstein's bound."""
    drawn, error, chance = _errors(mechanism, seed)
    variance, bound = (error**2 * chance).sum(axis=2), np.abs(error).max(axis=2)
    mean = drawn.mean(axis=0)
    assert_means(
        mean, len(drawn), np.zeros_like(mean), (variance, bound), "The drawn (value, column) estimate is biased"
    )


def check_variance_in_samples(mechanism: Mechanism, seed: int = 0) -> None:
    """The mean squared error of drawn estimates is the stated variance, within Bernstein's bound.

    Squares are cut at 12 standard deviations, in the draws and in the stated law alike: what is far out is rare, and
    would make the bound useless.
    """
    drawn, error, chance = _errors(mechanism, seed)
    stated = np.asarray(mechanism.variance(some_values(mechanism))).reshape(error.shape[:2])
    cut = 144 * stated
    square = np.minimum(error**2, cut[:, :, None])
    beyond = ((error**2 - square) * chance).sum(axis=2)
    expected = stated - beyond
    spread = (square**2 * chance).sum(axis=2) - (square * chance).sum(axis=2) ** 2
    mean = np.minimum(drawn**2, cut).mean(axis=0)
    assert_means(
        mean, len(drawn), expected, (np.maximum(spread, 0), cut), "The drawn (value, column) error is not as stated"
    )
