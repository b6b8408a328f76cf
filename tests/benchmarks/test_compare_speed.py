"""The time of a whole comparison, and the time until its first results.

    .venv/bin/pytest -n0 -s tests/benchmarks/test_compare_speed.py

Times vary with the machine: they are printed, and not held to the bars of the design (six
mechanisms × five ε × 30 draws under a minute on two cores, first cases within 3 s, another
visitor's click answered within 2 s). DRAWS=3 makes it short.
"""

import os
import threading
from statistics import median
from time import perf_counter, sleep

import pytest

from hierdp_core import mechanisms, samples
from hierdp_core.evaluation.comparison import (
    Comparison,
    compare,
    grid,
    measured_quantities,
    measures,
    rivals,
    simulate_cases,
)
from hierdp_core.privacy import Budget
from hierdp_core.simulation import plan, simulate
from hierdp_core.writers.comparison_report import Looking, all_sections, headline
from hierdp_core.writers.report import report

IDS = ("pgsr-h-dp", "pgsr-c-dp", "pgsr-c-opt", "topdown-2018", "pgsr-h-relaxed", "coc")
EPSILONS = (0.1, 0.5, 1, 5, 10)
DRAWS = int(os.environ.get("DRAWS", "30"))


@pytest.fixture(scope="module")
def table():
    for id in IDS:
        mechanisms.warm_up(id)
    return samples.load("us-households").table


def test_how_long_a_comparison_takes(table):
    begun = perf_counter()
    plans = grid(table, IDS, [Budget.of(epsilon=e) for e in EPSILONS])
    arrived = []
    simulate_cases(
        table,
        plans,
        n_simulations=DRAWS,
        quantities=measured_quantities(table),
        arrived=lambda draw: arrived.append((draw, perf_counter() - begun)),
    )
    whole = perf_counter() - begun
    firsts = [when for draw, when in arrived if draw.index == 0]
    print(
        f"\n{len(plans)} cases × {DRAWS} draws: {whole:.1f} s; first case {min(firsts):.2f} s, "
        f"every case once {max(firsts):.2f} s"
    )
    assert len(arrived) == len(plans) * DRAWS

    begun = perf_counter()
    found = Comparison.of(plans, DRAWS, [draw for draw, _ in arrived])
    look = Looking(
        measure=measures(table)[0],
        guarantee=rivals(plans)[2][0],
        scale="stated",
        x="nation",
        y="county",
        level="county",
        noun="households",
    )
    parts = all_sections(found, look, {level: level for level in found.levels})
    drawn = perf_counter() - begun
    html = report("Compare", parts, summary=[headline(found, look)])
    print(f"sections {drawn:.2f} s, report {len(html) / 1e6:.1f} MB")


def test_another_visitor_waits_little_while_a_comparison_runs(table):
    plans = grid(table, IDS, [Budget.of(epsilon=e) for e in EPSILONS])
    stop = threading.Event()
    other = plan(table, "pgsr-h-dp", epsilon=1)
    alone = _waits(table, other, 5)
    work = threading.Thread(
        target=compare,
        args=(table, plans),
        kwargs={"n": 10_000 // len(plans), "cancel": stop.is_set},
    )
    work.start()
    sleep(1)
    beside = _waits(table, other, 10)
    stop.set()
    work.join()
    print(
        f"\na draw for another visitor: alone {median(alone):.2f} s, beside a comparison "
        f"{median(beside):.2f} s, longest {max(beside):.2f} s"
    )


def _waits(table, other, n):
    waits = []
    for index in range(n):
        begun = perf_counter()
        simulate(table, other, seed=1, index=index)
        waits.append(perf_counter() - begun)
    return waits
