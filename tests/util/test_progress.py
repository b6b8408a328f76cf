"""Progress as a bar, as a function, or not at all; the bar closes whatever happens."""

import re

import pandas as pd
import pytest

import hierdp_core as hdp
from hierdp_core.exceptions import ChoiceError
from hierdp_core.releases.margins import margins
from hierdp_core.util.parallel import in_parallel
from hierdp_core.util.progress import reporting


@pytest.fixture(scope="module")
def table() -> hdp.Counts:
    frame = pd.DataFrame({"state": ["A", "B"], "people": [300, 40_000]})
    return hdp.Counts.from_frame(frame, levels="state", count="people")


@pytest.fixture(scope="module")
def plan(table: hdp.Counts) -> hdp.Plan:
    return hdp.plan(table, "tree-dp", epsilon=1)


COMPUTATIONS = {
    "audit": lambda t, p, **how: hdp.audit("tree-dp", epsilon=1.0, runs=200, **how),
    "best_allocation": lambda t, p, **how: hdp.best_allocation(
        t, "tree-dp", epsilon=1, n_simulations=3, **how
    ),
    "chart": lambda t, p, **how: hdp.simulate(t, p).chart.error_by_level(n_simulations=3, **how),
    "compare": lambda t, p, **how: hdp.compare(t, [p], n_simulations=3, **how),
    "find_budget": lambda t, p, **how: hdp.find_budget(
        t, "tree-dp", ["total=50%"], allocation=[1, 1], n_simulations=60, **how
    ),
    "margins": lambda t, p, **how: margins(t, p, seed=1, n_simulations=10, **how),
    "released_counts": lambda t, p, **how: hdp.released_counts(
        t, p, "count", n_simulations=3, **how
    ),
    "simulate_many": lambda t, p, **how: hdp.simulate_many(t, [p], n_simulations=3, **how),
}

SLOW = {"audit", "best_allocation", "find_budget"}
NAMES = [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in COMPUTATIONS]


@pytest.mark.parametrize("name", NAMES)
def test_a_bar_is_drawn_to_its_end(name, table, plan, capsys):
    COMPUTATIONS[name](table, plan, progress=True)
    shown = capsys.readouterr()
    last = shown.err.split("\r")[-1]
    assert re.search(r"100%.* (\d+)/\1 \[.*(simulations|runs)", last), last
    assert shown.err.endswith("\n")
    assert shown.out == ""


@pytest.mark.parametrize("name", NAMES)
def test_a_function_is_called_and_nothing_is_drawn(name, table, plan, capsys):
    calls = []
    COMPUTATIONS[name](table, plan, progress=lambda *stated: calls.append(stated))
    done, total, *_ = calls[-1]
    assert done == total
    COMPUTATIONS[name](table, plan, progress=False)
    assert capsys.readouterr().err == ""


def test_a_bar_closes_when_the_work_fails(table, plan, capsys):
    def stop() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hdp.simulate_many(
            table, [plan], n_simulations=3, progress=True, workers=hdp.Workers(cancel=stop)
        )
    assert capsys.readouterr().err.endswith("\n")


def test_a_search_states_what_it_does_and_corrects_its_total(capsys):
    with reporting(True, "simulations") as report:
        report(1, 10, "finding the shares")
        report(3, 30, "testing")
    last = capsys.readouterr().err.split("\r")[-1]
    assert "testing" in last
    assert "3/30" in last


def test_without_tqdm_the_message_states_how_to_get_it(monkeypatch):
    monkeypatch.setattr("hierdp_core.util.progress.find_spec", lambda name: None)
    with (
        pytest.raises(ChoiceError, match=r'pip install "\.\[notebook\]"'),
        reporting(True, "simulations"),
    ):
        pytest.fail("there is no bar")
    with reporting(False, "simulations") as nothing, reporting(None, "simulations") as none:
        assert nothing is none is None


def test_skipped_work_counts_as_done_and_gives_nothing():
    stated, came = [], []
    found = in_parallel(
        lambda k: k * k,
        range(5),
        workers=1,
        skip=lambda k: k == 4,
        arrived=came.append,
        progress=lambda *now: stated.append(now),
    )
    assert found == [0, 1, 4, 9]
    assert sorted(came) == found
    assert stated[-1] == (5, 5)
