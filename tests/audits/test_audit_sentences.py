"""Events of an audit name the number that they are about, whatever a mechanism measures."""

import pytest

from hierdp_core.audits.outcomes import Outcomes
from hierdp_core.audits.sampling import Runs
from hierdp_core.audits.sentences import _name
from hierdp_core.mechanisms import parse
from hierdp_core.privacy import Budget
from hierdp_core.simulation import plan


def names(id, options, watched):
    budget = Budget.approximate(2, 1e-6) if id == "stability-histogram" else Budget.pure(2)
    mechanism = parse(id, options)
    pair = mechanism.worst_neighbours(budget)[0]
    runs = Runs(plan=plan(pair.before, mechanism, budget=budget), pair=pair, seed=0)
    keys = Outcomes.of(runs.drawn(0, 0, 3)[watched]).keys
    return [_name(column, keys, watched, pair.before) for column in range(len(keys))]


@pytest.mark.parametrize(
    ("id", "options", "some"),
    [
        ("hay", {}, ["the noisy measurement for North"]),
        ("pgsr-c-opt", {}, ["the noisy measurement for Georgia, size 2"]),
        ("coc", {}, ["noisy measurement 1 for United States", "noisy measurement 5 for Georgia"]),
        ("coc", {"methods": "hg"}, ["noisy measurement 3 for Georgia"]),
        (
            "coc",
            {"totals": "private", "cap": "noisy", "cap-epsilon": "0.5"},
            ["the noisy number of groups in Georgia", "the noisy maximum group size"],
        ),
        ("inftda", {}, ["noisy count 1 at state", "noisy count 2 at state"]),
        ("inftda", {"neighbours": "unbounded"}, ["the noisy total"]),
        ("vanilla-gauss", {}, ["the noisy number of trips from North to South"]),
        ("stability-histogram", {}, ["the number of trips from North to North"]),
    ],
)
@pytest.mark.slow
def test_measured_numbers_have_names(id, options, some):
    measured = names(id, options, "measured")
    assert set(some) <= set(measured)
    unnamed = [name for name in measured if name.startswith("number ")]
    assert all(name.endswith(".word.None") for name in unnamed)  # what is not measured


def test_released_numbers_have_the_name_of_their_cell():
    assert names("hay", {}, "released")[1] == "the number of people in North"
    assert names("coc", {}, "released")[0] == "the number of empty units in United States"
