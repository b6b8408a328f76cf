"""The output events of an audit in words."""

import numpy as np

from hierdp_core.audits.outcomes import Key
from hierdp_core.audits.output_sets import OutputEvent
from hierdp_core.audits.sampling import TABLE, Watched
from hierdp_core.audits.scores import Cell, Extreme, Linear, PersonsWay, Votes
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
        name = _name(keys[score.column], watched, table)
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
            names = [_name(keys[column], watched, table) for column in (one, other)]
            return f"{names[0]} minus {names[1]} is {event.relation} {mark}"
        used = int((np.abs(score.weights) > 1e-3).sum())
        return f"a weighted sum of {used} numbers is {event.relation} {mark}"
    if isinstance(score, Extreme):
        where = "above" if score.sign > 0 else "below"
        furthest = f"the largest deviation of any number {where} its usual value"
        return f"{furthest} is {event.relation} {mark}"
    numbers = "all numbers"
    if isinstance(score, PersonsWay):
        numbers = f"the {counted(len(score.columns), 'number')} that the person changes"
    elif isinstance(score, Votes):
        numbers = counted(len(score.columns), "number")
    return f"the log-likelihood ratio of {numbers} is {event.relation} {event.mark:.3g}"


def _name(key: Key, watched: Watched, table: Table) -> str:
    """Return in words what the number with this key counts or measures."""
    if watched == "released" and key[0] == TABLE:
        key = key[1:]
    if key[0] == "failure":
        return f"the run fails ({key[1]})"
    if key[0] == "flow":
        return f"the number of {table.cell_title(*(int(str(place)) for place in key[1:]))}"
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
