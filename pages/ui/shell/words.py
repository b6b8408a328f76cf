"""The sentences of the pages: numbers in, plain words out."""

import math
from collections.abc import Sequence
from html import escape

import pandas as pd

from hierdp_core.privacy.rounding import parameter
from hierdp_core.simulation import Checks, Plan
from hierdp_core.util.text import capital, number, percent, plural, whole

# Which way the slider goes; on a narrow screen the two ends stay in one line.
ENDS = (
    '<div class="hierdp-ends"><span>← stronger privacy</span><span>higher accuracy →</span></div>'
)
TAKE_AWAY = (
    "A file for each level, with the numbers of the draw on the maps, its privacy statement and "
    "its settings. No true value is inside; but its noise can be repeated from the seed, so it is "
    "a demonstration, not for publication."
)
OWN_REPEAT = (
    "Your own data are in this session only. They have no link: nothing of them goes into the "
    "address bar, a log or anybody else’s session."
)
OPENS = "Select a row to open the profile of the area."
NOT_PRIVATE = "Contains true values: not for publication."
CONFIDENTIAL = "Confidential data: keep this file only where they may be."
CONFIDENTIAL_DRAW = (
    "Confidential data: whoever tries seeds can take the noise away and comes near the true "
    "values. Keep these files only where the data may be."
)
CONFIDENTIAL_FILES = "Confidential data: keep these files and pictures only where they may be."

METHODS = {
    "hc": "Cumulative (hc)",
    "hg": "In order (hg)",
    "naive": "Plain (naive)",
}
METHODS_HELP = (
    "What gets noise on this level.\n\n"
    "**Cumulative (hc)**: how many groups have at most each size; the usual choice.\n\n"
    "**In order (hg)**: the size of every single group, from the smallest to the largest. "
    "Can be the better one where large sizes are few and far between; a draw for every group, so "
    "slow where there are many.\n\n"
    "**Plain (naive)**: how many groups have each size. Errors pile up along the sizes; "
    "for comparison.\n\n"
    "A level with share 0 is not measured and needs no method."
)

_SHORTEST = 1e-6  # smaller relative errors need no more digits on a page
_MANY_GROUPS = 10_000_000  # beyond this, a draw for every group is felt
_DRAWS_A_SECOND = 1e7  # order of magnitude on one core
_QUARTERS = ("Northeast", "Midwest", "South", "West")
HOW_TO_READ = (
    (
        "**Typical error**: for each area, the average distance between the released and the true "
        "count over all simulations, divided by the true count; then the middle area of the level. "
        "Half of all areas have a smaller relative error, half a larger one."
    ),
    (
        "**Average error**: the average distance between the released and the true count, over "
        "all areas of the level and all simulations."
    ),
    (
        "**Maps** show one simulated release, the one of the seed. Another seed puts the errors "
        "elsewhere; only what holds over many simulations says something about the mechanism. An "
        "area whose true count is 0 has no relative error and a colour of its own."
    ),
    (
        "**Classes and colours** are the same on every map, whatever the data, the budget and the "
        "mechanism, so maps can be compared."
    ),
)


def counted(n: int, noun: str) -> str:
    """
    >>> counted(3143, "county"), counted(1, "nation")
    ('3,143 counties', '1 nation')
    """
    return f"{n:,} {noun if n == 1 else plural(noun)}"


def level_title(n: int, noun: str) -> str:
    """
    >>> level_title(51, "state"), level_title(1, "nation")
    ('51 states', 'Nation')
    """
    return counted(n, noun) if n > 1 else capital(noun)


def a(noun: str) -> str:
    """
    >>> a("county"), a("area")
    ('a county', 'an area')
    """
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"


def place(name: str) -> str:
    """A region's name inside a sentence.

    >>> place("United States"), place("West"), place("Texas")
    ('the United States', 'the West', 'Texas')
    """
    with_article = name.startswith(("United ", "District ")) or name in _QUARTERS
    return f"the {name}" if with_article else name


def colours(meanings: Sequence[tuple[str, str]]) -> str:
    """Coloured squares with what they mean, as HTML."""
    squares = (
        f'<span><i style="background:{colour}"></i>{escape(meaning)}</span>'
        for colour, meaning in meanings
    )
    return f'<div class="hierdp-colours">{"".join(squares)}</div>'


def simulations_words(done: int, wanted: int) -> str:
    """
    >>> simulations_words(100, 100), simulations_words(5, 100)
    ('100 simulations', '5 of 100 simulations so far')
    """
    if done >= wanted:
        return f"{done:,} simulation{'s' * (done != 1)}"
    return f"{done:,} of {wanted:,} simulations so far"


def bars_note(simulations: str, *, unit: str) -> str:
    """The line under bars of the error by level."""
    return (
        f"Mean absolute error across areas in {unit}, {simulations}. The dot is the mean; the "
        "bands show the middle 50%, 80% and 95%. They reflect privacy noise only, not sampling "
        "error."
    )


def budget(plan: Plan) -> str:
    """The budget that was asked for; called a claim where the noise does not keep it."""
    if not plan.privacy.caution:
        return plan.budget.words
    return f"a claimed {plan.budget.words}, actually {plan.privacy.guarantee}"


def shares_line(plan: Plan) -> str:
    """What each level gets of the budget: "1 : 1 : 2 → ε 0.25, 0.25, 0.5"."""
    symbol, parts = level_budgets(plan)
    parts = parts[: len(plan.levels)]
    texts = [parameter(part) for part in parts]
    each = f"{texts[0]} each" if len(set(texts)) == 1 and len(texts) > 1 else ", ".join(texts)
    return f"{' : '.join(map(str, plan.allocation.weights))} → {symbol} {each}"


def level_budgets(plan: Plan) -> tuple[str, list[float]]:
    """The symbol of the budget, and the part of each level and of what is measured besides."""
    if plan.privacy.rho is None or any(level.epsilon for level in plan.privacy.levels):
        return "ε", [level.epsilon or 0.0 for level in plan.privacy.levels]
    return "ρ", [level.rho or 0.0 for level in plan.privacy.levels]


def composition(person: str, *, beside: bool) -> str:
    """Why the parts of the budget add up.

    >>> composition("person", beside=False)
    'A person is counted once on every level, so the levels add up to the whole budget.'
    """
    rows = "all rows add up" if beside else "the levels add up"
    return f"{capital(a(person))} is counted once on every level, so {rows} to the whole budget."


def option_value(value: str) -> str:
    """What a choice of a mechanism is called.

    >>> option_value("hg"), option_value("weighted")
    ('In order (hg)', 'Weighted')
    """
    return METHODS.get(value, capital(value))


def slow_method(groups: int, group: str, chosen: Sequence[str]) -> str:
    """What the method hg costs where there are many groups; nothing where there are few.

    Args:
        groups: how many there are, a public number.
        group: what a group is, plural.
        chosen: the levels that have the method.
    """
    if groups <= _MANY_GROUPS:
        return ""
    seconds = number(groups / _DRAWS_A_SECOND)
    said = (
        f"{METHODS['hg']} draws noise for each of the {groups:,} {group}: roughly {seconds} "
        "seconds a level and draw"
    )
    if not chosen:
        return f"{said}, if you choose it."
    total = number(len(chosen) * groups / _DRAWS_A_SECOND)
    return f"{said}. Chosen for {', '.join(chosen)}: each draw takes some {total} seconds or more."


def relative(share: float) -> str:
    """A relative error, short.

    >>> relative(0.00034), relative(3e-9), relative(0.0), relative(math.nan)
    ('0.03%', '< 0.0001%', '0%', 'not defined')
    """
    if math.isnan(share):
        return "not defined"
    return f"< {percent(_SHORTEST)}" if 0 < share < _SHORTEST else percent(share)


def status(done: int, wanted: int, *, running: bool) -> str:
    """How far the simulations are.

    >>> status(100, 100, running=False), status(52, 100, running=True)
    ('100 of 100 simulated releases complete', '52 of 100 simulated releases complete …')
    """
    return f"{done:,} of {wanted:,} simulated releases complete{' …' * running}"


def pinned(name: str, sentence: str) -> str:
    """The line of a pinned area.

    >>> pinned("Loving County, Texas", "35 households.")
    '**Loving County, Texas**: 35 households.'
    """
    return f"**{name}**: {sentence}"


def pinned_count(true: float, *, unit: str) -> str:
    """How large a pinned area is, and what an error of one means there.

    >>> pinned_count(35, unit="households")
    '35 households; an error of one is 2.9% of the true count.'
    >>> pinned_count(0, unit="households")
    'the true count is 0 households.'
    """
    if not true:
        return f"the true count is 0 {unit}."
    return f"{whole(true)} {unit}; an error of one is {percent(1 / true)} of the true count."


def pinned_error(mean_abs: float, true: float, *, unit: str) -> str:
    """The average error of a pinned area.

    >>> pinned_error(3.9, 35, unit="households")
    'average error 3.9 of 35 households (11%).'
    """
    if not true:
        return f"average error {number(mean_abs)}; the true count is 0 {unit}."
    relative = percent(mean_abs / true)
    return f"average error {number(mean_abs)} of {whole(true)} {unit} ({relative})."


def violations(levels: Sequence[str], checks: Checks) -> str:
    """Where the released numbers contradict each other; nothing when they do not."""
    if not checks.consistent:
        parts = [
            f"{n:,} on the level {level}"
            for level, n in zip(levels, checks.violations, strict=True)
            if n
        ]
        return (
            "In this draw the parts do not add up to the whole everywhere: numbers that differ "
            f"from the sum of their parts, {', '.join(parts)}."
        )
    if checks.faithful is False:
        return "In this draw some level does not have the public number of groups."
    return "" if checks.valid else "In this draw some numbers are negative or not whole."


def area_line(
    distance: float, true: float, released: float, *, name: str, group: str, people: str
) -> str:
    """The area between two cumulative curves, in words.

    Args:
        distance: the earth mover's distance.
        true, released: groups in all.
        name: the region.
        group, people: what a group is and what its members are, plural.
    """
    if distance == 0 and true == released:
        return "The two curves are the same: the earth mover’s distance is 0."
    level = "" if true == released else ", once their ends are set level,"
    each = f", {number(distance / true)} for each of the {whole(true)} {group}" if true else ""
    said = (
        f"The area between true and released{level} is **{whole(distance)}**, the earth mover’s "
        f"distance: so many {people} would have to join or leave {group} of {place(name)} to turn "
        f"the released sizes into the true ones{each}."
    )
    if true == released:
        return said
    gap = whole(abs(released - true))
    more = "many" if released > true else "few"
    return f"{said} {capital(group)} are {gap} too {more}; an empty one comes or goes for nothing."


def no_noisy_curve(level: str, share: int) -> str:
    """Why there is no noisy curve."""
    if share == 0:
        return (
            f"The level {level} has no share of the budget: nothing was measured there, so there "
            "is no noisy curve."
        )
    return (
        f"On the level {level} this mechanism puts its noise on other numbers than these, so there "
        "is no noisy curve."
    )


def consistency_line(frame: pd.DataFrame) -> str:
    """What making the levels fit did to each, the last level first.

    Args:
        frame: `group_steps.consistency`.
    """
    parts = []
    for row in reversed(frame.to_dict("records")):
        before, after = number(row["before"]), number(row["after"])
        who = a(row["level"]) if row["regions"] > 1 else f"the {row['level']}"
        change = f"stays at {after}" if before == after else f"goes from {before} to **{after}**"
        parts.append(f"that of {who} {change}")
    return (
        "Making the levels fit each other changes the earth mover’s distance to the truth: "
        f"{'; '.join(parts)}. Means over regions, in one draw; never to be added over levels."
    )


def unmeasured_line(frame: pd.DataFrame) -> str:
    """Which levels have no estimate of their own; nothing when all have."""
    names = [row["level"] for row in frame.to_dict("records") if not row["measured"]]
    if not names:
        return ""
    return f"Without a share: {', '.join(names)}. The estimate there is the sum of the level below."


def matching_line(name: str, level: str, *, group: str) -> str:
    """How to read the picture of a matching."""
    return (
        f"Top: the sizes that {place(name)} says its {group} have. Bottom: what {a(level)} says by "
        f"itself. In ascending order each of the {group} above is taken for one below, and the two "
        "sizes are merged (diamonds): straight down where both agree. The wider a line, the more "
        f"{group}."
    )


def left_out_line(pairs: pd.DataFrame, *, group: str) -> str:
    """What a picture of a matching does not hold, and how wide its lines are.

    Args:
        pairs: `group_steps.size_pairs`.
        group: what a group is, plural.
    """
    width = f"The width of a line grows with the square root of its number of {group}."
    drawn = pairs[pairs["kept"]]
    if len(drawn) == len(pairs):
        return width
    shown, groups = int(drawn["groups"].sum()), int(pairs["groups"].sum())
    return (
        f"Drawn are, of {len(pairs):,} pairs of sizes, the {len(drawn):,} with the most {group}: "
        f"{whole(shown)} of {whole(groups)} ({percent(shown / groups)}); each picture has its own "
        f"sizes. The tables hold the rest. "
        f"{width}"
    )
