"""The earth mover's distance by level on Overview."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from support.pages import Opener, charts, healthy, texts

from hierdp_core.figures.errors.distance import REFERENCE
from pages.ui.overview import distance_words

EXPLORE = "pages/overview_page.py"


def traces(test: AppTest) -> list[dict[str, object]]:
    data = [trace for chart in charts(healthy(test)) for trace in chart["data"]]
    return [trace for trace in data if trace.get("name") == REFERENCE]


@pytest.mark.parametrize("mechanism", ["coc", "coc-bottom-up", "pgsr-h-dp"])
def test_sizes_have_it_with_the_reference(open_app: Opener, mechanism: str) -> None:
    test = open_app(EXPLORE, sample="running-example", mechanism=mechanism)
    found = traces(test)
    assert len(found) == 1
    levels = ["nation", "state"]
    assert found[0]["y"] == (levels[1:] if mechanism == "coc-bottom-up" else levels)
    text = texts(test)
    exact = mechanism != "pgsr-h-dp"
    assert "people would have to join or leave units" in text
    assert ("Surplus and missing units are weighted by their size" in text) == (not exact)
    assert "The dotted line is a benchmark, not a mechanism" in text


def test_counts_have_none(open_app: Opener) -> None:
    assert not traces(open_app(EXPLORE, sample="us-population"))


def frame(*rows: tuple[str, float, float]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["level", "mean", "reference"])


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        (
            [("nation", 1.0, 2.0), ("state", 1.0, 2.0)],
            "At every level, the error is below the benchmark.",
        ),
        (
            [("nation", 3.0, 2.0), ("state", 3.0, 2.0)],
            "At every level, the error is above the benchmark.",
        ),
        (
            [("nation", 3.0, 2.0), ("state", 1.0, 2.0)],
            "The error is below the benchmark only at state level.",
        ),
        (
            [("nation", 1.0, 2.0), ("state", 1.0, 2.0), ("county", 3.0, 2.0)],
            "The error is below the benchmark only at nation and state levels.",
        ),
        (
            [("nation", 3.0, float("nan")), ("state", 1.0, 2.0)],
            "At the only level with a budget, the error is below the benchmark.",
        ),
        ([("nation", 3.0, 2.0)], "At the only level, the error is above the benchmark."),
        ([("nation", 0.0, 0.0)], "At the only level, the error is at or above the benchmark."),
    ],
)
def test_where_the_levels_lie(rows: list[tuple[str, float, float]], shown: str) -> None:
    assert shown in distance_words.reference_line(frame(*rows))


def test_without_a_reference_nothing_is_reported_of_it() -> None:
    assert distance_words.reference_line(frame(("nation", 1.0, float("nan")))) == ""
