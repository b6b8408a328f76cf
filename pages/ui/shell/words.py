"""The sentences of the pages: numbers in, plain words out."""

from collections.abc import Sequence
from html import escape

import pandas as pd

from hierdp_core.figures.maps.region_table import SmallPlaces
from hierdp_core.privacy.rounding import parameter
from hierdp_core.simulation import Checks, Plan
from hierdp_core.util.text import number, percent, whole
from hierdp_core.util.text import plural as plural

# Which way the slider goes; on a narrow screen the two ends stay in one line.
ENDS = '<div class="hierdp-ends"><span>← more private</span><span>more accurate →</span></div>'
TAKE_AWAY = (
    "A file for each level, with the numbers of the draw on the maps, its privacy statement and "
    "its settings. No true value is inside; but its noise can be repeated from the seed, so it is "
    "a demonstration, not a private release."
)
OWN_REPEAT = (
    "Your own data are in this session only. They have no link: nothing of them goes into the "
    "address bar, a log or anybody else’s session."
)
NOT_PRIVATE = "Contains true values: not a private release."
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

_MANY_GROUPS = 10_000_000  # beyond this, a draw for every group is felt
_DRAWS_A_SECOND = 1e7  # order of magnitude on one core
_QUARTERS = ("Northeast", "Midwest", "South", "West")
HOW_TO_READ = (
    (
        "**Off by, on average**: how far the released number of a place lies from the true one, "
        "whichever way; the mean over all places of the level and over all draws."
    ),
    (
        "**Relative error**: that distance as a share of the true number. A place that is truly 0 "
        "has none; it is left out of the median and has its own colour on the map."
    ),
    (
        "**Maps** show one draw, the one of the seed. Another seed gives other errors in other "
        "places; only what holds over many draws tells about the mechanism."
    ),
    (
        "**Bars** hold 50, 80 and 95 of 100 draws; the dot is their mean. They show how much the "
        "privacy noise varies. They are not a survey's sampling error."
    ),
    (
        "**Colours** keep their meaning when ε, the shares or the mechanism change, so two maps of "
        "the same data can be compared."
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


def capital(text: str) -> str:
    """The text with its first letter large, the rest as it is."""
    return text[:1].upper() + text[1:]


def place(name: str) -> str:
    """A region's name inside a sentence.

    >>> place("United States"), place("West"), place("Texas")
    ('the United States', 'the West', 'Texas')
    """
    with_article = name.startswith(("United ", "District ")) or name in _QUARTERS
    return f"the {name}" if with_article else name


def question(budget: str, subject: str, root: str) -> str:
    """The title of Explore.

    >>> question("ε = 1", "households", "United States")
    'What does ε = 1 do to counts of households in the United States?'
    """
    return f"What does {budget} do to counts of {subject} in {place(root)}?"


def headline(
    mean_abs: pd.DataFrame, median_rel: pd.DataFrame, small: SmallPlaces, *, unit: str
) -> str:
    """What the mechanism does, in numbers from the draws.

    Args:
        mean_abs: `trials.summarise` of the mean absolute error, a row a level, root first.
        median_rel: the same of the median relative error.
        small: the smallest places of the last level in one draw.
        unit: what is counted, plural.
    """
    levels = mean_abs["level"].tolist()
    means = [f"**{number(m)}**" for m in mean_abs["mean"]]
    leaf, leaves = levels[-1], plural(levels[-1])
    first = f"{capital(a(leaf))}’s number of {unit} is off by {means[-1]} on average"
    others = [
        f"{'the ' + level if k == 0 else a(level)}’s by {mean}"
        for k, (level, mean) in enumerate(zip(levels[:-1], means[:-1], strict=True))
    ]
    first += "".join(f", {other}" for other in reversed(others)) + "."
    middle = float(median_rel["mean"].iloc[-1])
    second = (
        f" Half of all {leaves} are within **{percent(middle)}** of the truth"
        if (middle == middle)
        else ""
    )
    third = small_words(small, leaf=leaf, unit=unit)
    return first + second + (f"; {third}" if second and third else "") + ("." if second else "")


def small_words(small: SmallPlaces, *, leaf: str, unit: str) -> str:
    """What happens to the smallest tenth of places; nothing when they are all truly 0."""
    if small.median_rel != small.median_rel:
        return ""
    if small.regions == 1:
        return (
            f"the smallest, {place(small.smallest)} ({whole(small.smallest_true)} {unit}), "
            f"is off by **{percent(small.median_rel)}** in the draw on the map"
        )
    return (
        f"of the smallest tenth (up to {whole(small.at_most)} {unit}) half are off by more than "
        f"**{percent(small.median_rel)}** in the draw shown"
    )


def level_block(name: str, mean: str, unit: str, relative: str) -> str:
    """The head of a level's column, as HTML."""
    return (
        f'<div class="hierdp-level"><div>{escape(name)}</div>'
        f'<div><b class="big">± {mean}</b> {escape(unit)}</div>'
        f'<div class="quiet">median relative error <b>{relative}</b></div></div>'
    )


def colours(meanings: Sequence[tuple[str, str]]) -> str:
    """Coloured squares with what they mean, as HTML."""
    squares = (
        f'<span><i style="background:{colour}"></i>{escape(meaning)}</span>'
        for colour, meaning in meanings
    )
    return f'<div class="hierdp-colours">{"".join(squares)}</div>'


def draws_words(done: int, wanted: int) -> str:
    """
    >>> draws_words(100, 100), draws_words(5, 100)
    ('100 draws', '5 of 100 draws so far')
    """
    if done >= wanted:
        return f"{done:,} draw{'s' * (done != 1)}"
    return f"{done:,} of {wanted:,} draws so far"


def map_note(shown: int, draws: str, *, unit: str) -> str:
    """The line under maps and bars."""
    maps = {1: "Map", 2: "Both maps"}.get(shown, f"All {shown} maps")
    return (
        f"{maps}: relative error of one draw, on one colour scale. Bars: mean absolute error per "
        f"place in {unit}, {draws}; the dot is the mean, the bars hold 50, 80 and 95 % of the "
        "draws (privacy noise, not sampling error)."
    )


def budget(plan: Plan) -> str:
    """The budget that was asked for; called a claim where the noise does not keep it."""
    return f"{'a claimed ' if plan.privacy.caution else ''}{plan.budget.words}"


def shares_line(plan: Plan) -> str:
    """What each level gets of the budget: "1 : 1 : 2 → ε 0.25, 0.25, 0.5"."""
    symbol, parts = level_budgets(plan)
    parts = parts[: len(plan.levels)]
    texts = [parameter(part) for part in parts]
    each = f"{texts[0]} each" if len(set(texts)) == 1 and len(texts) > 1 else ", ".join(texts)
    return f"{' : '.join(map(str, plan.allocation.weights))} → {symbol} {each}"


def level_budgets(plan: Plan) -> tuple[str, list[float]]:
    """The symbol of the budget, and the part of each level and of what is measured besides."""
    if plan.budget.kind == "pure" or plan.privacy.rho is None:
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


def region_line(name: str, true: float, released: float, relative: float, *, unit: str) -> str:
    """One region in a sentence."""
    difference = released - true
    if difference == 0:
        return f"{capital(place(name))}: {whole(true)} {unit}, released without error in this draw."
    way = "too many" if difference > 0 else "too few"
    share = "" if relative != relative else f" ({percent(relative)})"
    return (
        f"{capital(place(name))} has {whole(true)} {unit}; this draw says {whole(released)}, "
        f"{whole(abs(difference))} {way}{share}."
    )
