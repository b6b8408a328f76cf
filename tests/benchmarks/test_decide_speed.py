"""Decisions over the whole country: 300 simulations, then each rule for states and counties.

    .venv/bin/pytest -n0 tests/benchmarks/test_decide_speed.py

The first draws are on the page within seconds; a changed rule or parameter costs only the rule.
"""

import pytest

import hierdp_core as hdp
from hierdp_core.decisions import RULES, decide
from hierdp_core.evaluation.size_classes import by_size

DRAWS = 300


@pytest.fixture(scope="module")
def draws():
    table = hdp.samples.load("us-population").table
    plan = hdp.plan(table, "tree-dp", epsilon=0.1)
    return hdp.released_counts(table, plan, "count", n_simulations=DRAWS)


@pytest.mark.parametrize("sample", ["us-population", "us-households"])
def test_simulating_for_decisions(benchmark, sample):
    table = hdp.samples.load(sample).table
    plan = hdp.plan(table, hdp.mechanisms.names(table.kind)[0], epsilon=1)
    quantity = table.quantities[0].id
    hdp.released_counts(table, plan, quantity, n_simulations=1)  # compile
    found = benchmark.pedantic(
        lambda: hdp.released_counts(table, plan, quantity, n_simulations=DRAWS),
        rounds=1,
        iterations=1,
    )
    assert found.n == DRAWS


@pytest.mark.parametrize("level", ["state", "county"])
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_over_all_simulations(benchmark, draws, rule, level):
    places = draws.of_level(level)
    found = benchmark.pedantic(lambda: decide(rule, places), rounds=3, iterations=1)
    assert found.n_simulations == DRAWS


def test_error_by_size_over_all_simulations(benchmark, draws):
    places = draws.of_level("county")
    frame = benchmark.pedantic(lambda: by_size(places), rounds=3, iterations=1)
    assert frame["places"].sum() == 3143
