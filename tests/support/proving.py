"""Proofs by enumeration: what one is, and which there are for a mechanism.

A proof runs a mechanism on all neighbouring tables over one tree under watching noise
(watching.py) and holds what that showed against what the plan declares.
"""

import math
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np

from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.mechanisms import MECHANISMS, parse
from hierdp_core.mechanisms.flow_queries import TotalSplit
from hierdp_core.privacy import Neighbours, ThresholdEvent
from hierdp_core.simulation import plan
from support.neighbours import crowded, every_option, joined_options, lifted, neighbouring
from support.strategies import families, small_trees
from support.thresholds import faults_of_created_cells, faults_of_threshold
from support.watching import (
    canonical,
    declared,
    differing,
    distances,
    faults_of_run,
    moves,
    set_everywhere,
    small_pieces,
    watched,
    within_a_shape,
)

BUDGETS = ({"epsilon": 1}, {"rho": 1}, {"epsilon": 1, "delta": 1e-6})
# Where a threshold hides cells it is 30 with the first of these, and with the second so low that
# the trips of one person come near it.
WITH_THRESHOLD = ({"epsilon": 1, "delta": 1e-6}, {"epsilon": 8, "delta": 0.5})
SEEDS = 30  # at most, until every level was asked in full
ANSWERS_OF_A_CELL = 3  # seeds, where a threshold hides cells
TREES = list(small_trees())
ROOT, TWO_LEAVES, THREE_LEAVES, UNEVEN = (TREES[k] for k in (0, 2, 3, 8))
FEW_TREES = [ROOT, TWO_LEAVES, THREE_LEAVES, UNEVEN]


@dataclass
class Proof:
    """All neighbours over one tree, held against what a mechanism declares.

    Attributes:
        to_the_end: run post-processing as well, which must give the same for the same answers.
        through_run: by `release.run`, which hands the parts of a mechanism what they get.
        seed: of the noisy answers, on which it may depend what is asked next.
        in_pieces: work through long vectors in very small pieces.
        among_many: some of the neighbours, with many other records in both tables.
        constants: other values that constants of the code have during a run.
        faults: what must not be, and of how many pairs or tables.
        planned: all events of the plans.
        largest: of each event the largest (L1, squared L2) that its answers moved by.
        failed: how many runs ended in an error.
    """

    id: str
    kind: str
    tree: object
    options: dict
    budget: dict
    to_the_end: bool = False
    through_run: bool = False
    seed: int = 0
    in_pieces: bool = False
    among_many: bool = False
    constants: dict = field(default_factory=dict)
    faults: Counter = field(default_factory=Counter)
    planned: set = field(default_factory=set)
    largest: dict = field(default_factory=dict)
    failed: int = 0

    def run(self):
        tables, pairs = tables_of(self.id, self.kind, self.tree, self.options)
        if self.among_many:
            tables, pairs = crowded(tables, pairs)
        plans = self._plans(tables)
        threshold = threshold_of(plans[0])
        if threshold is not None:
            tables, pairs = lifted(tables, pairs, math.ceil(threshold.threshold) - 2)
            plans = self._plans(tables)
        self._count("the plan depends on the table", _texts(plans), pairs)
        with small_pieces() if self.in_pieces else nullcontext(), set_everywhere(self.constants):
            if threshold is None:
                runs = self._watch(tables, plans, self.seed)
            else:
                runs = self._watch_all_answers(threshold, tables, plans)
        self._count("what is drawn depends on the table", [run.draws for run in runs], pairs)
        if threshold is None:
            outcomes = [run.outcome for run in runs]
            self._count("something comes out that no noise covers", outcomes, pairs)
        self.failed = sum(run.failed for run in runs)
        self.planned = {event for each in plans for event in each.events}
        for each, run in zip(plans, runs, strict=True):
            self.faults.update(faults_of_run(each, run))
        self.faults = +self.faults
        if not self.faults:
            self._measure(plans, runs, pairs)
        return self

    def _plans(self, tables):
        """A plan for each table: the same one where all that is public about two is the same."""
        made, mechanism = {}, parse(self.id, self.options)
        domains = [str(canonical(mechanism.public_domain(table))) for table in tables]
        for domain, table in zip(domains, tables, strict=True):
            if domain not in made:
                made[domain] = plan(table, self.id, options=self.options, **self.budget)
        return [made[domain] for domain in domains]

    def _watch(self, tables, plans, seed):
        end, through_run = self.to_the_end, self.through_run
        return [
            watched(each.mechanism, table, each, end, seed, through_run=through_run)
            for table, each in zip(tables, plans, strict=True)
        ]

    def _watch_all_answers(self, threshold, tables, plans):
        """Run each table with several answers of every cell, below the threshold and above."""
        runs = [self._watch(tables, plans, self.seed + seed) for seed in range(ANSWERS_OF_A_CELL)]
        together = [run for same_seed in runs for run in same_seed]
        self.faults.update(faults_of_threshold(threshold, self.budget["delta"], together))
        return runs[0]

    def _count(self, fault, things, pairs):
        self.faults[fault] += differing(things, pairs)

    def _measure(self, plans, runs, pairs):
        """Neighbours have the same plan; tables that are none, as of two totals, may not."""
        shown = {id(each): str(each.events) for each in plans}
        alike, events = {}, [shown[id(each)] for each in plans]
        for pair in pairs:
            alike.setdefault((events[pair[0]], runs[pair[0]].draws), []).append(pair)
        for same in alike.values():
            for event in runs[same[0][0]].answers:
                self._measure_event(event, [run.answers.get(event) for run in runs], np.array(same))

    def _measure_event(self, event, answers, pairs):
        moved = distances(answers, pairs)
        most = self.largest.get(event, moved)
        self.largest[event] = tuple(max(two) for two in zip(most, moved, strict=True))
        if any(far > most for far, most in zip(moved, declared(event), strict=True)):
            self.faults[f"{event.query}: moved by {moved}"] += 1
        if shapes := getattr(event, "shapes", ()):
            beyond = [row for row in moves(answers, pairs) if not within_a_shape(row, shapes)]
            if beyond:
                self.faults[f"{event.query}: moved by {beyond[0]}, which is in no shape"] += 1
        if isinstance(event, ThresholdEvent):
            self.faults.update(faults_of_created_cells(event, answers, pairs))

    def reached(self, event):
        """Does a pair move the event's answers as far as is declared?"""
        if event not in self.largest:
            return False
        distances_and_bounds = zip(self.largest[event], declared(event), strict=True)
        return any(far == most for far, most in distances_and_bounds)

    @property
    def replaced(self):
        return parse(self.id, self.options).neighbours is Neighbours.REPLACE_ONE

    @property
    def has_room(self):
        """Whether records over this tree can move every level as far as is declared.

        Whoever takes a person's place needs a second region on every level. Trips of one person
        that are all different need as many leaves below one region, and those of whoever takes
        that person's place as many again below another.
        """
        tree, replaced = self.tree, self.replaced
        trips = int(self.options.get("trips", "1"))
        if replaced and (tree.n_levels == 1 or tree.level_sizes[1:].min() < 2):
            return False
        if self.options.get("distinct") != "yes" or trips == 1:
            return True
        if tree.n_levels == 1:
            return False
        _, leaves_below = np.unique(tree.parent[tree.leaves], return_counts=True)
        if self.kind == "flows":
            pairs = tree.n_leaves**2
            return leaves_below.max() >= trips and pairs >= (1 + replaced) * trips
        return (leaves_below >= trips).sum() > replaced


def _texts(plans):
    """Each plan as text that is equal only where everything in it is."""
    texts = {id(each): str(canonical(each)) for each in plans}
    return [texts[id(each)] for each in plans]


def threshold_of(plan):
    """The event by which a mechanism hides cells; None where it hides none."""
    return next((event for event in plan.events if isinstance(event, ThresholdEvent)), None)


def tables_of(id, kind, tree, options):
    """All tables and which of them are neighbours."""
    return neighbouring(kind, parse(id, options).neighbours, tree, options)


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
    return budget in (BUDGETS[0], *WITH_THRESHOLD) and (tree.n_nodes <= 3 or not slow)


def with_enough_answers(id, kind, tree, options, budget):
    """A proof for one seed; and where a level was not asked in full, for others.

    Each tree, budget and set of options has answers of its own, and with every other budget long
    vectors are cut in pieces.
    """
    first = crc32(str((tree.level_sizes.tolist(), options, budget)).encode())
    for seed in range(SEEDS):
        proof = Proof(id, kind, tree, options, budget, ends(id, tree, budget), seed=first + seed)
        proof.in_pieces = (*BUDGETS, *WITH_THRESHOLD).index(budget) % 2 == 0
        yield proof.run()
        if proof.faults or not proof.has_room or all(map(proof.reached, proof.planned)):
            return


def stepwise(id):
    """Whether what a mechanism asks depends on earlier answers."""
    return issubclass(MECHANISMS[id], TotalSplit)


def budgets_for(id, kind, tree, options, budgets):
    """The budgets to prove with: as many others for what hides cells, which needs ε with δ."""
    tables, _ = tables_of(id, kind, tree, options)
    try:
        with_delta = plan(tables[0], id, options=options, **WITH_THRESHOLD[0])
    except (BudgetError, ChoiceError):
        return budgets
    return budgets if threshold_of(with_delta) is None else WITH_THRESHOLD[-len(budgets) :]


def proofs(id, kind, cases):
    """Every proof that there can be; for each set of options at least one, or it fails.

    Args:
        cases: (tree, options, budget).
    """
    proved, unfit = set(), {}
    for tree, options, budget in cases:
        unfit[str(options)] = options
        if fits(id, tree, kind, options, budget):
            proved.add(str(options))
            yield from with_enough_answers(id, kind, tree, options, budget)
    assert proved, f"{id} takes none of the small tables"
    unfit = [options for name, options in unfit.items() if name not in proved]
    # An option may have a meaning for one kind of table alone.
    assert not unfit or kind != MECHANISMS[id].kinds[-1], (
        f"{id} takes no small table with {unfit[0]}"
    )


def hold(proofs):
    """No fault in any proof, no run that failed, and every declared distance reached."""
    reached = {}
    for proof in proofs:
        case = (str(proof.options), str(proof.budget), proof.tree.level_sizes.tolist())
        assert not proof.faults, (case, dict(proof.faults))
        assert not proof.failed, case
        for event in proof.planned if proof.has_room else ():
            reached.setdefault((*map(str, case), event.query), []).append(proof.reached(event))
    assert reached
    missed = [name for name, each in reached.items() if not any(each)]
    assert not missed, missed


def usual(id, kind, tree):
    """The usual options alone."""
    return [next(every_option(id, tree.n_levels))]


def every(id, kind, tree):
    """All sets of options."""
    return list(every_option(id, tree.n_levels))


def joined(id, kind, tree):
    """Sets of options in which any two values meet, and all of those that interact."""
    return joined_options(id, kind, tree.n_levels)


def few_trips(id, kind, tree):
    """Those of `joined` with up to two trips."""
    return [options for options in joined(id, kind, tree) if int(options["trips"]) <= 2]


def cases_of(id, kind, trees, option_sets, budgets=BUDGETS[:2]):
    """(tree, options, budget): each set of options over each tree, and over one with room.

    What shows on a tree with room alone is the squared L2 distance of Gaussian noise, and how
    many cells one record makes where a threshold hides them.
    """
    for tree in trees:
        for options in option_sets(id, kind, tree):
            for budget in budgets_for(id, kind, tree, options, budgets):
                yield tree, options, budget
            roomy = tree_with_room(kind, options)
            if roomy is not None and tree is trees[-1]:
                yield roomy, options, budgets_for(id, kind, roomy, options, BUDGETS[:2])[1]


def tree_with_room(kind, options):
    """A tree where trips that are all different can move every level as far as is declared.

    None where no other is needed, or where it would have too many tables.
    """
    trips = int(options.get("trips", "1"))
    if options.get("distinct") != "yes" or trips == 1:
        return None
    if kind == "flows":
        return TREES[trips] if trips == 3 else None
    return families(trips, trips)


def trees_for(kind):
    """Both ends of flows lie in the tree: three leaves are nine pairs of places."""
    return [tree for tree in TREES if kind != "flows" or tree.n_leaves <= 3]
