"""Hostile addresses, settings and calls: a message, never another exception."""

import random
import string
import time
from collections.abc import Callable
from typing import Any

import pytest

import hierdp_core as hdp
from hierdp_core.exceptions import HierdpError
from hierdp_core.settings import Settings
from pages.ui.budget.address import BudgetAddress
from pages.ui.compare.address import CompareView
from pages.ui.how_it_works.address import HowItWorksAddress
from pages.ui.impact.address import ImpactAddress
from pages.ui.presentation.address import PresentationAddress
from pages.ui.shell.address import PageAddress, View, parse

TRIES = 300
KNOWN = ("sample", "mechanism", "epsilon", "rho", "delta", "shares", "allocation", "seed", "draws")
ODD = (
    "", "0", "-1", "1e999", "nan", "inf", "1e-400", "٣", "１", "9" * 400, "a" * 4_000, "\0",
    "\ud800", "../..", "own", "us-population", "tree-dp", "1,2,3", "1,,2", "0,0,0", "1:2", "[]",
    "{}", "null", "![i](http://leak.example)", "<script>", "=1+1", "%00", "𝟙", "1_000", " 1 ",
    "1;2", "--", "True",
)  # fmt: skip


def query(rng: random.Random) -> dict[str, str]:
    names = [*KNOWN, "".join(rng.choices(string.printable, k=rng.randrange(9)))]
    return {rng.choice(names): rng.choice(ODD) for _ in range(rng.randrange(1, 5))}


def message(make: Callable[[Any], object], given: Any) -> str:
    """Return the message on an input, or "" where it can be used. Any other error is a defect."""
    try:
        make(given)
    except HierdpError as error:
        return str(error)
    return ""


def test_every_address_is_a_view_or_a_message() -> None:
    rng = random.Random(19)
    shown = [message(View.from_query, query(rng)) for _ in range(TRIES)]
    assert max(map(len, shown)) < 1_000
    assert sum(map(bool, shown)) > TRIES / 4


def test_every_settings_file_is_settings_or_a_message() -> None:
    rng = random.Random(20)
    for _ in range(TRIES):
        lines = [f"{name} = {rng.choice([repr(v), v])}" for name, v in query(rng).items()]
        assert len(message(Settings.from_toml, "\n".join(lines))) < 2_000


@pytest.mark.parametrize("value", [-1, 0, float("nan"), float("inf"), -float("inf"), 1e300, 5e-324])
def test_no_number_makes_a_budget_that_is_none(value: float) -> None:
    for make in (hdp.Budget.pure, hdp.Budget.zcdp):
        assert message(make, value) or 0 < value < float("inf")


@pytest.mark.parametrize("value", [None, [1], {}, object()])
def test_another_type_than_declared_is_an_error_and_no_budget(value: object) -> None:
    with pytest.raises((HierdpError, TypeError, AttributeError)):
        hdp.Budget.pure(value)  # type: ignore[arg-type]


NINES = "9" * 5_000  # more digits than Python takes in a text
LONG = (
    (None, {"draws": NINES}),
    (None, {"epsilon": "1", "delta": "0." + "0" * 8 + "1" * 20_000}),
    (HowItWorksAddress, {"size": NINES}),
    (PresentationAddress, {"step": NINES}),
    (CompareView, {"draws": NINES}),
    (CompareView, {"budgets": "1." + "1" * 20_000}),
    (ImpactAddress, {"simulations": NINES}),
    (BudgetAddress, {"sample": "us-population", "target": f"county={NINES}"}),
    (BudgetAddress, {"sample": "us-population", "target": f"county={'9' * 400}"}),
    (BudgetAddress, {"sample": "us-population", "target": f"county={'9' * 400}%"}),
)


@pytest.mark.parametrize(("kind", "query"), LONG)
def test_a_number_of_any_length_is_reported_at_once(
    kind: type[PageAddress] | None, query: dict[str, str]
) -> None:
    start = time.process_time()
    assert len(message(lambda given: parse(given, kind), query)) < 300
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 5_000 + "]" * 5_000,
        f"[{'.'.join('a' * 3_000)}]",
        f"seed = {NINES}",
        "seed = 0x" + "f" * 5_000,
        "epsilon = 0x" + "f" * 5_000,
        'sample = "us-population"\nallocation = [1, 1, 0x' + "f" * 5_000 + "]",
    ],
    ids=lambda text: text[:20],
)
def test_settings_too_deep_or_too_long_are_reported(text: str) -> None:
    assert message(Settings.from_toml, text)
