import numpy as np
import pytest
from support.strategies import regions_of

import hierdp_core as hdp
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.simulation import check, plan, simulate
from hierdp_core.tables import Counts, GroupSizes

TREE = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
TABLE = GroupSizes.from_leaves(
    regions_of(TREE), [[0, 2, 0, 1, 0, 0], [0, 1, 1, 1, 0, 0]], group="households"
)


def test_a_release_states_what_it_is():
    made = plan(TABLE, "pgsr-h-dp", epsilon=1, allocation=[1, 3])
    released = simulate(TABLE, made, seed=4)
    assert released.privacy.epsilon == 1
    assert released.privacy.unit == "one person"
    assert "the number of groups (households), 6" in released.privacy.invariants
    assert [level.epsilon for level in released.privacy.levels] == [0.25, 0.75]
    assert released.seconds["total"] == pytest.approx(
        released.seconds["noise"] + released.seconds["solve"]
    )
    assert released.table.group == "households"


def test_a_release_holds_no_true_value():
    """Of two tables with the same noisy answers, the releases are the same to the byte."""
    made = plan(TABLE, "pgsr-h-dp", epsilon=1)
    released = simulate(TABLE, made, seed=4)
    held = [released.table.values, released.noisy]
    assert not any(np.shares_memory(array, TABLE.values) for array in held)
    with pytest.raises(ValueError, match="read-only"):
        released.noisy[0] = 0


@pytest.mark.parametrize(
    ("values", "consistent", "valid", "faithful", "violations"),
    [
        ([[1, 5], [0, 3], [1, 2]], True, True, True, (0, 0)),
        ([[1, 5], [0, 4], [1, 2]], False, True, False, (1, 0)),
        ([[2, 4], [0, 3], [1, 2]], False, True, True, (2, 0)),
        ([[0, 6], [-1, 4], [1, 2]], True, False, True, (0, 0)),
        ([[0, 7], [0, 4], [0, 3]], True, True, False, (0, 0)),
        ([[1.5, 4.5], [0.5, 2.5], [1.0, 2.0]], True, False, True, (0, 0)),
        ([[1.5, 4.5], [0.6, 2.5], [1.0, 2.0]], False, False, True, (1, 0)),
    ],
)
def test_checks_see_each_fault(values, consistent, valid, faithful, violations):
    table = GroupSizes.from_leaves(regions_of(TREE), [[0, 3], [1, 2]])
    found = check(table.domain, np.array(values))
    assert (found.consistent, found.valid, found.violations) == (consistent, valid, violations)
    assert found.keeps_invariants == faithful


def test_counts_have_no_public_total_to_keep():
    table = Counts.from_leaves(regions_of(TREE), [1, 2])
    assert check(table.domain, table.values).keeps_invariants is None


def test_nothing_that_is_called_release_takes_a_seed() -> None:
    with pytest.raises(TypeError):
        hdp.release(TABLE, hdp.plan(TABLE, "pgsr-h-dp", epsilon=1), seed=0)


@pytest.mark.parametrize("old", ["run", "trials", "summarise", "Shares"])
def test_names_of_the_first_version_name_todays(old: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"hdp.{old} is now hdp."):
        assert getattr(hdp, old) is not None
