import numpy as np
import pandas as pd
import pytest
from support.strategies import regions_of

from hierdp_core.audits import audit
from hierdp_core.evaluation import repeated
from hierdp_core.evaluation.errors import errors
from hierdp_core.evaluation.repeated import KEYS, errors_of_simulation, simulate_many, summarize
from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.simulation import plan, simulate
from hierdp_core.tables import GroupSizes
from hierdp_core.util.parallel import Workers

TREE = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
TABLE = GroupSizes.from_leaves(regions_of(TREE), [[5, 20, 10], [8, 30, 9]])
PLANS = [plan(TABLE, "pgsr-h-dp", epsilon=e) for e in (0.5, 2)]


def without_time(frame):
    return frame.drop(columns="seconds")


def test_the_number_of_workers_changes_nothing():
    one, four = (simulate_many(TABLE, PLANS, n_simulations=6, seed=3, workers=w) for w in (1, 4))
    pd.testing.assert_frame_equal(without_time(one), without_time(four))
    other = simulate_many(TABLE, PLANS, n_simulations=6, seed=4, workers=1)
    assert not without_time(one).equals(without_time(other))


def test_a_simulation_is_the_one_with_its_number():
    frame = simulate_many(TABLE, PLANS[:1], n_simulations=3, seed=7, quantities=("", "occupied"))
    assert len(frame) == 3 * 2 * 2
    expected = errors(TABLE, simulate(TABLE, PLANS[0], seed=7, index=2), quantity="occupied")
    found = frame[(frame["simulation"] == 2) & (frame["quantity"] == "occupied")]
    assert found["l1"].tolist() == expected["l1"].tolist()


def test_going_on_gives_the_same_as_asking_at_once():
    whole = simulate_many(TABLE, PLANS, n_simulations=5, seed=1)
    parts = [
        simulate_many(TABLE, PLANS, n_simulations=2, seed=1),
        simulate_many(TABLE, PLANS, n_simulations=3, seed=1, first=2),
    ]
    pd.testing.assert_frame_equal(
        without_time(pd.concat(parts, ignore_index=True)), without_time(whole)
    )


def test_progress_is_reported_and_cancel_keeps_what_is_done():
    shown = []
    simulate_many(
        TABLE, PLANS, n_simulations=4, progress=lambda done, total: shown.append((done, total))
    )
    assert shown == [(k, 8) for k in range(1, 9)]

    seen = []
    frame = simulate_many(
        TABLE,
        PLANS[:1],
        n_simulations=500,
        progress=lambda done, total: seen.append(done),
        workers=Workers(threads=1, cancel=lambda: len(seen) >= 3),
    )
    assert 3 <= frame["simulation"].nunique() <= 6
    assert simulate_many(TABLE, PLANS, n_simulations=2, workers=Workers(cancel=lambda: True)).empty


def test_a_summary_has_the_mean_and_the_quantiles_of_the_simulations():
    frame = simulate_many(TABLE, PLANS, n_simulations=40, seed=2)
    summary = summarize(frame, "l1")
    assert len(summary) == 2 * 2
    row = summary[(summary["epsilon"] == 0.5) & (summary["level"] == "region")].iloc[0]
    draws = frame[(frame["epsilon"] == 0.5) & (frame["level"] == "region")]["l1"]
    assert row["simulations"] == 40
    assert row["mean"] == pytest.approx(draws.mean())
    assert row["q97.5"] == pytest.approx(draws.quantile(0.975))
    assert row["sd"] == pytest.approx(draws.std())
    with pytest.raises(ChoiceError, match='no column of numbers "simulation"'):
        summarize(frame, "simulation")


@pytest.mark.slow
def test_more_budget_means_less_error():
    summary = summarize(simulate_many(TABLE, PLANS, n_simulations=60, seed=2), "l1")
    mean = summary.set_index(["epsilon", "level"])["mean"]
    assert mean[2, "region"] < mean[0.5, "region"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"n_simulations": 0}, r"^At least one simulation is needed; got 0\."),
        ({"n_simulations": 1, "workers": 0}, r"^At least one worker is needed; got 0\."),
        ({"n_simulations": 1, "seed": -1}, "The seed must be a whole number"),
        ({"n_simulations": 1, "first": -1}, "first simulation must be at least 0; got -1"),
    ],
)
def test_impossible_requests_are_refused(asked, message):
    with pytest.raises(ChoiceError, match=message):
        simulate_many(TABLE, PLANS, **asked)


def test_a_fault_in_a_simulation_reaches_the_caller():
    with pytest.raises(ChoiceError, match="has no quantity"):
        simulate_many(TABLE, PLANS, n_simulations=3, quantities=("rooms",))


def test_the_rows_of_a_simulation_are_those_of_its_errors_with_further_columns_last():
    quantities = ("occupied", "")
    simulation = simulate(TABLE, PLANS[0], seed=3, index=5)
    rows = errors_of_simulation(
        TABLE, simulation, index=5, quantities=quantities, beside={"case": 2, "unit": "household"}
    )
    assert [*rows.columns[-3:]] == ["seconds", "case", "unit"]
    assert set(rows["simulation"]) == {5}
    for quantity in quantities:
        part = errors(TABLE, simulation, quantity=quantity or None)
        found = rows[rows["quantity"] == quantity].reset_index(drop=True)
        pd.testing.assert_frame_equal(found[[*part.columns]], part, check_dtype=False)


def test_no_frame_is_made_for_each_quantity(monkeypatch):
    made = []
    simulation = simulate(TABLE, PLANS[0], seed=3)
    monkeypatch.setattr(repeated.pd, "concat", lambda *_: made.append("concat"))
    errors_of_simulation(TABLE, simulation, index=0, quantities=("occupied", ""))
    assert not made


def test_only_columns_of_numbers_are_summarized() -> None:
    of_plan = {name: ["hay"] for name in (*KEYS, "level", "quantity")}
    frame = pd.DataFrame(of_plan | {"mean_abs": [1.0]})
    for column in ("nope", "options"):
        with pytest.raises(
            ChoiceError, match=rf'^The frame has no column of numbers "{column}". .*mean_abs'
        ):
            summarize(frame, column)
    with pytest.raises(ChoiceError, match=r"takes the result of simulate_many.*no column .level"):
        summarize(frame.drop(columns="level"))


@pytest.mark.parametrize("threads", [0, -1])
def test_workers_are_at_least_one_everywhere(threads: int) -> None:
    with pytest.raises(
        ChoiceError, match=rf"^At least one worker is needed; got {threads}\. Use 1 or more\.$"
    ):
        audit("tree-dp", epsilon=1, runs=20, workers=threads)
