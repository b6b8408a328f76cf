"""The sentences, and that their doctests hold."""

import doctest

import pandas as pd
import pytest

import hierdp_core as hdp
from hierdp_core.figures.maps.region_table import SmallPlaces
from pages.ui.shell import words

THIN = "\N{NARROW NO-BREAK SPACE}"


def small(**changes: object) -> SmallPlaces:
    values = {
        "regions": 314,
        "at_most": 2058.0,
        "median_rel": 0.016,
        "smallest": "Loving",
        "smallest_true": 35.0,
    }
    return SmallPlaces(**{**values, **changes})  # type: ignore[arg-type]


def table(levels: list[str], means: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"level": levels, "mean": means})


def test_examples_in_the_docstrings() -> None:
    result = doctest.testmod(words)
    assert result.attempted > 5
    assert result.failed == 0


def test_the_headline_goes_from_the_smallest_places_up() -> None:
    levels = ["nation", "state", "county"]
    text = words.headline(
        table(levels, [5.4, 27.3, 23.8]), table(levels, [0, 0, 0.0016]), small(), unit="households"
    )
    assert text.replace(THIN, " ") == (
        "A county’s number of households is off by **24** on average, a state’s by **27**, the "
        "nation’s by **5.4**. Half of all counties are within **0.16 %** of the truth; of the "
        "smallest tenth (up to 2,058 households) half are off by more than **1.6 %** in the draw "
        "shown."
    )


def test_the_headline_of_one_level_and_of_empty_places() -> None:
    text = words.headline(
        table(["nation"], [3.0]),
        table(["nation"], [float("nan")]),
        small(median_rel=float("nan")),
        unit="people",
    )
    assert text == "A nation’s number of people is off by **3** on average."


def test_one_smallest_place_is_named() -> None:
    text = words.small_words(small(regions=1), leaf="state", unit="people")
    assert "Loving (35 people)" in text


@pytest.mark.parametrize(
    ("released", "expected"),
    [(100, "without error"), (103, "3 too many"), (98, "2 too few")],
)
def test_a_region_in_a_sentence(released: float, expected: str) -> None:
    text = words.region_line("United States", 100, released, abs(released - 100) / 100, unit="x")
    assert text.startswith("The United States")
    assert expected in text


@pytest.mark.parametrize(
    ("budget", "allocation", "expected"),
    [
        ({"epsilon": 1}, [1, 1], "1 : 1 → ε 0.5 each"),
        ({"epsilon": 1}, [1, 3], "1 : 3 → ε 0.25, 0.75"),
        ({"epsilon": 1}, [0, 1], "0 : 1 → ε 0, 1"),
        ({"rho": 0.5}, [1, 1], "1 : 1 → ρ 0.25 each"),
        ({"epsilon": 1, "delta": 1e-8}, [1, 1], "1 : 1 → ρ 0.00661 each"),
    ],
)
def test_shares_say_what_each_level_gets(
    budget: dict[str, float], allocation: list[int], expected: str
) -> None:
    domain = hdp.samples.load("running-example").table.domain
    plan = hdp.plan(domain, "pgsr-h-dp", allocation=allocation, **budget)
    assert words.shares_line(plan) == expected


def test_nothing_from_the_data_becomes_markup() -> None:
    assert "<b>x" not in words.level_block("<b>x", "1", "<i>", "2 %")
    assert "<script" not in words.colours([("red", "<script>")])
