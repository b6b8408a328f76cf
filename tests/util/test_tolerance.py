"""One rule for "within a tolerance", wherever errors are held against one."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import binary_places

from hierdp_core.decisions import decide
from hierdp_core.evaluation.errors import _cell_errors, errors
from hierdp_core.evaluation.flow_errors import flow_errors
from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.exceptions import ChoiceError
from hierdp_core.planning.bench import TargetScorer
from hierdp_core.planning.targets import Target
from hierdp_core.simulation import plan, simulate
from hierdp_core.tables import Counts
from hierdp_core.util.tolerance import as_written, within

HUNDREDTHS = range(1, 100)
LARGEST = 2_000


def boundaries(hundredths):
    """True counts with the largest whole error that is within, and one more."""
    true = np.arange(LARGEST + 1)
    return true, true * hundredths // 100


@pytest.mark.parametrize("real", [False, True])
def test_the_boundary_is_within_and_one_more_is_not(real):
    for hundredths in HUNDREDTHS:
        true, largest = boundaries(hundredths)
        kind = np.float64 if real else np.int64
        tolerance = hundredths / 100
        assert within(largest.astype(kind), true, tolerance).all(), tolerance
        assert within(-largest.astype(kind), true, tolerance).all(), tolerance
        assert not within(largest.astype(kind) + 1, true, tolerance).any(), tolerance
        assert within(largest.astype(kind), true.astype(kind), tolerance).all(), tolerance


def test_everything_that_holds_an_error_against_a_tolerance_draws_the_same_line():
    """`errors`, errors of flows, targets and funding, at every boundary."""
    quantiles = {"q": 0.5}
    for hundredths in HUNDREDTHS:
        true, largest = boundaries(hundredths)
        tolerance = hundredths / 100
        target = Target.parse(f"county=all:{hundredths}%")
        for extra, inside in ((0, 1.0), (1, 0.0)):
            released = true + largest + extra
            assert _cell_errors(true, released, tolerance)["within_tolerance"] == inside
            flows = flow_errors(
                (true + 1, true),
                (true + 1, released),
                cells=len(true),
                tolerance=tolerance,
                quantiles=quantiles,
            )
            assert flows["within_tolerance"] == inside
            scorer = TargetScorer(
                target=target,
                nodes=true,
                true=true,
                reference=true,
                limit=tolerance * true,
                needed=1 if extra else len(true),
                unit="people",
            )
            share, taken = scorer.score(released)
            assert share == inside
            assert (taken <= 1) == (inside == 1)


def test_the_case_that_was_different_before():
    table = Counts.from_leaves(binary_places(1), [100, 100])
    made = plan(table, "tree-dp", epsilon=1)
    simulation = simulate(table, made)
    released = np.array([258, 129, 129])
    moved = replace(simulation, table=table.with_values(released))
    assert errors(table, moved, tolerance=0.29)["within_tolerance"].tolist() == [1, 1]
    assert 29 > 0.29 * 100  # what floats say


@given(
    size=st.integers(0, 10**15) | st.floats(0, 1e12),
    true=st.integers(0, 10**15),
    tolerance=st.floats(0, 3) | st.decimals(0, 1, places=4).map(float),
)
def test_every_kind_of_number_is_decided_as_fractions_are(size, true, tolerance):
    expected = Fraction(size) <= Fraction(str(tolerance)) * true
    assert within(np.array([size]), np.array([true]), tolerance).tolist() == [expected]


def test_an_absolute_tolerance_is_held_against_one():
    assert within(np.array([0, 5, 6]), 1, 5).tolist() == [True, True, False]
    assert within(np.array([0.3, 0.1]), 1, 0.1).tolist() == [False, False]  # 0.1 in floats is more
    assert within(np.array([3]), np.array([0]), 0.5).tolist() == [False]


@pytest.mark.parametrize("tolerance", [-0.1, float("nan"), float("inf")])
def test_tolerances_that_cannot_be_are_refused(tolerance):
    with pytest.raises(ChoiceError, match="Set the tolerance to a number"):
        within(np.array([1]), np.array([1]), tolerance)


@given(st.decimals("0.001", "99.999", places=3))
def test_a_target_keeps_the_decimal_that_was_written(percent):
    target = Target.parse(f"county={percent}%")
    assert as_written(target.tolerance) == Fraction(percent) / 100


def test_a_place_that_loses_just_what_is_tolerated_is_not_wronged():
    """29 of 100 lost, of equal totals, at every tolerance and with each total."""
    for hundredths in HUNDREDTHS:
        true = np.array([100, 900, 37])
        lost = np.array([[hundredths, -hundredths, 0], [hundredths + 1, -hundredths - 1, 0]])
        places = LevelSimulations(
            level="county",
            nodes=np.arange(3),
            ids=("a", "b", "c"),
            names=("a", "b", "c"),
            true=true,
            released=true - lost,
        )
        found = decide("funding", places, money=1_037, tolerance=hundredths / 100)
        assert found.by_simulation["losers"].tolist() == [0, 1]
