"""Privacy proved by enumeration: for every mechanism and every option.

The mechanism runs on both of all neighbouring tables of at most three people over all trees of at
most four leaves, with noise that hides all exact values. The proofs check three things. The
questions and their noise are the same for both tables and as in the plan. The exact answers behind
each noise differ by no more than is declared, and reach it. Nothing else of the table influences
the result, not even through post-processing. Long vectors are processed in pieces, and here so are
short ones.

If a threshold hides cells, which cells are released may depend on their noisy counts alone. The
probability that a cell of one record is released is added up exactly.
"""

from dataclasses import dataclass, replace
from itertools import chain, combinations, product

import numpy as np
import pytest
from support.neighbours import joined_options
from support.planted import PLANTED, Right, RightThenClamped
from support.proving import (
    BUDGETS,
    FEW_TREES,
    ROOT,
    TWO_LEAVES,
    UNEVEN,
    Proof,
    budgets_for,
    cases_of,
    every,
    few_trips,
    fits,
    hold,
    joined,
    proofs,
    stepwise,
    tables_of,
    trees_for,
    usual,
)
from support.sabotage import SABOTAGE, room_for_exact_size
from support.strategies import families
from support.watching import FAR_BESIDE_LEVELS, canonical, constants, faults_of_seeded_noise

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms import MECHANISMS, describe, flow_queries, level_answers, parse
from hierdp_core.mechanisms.leaf_noise import StabilityHistogram
from hierdp_core.mechanisms.options import option
from hierdp_core.noise import SeededNoise
from hierdp_core.privacy import Neighbours, Sensitivity, event_epsilon
from hierdp_core.simulation import plan, simulate
from hierdp_core.tables import Pairs

CASES = [(id, kind) for id, m in MECHANISMS.items() for kind in m.kinds]
# With many options, combining every two of their values takes some seconds.
JOINED_CASES = [
    pytest.param(*case, marks=[pytest.mark.nightly] * (len(describe(case[0]).options) > 2))
    for case in CASES
]
WITH_MANY_OPTIONS = [case for case in CASES if len(describe(case[0]).options) > 2]
WITH_TRIPS = [(id, k) for id, k in CASES if any(o.name == "trips" for o in describe(id).options)]
WITH_CAP = [id for id in MECHANISMS if any(o.name == "cap" for o in describe(id).options)]


def usual_cases(id, kind):
    return cases_of(id, kind, FEW_TREES, usual)


def one_by_one(id, kind, tree):
    """The usual options but for one: each value of each option once, with a trip a person."""
    (options,) = usual(id, kind, tree)
    return [
        one
        for one in every(id, kind, tree)
        if sum(one[name] != options[name] for name in options) == 1
        and one.get("trips") == options.get("trips")
    ]


def joined_cases(id, kind):
    """Options in which every two values occur together; slow ones for generic solvers."""
    tree = TWO_LEAVES if kind == "flows" else UNEVEN
    if MECHANISMS[id].largest_cells is not None and stepwise(id):
        return cases_of(id, kind, [tree], few_trips, BUDGETS[:1])
    return cases_of(id, kind, [tree], joined)


# It makes the tables for audits, and no release uses it.
TABLES_OF_AUDITS = "hierdp_core.mechanisms.neighbours"


@pytest.mark.parametrize(("id", "kind"), CASES)
def test_declared_sensitivities_are_reached_and_nothing_else_is_revealed(id, kind):
    hold(proofs(id, kind, usual_cases(id, kind)))


@pytest.mark.parametrize(("id", "kind"), WITH_MANY_OPTIONS)
def test_declared_sensitivities_are_reached_for_each_value_of_an_option(id, kind):
    hold(proofs(id, kind, cases_of(id, kind, [TWO_LEAVES], one_by_one, BUDGETS[:1])))


@pytest.mark.parametrize(("id", "kind"), CASES)
def test_a_lone_region_below_the_root_gets_all_of_its_noise(id, kind):
    """Numbers with less noise than was drawn would be answers that no noise covers."""
    tree = families(2)
    assert tree.level_sizes.tolist() == [1, 1, 2]
    (options,) = usual(id, kind, tree)
    (budget,) = budgets_for(id, kind, tree, options, BUDGETS[:1])
    proof = Proof(id, kind, tree, options, budget).run()
    assert not proof.faults
    assert not proof.failed
    assert proof.largest


def test_less_noise_where_the_total_is_not_public_is_detected(monkeypatch):
    """The total of `inftda` is measured with unbounded neighbours alone."""

    def quartered(self):
        noise = self._noise.draw(self._events[0], (1,)) // 4
        self._with_total = int((np.array([self._total]) + noise)[0])
        return self._with_total

    cases = list(cases_of("inftda", "flows", [TWO_LEAVES], one_by_one, BUDGETS[:1]))
    unbounded = [case for case in cases if case[1]["neighbours"] == "unbounded"]
    hold(proofs("inftda", "flows", unbounded))
    monkeypatch.setattr(flow_queries.TopDownQuestions, "root", quartered)
    with pytest.raises(AssertionError):
        hold(proofs("inftda", "flows", unbounded))


def test_a_shape_that_is_left_out_is_detected(monkeypatch):
    """The shape leaves out two trips that share a cell, which the proof finds."""
    options = {"trips": "2"}
    assert not Proof("inftda", "counts", UNEVEN, options, BUDGETS[1]).run().faults
    apart = ((1, 1, 1, 1),)
    monkeypatch.setattr(flow_queries, "trip_shapes", lambda trips, records: apart)
    proof = Proof("inftda", "counts", UNEVEN, options, BUDGETS[1]).run()
    assert any("in no shape" in fault for fault in proof.faults)


@pytest.mark.parametrize(("id", "kind"), JOINED_CASES)
def test_declared_sensitivities_are_reached_for_every_pair_of_options(id, kind):
    hold(proofs(id, kind, joined_cases(id, kind)))


@pytest.mark.parametrize(("id", "kind"), CASES)
def test_a_release_shows_no_more_than_its_steps(id, kind):
    """`run` gives each part of a mechanism its input only, such as a blank table to fill."""
    generic = MECHANISMS[id].largest_cells is not None and kind == "group-sizes"
    tree = ROOT if generic else TWO_LEAVES
    (options,) = usual(id, kind, tree)
    (budget,) = budgets_for(id, kind, tree, options, BUDGETS[:1])
    proof = Proof(id, kind, tree, options, budget, through_run=True).run()
    assert not proof.faults
    assert not proof.failed
    assert proof.largest


def proofs_with_low_limits(id):
    """Set every limit in the code of mechanisms so low that it takes effect on small tables.

    Those of the noisy largest size are set. Others are tested when a plan is made.
    """
    limits = constants("hierdp_core.mechanisms", "LARGEST")
    for options in joined_options(id, "group-sizes", TWO_LEAVES.n_levels):
        if options["cap"] == "noisy":
            room = parse(id, options).room_above
            for largest, seed in product((2, room + 2, room + FAR_BESIDE_LEVELS), range(3)):
                proof = Proof(id, "group-sizes", TWO_LEAVES, options, BUDGETS[0], seed=seed)
                proof.constants = dict.fromkeys(limits, TWO_LEAVES.n_nodes * (largest + 1))
                yield proof.run()


@pytest.mark.parametrize(("id", "kind"), CASES)
def test_a_release_is_filled_into_a_blank_table(id, kind, monkeypatch):
    """Post-processing has access to no table with records."""
    generic = MECHANISMS[id].largest_cells is not None and kind == "group-sizes"
    tree = ROOT if generic else TWO_LEAVES
    (options,) = usual(id, kind, tree)
    (budget,) = budgets_for(id, kind, tree, options, BUDGETS[:1])
    table = tables_of(id, kind, tree, options)[0][-1]
    released, tables = MECHANISMS[id].released, []

    def noting(self, blank, values, plan):
        tables.append(blank)
        return released(self, blank, values, plan)

    monkeypatch.setattr(MECHANISMS[id], "released", noting)
    simulate(table, plan(table, id, options=options, **budget))
    assert table.values.any()
    assert [canonical(one) for one in tables] == [canonical(table.blank())]
    assert not tables[0].values.any()


@pytest.mark.parametrize("id", WITH_CAP)
def test_limits_take_effect_on_noisy_numbers_alone(id):
    with_low_limits = list(proofs_with_low_limits(id))
    assert not any(proof.faults for proof in with_low_limits)
    assert {proof.failed > 0 for proof in with_low_limits} == {False, True}


@pytest.mark.parametrize("id", WITH_CAP)
def test_a_limit_that_takes_effect_on_exact_numbers_is_detected(id, monkeypatch):
    room_for_exact_size(monkeypatch)
    assert any(proof.faults for proof in proofs_with_low_limits(id))


def test_seeded_noise_has_the_scale_of_its_event():
    assert not faults_of_seeded_noise(SeededNoise)


@pytest.mark.parametrize("parameter", ["scale", "sigma2"])
def test_a_scale_different_from_that_of_the_event_is_detected(parameter, monkeypatch):
    draw = SeededNoise.draw

    def quarter(self, event, shape, cells=None):
        if hasattr(event, parameter):
            event = replace(event, **{parameter: getattr(event, parameter) / 4})
        return draw(self, event, shape, cells)

    monkeypatch.setattr(SeededNoise, "draw", quarter)
    assert faults_of_seeded_noise(SeededNoise)


def test_seeded_noise_that_is_changed_after_it_is_drawn_is_detected(monkeypatch):
    draw = SeededNoise.draw
    monkeypatch.setattr(SeededNoise, "draw", lambda *args: draw(*args) // 4)
    assert faults_of_seeded_noise(SeededNoise)


def test_every_large_number_in_the_code_of_mechanisms_is_made_small_here():
    """Other numbers would never take effect on small tables: name them as one of these kinds."""
    large = [
        name
        for (module, name), n in constants("hierdp_core.mechanisms").items()
        if n > 100 and module != TABLES_OF_AUDITS
    ]
    assert large
    assert all("LARGEST" in name or "AT_ONCE" in name for name in large), large


@pytest.mark.parametrize(("id", "kind"), CASES)
def test_any_two_values_of_options_occur_together(id, kind):
    tree = TWO_LEAVES
    table = tables_of(id, kind, tree, usual(id, kind, tree)[0])[0][0]

    def takes(options):
        mechanism = parse(id, options)
        try:
            mechanism.check_domain(table.domain)
        except ChoiceError:
            return False
        return True

    possible, met = (
        {pair for options in several for pair in combinations(options.items(), 2)}
        for several in (filter(takes, every(id, kind, tree)), joined(id, kind, tree))
    )
    assert met == possible


@pytest.mark.parametrize(("id", "kind"), WITH_TRIPS)
def test_all_numbers_of_trips_occur_with_both_kinds_of_neighbours(id, kind):
    names = ("neighbours", "trips", "distinct")
    met = {tuple(options[name] for name in names) for options in joined(id, kind, TWO_LEAVES)}
    assert met == set(product(("bounded", "unbounded"), "1234", ("no", "yes")))


@pytest.mark.nightly
@pytest.mark.parametrize(("id", "kind"), CASES)
def test_joined_options_on_all_small_trees(id, kind):
    hold(proofs(id, kind, cases_of(id, kind, trees_for(kind), joined, BUDGETS[:1])))


@pytest.mark.nightly
@pytest.mark.parametrize(("id", "kind"), CASES)
def test_every_combination_of_options_on_one_tree(id, kind):
    hold(proofs(id, kind, cases_of(id, kind, [TWO_LEAVES], every, BUDGETS[:1])))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("id", "kind"), CASES)
def test_joined_options_on_all_small_trees_for_each_budget(id, kind):
    hold(proofs(id, kind, cases_of(id, kind, trees_for(kind), joined, BUDGETS)))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("id", "kind"), CASES)
def test_every_combination_of_options_on_one_tree_of_three_levels(id, kind):
    hold(proofs(id, kind, cases_of(id, kind, [UNEVEN], every, BUDGETS[:1])))


class NewKind(Right):
    """A mechanism for a kind of table without a generator."""

    kinds = ("grids",)


class NewNeighbours(Right):
    """A mechanism with neighbours for which its kind of table has no generator."""

    kinds = ("group-sizes",)

    neighbours = Neighbours.REPLACE_ONE


@dataclass(frozen=True, kw_only=True)
class NewOption(Right):
    """A mechanism with an open option, and no words to try."""

    depth: str = option("1", title="Depth", about="")


class TooLarge(Right):
    """A mechanism that accepts no small table."""

    def check_domain(self, domain):
        raise ChoiceError("It takes large tables alone.")


@pytest.mark.parametrize(
    ("new", "fault"),
    [
        (NewKind, "grids"),
        (NewNeighbours, "REPLACE_ONE"),
        (NewOption, "give WORDS for the option depth"),
        (TooLarge, "takes none of the small tables"),
    ],
)
def test_a_new_mechanism_without_its_enumeration_fails(new, fault, monkeypatch):
    monkeypatch.setitem(MECHANISMS, new.id, new)
    with pytest.raises((KeyError, AssertionError), match=fault):
        hold(proofs(new.id, new.kinds[0], usual_cases(new.id, new.kinds[0])))


def test_each_id_of_the_registry_has_its_enumeration():
    assert {id for id, _ in CASES} == MECHANISMS.keys()


# No single pair shows these: the noise itself is wrong, or a number is too large for the trees.
_NOT_HERE = {"wraps at 32 bits"}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_mistakes_are_detected(name, monkeypatch):
    planted = PLANTED[name]
    monkeypatch.setitem(MECHANISMS, planted.mechanism.id, planted.mechanism)
    kind = planted.mechanism.kinds[0]
    found = 0
    for tree in FEW_TREES:
        proof = Proof(planted.mechanism.id, kind, tree, {}, planted.budget, True)
        try:
            found += sum(proof.run().faults.values())
        except AssertionError:
            found += 1  # noise that is not used, or used twice
    assert (found > 0) == (name not in _NOT_HERE)


@pytest.mark.parametrize("mechanism", [Right, RightThenClamped])
def test_correct_mechanisms_pass(mechanism, monkeypatch):
    monkeypatch.setitem(MECHANISMS, mechanism.id, mechanism)
    hold(proofs(mechanism.id, "counts", cases_of(mechanism.id, "counts", FEW_TREES, every)))


@pytest.mark.slow
def test_a_sensitivity_that_is_declared_too_large_is_detected(monkeypatch):
    class Careful(Right):
        sensitivity = Sensitivity(l1=2, l2_squared=2)

    monkeypatch.setitem(MECHANISMS, "right", Careful)
    with pytest.raises(AssertionError):
        hold(proofs("right", "counts", cases_of("right", "counts", FEW_TREES, every)))


def test_the_published_calibration_is_charged_what_it_costs():
    """Its events state the true sensitivity, so the proof holds. Only the noise is too small."""
    tree = FEW_TREES[2]
    proof = Proof(
        "pgsr-c-chain", "group-sizes", tree, {"calibration": "published"}, {"epsilon": 1}
    ).run()
    assert not proof.faults
    assert [event.l1_sensitivity for event in proof.largest] == [1, tree.n_leaves]
    assert sum(event_epsilon(event) for event in proof.largest) == (1 + tree.n_leaves) / 2


def first_faults(id, kind):
    """The faults of the first failing proof of a mechanism; none if all hold."""
    try:
        for proof in proofs(id, kind, chain(joined_cases(id, kind), usual_cases(id, kind))):
            if proof.faults:
                return list(proof.faults)
    except AssertionError as error:  # noise that is not used, or used twice
        return [str(error)]
    return []


def faults_among_many(id, kind):
    """The faults that proofs find in tables with many records, for each set of options."""
    slow = MECHANISMS[id].largest_cells is not None
    for options in (few_trips if slow and stepwise(id) else joined)(id, kind, TWO_LEAVES):
        budget = budgets_for(id, kind, TWO_LEAVES, options, BUDGETS[:1])[0]
        if fits(id, TWO_LEAVES, kind, options, budget):
            proof = Proof(id, kind, TWO_LEAVES, options, budget, not slow, among_many=True)
            yield options, dict(proof.run().faults)


@pytest.mark.slow
@pytest.mark.parametrize(("id", "kind"), CASES)
def test_what_holds_among_few_records_holds_among_many(id, kind):
    faults = list(faults_among_many(id, kind))
    assert faults
    assert not any(found for _, found in faults), faults


def exact_when_large(monkeypatch):
    def partly(self, values, plan, noise):
        (event,) = plan.events
        noisy = values.values + noise.draw(event, values.values.shape)
        noisy = np.where(values.values > 40 * event.scale, values.values, noisy)
        kept = noisy >= event.threshold
        return Pairs(
            origin=values.origin[kept], destination=values.destination[kept], values=noisy[kept]
        )

    monkeypatch.setattr(StabilityHistogram, "measure", partly)


def exact_among_many_groups(monkeypatch):
    def partly(row, event, noise, *, region):
        sizes = np.repeat(np.arange(len(row)), row)
        drawn = sizes + noise.draw(event, sizes.shape)
        yield np.where(sizes == sizes.max(), sizes, drawn) if len(sizes) > 9 else drawn

    monkeypatch.setattr(level_answers, "_noisy_sizes", partly)


@pytest.mark.parametrize(
    ("plant", "id", "kind"),
    [
        (exact_when_large, "stability-histogram", "flows"),
        (exact_among_many_groups, "coc", "group-sizes"),
    ],
)
def test_noise_that_spares_large_numbers_is_detected(plant, id, kind, monkeypatch):
    """Mutants that proofs on small tables alone do not detect."""
    plant(monkeypatch)
    assert any(found for _, found in faults_among_many(id, kind))


@pytest.mark.slow
@pytest.mark.parametrize("name", SABOTAGE)
def test_sabotaged_code_is_detected(name, monkeypatch):
    """The same proofs hold for the correct code, in the tests above."""
    sabotage = SABOTAGE[name]
    sabotage.plant(monkeypatch)
    for id, kind in sabotage.cases:
        faults = first_faults(id, kind)
        assert any(sabotage.fault in fault for fault in faults), (id, kind, faults)
