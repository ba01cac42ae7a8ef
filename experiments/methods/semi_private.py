"""SemiPrivate in its one default configuration, and what its first wave alone would have taught."""

from __future__ import annotations

from experiments.common.names import FIRST_WAVE, SEMI_PRIVATE
from experiments.common.problem import Problem
from experiments.common.registry import method
from experiments.common.rows import Row
from experiments.common.task import Task
from semildp.protocols import SemiPrivate
from semildp.simulate import simulate


@method("semi-private", "beyond", "beyond-simulation")
def semi_private(problem: Problem, task: Task) -> list[Row]:
    """The model of both waves, and a model learnt from the reports of the first wave and nothing else.

    The rows are those of `SemiPrivateRegressor` with the problem's seed.
    """
    protocol, study = SemiPrivate(), problem.study(task.epsilon, "semi-private")
    sources = problem.streams(protocol.streams)
    result = simulate(study, problem.X, problem.y, problem.mask, protocol=protocol, sources=sources, clip=False)
    models = {SEMI_PRIVATE: result.model, FIRST_WAVE: protocol.first_wave_only(result.state)}
    return [Row(name, problem.error(model.predict(problem.X_test)[0])) for name, model in models.items()]
