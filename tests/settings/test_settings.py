"""Settings read back from every form they are written in."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hierdp_core as hdp
from hierdp_core import mechanisms, samples
from hierdp_core.exceptions import BudgetError, ChoiceError, HierdpError
from hierdp_core.settings import Settings, budget_call, merged

numbers = st.floats(1e-5, 1e4)
deltas = st.floats(1e-300, 0.5)
budgets = st.one_of(
    st.fixed_dictionaries({"epsilon": numbers}),
    st.fixed_dictionaries(
        {"epsilon": numbers, "delta": deltas},
        optional={"noise": st.sampled_from(["best", "gaussian", "geometric"])},
    ),
    st.fixed_dictionaries(
        {"epsilon": numbers, "delta": deltas},
        optional={
            "accounting": st.sampled_from(["tight", "zcdp", "simple"]),
            "noise": st.sampled_from(["best", "gaussian"]),
        },
    ),
    st.fixed_dictionaries({"rho": numbers}),
)
allocation = st.none() | st.lists(st.integers(0, 10_000), min_size=1, max_size=6).map(
    lambda weights: (*weights, 1)
)


@st.composite
def views(draw: st.DrawFn) -> Settings:
    mechanism = draw(st.sampled_from(mechanisms.names()))
    offered = {
        o.name: st.sampled_from(o.choices or (o.default, "hg", "hg,hc,hc"))
        for o in mechanisms.describe(mechanism).options
    }
    return Settings(
        sample=draw(st.sampled_from(samples.names())),
        mechanism=mechanism,
        options=draw(st.fixed_dictionaries({}, optional=offered)),
        allocation=draw(allocation),
        seed=draw(st.integers(0, 2**64)),
        quantity=draw(st.none() | st.sampled_from(["occupied", "size-3", "count"])),
        **draw(budgets),
    )


@given(view=views())
def test_every_form_reads_back(view: Settings) -> None:
    assert Settings.from_toml(view.to_toml()) == view
    assert Settings.from_query(view.to_query()) == view
    assert Settings.from_shell(view.to_shell()) == view
    assert Settings.from_python(view.to_python()) == view
    assert Settings.of(view.words) == view


def test_an_empty_address_gives_the_default_view() -> None:
    assert Settings.from_query({}) == Settings()
    assert Settings().epsilon == 1.0


def test_a_page_may_have_words_of_its_own() -> None:
    assert Settings.from_query({"focus": "35", "seed": "3"}, also=["focus"]) == Settings(seed=3)
    with pytest.raises(ChoiceError, match="focus"):
        Settings.from_query({"focus": "35"})


def test_the_forms_look_as_people_would_write_them() -> None:
    view = Settings(epsilon=1.0, delta=1e-8, allocation=(1, 1, 2), quantity="occupied")
    assert view.to_shell() == (
        "hierdp simulate --sample us-households --mechanism pgsr-c-opt --epsilon 1 --delta 1e-08 "
        "--allocation 1,1,2 --seed 0 --quantity occupied"
    )
    assert view.to_toml().splitlines() == [
        'sample = "us-households"',
        'mechanism = "pgsr-c-opt"',
        "epsilon = 1",
        "delta = 1e-08",
        "allocation = [1, 1, 2]",
        "seed = 0",
        'quantity = "occupied"',
    ]
    assert view.to_query()["allocation"] == "1,1,2"
    assert "epsilon=1, delta=1e-08, allocation=[1, 1, 2])" in view.to_python()


def test_an_account_is_in_every_form_and_the_usual_one_in_none() -> None:
    view = Settings(epsilon=1, delta=1e-8, accounting="simple", noise="gaussian")
    assert view.to_query()["accounting"] == "simple"
    assert "--delta 1e-08 --accounting simple --noise gaussian" in view.to_shell()
    assert 'accounting = "simple"\nnoise = "gaussian"\n' in view.to_toml()
    assert 'delta=1e-08, accounting="simple", noise="gaussian")' in view.to_python()
    assert view.budget.accounting == "simple"
    usual = Settings(epsilon=1, delta=1e-8, accounting="tight", noise="best")
    assert usual == Settings(epsilon=1, delta=1e-8)
    assert "accounting" not in usual.to_query()
    with pytest.raises(BudgetError, match="accounting applies only to a budget with δ"):
        Settings(epsilon=1, accounting="simple")
    with pytest.raises(ChoiceError, match="accounting is not text"):
        Settings.of({"epsilon": 1, "delta": 1e-8, "accounting": 3})
    file = {"epsilon": 1, "delta": 1e-8, "accounting": "simple"}
    assert merged(file, {"rho": "2"}) == {"rho": "2"}


def test_an_option_is_in_every_form() -> None:
    view = Settings(mechanism="pgsr-c-chain", options={"calibration": "published"})
    assert view.to_query()["option.calibration"] == "published"
    assert view.to_shell().endswith("--option calibration=published")
    assert view.to_toml().endswith('[options]\ncalibration = "published"\n')
    assert 'hdp.plan(data.table, "pgsr-c-chain: calibration=published"' in view.to_python()
    of_before = view.to_python().replace(
        '"pgsr-c-chain: calibration=published"',
        "\"pgsr-c-chain\", options={'calibration': 'published'}",
    )
    assert Settings.from_python(of_before) == view


def test_python_is_read_not_run(tmp_path_factory: pytest.TempPathFactory) -> None:
    made = tmp_path_factory.mktemp("python") / "made"
    text = f"open({str(made)!r}, 'w')\nhdp.release(data.table, 'pgsr-c-opt', epsilon=2, seed=7)\n"
    assert Settings.from_python(text) == Settings(epsilon=2, seed=7)
    assert not made.exists()
    with pytest.raises(ChoiceError, match="plain values"):
        Settings.from_python("hdp.simulate(data.table, plan, seed=__import__('os').getpid())")
    with pytest.raises(ChoiceError, match="not valid Python"):
        Settings.from_python("plan = (")


@pytest.mark.parametrize(
    ("query", "kind", "named"),
    [
        ({"epsilon": "0"}, BudgetError, "epsilon"),
        ({"epsilon": "-1"}, BudgetError, "epsilon"),
        ({"epsilon": "nan"}, BudgetError, "epsilon"),
        ({"epsilon": "inf"}, BudgetError, "epsilon"),
        ({"epsilon": "1e999"}, BudgetError, "epsilon"),
        ({"epsilon": "much"}, BudgetError, "much"),
        ({"epsilon": ""}, BudgetError, "epsilon"),
        ({"rho": "0"}, BudgetError, "rho"),
        ({"rho": "1", "epsilon": "1"}, BudgetError, "once"),
        ({"delta": "1e-8"}, BudgetError, "budget"),
        ({"epsilon": "1", "delta": "1"}, BudgetError, "delta"),
        ({"allocation": "1,x,1"}, BudgetError, '"x"'),
        ({"allocation": ""}, BudgetError, "whole numbers"),
        ({"allocation": "1,-1,1"}, BudgetError, "-1"),
        ({"allocation": "0,0,0"}, BudgetError, "above 0"),
        ({"allocation": "1,0.5"}, BudgetError, "0.5"),
        ({"seed": "-1"}, ChoiceError, "seed"),
        ({"seed": "one"}, ChoiceError, "seed"),
        ({"seed": "9" * 5000}, ChoiceError, "seed"),
        ({"sample": "mars"}, ChoiceError, "us-households"),
        ({"mechanism": "magic"}, ChoiceError, "pgsr-h-dp"),
        ({"colour": "red"}, ChoiceError, "colour"),
        ({"quantity": "<b>"}, ChoiceError, "quantity"),
        ({"option.speed": "high"}, ChoiceError, "speed"),
    ],
)
def test_a_bad_word_is_named(query: dict[str, str], kind: type[HierdpError], named: str) -> None:
    with pytest.raises(kind) as caught:
        Settings.from_query(query)
    message = str(caught.value)
    assert named in message
    assert "\n" not in message
    assert len(message) < 400


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("epsilon = ", "TOML"),
        ("sample = 3", "sample"),
        ("allocation = 3", "allocation"),
        ("shares = 3", "allocation"),
        ("shares = [1, 1]\nallocation = [1, 1]", "old name"),
        ("allocation = [1, 1.5, 1]", "1.5"),
        ("allocation = [1, true, 1]", "True"),
        ("seed = 1.5", "seed"),
        ("seed = true", "seed"),
        ("epsilon = true", "epsilon"),
        ("epsilon = [1]", "epsilon"),
        ("options = 3", "options"),
        ("[options]\na = 1", "no option"),
        ("[colour]\na = 1", "colour"),
    ],
)
def test_a_bad_file_is_named(text: str, named: str) -> None:
    with pytest.raises(HierdpError, match=named):
        Settings.from_toml(text)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("hierdp simulate --sample 'us", "cannot be read"),
        ("rm -rf results", "hierdp simulate"),
        ("hierdp simulate --colour red", "colour"),
        ("hierdp simulate --option speed", "NAME=VALUE"),
    ],
)
def test_a_bad_line_is_named(line: str, named: str) -> None:
    with pytest.raises(ChoiceError, match=named):
        Settings.from_shell(line)


def test_words_above_win_and_a_budget_replaces_the_other_kind() -> None:
    file = {"epsilon": 1, "delta": 1e-8, "seed": 1}
    assert merged(file, {"seed": "2"}) == {"epsilon": 1, "delta": 1e-8, "seed": "2"}
    assert merged(file, {"epsilon": "3"}) == {"epsilon": "3", "delta": 1e-8, "seed": 1}
    assert merged(file, {"rho": "3"}) == {"rho": "3", "seed": 1}
    assert merged({"rho": 3}, {"epsilon": "1"}) == {"epsilon": "1"}
    options = merged({"options": {"a": 1, "b": 1}}, {"options": {"b": "2"}})
    assert options == {"options": {"a": 1, "b": "2"}}


def test_settings_do_not_change() -> None:
    view = Settings()
    with pytest.raises(TypeError):
        view.options["a"] = 1  # type: ignore[index]


def test_a_list_of_words_is_the_words_with_commas():
    shown = "mechanism = 'coc'\n[options]\nmethods = ['hg', 'hc', 'hc']\n"
    view = Settings.from_toml(shown)
    assert view.options == {"methods": "hg,hc,hc"}
    assert Settings.from_toml(view.to_toml()) == view
    python = view.to_python().replace("'hg,hc,hc'", "['hg', 'hc', 'hc']")
    assert Settings.from_python(python) == view


@pytest.mark.parametrize(
    ("line", "text"),
    [("cap = 100", "100"), ("cap-epsilon = 1e-4", "0.0001"), ("totals-share = 0.25", "0.25")],
)
def test_numbers_in_a_file_are_options_too(line, text):
    view = Settings.from_toml(f"mechanism = 'coc'\n[options]\n{line}\n")
    assert list(view.options.values()) == [text]
    assert Settings.from_toml(view.to_toml()) == view
    assert Settings.from_shell(view.to_shell()) == view
    assert Settings.from_query(view.to_query()) == view
    assert Settings.from_python(view.to_python()) == view


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (Settings.from_toml, "shares = [1, 1, 2]"),
        (lambda text: Settings.from_query({"shares": text}), "1,1,2"),
        (Settings.from_shell, "hierdp run --shares 1,1,2"),
        (Settings.from_python, "plan = hdp.plan(table, shares=[1, 1, 2])\nhdp.run(table, plan)"),
    ],
)
def test_the_words_of_the_first_version_are_read_and_todays_are_written(read, text) -> None:
    settings = read(text)
    assert settings.allocation == (1, 1, 2)
    for form in (settings.to_toml(), settings.to_shell(), settings.to_python()):
        assert "allocation" in form
        assert "shares" not in form
    assert settings.to_query()["allocation"] == "1,1,2"


def test_the_levels_are_known_where_an_open_option_is_wrong() -> None:
    table = samples.load("running-example").table
    view = Settings(mechanism="coc", options={"cap": "none; of = these", "merge": "mean"})
    assert view.shared_levels(table) == ("nation", "state")
    with pytest.raises(ChoiceError, match="Set cap to public, noisy or"):
        _ = view.configured


@given(budget=budgets)
def test_a_budget_is_written_as_the_call_that_makes_it(budget: dict[str, object]) -> None:
    view = Settings(**budget)
    assert eval(budget_call(view.budget), {"hdp": hdp}) == view.budget


def test_own_data_are_read_from_a_file_in_python_and_in_the_shell(tmp_path: Path) -> None:
    view = Settings(sample="own-data", mechanism="tree-dp", seed=3)
    assert view.to_shell().startswith("hierdp simulate --data your-table.csv --mechanism tree-dp")
    for form in (view.to_toml, view.to_query, view.to_shell, view.to_python):
        read = getattr(Settings, form.__name__.replace("to_", "from_"))
        assert read(form()) == view
    file = tmp_path / "counts.csv"
    file.write_text("state,county,people\nA,a,1\nA,b,2\nB,c,3\n", encoding="utf-8")
    exec(view.to_python().replace("your-table.csv", str(file)), {})


def test_python_without_settings_is_refused() -> None:
    for text in ("", "import os", "print(hdp.samples)"):
        with pytest.raises(ChoiceError, match="contain no settings"):
            Settings.from_python(text)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("hierdp simulate --seed", "--seed requires a value"),
        ("hierdp simulate --data", "--data requires at least one value"),
    ],
)
def test_a_missing_value_is_reported_in_a_sentence(line: str, message: str) -> None:
    with pytest.raises(ChoiceError, match=f"^{message}. See: hierdp simulate --help$"):
        Settings.from_shell(line)
