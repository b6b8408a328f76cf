"""The sentences that pages share."""

import math
from collections.abc import Sequence

import pandas as pd

from hierdp_core import mechanisms
from hierdp_core.privacy import PrivacyStatement
from hierdp_core.privacy.account import SEQUENTIAL
from hierdp_core.privacy.rounding import parameter, rounding_note
from hierdp_core.simulation import Checks, Plan
from hierdp_core.tables import Table
from hierdp_core.util.escaping import in_html
from hierdp_core.util.text import (
    a,
    by_number,
    capital,
    counted,
    join_and,
    number,
    paragraph,
    percent,
    plural,
    whole,
)

MORE_HELP = "Budget allocation, variable, privacy definition and simulations"
# The two ends of the slider, on one line also on a narrow screen.
ENDS = (
    '<div class="hierdp-ends"><span>← stronger privacy</span><span>higher accuracy →</span></div>'
)
OWN_REPEAT = (
    "Your data stay in this session. No link is available, because nothing about them is stored in "
    "addresses, logs or other sessions."
)
OPENS = "Select a row to open the profile of the area."
PIN_HELP = (
    "A pinned area stays at the top of every page about these data, with its true count or its "
    "result on that page. Two areas can be pinned. A third one replaces the one pinned last."
)
DEFINITIONS = {"epsilon": "Pure ε", "delta": "(ε, δ)", "rho": "ρ (zCDP)"}
DEFINITIONS_HELP = (
    "Pure ε needs two-sided geometric (discrete Laplace) noise, and ρ (zCDP) discrete Gaussian "
    "noise. For (ε, δ), the kind with less variance is used unless you choose one. Do not compare "
    "numbers across definitions: the same number is a different guarantee in each."
)
NOT_PRIVATE = "Contains true values: not for publication."
CONFIDENTIAL = "Confidential: store this file under the same rules as the data."
CONFIDENTIAL_SIMULATION = (
    "Confidential: anyone who guesses the seed can remove the noise and recover the true values. "
    "Store these files under the same rules as the data."
)
CONFIDENTIAL_FILES = (
    "Confidential: store these files and pictures under the same rules as the data."
)

METHODS = {
    "hc": "Cumulative counts (hc)",
    "hg": "Sorted sizes (hg)",
    "naive": "Counts by size (naive)",
}
_OPTION_VALUES = METHODS | {
    "both": "Average of medians and means (both)",
    "l1": "Medians (l1)",
    "l2": "Means (l2)",
    "noisy": "No fit (noisy)",
    "auto": "Automatic (auto)",
    "first": "Separately, before all others (first)",
    "joint": "Jointly with all others (joint)",
    "columns": "Round cumulative counts (columns)",
    "sizes": "Take the closest counts by size (sizes)",
    "weighted": "Mean weighted by inverse variance (weighted)",
    "mean": "Simple mean (mean)",
    "pools": "As in the paper (pools)",
    "bound": "Variance of one noisy size (bound)",
    "true": "Actual sensitivity (true)",
    "published": "As in the paper (published)",
    "bounded": "One record is replaced (bounded)",
    "unbounded": "One record is added or removed (unbounded)",
    "paper": "All of it (paper)",
    "reference": "Half of it (reference)",
    "ascending": "Smallest counts (ascending)",
    "descending": "Largest counts (descending)",
}
METHODS_HELP = (
    "What the mechanism measures with noise at this level.\n\n"
    "**Cumulative counts (hc)**: for each size, how many groups have at most this size; the "
    "default.\n\n"
    "**Sorted sizes (hg)**: the size of every group, from the smallest to the largest. It is more "
    "accurate where few groups have a large size. It is slow with many groups, because noise is "
    "added to each one.\n\n"
    "**Counts by size (naive)**: how many groups have each size. For comparison only, because "
    "errors accumulate along the sizes.\n\n"
    "A level without a budget is not measured and needs no method."
)

_SHORTEST = 1e-6  # smaller relative errors need no more digits on a page
_MANY_GROUPS = 10_000_000  # beyond this, noise for every group takes noticeable time
_NOISED_PER_SECOND = 1e7  # order of magnitude on one core
_QUARTERS = ("Northeast", "Midwest", "South", "West")
_DIVISIONS = (
    "Middle Atlantic",
    "East North Central",
    "West North Central",
    "South Atlantic",
    "East South Central",
    "West South Central",
    "Mountain",
    "Pacific",
)
_ROOT = "All areas"  # the area above all others, if the table names none
_SAME_CLASSES = (
    "**Classes and colours** are the same on every map of relative errors, whatever the data, the "
    "budget and the mechanism, so these maps can be compared."
)
_AVERAGE = (
    "**{}**: the average distance between the simulated and the true count, over all areas of the "
    "level and all simulations."
)
_TYPICAL_AND_MAPS = (
    (
        "**Typical error**: the median of the relative errors of a level’s areas. The relative "
        "error of an area is its average distance from its true count over all simulations, "
        "divided by this count. "
        "An area with a true count of 0 has none. Of the other areas, half have a smaller relative "
        "error than the typical one, and half a larger one."
    ),
    (
        "**Maps** show one simulated release. With another seed, other areas have the largest "
        "errors. Only results over many simulations describe the mechanism. Areas with a true "
        "count of 0 have a separate colour."
    ),
)
HOW_TO_READ_A_REPORT = (
    _AVERAGE.format("Mean absolute error"),
    *_TYPICAL_AND_MAPS,
    _SAME_CLASSES,
)
HOW_TO_READ = (
    _AVERAGE.format("Average error"),
    *_TYPICAL_AND_MAPS,
    f"{_SAME_CLASSES} Only Area profile has a switch that fits the colours of its map to one area.",
)
_WHY_DEFAULT = (
    "When mechanisms were compared on sample tables at ε = 0.1 and 1, its errors were at most 5% "
    "above the lowest ones, on average over levels. “Choosing a mechanism” in the documentation "
    "explains when to use another mechanism."
)
IN_PARTS_HELP = (
    "The app was started with a simulation of this table in parts. The page that opens shows the "
    "numbers of that one simulation, whatever the settings on this page."
)


def default_for(mechanism: str, table: Table) -> str:
    """Return the kind of table, in words, if the mechanism is the default for it; else ""."""
    return table.kind_words if mechanisms.is_recommended(mechanism, table.kind) else ""


def mechanism_help(mechanism: str, table: Table) -> str:
    """Return what a mechanism does, and if it is the default for such tables, why."""
    kind = default_for(mechanism, table)
    return paragraph(
        mechanisms.describe(mechanism).about,
        f"It is the default for {kind}. {_WHY_DEFAULT}" if kind else "",
    )


def take_away(*, own: bool) -> str:
    """Return the content of the ZIP file of a simulation.

    Args:
        own: whether the data are a visitor's own, for which the file has no settings.
    """
    content = ["a table of simulated counts for each level", "a description"]
    content += ["the privacy statement"] if own else ["the privacy statement", "the settings"]
    return (
        f"The ZIP file contains {join_and(content)}. Its only true values are facts that are "
        "treated as public, such as totals. But the noise can be reproduced from the seed, so the "
        "file is not for publication."
    )


def delta_help(person: str) -> str:
    """Return the meaning of δ, and how to choose it.

    Args:
        person: the privacy unit, such as "person".

    >>> delta_help("trip").split(". ")[1]
    'Choose δ far smaller than 1 divided by the number of trips in the data.'
    """
    units = "people" if person == "person" else plural(person)
    return (
        "How far the probability of any set of outcomes may exceed the limit that ε sets. Choose δ "
        f"far smaller than 1 divided by the number of {units} in the data."
    )


def level_title(n: int, noun: str) -> str:
    """Return the title of the areas of a level: their number, or the noun if there is one.

    >>> level_title(51, "state"), level_title(1, "nation")
    ('51 states', 'Nation')
    """
    return counted(n, noun) if n > 1 else capital(noun)


def place(name: str) -> str:
    """Return the name of a region for use inside a sentence.

    >>> place("United States"), place("West"), place("Texas"), place("Mountain")
    ('the United States', 'the West', 'Texas', 'the Mountain division')
    >>> place("All areas")
    'all areas'
    """
    if name == _ROOT:
        return name.lower()
    if name in _DIVISIONS:
        return f"the {name} division"
    with_article = name.startswith(("United ", "District ")) or name in ("US", *_QUARTERS)
    return f"the {name}" if with_article else name


def areas_of(n: int, level: str, name: str) -> str:
    """Return the title of the areas of one level within an area.

    >>> areas_of(254, "county", "Texas"), areas_of(1, "county", "Hawaii")
    ('254 counties of Texas', '1 county of Hawaii')
    >>> areas_of(5, "area", "All areas"), areas_of(1, "area", "All areas")
    ('All 5 areas', 'The only area')
    """
    if name != _ROOT:
        return f"{counted(n, level)} of {place(name)}"
    return by_number(n, f"The only {level}", f"All {counted(n, level)}")


def areas_to_open(n: int, level: str, name: str) -> str:
    """Return the label of a list of the areas of one level within an area.

    >>> areas_to_open(254, "county", "Texas"), areas_to_open(5, "area", "All areas")
    ('254 counties in Texas', '5 areas')
    """
    return counted(n, level) if name == _ROOT else f"{counted(n, level)} in {place(name)}"


def kind_of_area(level: str, above: str) -> str:
    """Return the level of an area and the area above it; `above` is "" for the root.

    >>> kind_of_area("county", "Texas"), kind_of_area("area", "All areas")
    ('A county in Texas', 'An area of the table')
    >>> kind_of_area("nation", "")
    'The whole table'
    """
    if not above:
        return "The whole table"
    kind = capital(a(level))
    return f"{kind} of the table" if above == _ROOT else f"{kind} in {place(above)}"


def colours(meanings: Sequence[tuple[str, str]]) -> str:
    """Return coloured squares with their meanings, as HTML."""
    squares = (
        f'<span><i style="background:{colour}"></i>{in_html(meaning)}</span>'
        for colour, meaning in meanings
    )
    return f'<div class="hierdp-colours">{"".join(squares)}</div>'


def in_parts(name: str, last_level: str) -> str:
    """Return the label of the link to the simulation in parts.

    >>> in_parts("Texas", "block")
    'Open Texas in the simulation in parts, down to block level'
    >>> in_parts("", "block")
    'Open the simulation in parts, down to block level'
    """
    if not name:
        return f"Open the simulation in parts, down to {last_level} level"
    return f"Open {place(name)} in the simulation in parts, down to {last_level} level"


def simulations_words(done: int, total: int) -> str:
    """Return how many simulations a result is from.

    >>> simulations_words(100, 100), simulations_words(5, 100)
    ('100 simulations', '5 of 100 simulations so far')
    """
    if done >= total:
        return counted(done, "simulation")
    return f"{done:,} of {total:,} simulations so far"


def bars_note(simulations: str, *, unit: str) -> str:
    """Return the line under bars of the error by level."""
    return (
        f"The bars show the mean absolute error of the areas of each level, in {unit}. The dot is "
        f"the mean over {simulations}. The bands contain the middle 50%, 80% and 95% of the "
        "simulations. The spread comes from privacy noise alone, not from sampling."
    )


def budget(plan: Plan) -> str:
    """Return the budget in words, called a claim if the noise does not satisfy it.

    If the noise spends less than the stated budget, return the amount that it spends.
    """
    if plan.privacy.caution:
        return f"a claimed {plan.budget.words}, actually {plan.privacy.guarantee}"
    if plan.mechanism.states_what_is_spent(plan.domain):
        return plan.privacy.guarantee
    return plan.budget.words


def not_real(badge: str) -> str:
    """Return what is not real or not exact, for the top of a report; empty if all is real.

    >>> not_real("flows are synthetic"), not_real("")
    ('**Flows are synthetic.**', '')
    """
    return f"**{capital(badge)}.**" if badge else ""


def shares_line(plan: Plan) -> str:
    """Return the budget of each level: "1 : 1 : 2 → ε 0.25, 0.25, 0.5".

    If these are rounded up, a sentence states this.
    """
    symbol, parts = plan.privacy.parts
    parts = parts[: len(plan.levels)]
    texts = [parameter(part) for part in parts]
    each = f"{texts[0]} each" if len(set(texts)) == 1 and len(texts) > 1 else ", ".join(texts)
    line = f"{plan.allocation.ratio} → {symbol} {each}"
    note = rounding_note(symbol, parts)
    return f"{line}. {note}" if note else line


def composition(statement: PrivacyStatement, *, beside: bool) -> str:
    """Return how the total guarantee follows from the parts of the budget.

    Args:
        statement: the guarantee.
        beside: whether the mechanism also measures something that belongs to no level.
    """
    rows = "all rows" if beside else "the level budgets"
    summed = statement.conversion == SEQUENTIAL and statement.parts[0] == "ε"
    if statement.claimed or (statement.accounting and not summed):
        return (
            f"The guarantee is computed from {rows} together. It is stated with a δ, so its ε is "
            "not their sum."
            if statement.delta
            else f"The guarantee is computed from {rows} together."
        )
    if sum(part > 0 for part in statement.parts[1]) == 1:
        return "Only one level is measured, so its budget is that of the whole release."
    if statement.delta:
        return f"Every level counts the same records, so ε is the sum of {rows}."
    return f"Every level counts the same records, so the guarantee is the sum of {rows}."


def option_value(value: str) -> str:
    """Return the title of an option value of a mechanism.

    >>> option_value("hg"), option_value("private")
    ('Sorted sizes (hg)', 'Private')
    """
    return _OPTION_VALUES.get(value, capital(value))


def slow_method(groups: int, group: str, chosen: Sequence[str]) -> str:
    """Return how long the method hg takes if there are many groups; empty if there are few.

    Args:
        groups: the public number of groups.
        group: the noun for groups, plural.
        chosen: the levels that use the method.
    """
    if groups <= _MANY_GROUPS:
        return ""
    seconds = number(groups / _NOISED_PER_SECOND)
    cost = f"{METHODS['hg']} adds noise to each of the {groups:,} {group}."
    each = f"This takes about {seconds} s per level and simulation."
    if not chosen:
        return f"{cost} {each} No level uses this method now."
    total = number(len(chosen) * groups / _NOISED_PER_SECOND)
    levels = f"It is used at {join_and(chosen)} level"
    return f"{cost} {each} {levels}, so a simulation takes about {total} s or more."


def relative(share: float) -> str:
    """Return a relative error in short form.

    >>> relative(0.00034), relative(3e-9), relative(0.0), relative(129.75), relative(math.nan)
    ('0.03%', '< 0.0001%', '0%', '13,000%', 'not defined')
    """
    if math.isnan(share):
        return "not defined"
    if share >= 10:
        share = float(f"{share:.3g}")
    return f"< {percent(_SHORTEST)}" if 0 < share < _SHORTEST else percent(share)


def status(done: int, total: int, *, running: bool) -> str:
    """Return the progress of the simulations in words.

    >>> status(100, 100, running=False), status(52, 100, running=True)
    ('100 of 100 simulated releases complete', '52 of 100 simulated releases complete …')
    """
    return f"{done:,} of {total:,} simulated releases complete{' …' * running}"


def pinned(name: str, sentence: str) -> str:
    """Return the line of a pinned area.

    >>> pinned("Loving County, Texas", "not included in the decision.")
    '**Loving County, Texas**: not included in the decision.'
    """
    return f"**{name}**: {sentence}"


def pinned_count(true: float, *, unit: str) -> str:
    """Return the true count of a pinned area, and the relative size of an error of one.

    >>> pinned_count(35, unit="households")
    'the true number of households is 35, and an error of 1 would be 2.9% of it.'
    >>> pinned_count(0, unit="households")
    'the true number of households is 0.'
    """
    number_of = f"the true number of {unit} is {whole(true)}"
    return (
        f"{number_of}, and an error of 1 would be {percent(1 / true)} of it."
        if true
        else f"{number_of}."
    )


def pinned_error(mean_abs: float, true: float, *, unit: str) -> str:
    """Return the average error of a pinned area in words.

    >>> pinned_error(3.9, 35, unit="households")
    'the average error is 3.9, which is 11% of the true number of households, 35.'
    >>> pinned_error(3.9, 0, unit="households")
    'the average error is 3.9. The true number of households is 0.'
    """
    error = f"the average error is {number(mean_abs)}"
    if not true:
        return f"{error}. The true number of {unit} is 0."
    share = in_words(mean_abs / true)
    return f"{error}, which is {share} of the true number of {unit}, {whole(true)}."


def violations(levels: Sequence[str], checks: Checks) -> str:
    """Return where the released counts are inconsistent or not valid; empty if nowhere."""
    if not checks.consistent:
        parts = [
            f"{n:,} at {level} level"
            for level, n in zip(levels, checks.violations, strict=True)
            if n
        ]
        return (
            "The counts of this simulation are inconsistent. The number of counts that "
            f"differ from the sum over the sub-areas is {join_and(parts)}."
        )
    if checks.keeps_invariants is False:
        return "In this simulation, a total that is treated as public is not kept."
    return "" if checks.valid else "In this simulation, some counts are negative or not integers."


def area_line(
    distance: float, true: float, released: float, *, name: str, group: str, people: str
) -> str:
    """Return the area between two cumulative curves in words.

    Args:
        distance: the earth mover's distance.
        true, released: the number of groups.
        name: the region.
        group, people: the nouns for groups and their members, plural.
    """
    if distance == 0 and true == released:
        return "The two curves are the same: the earth mover’s distance is 0."
    what = f"**{whole(distance)}**, the earth mover’s distance"
    area = f"The area between the two curves is {what}."
    if true != released:
        area = (
            "If the curves are moved so that their right ends meet, the area between them is "
            f"{what}."
        )
    moves = (
        f"This many {people} would have to join or leave {group} of {place(name)} to turn the "
        "released sizes into the true ones."
    )
    surplus = ""
    if released != true:
        high = "high" if released > true else "low"
        surplus = (
            f"The released number of {group} is too {high} by {whole(abs(released - true))}. Empty "
            f"{group} do not add to the distance."
        )
    return paragraph(area, moves, _for_each(distance, true, group), surplus)


def _for_each(distance: float, true: float, group: str) -> str:
    """Return a distance in proportion to the number of groups; empty if either is 0."""
    if true and distance >= true / 100:
        return f"That is {number(distance / true)} for each of the {whole(true)} {group}."
    if true and distance:
        return (
            f"That is one for every {whole(round(true / distance))} of the {whole(true)} {group}."
        )
    return ""


def no_noisy_curve(level: str, share: int) -> str:
    """Return why there is no noisy curve."""
    if share == 0:
        return f"The {level} level has no budget and was not measured, so there is no noisy curve."
    return (
        f"At {level} level, this mechanism adds its noise to other counts, so there is no noisy "
        "curve."
    )


def consistency_line(frame: pd.DataFrame, *, people: str) -> str:
    """Return the effect of making the levels consistent, in words, the last level first.

    Args:
        frame: `group_sizes.consistency`.
        people: what members of groups are, plural.
    """
    sentences = []
    for row in reversed(frame.to_dict("records")):
        before, after = number(row["before"]), number(row["after"])
        who = f"the {row['level']}"
        if row["regions"] > 1:
            who = f"{a(row['level'])} on average"
        if before == after:
            sentences.append(f"For {who}, it stays at {after}.")
        else:
            sentences.append(f"For {who}, it goes from {before} to **{after}**.")
    return paragraph(
        "This is the earth mover’s distance between the estimated and the true sizes, in "
        f"{people}, before and after the levels are made consistent.",
        *sentences,
        "These are the distances of one simulation.",
    )


def unmeasured_line(frame: pd.DataFrame) -> str:
    """Return which levels have no estimate of their own; empty where all have one."""
    names = [f"the {row['level']} level" for row in frame.to_dict("records") if not row["measured"]]
    if not names:
        return ""
    return (
        f"There is no budget for {join_and(names)}. The estimate of an area there is the sum of "
        "the estimates of its sub-areas."
    )


def matching_line(name: str, level: str, *, group: str) -> str:
    """Return how to read the picture of a matching."""
    return (
        f"In ascending order of size, the {group} of {place(name)} are matched one to one with "
        f"those of its {plural(level)}, and the two sizes are combined (diamonds). For each "
        f"{level} below, the top shows the sizes estimated for {place(name)}, and the bottom those "
        f"estimated from the measurements of the {level}. Lines are vertical where both sizes "
        f"agree. Wider lines stand for more {group}."
    )


def left_out_line(pairs: pd.DataFrame, *, group: str) -> str:
    """Return what a picture of a matching leaves out, and the meaning of its line widths.

    Args:
        pairs: `group_sizes.size_pairs`.
        group: the noun for groups, plural.
    """
    width = f"Line width is proportional to the square root of the number of {group}."
    drawn = pairs[pairs["kept"]]
    if len(drawn) == len(pairs):
        return width
    n_shown, groups = int(drawn["groups"].sum()), int(pairs["groups"].sum())
    return (
        f"The picture shows the {len(drawn):,} of {len(pairs):,} pairs of sizes with the most "
        f"{group}, {whole(n_shown)} of {whole(groups)} ({percent(n_shown / groups)}). The tables "
        f"contain the rest. {width}"
    )


def area_finding(
    name: str,
    share: float,
    below: tuple[str, float] | None,
    *,
    subject: str,
    off: str,
    exact: str,
) -> str:
    """Return the title of a page about an area: its error, and the typical error below it.

    Args:
        name: the name of the area.
        share: the area's error divided by its true count; NaN if the true count is 0.
        below: the level below and its typical relative error; None if the area has fewer than two
            sub-areas.
        subject: the subject of the sentence, such as "at ε = 1, the count".
        off: the words after the error, such as "off on average".
        exact: the words for a count without error.

    >>> words = {"subject": "the count", "off": "off on average", "exact": "exact"}
    >>> area_finding("Texas", 0.000001, ("county", 0.0004), **words)
    'Texas: the count is 0.0001% off on average, and its counties are typically 0.04% off'
    >>> area_finding("block 17", math.nan, None, **words)
    'Block 17: the true count is 0'
    >>> area_finding("Texas", 0.0, None, **words)
    'Texas: the count is exact'
    >>> area_finding("Texas", 0.0, ("county", 0.0), **words)
    'Texas: the count is exact, and its counties are typically exact'
    """
    title = capital(place(name))
    if math.isnan(share):
        sentence = f"{title}: the true count is 0"
    else:
        sentence = f"{title}: {subject} is {f'{in_words(share)} {off}' if share else exact}"
    if below is None or math.isnan(below[1]):
        return sentence
    typical = f"{in_words(below[1])} off" if below[1] else "exact"
    return f"{sentence}, and its {plural(below[0])} are typically {typical}"


def in_words(share: float) -> str:
    """Return a relative error for use inside a sentence.

    >>> in_words(3e-9), in_words(0.02)
    ('less than 0.0001%', '2%')
    """
    return relative(share).replace("< ", "less than ")
