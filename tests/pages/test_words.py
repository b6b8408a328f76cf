"""The sentences, and that their doctests hold."""

import doctest
import math
from typing import Any

import pandas as pd
import pytest
import streamlit as st
from pandas.io.formats.style import Styler

import hierdp_core as hdp
from pages.ui.area import area_words
from pages.ui.overview import overview_words
from pages.ui.presentation import presentation_words
from pages.ui.shell import tables, words


def test_examples_in_the_docstrings() -> None:
    for module in (words, area_words):
        result = doctest.testmod(module)
        assert result.attempted >= 1
        assert result.failed == 0


@pytest.mark.parametrize("id", hdp.mechanisms.names())
def test_every_value_of_an_option_has_a_label_with_words(id: str) -> None:
    everyday = {"public", "private", "no", "yes", "destination", "origin"}
    for option in hdp.mechanisms.describe(id).options:
        labels = [words.option_value(word) for word in option.choices]
        assert len({*labels}) == len(labels)
        for word, label in zip(option.choices, labels, strict=True):
            if not word.isdigit() and word not in everyday:
                assert label.endswith(f" ({word})")


@pytest.mark.parametrize(
    ("smallest", "largest", "title"),
    [
        (0.2, 0.01, "Relative errors are larger in small counties than in large ones"),
        (0.0, 0.0, "Relative errors of counties by size"),
        (0.01, 0.2, "Relative errors of counties by size"),
    ],
)
def test_small_areas_are_said_to_be_affected_most_only_where_they_are(
    smallest: float, largest: float, title: str
) -> None:
    assert presentation_words.affected("county", smallest, largest) == title


COUNTY = {
    "level": "county",
    "areas": 3143,
    "typical_rel": 0.00034,
    "mean_abs": 5.0,
    "small_areas": 314,
    "small_at_most": 2058.0,
    "small_rel": 0.003,
}
STATE = COUNTY | {"level": "state", "areas": 51, "typical_rel": 4e-6, "small_areas": 5}
NATION = COUNTY | {"level": "nation", "areas": 1, "typical_rel": 3e-8, "small_areas": 1}


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        (
            [NATION, STATE, COUNTY],
            (
                "The smaller the area, the larger the relative error: at ε = 1, county counts are "
                "typically 0.03% off, state counts 0.0004%"
            ),
        ),
        ([NATION], "At ε = 1, the nation count is less than 0.0001% off"),
        (
            [NATION, STATE | {"typical_rel": 0.2}, COUNTY],
            "At ε = 1, county counts are typically 0.03% off, state counts 20%",
        ),
        (
            [NATION | {"typical_rel": 5e-6}, STATE, COUNTY],
            "At ε = 1, county counts are typically 0.03% off, state counts 0.0004%",
        ),
        (
            [NATION, COUNTY | {"typical_rel": 0.0}],
            (
                "At ε = 1, county counts are typically exact in 100 simulations, the nation count "
                "less than 0.0001% off"
            ),
        ),
        ([NATION, COUNTY | {"typical_rel": math.nan}], "At ε = 1, every true county count is 0"),
    ],
)
def test_the_finding_is_what_the_numbers_say(levels: list[object], expected: str) -> None:
    assert overview_words.finding(levels, "ε = 1", 100) == expected  # type: ignore[arg-type]


def test_the_subtitle_speaks_of_the_smallest_areas_where_there_are_enough() -> None:
    about = {
        "mechanism": "M",
        "default_for": "group sizes",
        "unit": "households",
        "root": "United States",
    }
    text = overview_words.subtitle(COUNTY, **about)
    assert text == (
        "Counts of households in the United States, simulated with **M** (the default for group "
        "sizes). In the smallest tenth of the counties with a true count above 0 (up to 2,058 "
        "households), the typical error is **0.3%**."
    )
    few = overview_words.subtitle(STATE | {"areas": 9}, **(about | {"default_for": ""}))
    assert few == "Counts of households in the United States, simulated with **M**."


def test_what_a_budget_means_for_one_person_is_rounded_up() -> None:
    domain = hdp.samples.load("running-example").table.domain
    for budget, sure in (({"epsilon": 1}, "74%"), ({"epsilon": 0.001}, "51%")):
        statement = hdp.plan(domain, "pgsr-h-dp", **budget).privacy
        assert f"at most {sure} sure" in overview_words.one_person(statement)
        assert "δ" not in overview_words.one_person(statement)
    statement = hdp.plan(domain, "pgsr-h-dp", epsilon=1, delta=1e-8).privacy
    assert "The bound fails with a probability of at most 10⁻⁸." in overview_words.one_person(
        statement
    )


@pytest.mark.parametrize(
    ("budget", "allocation", "expected"),
    [
        ({"epsilon": 1}, [1, 1], "1 : 1 → ε 0.5 each"),
        ({"epsilon": 1}, [1, 3], "1 : 3 → ε 0.25, 0.75"),
        ({"epsilon": 1}, [0, 1], "0 : 1 → ε 0, 1"),
        ({"rho": 0.5}, [1, 1], "1 : 1 → ρ 0.25 each"),
        ({"epsilon": 1, "delta": 1e-8}, [1, 1], "1 : 1 → ε 0.5 each"),
        (
            {"epsilon": 1, "delta": 1e-8, "accounting": "simple"},
            [1, 1],
            "1 : 1 → ρ 0.00661 each. Each ρ is rounded up.",
        ),
        ({"epsilon": 1}, [1, 2], "1 : 2 → ε 0.334, 0.667. Each ε is rounded up."),
    ],
)
def test_shares_say_what_each_level_gets(
    budget: dict[str, float], allocation: list[int], expected: str
) -> None:
    domain = hdp.samples.load("running-example").table.domain
    plan = hdp.plan(domain, "pgsr-h-dp", allocation=allocation, **budget)
    assert words.shares_line(plan) == expected


def test_a_grid_writes_negative_numbers_with_a_minus_and_keeps_them_as_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    grids: list[tuple[pd.DataFrame | Styler, dict[str, Any]]] = []
    monkeypatch.setattr(
        tables.st, "dataframe", lambda table, **how: grids.append((table, how["column_config"]))
    )
    table = pd.DataFrame({"name": ["a", "b"], "error": [-1234.5, 2.0], "share": [0.1, 0.2]})
    config = {
        "error": st.column_config.NumberColumn("Error", format="localized", width=58),
        "share": st.column_config.NumberColumn("Share", format="%.3g%%"),
    }
    tables.grid(table, column_config=config)
    tables.grid(table.assign(error=[1.0, 2.0]), column_config=config)
    (styled, written), (plain, unchanged) = grids
    assert isinstance(styled, Styler)
    assert isinstance(plain, pd.DataFrame)
    cells = [row[2]["display_value"] for row in styled._translate(False, False)["body"]]
    assert cells == ["−1,234.5", "2"]
    assert styled.data["error"].tolist() == [-1234.5, 2.0]
    # A format of the column would replace the text of its cells.
    assert written["error"]["type_config"]["format"] is None
    assert written["error"]["width"] == 58
    assert written["share"] == config["share"]
    assert unchanged == config


def test_nothing_from_the_data_becomes_markup() -> None:
    assert "<b>x" not in overview_words.level_head(COUNTY | {"level": "<b>x"}, unit="<i>", total=1)
    assert "<script" not in words.colours([("red", "<script>")])
