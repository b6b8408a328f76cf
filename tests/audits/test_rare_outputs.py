"""Histograms of an audit whose numbers are rarely released."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hierdp_core.audits.laboratory import _score_counts
from hierdp_core.audits.output_sets import OutputEvent
from hierdp_core.audits.scores import Cell

EVENT = OutputEvent(
    score=Cell(column=0, what="number"), relation="below", mark=17.0, towards_after=True
)
RELEASED = st.lists(st.just(np.nan) | st.integers(-50, 50).map(float), max_size=40).map(
    lambda numbers: np.array(numbers, np.float64)
)


@given(RELEASED, RELEASED)
def test_numbers_that_are_not_released_are_left_out_of_the_histogram(before, after):
    counts = _score_counts(EVENT, before, after)
    assert counts.before.sum() == np.isfinite(before).sum()
    assert counts.after.sum() == np.isfinite(after).sum()
    assert (np.diff(counts.edges) > 0).all()


def test_two_released_numbers_have_a_bar_each():
    nothing = np.full(200, np.nan)
    one, other = nothing.copy(), nothing.copy()
    one[7], other[90] = 13, 15
    counts = _score_counts(EVENT, one, other)
    assert counts.before.tolist() == [1, 0]
    assert counts.after.tolist() == [0, 1]
