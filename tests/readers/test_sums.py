"""Rows that are sums of rows beside them: found among their parts, and not by chance."""

import numpy as np
import pytest

from hierdp_core.readers.columns.sums import sums_of_runs

# A nation of two regions; the second has a district that is a town by itself.
NATION = [1277, 613, 352, 261, 664, 664, 127, 537]
SUMS = [True, True, False, False, True, True, False, False]


def test_sums_of_every_level_are_found_above_and_below_their_parts() -> None:
    values = np.array([900, 500, 200, 300, 400, 150, 250])
    sums = [True, True, False, False, True, False, False]
    assert sums_of_runs(values).tolist() == sums
    assert sums_of_runs(values[::-1]).tolist() == sums[::-1]


def test_a_region_with_a_single_part_is_a_sum_too() -> None:
    assert sums_of_runs(np.array(NATION)).tolist() == SUMS


def test_a_sum_is_one_in_each_column() -> None:
    values = np.array([[300, 90], [100, 30], [200, 60], [500, 70], [240, 30], [260, 40]])
    assert np.flatnonzero(sums_of_runs(values)).tolist() == [0, 3]
    values[3, 1] += 1
    assert not sums_of_runs(values).any()


@pytest.mark.parametrize("median", [60, 500, 100_000])
@pytest.mark.parametrize("n_rows", [20, 300, 5_000])
def test_chance_is_not_taken_for_levels(n_rows: int, median: int) -> None:
    rng = np.random.default_rng([n_rows, median])
    for _ in range(20):
        values = rng.lognormal(np.log(median), 1.2, n_rows).astype(np.int64)
        assert not sums_of_runs(values).any()
