"""Areas that are found, pinned and compared, on every page."""

import pytest
from support.pages import Opener, address, healthy, press, settled, texts

import hierdp_core as hdp
from app import PAGES
from hierdp_core.decisions import RULES
from hierdp_core.settings import Settings
from pages.ui.area import area_words
from pages.ui.area.area_words import AreaErrors
from pages.ui.impact import impact_words
from pages.ui.shell import words
from pages.ui.shell.address import View
from pages.ui.shell.areas import Area
from pages.ui.shell.session import Key

OVERVIEW, AREA, IMPACT = (f"pages/{name}_page.py" for name in ("overview", "area", "impact"))
SMALL = {"sample": "running-example", "draws": "10"}
FIRST, SECOND = (
    Area.of(hdp.samples.load("running-example").table.regions, node) for node in (1, 2)
)


def name(area: Area) -> str:
    regions = hdp.samples.load("running-example").table.regions
    return regions.names[area.node(regions)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_every_page_has_the_search_and_the_pin_of_the_session(
    open_app: Opener, page: object
) -> None:
    test = healthy(open_app("app.py", **SMALL, pin=FIRST.word))
    if page is not PAGES[0]:
        test.query_params.clear()
        healthy(test.switch_page(page.script).run())  # type: ignore[attr-defined]
    assert test.selectbox(key=Key.FIND).options
    assert f"**{name(FIRST)}**: " in texts(test)


@pytest.mark.slow
def test_a_found_area_opens_its_profile(open_app: Opener) -> None:
    test = healthy(open_app(AREA, **SMALL))
    test.selectbox(key=Key.FIND).set_value(2).run()
    assert healthy(test).title[0].value.startswith(name(SECOND))
    assert address(test)["region"] == SECOND.id
    assert test.selectbox(key=Key.FIND).value is None


@pytest.mark.slow
def test_a_pin_is_set_kept_in_the_address_and_taken_away(open_app: Opener) -> None:
    test = healthy(open_app(AREA, **SMALL, level=FIRST.level, region=FIRST.id))
    assert "pin" not in address(test)
    press(test, "Pin this area")
    assert address(healthy(test))["pin"] == FIRST.word
    test.selectbox(key=Key.FIND).set_value(2).run()
    press(test, "Pin this area")
    assert address(healthy(test))["beside"] == SECOND.word
    test.button(key=f"{Key.UNPIN}0").click().run()
    assert address(healthy(test))["pin"] == SECOND.word
    assert "beside" not in address(test)


def test_two_areas_stand_side_by_side(open_app: Opener) -> None:
    query = SMALL | {"level": FIRST.level, "region": FIRST.id, "pin": SECOND.word}
    test = settled(healthy(open_app(AREA, **query)))
    assert f"of {name(FIRST)}" in texts(test) or f"of {name(SECOND)}" in texts(test)
    assert "relative error" in texts(test)


def test_each_page_says_something_of_its_own(open_app: Opener) -> None:
    assert "average error" in texts(healthy(open_app(OVERVIEW, **SMALL, pin=FIRST.word)))
    assert "outcome" in texts(
        healthy(open_app(IMPACT, sample="running-example", places=FIRST.level, pin=FIRST.word))
    )
    privacy = open_app("pages/privacy_page.py", sample="running-example", pin=FIRST.word)
    assert "the guarantee is the same" in texts(healthy(privacy))


@pytest.mark.parametrize("word", ["moon:1", "state:nowhere", "state"])
def test_a_pin_that_names_no_area_is_reported(open_app: Opener, word: str) -> None:
    test = healthy(open_app(OVERVIEW, **SMALL, pin=word))
    assert "not used" in str(test.warning[0].value)


def test_other_data_have_other_areas() -> None:
    view = View(settings=Settings(sample="running-example")).with_pin(FIRST)
    assert view.with_sample("ri-commuting").pins == ()


def test_a_third_pin_takes_the_place_of_the_second() -> None:
    view = View(settings=Settings(sample="running-example"))
    for word in ("a:1", "a:2", "a:3"):
        view = view.with_pin(Area(level="a", id=word))
    assert [pin.id for pin in view.pins] == ["a:1", "a:3"]
    assert view.pin_query() == {"pin": "a:a:1", "beside": "a:a:3"}


def test_only_the_profile_has_its_area_in_the_address(open_app: Opener) -> None:
    test = open_app(OVERVIEW, **SMALL, level=FIRST.level, region=FIRST.id)
    assert not {"level", "region"} & set(address(healthy(test)))


def area(*, true: float = 100, mean_abs: float = 4, released: float = 103) -> AreaErrors:
    return AreaErrors(
        name="Loving",
        level="county",
        true=true,
        released=released,
        mean_abs=mean_abs,
        rank=1,
        areas=9,
    )


@pytest.mark.parametrize(
    ("one", "below", "expected"),
    [
        (area(), None, "Loving: at ε = 1, the count is 4% off on average"),
        (area(mean_abs=0), None, "Loving: at ε = 1, the count is exact in 1 simulation"),
        (area(true=0), None, "Loving: the true count is 0"),
        (area(), ("tract", float("nan")), "Loving: at ε = 1, the count is 4% off on average"),
    ],
)
def test_the_title_of_a_profile(
    one: AreaErrors, below: tuple[str, float] | None, expected: str
) -> None:
    assert area_words.finding(one, "ε = 1", below, 1) == expected


@pytest.mark.parametrize(
    ("released", "expected"),
    [(100, "the true count"), (103, "3 too many"), (98, "2 too few")],
)
def test_one_simulation_in_a_sentence(released: float, expected: str) -> None:
    shown = area_words.subtitle(area(released=released), unit="people", above="Texas", seed=0)
    assert expected in shown
    assert "A county in Texas" in shown


def test_nothing_from_the_data_becomes_markup_in_a_card() -> None:
    one = AreaErrors(name="<b>x", level="<i>", true=1, released=1, mean_abs=1, rank=1, areas=2)
    assert not {"<b>x", "<i>"} & set(area_words.card(one, unit="<u>").split())
    assert "<u>" not in area_words.card(one, unit="<u>")


def test_a_pinned_area_with_a_true_count_of_0() -> None:
    shown = words.pinned_error(2, 0, unit="people")
    assert shown == "the average error is 2. The true number of people is 0."


def test_the_words_of_a_decision_about_a_pinned_area() -> None:
    class Decided:
        level, n_simulations, rule = "county", 300, RULES["funding"]

    shown = [impact_words.pinned(Decided(), "county", w) for w in (0.003, 0.0, None)]  # type: ignore[arg-type]
    assert shown[0] == "loses more than the tolerance in 0.3% of 300 simulations."
    assert shown[1] == "loses more than the tolerance in 0% of 300 simulations."
    assert "not included" in shown[2]
    assert "not to states" in impact_words.pinned(Decided(), "state", 0.1)  # type: ignore[arg-type]
