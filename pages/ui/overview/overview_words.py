"""The sentences of Overview: numbers in, plain words out."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from hierdp_core.privacy import PrivacyStatement
from hierdp_core.privacy.meaning import belief, limit_delta, loss_limit, uncertain_fact
from hierdp_core.privacy.rounding import GUARANTEE_DIGITS, percent_up, upper
from hierdp_core.util.escaping import in_html
from hierdp_core.util.text import (
    at_most,
    by_number,
    capital,
    counted,
    number,
    paragraph,
    plural,
    whole,
)
from pages.ui.shell import words

Level = Mapping[Any, Any]  # a row of `typical_errors`

_ENOUGH_FOR_A_TENTH = 20  # areas


def finding(levels: Sequence[Level], budget: str, n_simulations: int) -> str:
    """Return the title: the error at this budget, seen from the smallest areas.

    Args:
        levels: the levels of `typical_errors`, root first.
        budget: the budget in words.
        n_simulations: the number of simulations that the errors are averages over.
    """
    leaf = levels[-1]
    typical = _off(leaf["typical_rel"], n_simulations)
    sentence = f"{leaf['level']} counts are typically {typical}"
    if leaf["areas"] == 1:
        sentence = f"the {leaf['level']} count is {typical}"
    above = [row for row in levels[:-1] if not math.isnan(row["typical_rel"])]
    if math.isnan(leaf["typical_rel"]):
        every = by_number(leaf["areas"], "the true", "every true")
        return f"At {budget}, {every} {leaf['level']} count is 0"
    if not above:
        return f"At {budget}, {sentence}"
    near = above[-1]  # more informative than the root
    counts = f"the {near['level']} count" if near["areas"] == 1 else f"{near['level']} counts"
    if leaf["typical_rel"] == near["typical_rel"] == 0:
        exact, own = _off(0, n_simulations), f"{leaf['level']} counts"
        own = by_number(leaf["areas"], f"the {leaf['level']} count", own)
        return f"At {budget}, {own} and {counts} are typically {exact}"
    share = near["typical_rel"]
    typical = words.in_words(share) if share else "exact"
    both = f"{sentence}, {counts} {typical}"
    if not leaf["typical_rel"]:
        both = f"{sentence}, {counts} {typical} off"
    if all(one["typical_rel"] < next_["typical_rel"] for one, next_ in pairwise([*above, leaf])):
        return f"The smaller the area, the larger the relative error: at {budget}, {both}"
    return f"At {budget}, {both}"


def _off(share: float, n_simulations: int) -> str:
    exact = f"exact in {counted(n_simulations, 'simulation')}"
    return exact if share == 0 else f"{words.in_words(share)} off"


def subtitle(leaf: Level, *, mechanism: str, default_for: str, unit: str, root: str) -> str:
    """Return the subject of the title, in one or two sentences.

    Args:
        leaf: the last level.
        mechanism: the title of the mechanism.
        default_for: the kind of table that it is the default for; empty if it is not the default.
        unit: what is counted, plural.
        root: the name of the area of the first level.
    """
    how = f"**{mechanism}** (the default for {default_for})" if default_for else f"**{mechanism}**"
    comma = "," if " in " in unit or unit.endswith(" area") else ""  # "in flows from the area"
    known = not math.isnan(leaf["small_rel"]) and leaf["areas"] >= _ENOUGH_FOR_A_TENTH
    smallest = (
        f"In the smallest tenth of the {plural(leaf['level'])} with a true count above 0 "
        f"({_from_one(leaf['small_at_most'], unit)}), the typical error is "
        f"**{words.in_words(leaf['small_rel'])}**."
    )
    return paragraph(
        f"Counts of {unit}{comma} in {words.place(root)}, simulated with {how}.",
        smallest if known else "",
    )


def _from_one(largest: float, unit: str) -> str:
    """Return the true counts of the smallest areas in words; those with a count of 0 are left out.

    >>> _from_one(2058, "people"), _from_one(1, "people")
    ('up to 2,058 people', 'true counts of 1')
    """
    return f"up to {whole(largest)} {unit}" if largest > 1 else "true counts of 1"


def level_head(row: Level, *, unit: str, total: float) -> str:
    """Return the heading of the column of a level, as HTML."""
    average = f"average error {number(row['mean_abs'])}"
    if row["areas"] == 1:
        detail = f"{average} of {whole(total)} {unit}"
    else:
        detail = f"typical {row['level']}; {average} {unit}"
    return (
        f'<div class="hierdp-level"><div>{in_html(words.level_title(row["areas"], row["level"]))}'
        f'</div><div><b class="big">{in_html(words.relative(row["typical_rel"]))}</b></div>'
        f'<div class="quiet">{in_html(detail)}</div></div>'
    )


def one_person(statement: PrivacyStatement) -> str:
    """Return what the guarantee means for one person or other privacy unit, in words."""
    after = belief(loss_limit(statement), 0.5).most
    return paragraph(
        f"Suppose an attacker knows all other records and is 50% sure {uncertain_fact(statement)}.",
        f"After seeing the release, the attacker is **{at_most(percent_up(after))} sure**.",
        "This bound is for all levels together.",
        _exception(statement),
        statement.not_protected,
    )


def risk(statement: PrivacyStatement) -> str:
    """Return what the guarantee means for one person or other privacy unit, in a line."""
    after = belief(loss_limit(statement), 0.5).most
    return paragraph(
        f"Risk for {statement.unit}: an attacker knows all other records and is 50% sure "
        f"{uncertain_fact(statement)}.",
        f"After seeing the release, the attacker is **{at_most(percent_up(after))} sure**.",
        _exception(statement),
        statement.not_protected,
    )


def _exception(statement: PrivacyStatement) -> str:
    """Return the probability with which the bound on beliefs fails, as a sentence, or ""."""
    delta = limit_delta(statement)
    if delta is None:
        return ""
    return f"The bound fails with a probability of at most {upper(delta, GUARANTEE_DIGITS)}."


def affected(leaf: str, largest: float | None, *, unit: str, listed: int) -> str:
    """Return the line above the areas with the largest errors.

    Args:
        leaf: the last level.
        largest: the largest mean relative error; None if no area has one.
        unit: what is counted, plural.
        listed: the number of areas below the line.

    >>> affected("country", 0.13, unit="people", listed=1)
    'Country with the largest average error, relative to its true number of people:'
    """
    if largest is None:
        return no_relative_error(leaf)
    if not largest:
        return (
            f"Every {leaf} with a true count above 0 has its exact count in all simulations so far."
        )
    if listed == 1:
        return (
            f"{capital(leaf)} with the largest average error, relative to its true number of "
            f"{unit}:"
        )
    return (
        f"{capital(plural(leaf))} with the largest average errors, relative to their true number "
        f"of {unit}:"
    )


def data_of(title: str, unit: str) -> str:
    """Return the title of the data, and what a count counts.

    >>> data_of("US population, 2010", "people")
    '**US population, 2010.** Each count is a number of people.'
    """
    return f"**{title}.** Each count is a number of {unit}."


def no_relative_error(leaf: str) -> str:
    """Return why there are no relative errors at the last level."""
    return f"No {leaf} has a true count above 0, so there is no relative error."


def all_exact(leaf: str) -> str:
    """Return the sentence in place of the largest errors if no area of the last level has one."""
    return f"Every {leaf} with a true count above 0 has its true count in this simulated release."


def decisions(leaf: str) -> str:
    """Return the question that the page on decisions answers."""
    return (
        f"How often would {plural(leaf)} fall on the wrong side of a threshold, lose funding or "
        "change rank because of the noise?"
    )


def play_alt(title: str) -> str:
    """Return the alternative text of the animated map of a level."""
    return f"Map of {title}: the class of relative error in one simulated release after another."


def map_note(shown: int, seed: int, *, playing: bool) -> str:
    """Return the line under the maps, which show several releases in turn if they are `playing`."""
    maps = {1: "The map shows", 2: "Both maps show"}.get(shown, f"All {shown} maps show")
    releases = f"error of one simulated release (seed {seed})"
    if playing:
        releases = "errors of several simulated releases in turn"
    return (
        f"{maps} the relative {releases}. The numbers above {'it' if shown == 1 else 'them'} are "
        f"computed from all simulations. {words.NOT_PRIVATE}"
    )
