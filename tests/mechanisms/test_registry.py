"""Mechanisms as typed configurations, and the words that name them."""

from dataclasses import FrozenInstanceError, fields, is_dataclass
from fractions import Fraction

import pytest
from support.neighbours import each_option
from support.strategies import regions_of, small_trees

import hierdp_core as hdp
from hierdp_core import mechanisms
from hierdp_core.evaluation.comparison import grid
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.mechanisms import MECHANISMS, configured, describe, options_of, parse
from hierdp_core.privacy import Budget, Neighbours
from hierdp_core.simulation import plan
from hierdp_core.tables import Counts, GroupSizes

TREE = list(small_trees())[2]
GROUPS = GroupSizes.from_leaves(regions_of(TREE), [[0, 2, 1], [1, 1, 0]])


@pytest.mark.parametrize("id", MECHANISMS)
def test_a_mechanism_is_a_frozen_dataclass_that_the_package_exports(id):
    kind = MECHANISMS[id]
    mechanism = kind()
    assert getattr(mechanisms, kind.__name__) is kind
    assert is_dataclass(kind)
    assert mechanism == kind()
    assert hash(mechanism) == hash(kind())
    with pytest.raises(FrozenInstanceError):
        mechanism.trips = 2


@pytest.mark.parametrize("id", MECHANISMS)
def test_words_and_values_name_each_other(id):
    assert options_of(MECHANISMS[id]()) == tuple((o.name, o.default) for o in describe(id).options)
    for words in each_option(id, 3):
        mechanism = parse(id, words)
        assert dict(options_of(mechanism)) == words
        assert parse(id, dict(options_of(mechanism))) == mechanism


@pytest.mark.parametrize("id", MECHANISMS)
def test_every_field_is_an_option(id):
    assert len(fields(MECHANISMS[id])) == len(describe(id).options)


def test_options_are_typed():
    made = parse("inftda", {"trips": " 3 ", "distinct": "yes", "neighbours": "unbounded"})
    assert made == mechanisms.InfTda(
        trips=3, distinct=True, neighbours=Neighbours.ADD_OR_REMOVE_ONE
    )
    groups = parse("coc", {"methods": ["hg", "hc"], "cap": "12", "totals-share": "0.25"})
    assert groups.methods == ("hg", "hc")
    assert groups.max_size == 12
    assert groups.totals_share == Fraction(1, 4)
    assert parse("pgsr-h", {"time_limit": 600}).time_limit == 600


@pytest.mark.parametrize(
    ("refused", "words"),
    [
        (lambda: mechanisms.InfTda(trips=0), 'trips, the maximum .* got "0"'),
        (lambda: mechanisms.InfTda(trips=True), 'trips, the maximum .* got "True"'),
        (
            lambda: mechanisms.InfTda(order="sideways"),
            'order of .* cannot be "sideways"',
        ),
        (lambda: mechanisms.CountOfCounts(methods=("hx",)), 'methods are hc, hg, naive; got "hx"'),
        (lambda: mechanisms.CountOfCounts(max_size=0), 'Set cap to public, noisy or .* got "0"'),
        (
            lambda: mechanisms.CountOfCounts(totals_share=2),
            "Set totals-share to a number above 0 and below 1",
        ),
        (lambda: mechanisms.CountOfCounts(max_size_epsilon=0), "cap-epsilon must be above 0"),
        (
            lambda: mechanisms.PgsrH(time_limit=5),
            r"time_limit of .* cannot be \"5\"\. Choose 10, 60 or 600",
        ),
        (lambda: parse("laplace"), 'no mechanism "laplace"'),
        (lambda: parse("hay", {"merge": "mean"}), 'no option "merge". It has no options'),
        (
            lambda: plan(GROUPS, mechanisms.CountOfCounts(), epsilon=1, options={"merge": "mean"}),
            "Options by name need the id",
        ),
        (
            lambda: configured(mechanisms.CountOfCounts(), {"cap": 3, "cap-epsilon": 1}),
            r"in it: CountOfCounts\(max_size=…, max_size_epsilon=…\)\.",
        ),
        (lambda: plan(GROUPS, mechanisms.Hay(), epsilon=1), "hay is for counts; this"),
        (
            lambda: plan(GROUPS, mechanisms.InfTda(), epsilon=1),
            "inftda is for counts or flows; this table holds group sizes",
        ),
    ],
)
def test_a_wrong_configuration_is_refused_when_it_is_built(refused, words):
    with pytest.raises(ChoiceError, match=words):
        refused()


def test_a_plan_takes_a_mechanism_or_an_id_and_a_budget_or_its_numbers():
    words = {"methods": "hg,hc", "merge": "mean"}
    mechanism = mechanisms.CountOfCounts(methods=("hg", "hc"), merge="mean")
    by_value = hdp.plan(GROUPS, mechanism, budget=Budget.of(rho=1), allocation=[1, 2])
    by_words = hdp.plan(GROUPS, "coc", rho=1, allocation=[1, 2], options=words)
    assert repr(by_value) == repr(by_words)
    assert by_value.mechanism == mechanism
    assert by_value.id == "coc"
    assert dict(by_value.options).items() >= words.items()
    with pytest.raises(BudgetError, match="once"):
        hdp.plan(GROUPS, mechanism, budget=Budget.of(rho=1), rho=1)
    with pytest.raises(BudgetError, match="State a budget"):
        hdp.plan(GROUPS, mechanism)


def test_what_is_public_follows_the_configuration():
    table = Counts.from_leaves(regions_of(TREE), [3, 4])
    assert mechanisms.InfTda().public_domain(table).total == 7
    one_more = mechanisms.InfTda(neighbours=Neighbours.ADD_OR_REMOVE_ONE)
    assert one_more.public_domain(table).total is None
    assert mechanisms.CountOfCounts().public_domain(GROUPS).region_groups is not None
    assert mechanisms.CountOfCounts(totals="private").public_domain(GROUPS).groups is None
    with pytest.raises(ChoiceError, match="treats the total as public"):
        mechanisms.InfTda().public_domain(table.domain)


def test_only_the_tree_programs_are_explained_step_by_step():
    assert [id for id, m in MECHANISMS.items() if m.is_tree_program] == ["pgsr-h-dp", "tree-dp"]


def test_a_comparison_takes_mechanisms_and_ids_and_gives_words_to_ids_alone():
    mean = mechanisms.CountOfCounts(merge="mean")
    cases = grid(
        GROUPS, [mean, "coc", "pgsr-h-dp"], [Budget.of(epsilon=1)], options={"isotonic": "l2"}
    )
    assert [case.mechanism for case in cases] == [
        mean,
        mechanisms.CountOfCounts(isotonic="l2"),
        mechanisms.PgsrHDp(),
    ]


@pytest.mark.parametrize("kind", ["counts", "group-sizes", "flows"])
def test_a_comparison_includes_the_recommended_mechanism_by_default(kind):
    ids = mechanisms.names(kind)
    suggested = [id for id in ids if describe(id).is_suggested] or ids[:1]
    assert mechanisms.recommended(kind) in suggested
