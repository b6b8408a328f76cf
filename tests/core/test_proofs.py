"""Privacy proved by enumeration: for every mechanism and every option.

For all neighbouring tables of at most three people over all trees of at most four leaves,
both are run under noise that covers all it is added to. Then: what is asked, and how much
noise it gets, is the same and is what the plan says; the exact answers under each draw lie no
further apart than declared, and reach it; and nothing else of the table comes through, not
even by way of post-processing.
"""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest
from neighbours import each_option, every_option, flows_with_one_more, neighbouring
from planted import PLANTED, Right, RightThenClamped
from strategies import small_trees
from watching import canonical, declared, differing, distances, faults_of_run, watched

from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.mechanisms import MECHANISMS
from hierdp_core.mechanisms.base import Option
from hierdp_core.privacy import Neighbours, Sensitivity, event_epsilon
from hierdp_core.release import plan

BUDGETS = ({"epsilon": 1}, {"rho": 1}, {"epsilon": 1, "delta": 1e-6})
# Which pairs have a flow at all shows with a chance of δ: test_leaf_noise.py adds that up.
HIDDEN_BY_CHANCE = {"stability-histogram"}
CASES = [
    (id, kind) for id, m in MECHANISMS.items() for kind in m.kinds if id not in HIDDEN_BY_CHANCE
]
SEEDS = 4
TREES = list(small_trees())
ROOT, TWO_LEAVES, THREE_LEAVES, UNEVEN = (TREES[k] for k in (0, 2, 3, 8))
FEW_TREES = [ROOT, TWO_LEAVES, THREE_LEAVES, UNEVEN]


@dataclass
class Proof:
    """All neighbours over one tree, held against what a mechanism declares.

    Attributes:
        to_the_end: run post-processing as well, which must give the same for the same answers.
        seed: of what is heard, on which it may hang what is asked next.
        faults: what must not be, and of how many pairs or tables.
        largest: of each event the largest (L1, squared L2) that its answers moved by.
    """

    id: str
    kind: str
    tree: object
    options: dict
    budget: dict
    to_the_end: bool = False
    seed: int = 0
    faults: Counter = field(default_factory=Counter)
    largest: dict = field(default_factory=dict)

    def run(self):
        tables, pairs = tables_of(self.id, self.kind, self.tree, self.options)
        plans = [plan(table, self.id, options=self.options, **self.budget) for table in tables]
        seen = [
            watched(MECHANISMS[self.id](), table, made, self.to_the_end, self.seed)
            for table, made in zip(tables, plans, strict=True)
        ]
        shown = {
            "the plan depends on the table": [str(canonical(made)) for made in plans],
            "what is drawn depends on the table": [one.asked for one in seen],
            "something comes out that no noise covers": [one.outcome for one in seen],
        }
        for fault, things in shown.items():
            self.faults[fault] += differing(things, pairs)
        for made, one in zip(plans, seen, strict=True):
            self.faults.update(faults_of_run(made, one))
        self.faults = +self.faults
        if not self.faults:
            self._measure(plans, seen, pairs)
        return self

    def _measure(self, plans, seen, pairs):
        """Neighbours have the same plan; tables that are none, as of two totals, may not."""
        alike, events = {}, [str(made.events) for made in plans]
        for pair in pairs:
            alike.setdefault((events[pair[0]], seen[pair[0]].asked), []).append(pair)
        for same in alike.values():
            for event in plans[same[0][0]].events:
                self._measure_event(event, [one.answers.get(event) for one in seen], np.array(same))

    def _measure_event(self, event, answers, pairs):
        found = distances(answers, pairs)
        most = self.largest.get(event, found)
        self.largest[event] = tuple(max(two) for two in zip(most, found, strict=True))
        if any(got > most for got, most in zip(found, declared(event), strict=True)):
            self.faults[f"{event.query}: moved by {found}"] += 1

    def reached(self, event):
        """Does a pair move the event's answers as far as is declared?"""
        told = zip(self.largest[event], declared(event), strict=True)
        return any(got == most for got, most in told)


def tables_of(id, kind, tree, options):
    """All tables and which of them are neighbours."""
    return neighbouring(kind, MECHANISMS[id]().neighbours(options), tree, options)


def fits(id, tree, kind, options, budget):
    """Whether the mechanism takes tables over this tree so."""
    tables, pairs = tables_of(id, kind, tree, options)
    try:
        plan(tables[0], id, options=options, **budget)
    except (BudgetError, ChoiceError):
        return False
    return len(pairs) > 0


def ends(id, tree, budget):
    """Whether post-processing is run as well: once a tree, on small ones where it is slow."""
    slow = MECHANISMS[id].largest_cells is not None
    return budget is BUDGETS[0] and (tree.n_nodes <= 3 or not slow)


def heard_often_enough(id, kind, tree, options, budget):
    """A proof for one seed; and where a level was not asked in full, for others."""
    for seed in range(SEEDS):
        yield (led := Proof(id, kind, tree, options, budget, ends(id, tree, budget), seed).run())
        if led.faults or kind != "flows" or all(map(led.reached, led.largest)):
            return


def proofs(id, kind, trees, option_sets, budgets=BUDGETS[:2]):
    """Every proof that can be led; for each set of options at least one, or it fails."""
    names = {str(o): o for tree in trees for o in option_sets(id, tree.n_levels)}
    led = set()
    for tree in trees:
        for options in option_sets(id, tree.n_levels):
            for budget in budgets:
                if fits(id, tree, kind, options, budget):
                    led.add(str(options))
                    yield from heard_often_enough(id, kind, tree, options, budget)
    assert led, f"{id} takes none of the small tables"
    unfit = [o for name, o in names.items() if name not in led]
    # An option may have a meaning for one kind of table alone.
    assert not unfit or kind != MECHANISMS[id].kinds[-1], (
        f"{id} takes no small table with {unfit[0]}"
    )


def hold(found):
    """No fault in any proof, and every declared distance reached."""
    whole, room = {}, {}
    for proof in found:
        assert not proof.faults, (proof.options, proof.tree.level_sizes, dict(proof.faults))
        for event in proof.largest:
            name = (str(proof.options), str(proof.budget), proof.tree.n_levels, event.query)
            several = proof.kind == "flows" or proof.options.get("trips", "1") != "1"
            replaced = MECHANISMS[proof.id]().neighbours(proof.options) is Neighbours.REPLACE_ONE
            # Trips of one person, and somebody who moves, need a second place; elsewhere every
            # tree has room.
            kept = room if several or replaced else whole
            kept.setdefault(name, []).append(proof.reached(event))
    assert whole or room
    assert all(all(reached) for reached in whole.values())
    assert all(any(reached) for reached in room.values()), room


def usual(id, levels):
    """The usual options alone."""
    yield next(each_option(id, levels))


def trees_for(kind):
    """Both ends of flows lie in the tree: three leaves are nine pairs of places."""
    return [tree for tree in TREES if kind != "flows" or tree.n_leaves <= 3]


@pytest.mark.parametrize(("id", "kind"), CASES)
def test_declared_sensitivities_are_reached_and_nothing_else_comes_through(id, kind):
    hold(proofs(id, kind, FEW_TREES, usual))


@pytest.mark.parametrize(("id", "kind"), CASES)
def test_so_they_are_with_each_option(id, kind):
    hold(proofs(id, kind, [TWO_LEAVES if kind == "flows" else UNEVEN], each_option))


@pytest.mark.parametrize("id", HIDDEN_BY_CHANCE)
def test_what_is_hidden_by_chance_has_a_threshold_and_a_delta(id):
    flows = next(flows_with_one_more(TREES[2], {}))[0]
    for budget in BUDGETS[:2]:
        with pytest.raises(BudgetError):
            plan(flows, id, **budget)
    made = plan(flows, id, **BUDGETS[2])
    assert all(event.threshold > 0 for event in made.events)


@pytest.mark.slow
@pytest.mark.parametrize(("id", "kind"), CASES)
def test_each_option_on_all_small_trees(id, kind):
    hold(proofs(id, kind, trees_for(kind), each_option, BUDGETS[:1]))


@pytest.mark.slow
@pytest.mark.parametrize(("id", "kind"), CASES)
def test_every_combination_of_options_on_one_tree(id, kind):
    hold(proofs(id, kind, [TWO_LEAVES], every_option, BUDGETS[:1]))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("id", "kind"), CASES)
def test_each_option_on_all_small_trees_for_each_budget(id, kind):
    hold(proofs(id, kind, trees_for(kind), each_option, BUDGETS))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("id", "kind"), CASES)
def test_every_combination_of_options_on_one_tree_of_three_levels(id, kind):
    hold(proofs(id, kind, [UNEVEN], every_option, BUDGETS[:1]))


class NewKind(Right):
    """Tables of a kind that no generator makes."""

    kinds = ("grids",)


class NewNeighbours(Right):
    """Two neighbours of another sort than its tables have a generator for."""

    kinds = ("group-sizes",)

    def neighbours(self, options):
        return Neighbours.REPLACE_ONE


class NewOption(Right):
    """An option that takes any word, and none to try."""

    options = (Option(name="depth", title="Depth", about="", default="1", choices=()),)


class TooLarge(Right):
    """No small table fits."""

    def check_options(self, options, domain):
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
        hold(proofs(new.id, new.kinds[0], FEW_TREES, usual))


def test_each_id_of_the_registry_has_its_enumeration():
    assert {id for id, _ in CASES} | HIDDEN_BY_CHANCE == MECHANISMS.keys()


# What no single pair shows: the noise itself is wrong, or a number is too large for the trees.
_NOT_HERE = {"wraps at 32 bits"}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_mistakes_are_seen(name, monkeypatch):
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
def test_what_is_right_is_held(mechanism, monkeypatch):
    monkeypatch.setitem(MECHANISMS, mechanism.id, mechanism)
    hold(proofs(mechanism.id, "counts", FEW_TREES, every_option))


def test_a_distance_that_is_declared_too_large_is_seen(monkeypatch):
    class Careful(Right):
        sensitivity = Sensitivity(l1=2, l2_squared=2)

    monkeypatch.setitem(MECHANISMS, "right", Careful)
    with pytest.raises(AssertionError):
        hold(proofs("right", "counts", FEW_TREES, every_option))


def test_the_published_calibration_is_charged_what_it_costs():
    """Its events say the true distance, so the proof holds; what is too small is the noise."""
    tree = FEW_TREES[2]
    proof = Proof(
        "pgsr-c-chain", "group-sizes", tree, {"calibration": "published"}, {"epsilon": 1}
    ).run()
    assert not proof.faults
    assert [event.l1_sensitivity for event in proof.largest] == [1, tree.n_leaves]
    assert sum(event_epsilon(event) for event in proof.largest) == (1 + tree.n_leaves) / 2
