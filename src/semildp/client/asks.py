"""One function per kind of (verified) ask: what a person's raw values are in its terms, randomised."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Floats, Ints
from semildp._kernels.threads import over_slices
from semildp.client.rows import People
from semildp.domains import LabelGrid, bin_of
from semildp.mechanisms import BinaryResponse, GeneralisedResponse
from semildp.sources import Source
from semildp.study import Study
from semildp.wire.columns import Marks
from semildp.wire.forms import read_class_response, read_mechanism, read_pair_response, read_partition
from semildp.wire.messages import AskBins, AskCell, AskClass, AskHistogram, AskLabel, AskPair, AskSigned, Mechanism
from semildp.wire.problems import WireError


def answer_label(ask: AskLabel, study: Study, people: People, centre: Floats, source: Source) -> Marks:
    """Round labels to the public grid and randomise them there."""
    mechanism = read_mechanism(ask.mechanism, ask.epsilon)
    grid = LabelGrid(ask.low, ask.high, mechanism.n_values - 1)
    if ask.rounding == "random":
        points = grid.encode_at_random(people.labels, source.words(len(people)))
    else:
        points = np.empty(len(people), dtype=np.int64)
        over_slices(lambda s: np.copyto(points[s], grid.encode(people.labels[s])), len(people))
    return Marks.one_each(mechanism.randomise(points, source))


def answer_cell(ask: AskCell, study: Study, people: People, centre: Floats, source: Source) -> Marks:
    """Randomise each person's cell over the cells they could be in.

    A person's draws follow those of the person before, so any division into batches gives the same reports.
    """
    partition = read_partition(ask.partition, study.bounds)
    if (loops := partition.loops(len(people))) is not None:
        size, truth = loops.truths(people.rows, people.mask)
        if _kinds(ask, size) <= {"generalised"}:
            sent = GeneralisedResponse(ask.epsilon, size).randomise(truth, source)
            return Marks.one_each(loops.pick(people.rows, people.mask, sent))
    candidates = partition.candidates(people.rows, people.mask)
    truth = candidates.position(partition.cell(people.rows))
    everyone = np.arange(len(people))
    if _kinds(ask, candidates.size) <= {"generalised"}:
        sent = GeneralisedResponse(ask.epsilon, candidates.size).randomise(truth, source)
        return Marks.one_each(candidates.pick(everyone, sent))
    bits = BinaryResponse(ask.epsilon, candidates.size).randomise(truth, source)
    marked = np.flatnonzero(bits)  # bits lie end to end, one per candidate
    person = np.repeat(everyone, candidates.size)[marked]
    first = np.cumsum(candidates.size) - candidates.size
    return Marks.sets(person, candidates.pick(person, marked - first[person]), len(people))


def answer_pair(ask: AskPair, study: Study, people: People, centre: Floats, source: Source) -> Marks:
    """Send (cell, level of the residual) as cell * levels + level, jointly.

    Candidates and mechanism follow from what is public. Cell and residual are functions of the private values, which
    change one value out of candidates x levels: epsilon in all. Who has one candidate spends all of it on the label.
    """
    partition = read_partition(ask.partition, study.bounds)
    candidates = partition.candidates(people.rows, people.mask)
    cell = partition.cell(people.rows)
    truth = candidates.position(cell)
    residual = people.labels - (centre + np.asarray(ask.centres)[cell // partition.n_codes])
    rounding = source.words(len(people))
    nobody = np.zeros(0, dtype=np.int64)
    person, symbol = [nobody], [nobody]
    for size in np.unique(candidates.size):
        response = read_pair_response(_for_size(ask.mechanisms, size), ask.epsilon, int(size))
        here = np.flatnonzero(candidates.size == size)
        levels = LabelGrid(-ask.reach, ask.reach, response.levels - 1)
        marker, value = response.send(truth[here], levels.encode_at_random(residual[here], rounding[here]), source)
        person.append(here[marker])
        cells = candidates.pick(here[marker], value // response.levels)
        symbol.append(cells * response.levels + value % response.levels)
    return Marks.sets(np.concatenate(person), np.concatenate(symbol), len(people))


def answer_signed(ask: AskSigned, study: Study, people: People, centre: Floats, source: Source) -> Marks:
    """Send the level of the residual times the sign of the person's cell: one private value out of the levels."""
    signs = np.asarray(ask.signs)[read_partition(ask.partition, study.bounds).cell(people.rows)]
    mechanism = read_mechanism(ask.mechanism, ask.epsilon)
    grid = LabelGrid(-ask.reach, ask.reach, mechanism.n_values - 1)
    level = grid.encode_at_random(signs * (people.labels - centre), source.words(len(people)))
    return Marks.one_each(mechanism.randomise(level, source))


def answer_class(ask: AskClass, study: Study, people: People, centre: Floats, source: Source) -> Marks:
    """Send (cell, class of the label) as cell * classes + class, jointly.

    Candidates and mechanism follow from what is public. Cell and class are functions of the private values, which
    change one value out of candidates x classes: epsilon in all. Who has one candidate spends all of it on the class.
    """
    partition = read_partition(ask.partition, study.bounds)
    possible = partition.candidates(people.rows, people.mask)
    place, own = possible.position(partition.cell(people.rows)), people.labels.astype(np.int64)
    n_classes, nobody = len(study.classes), np.zeros(0, dtype=np.int64)
    sender, sent = [nobody], [nobody]
    for size in np.flatnonzero(np.bincount(possible.size)).tolist():
        response = read_class_response(_for_size(ask.mechanisms, size), ask.epsilon, size, n_classes)
        these = np.flatnonzero(possible.size == size)
        marker, value = response.send(place[these], own[these], source)
        sender.append(these[marker])
        sent.append(possible.pick(these[marker], value // n_classes) * n_classes + value % n_classes)
    return Marks.sets(np.concatenate(sender), np.concatenate(sent), len(people))


def answer_bins(ask: AskBins, study: Study, people: People, centre: Floats, source: Source) -> Marks:
    """Send the bin of every feature a person hides, each with epsilon, in the order of features."""
    bins = np.array([mechanism.values for mechanism in ask.mechanisms])
    person, feature = np.nonzero(people.mask)
    own = bin_of(study.bounds.scale(people.rows), bins)[person, feature]
    return Marks(people.mask.sum(axis=1), GeneralisedResponse(ask.epsilon, bins[feature]).randomise(own, source))


def answer_histogram(ask: AskHistogram, study: Study, people: People, centre: Floats, source: Source) -> Marks:
    """Send a noisy indicator and a noisy label for every cell, everything being private.

    Indicators are in units of 1 / steps; labels are in grid steps from the middle of the grid, which is what other
    cells hold. Half of epsilon goes to each vector. A change of cell changes two indicators by 1 each, so each entry
    has a quarter of epsilon. Of the label vector it changes two entries by half the label range each, and a change of
    label one entry by the range, so each entry has the half.
    """
    partition = read_partition(ask.partition, study.bounds)
    mass_noise = read_mechanism(ask.mass, ask.epsilon / 4)
    label_noise = read_mechanism(ask.label, ask.epsilon / 2)
    steps = label_noise.n_values - 1
    grid, cell, everyone = LabelGrid(ask.low, ask.high, steps), partition.cell(people.rows), np.arange(len(people))
    shape = (len(people), partition.n_cells)
    mass, label = np.zeros(shape, dtype=np.int64), np.full(shape, steps // 2, dtype=np.int64)
    mass[everyone, cell] = steps
    label[everyone, cell] = grid.encode(people.labels)
    noisy: list[Ints] = [
        noise.randomise(vector.reshape(-1), source).reshape(shape)
        for noise, vector in ((mass_noise, mass), (label_noise, label))
    ]
    sent = np.concatenate([noisy[0], noisy[1] - steps // 2], axis=1)
    return Marks(np.full(len(people), 2 * partition.n_cells), sent.reshape(-1))


def _kinds(ask: AskCell, sizes: Ints) -> set[str]:
    """Return the kinds of mechanism for these numbers of candidates."""
    return {_for_size(ask.mechanisms, int(size)).kind for size in np.flatnonzero(np.bincount(sizes))}


def _for_size(mechanisms: dict[str, Mechanism], size: int) -> Mechanism:
    """Return the mechanism for so many candidates; a question without one cannot be answered."""
    if str(size) not in mechanisms:
        raise WireError("missing-field", f"no mechanism for {size} candidates")
    return mechanisms[str(size)]
