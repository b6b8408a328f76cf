"""The laboratory: the published chain is shown to leak, one click further it is not."""

import pytest
from streamlit.testing.v1 import AppTest
from support.pages import Opener, healthy, texts, until

from hierdp_core import mechanisms
from hierdp_core.audits import audit, audit_in_steps
from hierdp_core.figures import audits as pictures
from hierdp_core.privacy import Budget
from pages.ui.shell.session import Key

PRIVACY = "pages/privacy_page.py"
SHOWN = ("warning", "info")  # beside paragraphs and captions


def finished(test: AppTest) -> AppTest:
    """The page once its audit is over."""
    until(test, lambda page: not page.session_state[f"{Key.JOB}laboratory"].running)
    return healthy(test.run())


@pytest.fixture
def laboratory(open_app: Opener) -> AppTest:
    test = open_app(PRIVACY, part="laboratory")
    test.select_slider(key=Key.LAB_RUNS).set_value(2_000).run()
    return test


@pytest.mark.slow
def test_the_published_chain_leaks_and_the_corrected_one_does_not(laboratory: AppTest) -> None:
    test = finished(laboratory)
    assert test.title[0].value == "Does the privacy loss exceed the claim?"
    assert "Where the proof fails" in texts(test, *SHOWN)
    assert "that is 12 sums. The published noise covers one." in texts(test, *SHOWN)
    assert "exceeds the claim" in test.warning[0].value
    assert "ε = 6.5" in texts(test, *SHOWN)
    assert len(test.get("plotly_chart")) == 2
    assert len(test.dataframe[0].value) == 20

    test.button_group(key=Key.LAB_CALIBRATION).set_value("true").run()
    test = finished(test)
    assert not test.warning
    assert "does not exceed the claim" in test.info[0].value
    assert "can never prove that there is none" in texts(test, *SHOWN)


def test_the_meaning_comes_first_and_the_laboratory_is_one_click_away(open_app: Opener) -> None:
    test = healthy(open_app(PRIVACY))
    assert test.title[0].value == (
        "ε = 1 (pure DP): a belief of 50% that a person is in the data can rise to at most 74%"
    )
    test.button_group(key=Key.PRIVACY_PART).set_value("laboratory").run()
    assert healthy(test).title[0].value == "Does the privacy loss exceed the claim?"
    assert test.query_params["part"] in ("laboratory", ["laboratory"])


def test_an_audit_that_is_stopped_states_it(laboratory: AppTest) -> None:
    laboratory.select_slider(key=Key.LAB_RUNS).set_value(50_000).run()
    test = next(b for b in laboratory.button if b.label == "Stop").click().run()
    test = finished(test)
    assert "Stopped" in texts(test, *SHOWN)


@pytest.mark.slow
@pytest.mark.parametrize(
    "id", ["coc", "tree-dp", pytest.param("pgsr-h", marks=pytest.mark.nightly)]
)
def test_other_mechanisms_have_their_pairs_and_options(laboratory: AppTest, id: str) -> None:
    test = laboratory.selectbox(key=Key.LAB_MECHANISM).set_value(id).run()
    slow = mechanisms.describe(id).largest_cells is not None
    assert test.select_slider(key=Key.LAB_RUNS).value == (400 if slow else 20_000)
    test.select_slider(key=Key.LAB_RUNS).set_value(400).run()
    test = finished(test)
    assert "Where the proof" not in texts(test, *SHOWN)
    assert "does not exceed the claim" in test.info[0].value


@pytest.mark.slow
def test_the_figures_say_what_the_audit_found() -> None:
    steps = list(
        audit_in_steps(mechanisms.TreeDp(), budget=Budget.of(epsilon=1), runs=800, steps=3)
    )
    figure = pictures.bounds(steps, runs=800)
    assert [list(trace.x) for trace in figure.data[:2]] == [[533, 666, 800]] * 2
    assert "claimed: ε = 1" in [trace.name for trace in figure.data]
    assert pictures.bounds_table(steps)["runs on each table"].tolist() == [533, 666, 800]
    assert "800 runs on each table" in pictures.bounds_alt(steps)
    for finding in (steps[-1].measured, steps[-1].released):
        bars = pictures.scores(finding)
        counted = sum(sum(trace.y) for trace in bars.data)
        assert counted == pictures.scores_table(finding).iloc[:, 2:].to_numpy().sum()
        assert 0.98 * 2 * finding.runs <= counted <= 2 * finding.runs
        assert f"{finding.with_person:,} of {finding.runs:,}" in pictures.scores_alt(finding)


def test_a_published_calibration_has_a_line_for_what_the_noise_gives() -> None:
    found = audit("pgsr-c-chain: calibration=published", epsilon=1, runs=400)
    names = [trace.name for trace in pictures.bounds([found], runs=400).data]
    assert "actual: ε = 1.5" in names
