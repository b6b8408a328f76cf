"""What a cell shows of the largest sample of each kind: light, and soon."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

import hierdp_core as hdp
from hierdp_core.evaluation.exploring import explore

pytestmark = pytest.mark.nightly

SECONDS, BYTES = 0.3, 200_000
LARGEST = {
    "us-households-national": "pgsr-h-dp",
    "italy-commuting": "inftda",
    "us-population": "tree-dp",
}


def values(sample: Any, mechanism: str) -> dict[str, Callable[[], Any]]:
    """Everything that is made of a table, as functions that give it."""
    table = sample.table
    plan = hdp.plan(table, mechanism, epsilon=1.0)
    sim = hdp.simulate(table, plan)
    asked = table.quantities[0].id
    draws = hdp.released_counts(table, plan, asked, n_simulations=2)
    leaf = draws.regions.levels[-1]
    outcome = hdp.decisions.decide("threshold", draws.of_level(leaf), limit=50_000)
    explored = explore(table, plan, asked, n_simulations=2)
    comparison = hdp.compare(table, [plan], n_simulations=2)
    evaluation = hdp.evaluate(table, sim, quantity=asked)
    return {
        "sample": lambda: sample,
        "table": lambda: table,
        "regions": lambda: table.regions,
        "hierarchy": lambda: table.regions.tree,
        "domain": lambda: table.domain,
        "boundaries": lambda: sample.boundaries,
        "plan": lambda: plan,
        "statement": lambda: plan.privacy,
        "simulation": lambda: sim,
        "checks": lambda: sim.checks,
        "evaluation": lambda: evaluation,
        "exploration": lambda: explored,
        "comparison": lambda: comparison,
        "released counts": lambda: draws,
        "level draws": lambda: draws.of_level(leaf),
        "outcome": lambda: outcome,
        "map of errors": lambda: sim.chart.map(leaf),
        "map of decisions": lambda: outcome.chart.map(sample.boundaries),
    }


def shown(value: Any) -> tuple[float, int]:
    """Seconds and bytes of what a cell shows; the best of three, for the machine may be busy."""
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        if hasattr(value, "_repr_mimebundle_"):
            found = dict(value._repr_mimebundle_())
        else:
            page = value._repr_html_() if hasattr(value, "_repr_html_") else ""
            found = {"text/plain": repr(value), "text/html": page}
        seconds.append(time.perf_counter() - start)
    return min(seconds), len(json.dumps(found))


@pytest.mark.parametrize(("sample", "mechanism"), LARGEST.items())
def test_a_cell_shows_the_largest_sample_lightly_and_soon(sample: str, mechanism: str) -> None:
    table = {
        name: shown(make()) for name, make in values(hdp.samples.load(sample), mechanism).items()
    }
    for name, (seconds, size) in table.items():
        print(f"{sample:24} {name:18} {seconds:6.3f} s {size:8,} bytes")  # noqa: T201
    assert {name for name, (_, size) in table.items() if size >= BYTES} == set()
    assert {name for name, (seconds, _) in table.items() if seconds >= SECONDS} == set()
