"""The page Privacy: what a budget means, in numbers that follow the controls."""

import math
import re
from pathlib import Path

import pytest
from support.pages import healthy, texts

import hierdp_core as hdp
from hierdp_core.cli.terminal import account_lines
from hierdp_core.decisions.fitness import fitness
from hierdp_core.figures import deployments as deployments_figure
from hierdp_core.figures import meaning_of_epsilon
from hierdp_core.privacy import Belief, Neighbours, belief, loss_limit
from hierdp_core.privacy.meaning import between_records, uncertain_fact
from hierdp_core.privacy.published import deployments
from hierdp_core.writers.fitness import fitness_page
from hierdp_core.writers.label import label
from pages.ui.overview import overview_words
from pages.ui.privacy import meaning_words
from pages.ui.shell import words

PRIVACY = "pages/privacy_page.py"


def test_the_page_states_what_epsilon_one_means(open_app) -> None:
    text = texts(healthy(open_app(PRIVACY, sample="running-example", epsilon="1.0")))
    assert "with **50%** probability that a person is in the data" in text
    assert "this belief is between **26% and 74%**." in text  # 26.9 and 73.1 percent
    assert "appears in **5 of 100** releases without the person" in text
    assert "at most **14 of 100** releases with the person" in text
    assert (
        "except with probability"
        not in text.split("How to read")[0].split("Who is the attacker")[0]
    )


@pytest.mark.slow
def test_prior_and_budget_move_the_numbers(open_app) -> None:
    test = open_app(PRIVACY, sample="us-population", rho="0.5")
    assert "Each of the two limits holds except with probability 10⁻⁸." in texts(healthy(test))
    test.slider(key="w-prior").set_value(10).run()
    assert "with **10%** probability" in texts(healthy(test))
    assert "an attacker with a 10% prior" in texts(healthy(test))


@pytest.mark.slow
def test_the_published_chain_warns_and_its_true_loss_is_explained(open_app) -> None:
    test = open_app(PRIVACY, sample="us-households", mechanism="pgsr-c-chain", epsilon="1.0")
    assert not test.warning
    test = open_app(
        PRIVACY,
        sample="us-households",
        mechanism="pgsr-c-chain",
        epsilon="1.0",
        **{"option.calibration": "published"},
    )
    assert any("Do not use it for a release" in str(w.value) for w in test.warning)
    assert "and more than 99.999%**." in texts(healthy(test))


def test_every_published_budget_is_in_the_table(open_app) -> None:
    test = open_app(PRIVACY, sample="running-example")
    table = next(d.value for d in test.dataframe if "protects" in d.value.columns)
    assert len(table) == len(deployments()) + 1
    assert table.iloc[0]["who"] == "you"
    assert "OpenDP deployments registry (MIT licence)" in texts(healthy(test))


@pytest.mark.parametrize(
    ("budget", "exception"),
    [
        ({"epsilon": 1}, False),
        ({"epsilon": 1, "delta": 1e-6}, True),
        ({"rho": 0.5}, True),
    ],
)
def test_the_chart_in_words_names_the_exception_of_a_delta(budget, exception) -> None:
    table = hdp.samples.load("running-example").table
    statement = hdp.plan(table, "pgsr-h-dp", **budget).privacy
    alt = meaning_of_epsilon.belief_alt_of(statement, prior=0.5, delta=1e-6)
    assert alt.startswith("From a prior belief of 50%, the posterior belief is between ")
    assert ("holds except with probability 10⁻⁶." in alt) == exception


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_worlds_are_named_after_the_neighbours(neighbours) -> None:
    from dataclasses import replace

    table = hdp.samples.load("running-example").table
    statement = replace(hdp.plan(table, "pgsr-h-dp", epsilon=1).privacy, neighbours=neighbours)
    text = meaning_words.belief_sentence(
        Belief(prior=0.5, least=0.3, most=0.7), statement, delta=1e-6
    )
    wanted = {
        Neighbours.ADD_OR_REMOVE_ONE: "that a person is in the data",
        Neighbours.REPLACE_ONE: "a person has the first of two possible records",
    }
    assert wanted[neighbours] in text


def test_where_a_record_is_replaced_the_person_is_in_both_datasets() -> None:
    from dataclasses import replace

    table = hdp.samples.load("running-example").table
    added = hdp.plan(table, "pgsr-h-dp", epsilon=1).privacy
    replaced = replace(added, neighbours=Neighbours.REPLACE_ONE)
    assert meaning_words.captions(100, 5, 14, added) == (
        "Without the person: 5 of 100",
        "With the person, at most: 14 of 100",
    )
    stated = " ".join(
        (
            meaning_words.odds_sentence(100, 5, 14, replaced),
            *meaning_words.captions(100, 5, 14, replaced),
            meaning_words.probability_label(replaced),
        )
    )
    assert "second record" in stated
    assert "ithout" not in stated


LEFT_OUT = "The only member of a group is not protected."


@pytest.mark.parametrize("left_out", [LEFT_OUT, ""])
@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"epsilon": 1, "delta": 1e-6}, {"rho": 0.5}])
def test_every_text_on_beliefs_states_who_is_not_protected(left_out, budget) -> None:
    from dataclasses import replace

    data = hdp.samples.load("running-example")
    plan = hdp.plan(data.table, "pgsr-h-dp", **budget)
    plan = replace(plan, privacy=replace(plan.privacy, not_protected=left_out))
    texts_on_beliefs = [
        overview_words.one_person(plan.privacy),
        overview_words.risk(plan.privacy),
        meaning_words.belief_sentence(belief(1.0, 0.5), plan.privacy, delta=1e-6),
        meaning_of_epsilon.belief_alt_of(plan.privacy, prior=0.5, delta=1e-6),
        fitness_page(
            fitness(data.table, plan, n_simulations=1),
            plan,
            title="Six units",
            source="",
            repeat="",
            seed=0,
            synthetic=True,
        ),
    ]
    assert [LEFT_OUT in text for text in texts_on_beliefs] == [bool(left_out)] * 5


def test_every_module_that_states_a_belief_states_who_is_not_protected() -> None:
    root = Path(meaning_words.__file__).parents[3]
    modules = [*(root / "pages").rglob("*.py"), *(root / "hierdp_core").rglob("*.py")]
    writers = {
        module.name: "not_protected" in module.read_text(encoding="utf-8")
        for module in modules
        if "belief(loss_limit(" in module.read_text(encoding="utf-8")
    }
    assert writers == {
        "fitness.py": True,
        "meaning_of_epsilon.py": True,
        "meaning_words.py": True,
        "overview_words.py": True,
    }


def test_a_threshold_keeps_its_own_delta_in_sentences() -> None:
    """The δ of the slider has no effect on it, so the sentences name the δ of the statement."""
    table = hdp.samples.load("ri-commuting").table
    statement = hdp.plan(table, "stability-histogram", epsilon=1, delta="0.1").privacy
    beliefs = belief(loss_limit(statement, delta=1e-12), 0.5)
    text = meaning_words.belief_sentence(beliefs, statement, delta=1e-12)
    assert "Each of the two limits holds except with probability 0.1." in text
    assert meaning_words.each_maximum(statement, 1e-12).endswith("except with probability 0.1.")
    rows = meaning_of_epsilon.level_table(statement, prior=0.5, delta=1e-12)
    level, total = rows["most"].tolist()[-2:]
    assert level == total  # it measures one level
    assert "at most 76%" in meaning_words.finding(statement)  # 1 / (1 + 0.9/e)


def test_the_risk_is_that_of_the_privacy_unit() -> None:
    from dataclasses import replace

    table = hdp.samples.load("running-example").table
    pickup = replace(hdp.plan(table, "pgsr-h-dp", epsilon=1).privacy, unit="one pickup")
    for stated in (overview_words.risk(pickup), overview_words.one_person(pickup)):
        assert "pickup" in stated
        assert "person" not in stated


def test_the_label_holds_the_statement_and_escapes_what_is_not_ours() -> None:
    table = hdp.samples.load("running-example").table
    statement = hdp.plan(table, "pgsr-h-dp", epsilon=2).privacy
    text = label(statement, title="<b>x</b>", mechanism="m", note="n")
    assert "&lt;b&gt;x&lt;/b&gt;" in text
    for part in (
        "ε = 2 (pure DP)",
        "one person",
        "adding or removing one person",
        "the number of groups (units), 6",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("budget", "sentence"),
    [
        ({"epsilon": 1}, ""),
        ({"rho": 0.5}, "The bound fails with a probability of at most 10⁻⁸."),
        ({"epsilon": 1, "delta": "0.1"}, "The bound fails with a probability of at most 0.1."),
    ],
)
def test_overview_names_the_probability_with_which_a_bound_fails(budget, sentence) -> None:
    table = hdp.samples.load("running-example").table
    statement = hdp.plan(table, "pgsr-h-dp", **budget).privacy
    for stated in (overview_words.risk(statement), overview_words.one_person(statement)):
        assert sentence in stated
        assert ("bound fails" in stated) == bool(sentence)


def test_a_single_measured_level_is_no_sum() -> None:
    table = hdp.samples.load("od-binary-sparse").table
    alone = hdp.plan(table, "stability-histogram", epsilon=1, delta="0.01").privacy
    assert words.composition(alone, beside=False).startswith("Only one level is measured")


def test_parts_of_a_budget_with_delta_are_not_said_to_sum_to_it() -> None:
    table = hdp.samples.load("us-population").table
    pure = hdp.plan(table, "hay", epsilon=1).privacy
    assert "is the sum of the level budgets" in words.composition(pure, beside=False)
    approximate = hdp.plan(table, "hay", epsilon=1, delta="0.05").privacy
    assert "not their sum" in words.composition(approximate, beside=False)
    rows = meaning_of_epsilon.level_table(approximate, prior=0.5, delta=1e-6)
    assert rows["epsilon"].tolist()[-1] == "1 (δ = 0.05)"
    summed = hdp.plan(table, "hay", epsilon=1, delta="1e-6").privacy  # geometric noise
    assert sum(summed.parts[1]) == pytest.approx(1)
    assert words.composition(summed, beside=False).endswith("so ε is the sum of the level budgets.")


def test_the_method_that_was_used_is_named() -> None:
    """At δ = 10⁻¹³ there is no exact curve, so Corollary 13 was used, and the sentence says so."""
    table = hdp.samples.load("running-example").table
    statement = hdp.plan(table, "pgsr-c-dp", epsilon="0.001", delta="1e-13").privacy
    assert "exact privacy curve" not in statement.conversion
    assert "exact privacy curve" not in meaning_words.conversion_sentence(statement)
    assert not any("exact privacy curve" in line for line in account_lines(statement))


def test_the_comparison_with_releases_names_who_is_protected_and_the_delta() -> None:
    table = hdp.samples.load("running-example").table
    statement = hdp.plan(table, "pgsr-h-dp", epsilon=1, delta="0.1").privacy
    rows = deployments_figure.table(deployments(), statement, delta=1e-8, yours="mine")
    assert rows["protects"].iloc[0] == "one person, except the only member of a group"
    text = meaning_words.deployment_sentence(
        1.0, 16, 15, "as stated", guarantee=statement.guarantee, delta=None
    )
    assert "δ = 0.1" in text


def test_an_epsilon_converted_from_rho_is_stated_with_its_delta() -> None:
    text = meaning_words.deployment_sentence(
        6.1, 16, 15, "from ρ, Corollary 13", guarantee="ρ = 1", delta=1e-8
    )
    assert "ε is 6.1 at δ = 10⁻⁸ (from ρ" in text
    table = hdp.samples.load("od-binary-sparse").table
    statement = hdp.plan(table, "tda-l2", rho=1).privacy
    rows = deployments_figure.table(deployments(), statement, delta=1e-8, yours="mine")
    words = deployments_figure.alt(rows, delta=1e-8)
    assert "at δ = 10⁻⁸ where the budget is in ρ" in words


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_a_question_between_two_records_has_the_limit_of_two_changes(epsilon: float) -> None:
    table = hdp.samples.load("running-example").table
    statement = hdp.plan(table, "pgsr-h-dp", epsilon=epsilon).privacy
    assert uncertain_fact(statement) == "that a person is in the data"
    most = math.exp(2 * epsilon) / (1 + math.exp(2 * epsilon))
    sentence = between_records(statement)
    shown = float(re.findall(r"at most ([0-9.]+)%", sentence)[0]) / 100
    assert most <= shown < most + 0.011
    certain = between_records(hdp.plan(table, "pgsr-h-dp", epsilon=20).privacy)
    assert certain.endswith("from 50% to more than 99.999%.")
    moved = hdp.plan(table, "pgsr-h-dp", rho=epsilon).privacy
    assert "%" not in between_records(moved)


def test_replaced_records_are_two_possible_records() -> None:
    flows = hdp.samples.load("od-binary-sparse").table
    statement = hdp.plan(flows, "inftda", epsilon=1).privacy
    assert uncertain_fact(statement) == "that a person has the first of two possible records"
    assert between_records(statement) == ""


@pytest.mark.parametrize(
    ("table", "mechanism"),
    [
        ("us-population", "inftda: split=reference"),
        ("running-example", "pgsr-c-chain: calibration=published"),
    ],
)
def test_a_cost_is_not_said_to_be_what_the_noise_was_calibrated_to(table, mechanism) -> None:
    """A published calibration spends another ε than the one that it was computed from."""
    statement = hdp.plan(hdp.samples.load(table).table, mechanism, epsilon=1, delta="1e-6").privacy
    assert statement.epsilon != 1
    assert "calibrated" not in meaning_words.conversion_sentence(statement)


@pytest.mark.parametrize("delta", ["0.3", "1e-20"])
def test_the_page_opens_at_any_delta_of_an_address(open_app, delta) -> None:
    page = healthy(
        open_app(PRIVACY, sample="running-example", mechanism="pgsr-h-dp", epsilon="1", delta=delta)
    )
    assert "Risk for one person" in texts(page)


@pytest.mark.parametrize(("noise", "kinds"), [("best", "Both kinds"), ("gaussian", "Only this")])
def test_noise_is_said_to_be_compared_only_where_both_kinds_were(noise, kinds) -> None:
    table = hdp.samples.load("running-example").table
    statement = hdp.plan(table, "pgsr-h-dp", epsilon=1, delta="1e-6", noise=noise).privacy
    assert meaning_words.account(statement).startswith(kinds)


@pytest.mark.parametrize(
    ("table", "mechanism", "claimed"),
    [
        ("us-population", "inftda: split=reference", "ε = 0.499"),
        ("running-example", "pgsr-c-chain: calibration=published", "a claimed ε = 1, "),
    ],
)
def test_a_calibration_that_spends_another_amount_is_described_by_that(
    table, mechanism, claimed
) -> None:
    made = hdp.plan(hdp.samples.load(table).table, mechanism, epsilon=1, delta="1e-8")
    assert words.budget(made).startswith(claimed)
    assert made.privacy.guarantee in words.budget(made)
    # The amounts that were compared for the budget are not those that such noise spends.
    assert made.privacy.candidates == ()
