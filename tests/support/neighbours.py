"""All neighbouring tables of at most three people over all trees of at most four leaves.

Where one person has several trips, neighbours are: one person with up to m trips more or less,
or one person with up to m trips replaced by another with equally many. The other people are
then fewer where there are very many such records.

A new kind of table, or of neighbours, has its generator in `NEIGHBOURS`; an option that takes
any word has its words in `WORDS`. Without them the proofs of whatever needs them fail.
"""

from dataclasses import replace
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import sum_up
from hierdp_core.mechanisms import describe, parse
from hierdp_core.privacy import Neighbours
from hierdp_core.tables import Counts, Flows, GroupSizes
from support import strategies

PEOPLE = 3
MOST_PAIRS = 19_000  # of tables over one tree, where one person may have several trips
ONE, OTHER = Neighbours.ADD_OR_REMOVE_ONE, Neighbours.REPLACE_ONE


@lru_cache
def regions_of(tree):
    return strategies.regions_of(tree)


@lru_cache(maxsize=20_000)
def _counts(regions, places):
    return Counts.from_leaves(
        regions, np.bincount(np.array(places, dtype=int), minlength=regions.tree.n_leaves)
    )


def _together(others, own):
    """All records in order, so that the same table is made once."""
    return tuple(sorted((*others, *own)))


def _records(places, options):
    """All that one person can have: up to so many trips, or for most mechanisms one place."""
    choose = combinations if options.get("distinct") == "yes" else combinations_with_replacement
    for n in range(1, int(options.get("trips", "1")) + 1):
        yield from choose(range(places), n)


def _exchanges(places, options):
    """(one record, another with equally many trips) that a person may have instead."""
    records = list(_records(places, options))
    for n in range(1, int(options.get("trips", "1")) + 1):
        own = [record for record in records if len(record) == n]
        yield from product(own, own)


def _with_others(places, own, people):
    """(records of other people, one of `own`), with as many others as there is time for."""
    own = list(own)
    for n in range(people + 1):
        others = list(combinations_with_replacement(range(places), n))
        if n and len(others) * len(own) > MOST_PAIRS:
            return
        yield from product(others, own)


def counts_with_one_more(tree, options):
    regions, leaves = regions_of(tree), tree.n_leaves
    for others, own in _with_others(leaves, _records(leaves, options), PEOPLE - 1):
        yield _counts(regions, others), _counts(regions, _together(others, own))


def counts_with_another(tree, options):
    regions, leaves = regions_of(tree), tree.n_leaves
    for others, pair in _with_others(leaves, _exchanges(leaves, options), PEOPLE - 1):
        yield tuple(_counts(regions, _together(others, own)) for own in pair)


def _groups(regions, homes, sizes):
    return _grouped(regions, tuple(sorted(zip(homes, sizes, strict=True))))


@lru_cache(maxsize=20_000)
def _grouped(regions, groups):
    cells = np.zeros((regions.tree.n_leaves, PEOPLE + 1), dtype=np.int64)
    np.add.at(cells, tuple(zip(*groups, strict=True)), 1)
    return GroupSizes.from_leaves(regions, cells)


def _small_groups(tree, people, groups=PEOPLE):
    """(homes, sizes) of one to three groups, empty ones too, with so many people at most."""
    for n in range(1, groups + 1):
        for homes in combinations_with_replacement(range(tree.n_leaves), n):
            for sizes in product(range(people + 1), repeat=n):
                if sum(sizes) <= people:
                    yield homes, sizes


def groups_with_one_more(tree, options):
    """One person joins one of the groups; the groups themselves stay as they are."""
    regions = regions_of(tree)
    for homes, sizes in _small_groups(tree, PEOPLE - 1):
        for joined in range(len(homes)):
            after = [size + (i == joined) for i, size in enumerate(sizes)]
            yield _groups(regions, homes, sizes), _groups(regions, homes, after)
    if options.get("totals") == "private":
        yield from _groups_that_come(tree)


def _groups_that_come(tree):
    """An empty group comes, or one person with a group of their own."""
    regions = regions_of(tree)
    for homes, sizes in _small_groups(tree, PEOPLE - 1, PEOPLE - 1):
        for home, size in product(range(tree.n_leaves), (0, 1)):
            after = (*homes, home), (*sizes, size)
            yield _groups(regions, homes, sizes), _groups(regions, *after)


@lru_cache(maxsize=20_000)
def _flows(regions, trips):
    width = regions.tree.n_leaves
    ends = np.array([divmod(trip, width) for trip in trips], dtype=np.int64).reshape(-1, 2)
    return Flows.from_pairs(regions, regions, ends[:, 0], ends[:, 1], np.ones(len(ends), int))


def _other_people(tree):
    """How many other people there may be: fewer where there are many pairs of places."""
    pairs = tree.n_leaves**2
    return 2 if pairs < 5 else 1 if pairs < 10 else 0


def flows_with_one_more(tree, options):
    regions, pairs = regions_of(tree), tree.n_leaves**2
    for others, own in _with_others(pairs, _records(pairs, options), _other_people(tree)):
        yield _flows(regions, others), _flows(regions, _together(others, own))


def flows_with_another(tree, options):
    regions, pairs = regions_of(tree), tree.n_leaves**2
    for others, pair in _with_others(pairs, _exchanges(pairs, options), _other_people(tree)):
        yield tuple(_flows(regions, _together(others, own)) for own in pair)


def lifted(tables, pairs, amount):
    """The same tables of flows, beside them with many more people in one cell, and in all.

    Small numbers never come near a threshold; `amount` more people bring them there. They are
    in both of two neighbours, which therefore stay neighbours.
    """
    more, found = [], []
    for cells in ("none", "first", "all"):
        found.append(np.asarray(pairs) + len(more))
        more += [_lifted(table, cells, amount) for table in tables]
    return more, np.concatenate(found)


@lru_cache(maxsize=20_000)
def _lifted(table, cells, amount):
    if cells == "none":
        return table
    width = table.destinations.tree.n_leaves
    places = np.arange(1 if cells == "first" else table.tree.n_leaves * width)
    return Flows.from_pairs(
        table.origins,
        table.destinations,
        np.append(table.origin, places // width),
        np.append(table.destination, places % width),
        np.append(table.values, np.full(len(places), amount)),
    )


MANY = 10**6
MANY_GROUPS = 25  # of each size in each leaf


def crowded(tables, pairs, at_most=12):
    """Some of the pairs, with many others in both tables: large numbers, and many groups."""
    chosen = np.asarray(pairs)[:: max(1, len(pairs) // at_most)]
    used = np.unique(chosen)
    return [_crowded(tables[k]) for k in used], np.searchsorted(used, chosen)


def _crowded(table):
    if isinstance(table, Flows):
        return _lifted(table, "all", MANY)
    leaves = table.values[table.tree.leaves]
    others = MANY_GROUPS if isinstance(table, GroupSizes) else MANY
    return replace(table, values=sum_up(table.tree, leaves + others))


NEIGHBOURS = {
    ("counts", ONE): counts_with_one_more,
    ("counts", OTHER): counts_with_another,
    ("group-sizes", ONE): groups_with_one_more,
    ("flows", ONE): flows_with_one_more,
    ("flows", OTHER): flows_with_another,
}

# Options that define what a record is. The generators receive no others.
OF_RECORDS = ("trips", "distinct", "totals")


def neighbouring(kind, neighbours, tree, options):
    """(all tables, the pairs of them that are neighbours), each once, whichever is first.

    The pairs have shape (pairs, 2), numbers of tables.
    """
    shown = tuple((name, options[name]) for name in OF_RECORDS if name in options)
    return _neighbouring(kind, neighbours, tree, shown)


@lru_cache(maxsize=64)
def _neighbouring(kind, neighbours, tree, shown):
    number, pairs = {}, set()
    for pair in NEIGHBOURS[kind, neighbours](tree, dict(shown)):
        one, other = (number.setdefault(table, len(number)) for table in pair)
        if one != other:
            pairs.add((min(one, other), max(one, other)))
    return tuple(number), np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


# Words to try for options that take any, the usual one first; by the number of levels.
WORDS = {
    "methods": lambda levels: ["hc", "hg", "naive", ",".join((["hg", "naive", "hc"] * 2)[:levels])],
    "trips": lambda levels: ["1", "2", "3", "4"],
    "totals-share": lambda levels: ["0.1", "0.5"],
    "cap": lambda levels: ["public", "2", "noisy"],
    "cap-epsilon": lambda levels: ["0.5", "0.25"],  # less would make long tables
}


def option_words(id, levels):
    """What each option of a mechanism may be, the usual value first."""
    found = {}
    for option in describe(id).options:
        assert option.choices or option.name in WORDS, f"give WORDS for the option {option.name}"
        words = list(option.choices or WORDS[option.name](levels))
        found[option.name] = sorted(words, key=lambda word: word != option.default)
    return found


def every_option(id, levels):
    """Every combination of what the options of a mechanism may be."""
    words = option_words(id, levels)
    when = {option.name: option.when for option in describe(id).options}
    for chosen in product(*words.values()):
        options = dict(zip(words, chosen, strict=True))
        idle = [
            n for n, w in when.items() if w is not None and w[1] not in options[w[0]].split(",")
        ]
        # A choice that has no say is made once.
        if all(options[name] == words[name][0] for name in idle):
            yield options


def each_option(id, levels):
    """The usual options, and every other value of each by itself."""
    words = option_words(id, levels)
    usual = {name: values[0] for name, values in words.items()}
    yield usual
    for name, values in words.items():
        for value in values[1:]:
            needed = next(o for o in describe(id).options if o.name == name)
            yield usual | {name: value} | dict([needed.when] if needed.when else [])


# Options that may take effect only together, beside what any two of them do: what one person
# has, and who takes their place.
INTERACTING = (("neighbours", "trips", "distinct"),)


@lru_cache
def joined_options(id, kind, levels):
    """The usual options and some more, in which every two values of two options meet.

    Of options that interact, all values meet that can. A mechanism may not take some together
    for this kind of table; those it refuses are left out.
    """
    tree = next(tree for tree in strategies.small_trees() if tree.n_levels == levels)
    taken = [options for options in every_option(id, levels) if _takes(id, kind, tree, options)]
    chosen, missing = [], set().union(*map(_meetings, taken))
    best = taken[0]
    while missing:
        chosen.append(best)
        missing -= _meetings(best)
        best = max(taken, key=lambda options: len(_meetings(options) & missing))
    return tuple(chosen)


def _meetings(options):
    """The values that meet in a set of options: by twos, and of those that interact all."""
    items = tuple(options.items())
    return set(combinations(items, 2)).union(
        [items[:1]],
        (
            tuple((name, options[name]) for name in group if name in options)
            for group in INTERACTING
        ),
    )


def _takes(id, kind, tree, options):
    (empty,) = tables_without_records(kind, tree)
    mechanism = parse(id, options)
    try:
        mechanism.check_domain(empty.domain)
    except ChoiceError:
        return False
    return True


def tables_without_records(kind, tree):
    """One table of this kind without anything in it; none of a kind that is not known."""
    regions = regions_of(tree)
    if kind == "counts":
        yield Counts.from_leaves(regions, np.zeros(tree.n_leaves, dtype=int))
    if kind == "group-sizes":
        yield GroupSizes.from_leaves(regions, np.zeros((tree.n_leaves, 2), dtype=int))
    if kind == "flows":
        yield Flows.from_pairs(regions, regions, [], [], [])
