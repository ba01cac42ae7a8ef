"""How far cut residuals lean to one side, where labels are skewed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp.curator.label_law import LabelLaw
from semildp.curator.pair_plan import cut_normal


@dataclass(frozen=True)
class Leaning:
    """What label reports tell of it: residuals are taken to have the law of labels around its mean.

    Parameters
    ----------
    law
        The law of labels.
    precision
        Inverse variance with which label reports tell of a mean.
    """

    law: LabelLaw
    precision: float

    def at(self, reach: float, variance: float) -> float:
        """Return E[cut residual] / kept, with `kept` as of normal residuals, cut at so many deviations, in deviations.

        What chance makes of it is taken off: its square is lowered by the variance with which a mean is known.

        Parameters
        ----------
        reach
            Where residuals are cut, in their deviations.
        variance
            Of residuals.
        """
        law = self.law
        residuals = (law.points - law.mean) / max(law.deviation, 1e-300)
        leans = float(np.clip(residuals, -reach, reach) @ law.mass) / cut_normal(reach)[0]
        chance = 1 / max(self.precision * variance, 1e-300)
        return leans * max(1 - chance / max(leans**2, 1e-300), 0.0)
