"""The gravity model: exact totals, nearer and larger places preferred, whole numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdp_core.samples import gravity


def model(total, people, points, seed=0):
    people, points = np.array(people, dtype=np.int64), np.array(points, dtype=np.float64)
    return np.concatenate(list(gravity.flows(total, people, points, seed=seed)))


@given(
    total=st.integers(0, 5_000),
    people=st.lists(st.integers(1, 10_000), min_size=1, max_size=12),
    seed=st.integers(0, 2**32),
)
def test_totals_are_exact_and_flows_are_positive(total, people, seed):
    places = np.random.default_rng(seed).uniform(0, 50, (len(people), 2))
    rows = model(total, people, places, seed)
    assert rows[:, 2].sum() == total
    assert (rows[:, 2] > 0).all()
    assert len(np.unique(rows[:, :2], axis=0)) == len(rows)
    left = np.bincount(rows[:, 0], weights=rows[:, 2], minlength=len(people))
    expected = gravity.leaving_home(total, np.array(people))
    assert left.tolist() == expected.tolist()
    assert np.abs(expected - total * np.array(people) / sum(people)).max() < 1 + 1e-9


def test_a_place_beyond_double_precision_keeps_its_total():
    """All of an origin's pull lies in one place: the others' weights round to nothing."""
    rows = model(1_000_000, [1000, 1000, 1], [(0, 0), (1, 0), (1e6, 0)])
    assert rows[:, 2].sum() == 1_000_000


def test_more_go_to_the_nearer_and_to_the_larger_place():
    near = model(100_000, [1000, 1000, 1000], [(0, 0), (5, 0), (80, 0)])
    flow = {(o, d): v for o, d, v in near.tolist()}
    assert flow[0, 1] > 20 * flow.get((0, 2), 0)
    large = model(100_000, [1000, 100_000, 500], [(0, 0), (10, 0), (-10, 0)])
    flow = {(o, d): v for o, d, v in large.tolist()}
    assert flow[0, 1] > 20 * flow.get((0, 2), 0)


def test_more_stay_in_larger_places():
    people = np.array([100, 1_000, 25_600, 1_000_000])
    share = gravity.staying(np.full(4, 1_000_000), people) / 1_000_000
    assert (np.diff(share) > 0).all()
    assert share[2] == pytest.approx((1 + gravity.LEAST) / 2, abs=1e-5)  # halfway, as it is named


@pytest.mark.parametrize(
    ("a", "b", "kilometres"),
    [
        ((41.89, 12.48), (45.46, 9.19), 477),  # Rome, Milan: great circle
        ((40.85, 14.27), (41.89, 12.48), 189),  # Naples, Rome
        ((45.07, 7.69), (45.46, 9.19), 126),  # Turin, Milan
    ],
)
def test_distances_on_the_plane_are_nearly_those_on_the_globe(a, b, kilometres):
    lat, lon = (np.array(pair) for pair in zip(a, b, strict=True))
    found = gravity.plane(lat, lon)
    assert np.hypot(*(found[0] - found[1])) == pytest.approx(kilometres, rel=0.02)


def test_the_cosine_of_the_plane_is_the_cosine():
    lat = np.array([35.0, 41.0, 47.0])
    found = gravity.plane(lat, np.full(3, 13.5))[:, 0] / 111.2
    assert found == pytest.approx(np.cos(np.radians(lat)), abs=1e-6)
