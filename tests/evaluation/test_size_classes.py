"""Error by size of place: nothing infinite, nothing dropped in silence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.evaluation.size_classes import ZERO, by_size, size_classes


def level(true, released):
    names = tuple(f"p{k}" for k in range(len(true)))
    return LevelSimulations(
        level="county",
        nodes=np.arange(len(true)),
        ids=names,
        names=names,
        true=np.asarray(true),
        released=np.asarray(released),
    )


@given(true=arrays(np.int64, st.integers(1, 60), elements=st.integers(0, 40)))
def test_classes_rise_with_size_and_keep_equal_places_together(true):
    found = size_classes(true)
    assert ((found == ZERO) == (true == 0)).all()
    positive = found[true > 0]
    assert set(positive) == set(range(len(set(positive))))
    assert len(set(positive)) <= 10
    order = np.argsort(true, kind="stable")
    assert (np.diff(found[order]) >= 0).all()
    for size in set(true):
        assert len(set(found[true == size])) == 1


def test_a_hundred_different_places_make_ten_classes_of_ten():
    found = size_classes(np.arange(1, 101))
    assert np.bincount(found).tolist() == [10] * 10


@given(
    true=arrays(np.int64, 12, elements=st.integers(0, 30)),
    noise=arrays(np.int64, (4, 12), elements=st.integers(-30, 30)),
)
def test_every_place_is_in_one_row_and_no_error_is_infinite(true, noise):
    frame = by_size(level(true, true + noise))
    assert frame["places"].sum() == len(true)
    assert not np.isinf(frame.to_numpy(float)).any()
    total = (frame["mean_abs"] * frame["places"]).sum() / len(true)
    assert total == pytest.approx(np.abs(noise).mean())
    assert (frame["bias"] * frame["places"]).sum() == pytest.approx(noise.mean(axis=0).sum())


def test_places_that_are_truly_zero_stand_apart():
    frame = by_size(level([0, 0, 10], [[3, 0, 12], [1, 0, 9]]), np.array([0.5, np.nan, 0.25]))
    zero, ten = frame.to_dict("records")
    assert zero["size_class"] == ZERO
    assert np.isnan([zero["median_rel"], zero["mean_rel"], zero["bias_rel"]]).all()
    assert zero["false_positives"] == 0.5
    assert zero["bias"] == 1
    assert zero["wrong"] == 0.5
    assert ten["mean_rel"] == pytest.approx(0.15)
    assert ten["bias"] == 0.5
    assert ten["bias_low"] == pytest.approx(0.5 - 12.706 * 1.5, rel=1e-3)  # Student, 1 degree
    assert ten["wrong"] == 0.25


def test_without_a_rule_no_outcome_differs_and_one_simulation_has_no_interval():
    frame = by_size(level([4], [[6]]))
    assert np.isnan(frame["wrong"][0])
    assert np.isnan(frame["bias_low"][0])
    assert frame["mean_rel"][0] == 0.5
