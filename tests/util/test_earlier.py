"""Keywords of the version before give the same results, and say what to write instead."""

import inspect

import pandas as pd
import pytest

import hierdp_core as hdp
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.util.earlier import Earlier, accepts
from hierdp_core.util.parallel import Workers


@accepts(
    Earlier(words=("size",), now="length=…", replace=lambda given, old: {"length": old["size"]}),
    Earlier(
        words=("old", "older"),
        now="new=…",
        replace=lambda given, old: {"new": (given.get("new"), *old.values())},
        by_place=True,
    ),
)
def described(length: int, *, new: object = None) -> tuple[int, object]:
    """Say it."""
    return length, new


def test_todays_words_are_passed_on_and_nothing_is_reported() -> None:
    assert described(3, new=4) == (3, 4)
    assert described(length=3) == (3, None)


def test_earlier_words_are_replaced_and_each_kind_is_reported_once() -> None:
    with pytest.warns(DeprecationWarning, match="is now described") as shown:
        assert described(size=3, old=1, older=2) == (3, (None, 1, 2))  # type: ignore[call-arg]
    assert [str(one.message) for one in shown] == [
        "described(size=…) is now described(length=…).",
        "described(old=…, older=…) is now described(new=…).",
    ]
    assert {one.filename for one in shown} == {__file__}


def test_a_word_may_have_had_a_place_and_no_other_argument_gets_one() -> None:
    with pytest.warns(DeprecationWarning, match="old=…"):
        assert described(3, 1) == (3, (None, 1))  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        described(3, 1, 2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="other"):
        described(3, other=2)  # type: ignore[call-arg]


WIDE = (hdp.find_budget, hdp.best_allocation, hdp.audit, hdp.simulate_many, hdp.compare, hdp.plan)


@pytest.mark.parametrize("function", WIDE)
def test_a_reader_sees_todays_words_alone(function) -> None:
    parameters = inspect.signature(function).parameters
    assert not {"options", "in_rho", "stand_in", "total", "client", "cancel"} & set(parameters)
    assert all(p.kind is not p.VAR_KEYWORD for p in parameters.values())
    assert len(parameters) <= 11


@pytest.fixture(scope="module")
def table() -> hdp.Counts:
    frame = pd.DataFrame({"state": ["A", "B"], "people": [300, 40_000]})
    return hdp.Counts.from_frame(frame, levels="state", count="people")


def found(table: object, **how: object) -> object:
    return hdp.find_budget(
        table, "tree-dp", ["total=50%"], allocation=[1, 1], n_simulations=60, **how
    ).as_dict()


def best(table: object, **how: object) -> object:
    return hdp.best_allocation(table, "tree-dp", n_simulations=1, **how).as_dict()


def audited(**how: object) -> object:
    return hdp.audit("tree-dp", runs=40, **how).as_dict()


# Today's call, the call of the version before, and what the warning names.
PAIRS = {
    "rho": (
        lambda t: found(t, most=hdp.Budget.zcdp(5)),
        lambda t: found(t, in_rho=True, most=5),
        r"find_budget\(in_rho=…\) is now find_budget\(most=hdp.Budget.zcdp",
    ),
    "epsilon, stated": (
        found,
        lambda t: found(t, in_rho=False, delta=None, accounting=None, noise=None),
        "most=",
    ),
    "delta": (
        lambda t: found(t, most=hdp.Budget.approximate(5, 1e-6, accounting="zcdp")),
        lambda t: found(t, delta=1e-6, accounting="zcdp", most=5),
        "most=hdp.Budget",
    ),
    "stand-in": (
        lambda t: found(hdp.SyntheticTable(table=t, total=700)),
        lambda t: found(t, stand_in=True, total=700),
        r"table=hdp.SyntheticTable\(",
    ),
    "no stand-in": (found, lambda t: found(t, stand_in=False), "SyntheticTable"),
    "workers": (
        lambda t: found(t, workers=Workers(threads=1, client=None)),
        lambda t: found(t, workers=1, client=None),
        r"workers=hdp.Workers\(",
    ),
    "allocation at (ε, δ)": (
        lambda t: best(t, budget=hdp.Budget.approximate(1, 1e-6, noise="gaussian")),
        lambda t: best(t, epsilon=1, delta=1e-6, noise="gaussian"),
        r"budget=hdp.Budget.approximate\(",
    ),
    "audit at (ε, δ)": (
        lambda t: audited(budget=hdp.Budget.approximate(1, 1e-6)),
        lambda t: audited(epsilon=1, delta=1e-6),
        r"budget=hdp.Budget.approximate\(",
    ),
    "simulations": (
        lambda t: list(
            hdp.simulate_many(t, hdp.plan(t, "hay", epsilon=1), n_simulations=2).mean_abs
        ),
        lambda t: list(
            hdp.simulate_many(
                t, hdp.plan(t, "hay", epsilon=1), n_simulations=2, cancel=lambda: False
            ).mean_abs
        ),
        r"simulate_many\(cancel=…\) is now",
    ),
}
SLOW = {"rho", "delta", "stand-in", "no stand-in", "workers", "epsilon, stated"}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in PAIRS]
)
def test_calls_of_the_version_before_give_the_same(name, table) -> None:
    today, before, words = PAIRS[name]
    with pytest.warns(DeprecationWarning, match=words):
        old = before(table)
    assert old == today(table)


def test_a_budget_that_is_stated_twice_is_refused_in_the_words_of_before(table) -> None:
    with (
        pytest.warns(DeprecationWarning, match="in_rho=…, delta=…"),
        pytest.raises(BudgetError, match="Leave it out"),
    ):
        found(table, in_rho=True, delta=1e-6)
    with (
        pytest.warns(DeprecationWarning, match="delta="),
        pytest.raises(BudgetError, match="once"),
    ):
        best(table, budget=hdp.Budget.pure(1), delta=1e-6)


def test_workers_of_a_cluster_do_not_audit() -> None:
    with pytest.raises(ChoiceError, match="Leave the client out"):
        audited(epsilon=1, workers=Workers(client=object()))


def test_work_that_is_cancelled_by_its_workers_stops(table) -> None:
    plan = hdp.plan(table, "hay", epsilon=1)
    stopped = Workers(cancel=lambda: True)
    assert hdp.simulate_many(table, plan, n_simulations=5, workers=stopped).empty
    with pytest.raises(ChoiceError, match="one worker"):
        hdp.simulate_many(table, plan, n_simulations=5, workers=Workers(threads=0))
