"""What stands beside the findings: the source of the data, and how far a guarantee goes."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import hierdp_core as hdp
from hierdp_core.writers import fitness
from pages.ui.overview import overview_words, view
from pages.ui.privacy import meaning_words
from pages.ui.shell import parts

TABLE = hdp.samples.load("running-example").table


@pytest.mark.parametrize(
    "script",
    [
        "pages/budget_page.py",
        pytest.param("pages/compare_page.py", marks=pytest.mark.slow),
        "pages/how_it_works_page.py",
        "pages/impact_page.py",
    ],
)
def test_a_page_states_where_its_data_come_from_and_that_they_are_synthetic(
    open_app: Callable[..., AppTest], script: str
) -> None:
    test = open_app(script, sample="running-example")
    assert not test.exception
    sources = [str(caption.value) for caption in test.caption]
    shown = parts.source(hdp.samples.load("running-example"))
    assert "(synthetic example)" in shown
    assert shown in sources


@pytest.mark.parametrize(("epsilon", "sure"), [(1.0, "at most 74%"), (30.0, "more than 99.999%")])
def test_a_bound_that_is_as_good_as_none_is_not_called_one(epsilon: float, sure: str) -> None:
    plan = hdp.plan(TABLE, "pgsr-h-dp", budget=hdp.Budget.pure(epsilon))
    shown = (
        overview_words.one_person(plan.privacy),
        overview_words.risk(plan.privacy),
        meaning_words.finding(plan.privacy),
        fitness._person(plan),
    )
    for sentence in shown:
        assert sure in sentence.replace("**", "")
        assert "at most more" not in sentence.replace("**", "")


@pytest.mark.parametrize(("calibration", "place"), [("published", "warned"), ("true", "plain")])
def test_the_title_of_a_claim_that_does_not_hold_is_marked(
    monkeypatch: pytest.MonkeyPatch, calibration: str, place: str
) -> None:
    plan = hdp.plan(TABLE, f"pgsr-c-chain: calibration={calibration}", budget=hdp.Budget.pure(1))
    kept: list[str] = []
    real = view.st.container

    def container(*args: Any, **how: Any) -> Any:
        kept.append(how.get("key", ""))
        return real(*args, **how)

    sample = hdp.samples.load("running-example")
    drawn = SimpleNamespace(
        plan=plan, sample=sample, quantity=sample.table.quantities[0], levels=TABLE.regions.levels
    )
    explored = hdp.evaluation.exploring.explore(TABLE, plan, "occupied", n_simulations=2)
    monkeypatch.setattr(view.st, "container", container)
    monkeypatch.setattr(view.work, "simulations", lambda *_: (explored, None))
    view.headline(None, drawn, view.finding)  # type: ignore[arg-type]
    assert place in kept
