"""The pages with private totals, and with a largest size that is chosen or measured."""

import pytest
from support.pages import Opener, healthy, texts
from support.simulations import simulated

import hierdp_core as hdp
from hierdp_core import mechanisms
from pages.ui.shell.session import Key

EXPLORE, ZOOM, PRIVACY = (f"pages/{p}_page.py" for p in ("overview", "area", "privacy"))
CHOICES = [
    {"option.totals": "private"},
    {"option.totals": "private", "option.methods": "hg,hc"},
    {"option.cap": "2"},
    {"option.cap": "9"},
    {"option.cap": "noisy"},
    {"option.cap": "noisy", "option.cap-epsilon": "0.05", "option.totals": "private"},
]


@pytest.mark.slow
@pytest.mark.parametrize("page", [EXPLORE, ZOOM, PRIVACY])
@pytest.mark.parametrize("choice", CHOICES, ids=lambda c: " ".join(c.values()))
def test_every_page_takes_them_and_the_address_keeps_them(
    open_app: Opener, page: str, choice: dict[str, str]
) -> None:
    test = healthy(open_app(page, sample="running-example", mechanism="coc", **choice))
    query = {n: v if isinstance(v, str) else v[0] for n, v in test.query_params.items()}
    assert {n: v for n, v in query.items() if n.startswith("option.")} == choice


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", ["coc", "coc-naive", "coc-bottom-up"])
def test_zoom_takes_them_for_the_whole_family(open_app: Opener, mechanism: str) -> None:
    query = {"sample": "us-households", "mechanism": mechanism, "option.totals": "private"}
    healthy(open_app(ZOOM, **query, **{"option.cap": "7"}))


def test_what_the_maximum_size_does_is_reported_beside_true_counts(open_app: Opener) -> None:
    query = {"sample": "us-households", "mechanism": "coc", "option.cap": "5"}
    text = texts(healthy(open_app(EXPLORE, **query)), "info")
    table = hdp.samples.load("us-households").table
    above = int(table.values[0, 6:].sum())
    assert f"{above:,} of the housing units" in text
    assert "are larger and are counted at 5" in text


def test_what_is_paid_besides_has_rows_of_its_own(open_app: Opener) -> None:
    query = {"option.totals": "private", "option.cap": "noisy"}
    test = healthy(open_app(EXPLORE, sample="running-example", mechanism="coc", **query))
    frame = next(f.value for f in test.table if "Noise" in f.value)
    assert frame["Level"].tolist() == [
        "nation",
        "state",
        "the largest size",
        "the number of units by nation",
        "the number of units by state",
    ]
    assert sum(float(value) for value in frame["ε"]) == pytest.approx(1, abs=1e-3)
    assert "so the guarantee is the sum of all rows" in texts(test, "info")


@pytest.mark.slow
def test_numbers_that_need_another_choice_are_shown_with_it(open_app: Opener) -> None:
    test = healthy(open_app(EXPLORE, sample="running-example", mechanism="coc"))
    keys = {str(box.key) for box in [*test.text_input, *test.selectbox]}
    shown = {key.removeprefix(f"{Key.OPTION}coc-") for key in keys if key.startswith(Key.OPTION)}
    assert {"totals", "cap"} <= shown
    assert not {"totals-share", "cap-epsilon", "hg-variance"} & shown
    test.selectbox(key=f"{Key.METHOD}1").set_value("hg").run()
    test.selectbox(key=f"{Key.OPTION}coc-hg-variance").set_value("bound").run()
    test.selectbox(key=f"{Key.METHOD}1").set_value("hc").run()
    test.selectbox(key=f"{Key.OPTION}coc-totals").set_value("private").run()
    test.text_input(key=f"{Key.OPTION}coc-totals-share").set_value("0.3").run()
    _, toml, python, shell = (str(code.value) for code in healthy(test).code)
    for settings in (
        hdp.Settings.from_toml(toml),
        hdp.Settings.from_python(python),
        hdp.Settings.from_shell(shell),
    ):
        assert settings.options == {"totals": "private", "totals-share": "0.3"}


@pytest.mark.parametrize("wrong", [{"option.cap": "0"}, {"option.cap": "many"}])
def test_a_wrong_cap_is_one_plain_message(open_app: Opener, wrong: dict[str, str]) -> None:
    test = open_app(EXPLORE, sample="running-example", mechanism="coc", **wrong)
    assert not test.exception
    stated = [str(part.value) for part in [*test.error, *test.warning]]
    assert any("Set cap to public, noisy or an integer from 1" in text for text in stated)


def test_one_distance_on_the_whole_page(open_app: Opener) -> None:
    query = {"option.totals": "private", "option.cap": "noisy"}
    text = texts(
        healthy(open_app(ZOOM, sample="running-example", mechanism="coc", **query)), "info"
    )
    table = hdp.samples.load("running-example").table
    options = {name.removeprefix("option."): value for name, value in query.items()}
    done = simulated(table, mechanisms.parse("coc", options), epsilon=1.0)
    emd = hdp.errors(table, done)["emd"].iloc[0]
    assert (
        f"right ends meet, the area between them is **{emd:,.0f}**, the earth mover’s distance"
        in text
    )
    after = text.split("before and after the levels are made consistent.")[1]
    assert f"**{emd:,.0f}**" in after.split("These are the distances of one simulation")[0]
