"""The margin of a small number reaches over whole cells of the grid of true counts."""

import math

import numpy as np
import pytest

from hierdp_core.releases import near_zero
from hierdp_core.releases.near_zero import NoiseLaw, plausible


@pytest.mark.parametrize("usual", [7.0, 33.0, 250.0])
@pytest.mark.parametrize("gaussian", [False, True])
def test_the_margin_holds_the_chance_that_it_states(usual: float, gaussian: bool) -> None:
    law = NoiseLaw(gaussian=gaussian, level=0.9, factor=1.7)
    values = np.concatenate([np.zeros(40), np.arange(1.0, 12 * usual, usual / 5)])
    margins = plausible(values, usual, law)
    edges = np.linspace(0, near_zero._USUAL_MARGINS * usual, near_zero._CELLS + 1)
    step = float(edges[1])
    n = math.ceil(near_zero._CELLS * near_zero._BEYOND)
    true = np.arange(0.5, n, dtype=np.float64) * step
    likelihood = near_zero._likelihood(edges, true, usual, law)
    inside = values[values <= edges[-1]]
    counts = np.bincount(near_zero._cell(inside, edges), minlength=near_zero._CELLS + 1)
    distribution = near_zero._estimate(likelihood, counts.astype(np.float64))
    known = np.flatnonzero(~np.isnan(margins))
    assert len(known) > 40
    for place in known:
        weights = likelihood[near_zero._cell(values[[place]], edges)[0]] * distribution
        within = np.abs(true - values[place]) + step / 2 <= margins[place] + 1e-9
        assert weights[within].sum() >= (law.level - 1e-9) * weights.sum()
