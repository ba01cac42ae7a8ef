"""What the next people are asked with their class: planned for all classes together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from semildp.curator.class_waves.evidence import Evidence
from semildp.curator.effects.learning import LearntEffects
from semildp.curator.noisy import Learnt
from semildp.curator.wave_greedy import Sending
from semildp.curator.wave_plan import Known, Plan, nothing_known, plan_cells
from semildp.mechanisms import best_class_response


def plan_classes(
    evidence: Evidence, learnt: Sequence[Learnt], found: Sequence[LearntEffects] | None, n_people: int, epsilon: float
) -> Plan:
    """Choose what to ask so many people, given what was learnt of each class, and the effects found so far, if any."""
    units = [each.left_variance(evidence.enrolled) for each in learnt]
    n_classes, whole = evidence.n_classes, sum(units)
    part = len(units) / n_classes / whole  # of the noise, summed over classes: that of those that are looked at

    def noise(cells: int) -> float:
        return part * best_class_response(epsilon, cells, n_classes).total_noise

    return plan_cells(_known(evidence, learnt, found, units), n_people, Sending(1.0, 1.0, noise))


def _known(
    evidence: Evidence, learnt: Sequence[Learnt], found: Sequence[LearntEffects] | None, units: Sequence[float]
) -> Known:
    """Add up what is unknown of all classes, in units of their residuals' variances added up."""
    values = {j: evidence.study.n_values[j] for j in evidence.private}
    whole, columns = sum(units), evidence.columns
    precision = sum(unit * each.of.precision for unit, each in zip(units, learnt, strict=True)) / whole
    nothing = Known(nothing_known(values, columns), values, len(columns), precision)
    if found is None:
        return nothing
    told = evidence.told
    each = [nothing.after(one.found, unit, told, {}) for one, unit in zip(found, units, strict=True)]
    doubt = {family: first * (units[0] / whole) for family, first in each[0].doubt.items()}
    for known, unit in zip(each[1:], units[1:], strict=True):
        doubt = {family: before + known.doubt[family] * (unit / whole) for family, before in doubt.items()}
    explained = sum(known.explained * unit for known, unit in zip(each, units, strict=True)) / whole
    features = {j for known in each for j in known.likely}
    likely = {j: max(known.likely.get(j, 0.0) for known in each) for j in features}
    return replace(nothing, doubt=doubt, explained=explained, likely=likely, told=told)
