"""The output events of an audit in words."""

import numpy as np

from hierdp_core.audits.outcomes import Key
from hierdp_core.audits.output_sets import OutputEvent
from hierdp_core.audits.sampling import TABLE, Watched
from hierdp_core.audits.scores import Cell, ClaimedRatio, Extreme, Linear, SumOfRatios
from hierdp_core.mechanisms.neighbours import Pair
from hierdp_core.tables import Table
from hierdp_core.util.text import counted

WATCHED = {"released": "released table", "measured": "noisy measurements"}


def event_in_words(event: OutputEvent, keys: tuple[Key, ...], watched: Watched, pair: Pair) -> str:
    """Return an event, as in "released table: the number of people in North is below 5"."""
    return f"{WATCHED[watched]}: {_event(event, keys, watched, pair.before)}"


def _event(event: OutputEvent, keys: tuple[Key, ...], watched: Watched, table: Table) -> str:
    score, mark = event.score, f"{event.mark:.6g}"
    if isinstance(score, Cell):
        name = _name(score.column, keys, watched, table)
        if score.what == "present":
            there = event.relation != "below" and event.mark == 1
            return f"{name} is present" if there else f"{name} is absent"
        if score.what == "place":
            digit = f"the position of the lowest nonzero binary digit of {name}"
            return f"{digit} is {event.relation} {mark}"
        if keys[score.column][:1] == ("failure",):
            return name
        return f"{name} is {event.relation} {mark}"
    if isinstance(score, Linear):
        if score.kind == "difference":
            one, other = (int(np.argmax(sign * score.weights)) for sign in (1, -1))
            names = [_name(column, keys, watched, table) for column in (one, other)]
            return f"{names[0]} minus {names[1]} is {event.relation} {mark}"
        used = int((np.abs(score.weights) > 1e-3).sum())
        return f"a weighted sum of {used} numbers is {event.relation} {mark}"
    if isinstance(score, Extreme):
        where = "above" if score.sign > 0 else "below"
        furthest = f"the largest deviation of any number {where} its usual value"
        return f"{furthest} is {event.relation} {mark}"
    numbers = "all numbers"
    if isinstance(score, ClaimedRatio):
        numbers = f"the {counted(len(score.columns), 'number')} that the person changes"
    elif isinstance(score, SumOfRatios):
        numbers = counted(len(score.columns), "number")
    return f"the log-likelihood ratio of {numbers} is {event.relation} {event.mark:.3g}"


def _measurement_name(key: Key, keys: tuple[Key, ...], table: Table) -> str:
    """Return the name of a number that is measured level by level; empty for other numbers."""
    word, *rest = key
    places = [k for k in rest if isinstance(k, int)]
    if word == "total":
        return "the noisy total"
    if word == "largest":
        return "the noisy maximum group size"
    if word == "totals" and len(places) == 1:
        return f"the noisy number of groups in {table.regions.names[places[0]]}"
    if word != "levels" or len(places) < 2:
        return ""
    level, *rows = places
    if ("largest",) in keys:  # group sizes: a region of the level, then one of its measurements
        region = table.regions.names[table.tree.level(level).start + rows[0]]
        return f"noisy measurement {rows[-1] + 1:,} for {region}"
    # Only the children of positive nodes are measured, level by level from the one below the root.
    where = f"tree level {level + 1}" if table.between_regions else table.regions.levels[level + 1]
    return f"noisy count {rows[0] + 1:,} at {where}"


def _name(column: int, keys: tuple[Key, ...], watched: Watched, table: Table) -> str:
    """Return in words what the number in a column counts or measures."""
    key = keys[column]
    if watched == "released" and key[0] == TABLE:
        key = key[1:]
    if watched == "measured" and (name := _measurement_name(key, keys, table)):
        return name
    if key[0] == "failure":
        return f"the run fails ({key[1]})"
    if key[0] == "flow":
        return f"the number of {table.cell_title(*(int(str(place)) for place in key[1:]))}"
    if table.between_regions and len(key) == 2 and {*map(type, key)} == {int}:
        return f"the noisy number of {table.cell_title(*map(int, map(str, key)))}"
    if table.between_regions:
        return f"number {'.'.join(map(str, key))}"
    plain = [k for k in key if isinstance(k, int)]
    if len(plain) == len(key) and len(key) == table.values.ndim + 1:
        # Keys by level: the first integer is the level, the second a region of it.
        level, row, *rest = plain
        if level < table.tree.n_levels:
            plain = [table.tree.level(level).start + row, *rest]
    if len(plain) != table.values.ndim or plain[0] >= table.tree.n_nodes:
        return f"number {'.'.join(map(str, key))}"
    place = table.regions.names[plain[0]]
    if watched == "measured":
        measurement = f"the noisy measurement for {place}"
        return f"{measurement}, size {plain[1]}" if len(plain) > 1 else measurement
    return f"the number of {table.cell_title(*plain)}"
