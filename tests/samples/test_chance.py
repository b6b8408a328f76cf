"""Chance is the same everywhere, and parts add up."""

import numpy as np
import pytest

from hierdp_core.samples.chance import Uniforms, in_proportion


def test_uniforms_are_the_same_ones_and_lie_in_the_unit_interval():
    drawn = Uniforms(1)(100_000)
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert drawn[:2].tolist() == [0.5118216247002567, 0.9504636963259353]
    assert abs(drawn.mean() - 0.5) < 5 / (12 * 100_000) ** 0.5


@pytest.mark.parametrize("total", [0, 1, 7, 1000])
def test_proportional_parts_add_up_and_are_near(total):
    weights = np.array([5, 1, 0, 14])
    parts = in_proportion(total, weights, Uniforms(1))
    assert parts.sum() == total
    assert np.abs(parts - total * weights / 20).max() < 1
    assert parts[2] == 0


def test_proportional_parts_are_right_in_expectation():
    uniforms = Uniforms(3)
    weights = np.array([5, 1, 14])
    mean = np.mean([in_proportion(1, weights, uniforms) for _ in range(4000)], axis=0)
    np.testing.assert_allclose(mean, weights / 20, atol=0.04)  # five standard deviations
