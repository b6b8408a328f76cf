"""The sentences of Impact on decisions, from an outcome."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from hierdp_core.decisions import Column, Outcome, Preset, Rule
from hierdp_core.decisions.seats import METHODS
from hierdp_core.decisions.threshold import SIDES
from hierdp_core.evaluation.size_classes import ZERO
from hierdp_core.figures.errors.by_size import labels
from hierdp_core.util.text import (
    a,
    by_number,
    capital,
    counted,
    join_and,
    number,
    percent,
    plural,
    three_digits,
    whole,
    with_margin,
)
from hierdp_core.util.text import (
    paragraph as in_a_row,
)
from pages.ui.shell import words

_ENOUGH = 40  # simulations from which the middle 95% is shown instead of the range
_NOTABLE = 0.05  # the paragraph counts areas whose outcome differs at least this often
HOW_TO_READ = (
    (
        "**Different outcome**: the released counts lead to another decision about an area than "
        "the true counts. For funding, only a loss above the tolerance is a different outcome. The "
        "rule is applied to every simulated release."
    ),
    (
        "**Probabilities** are estimated from the simulations and reflect privacy noise only. "
        "Errors of the data collection, such as census undercount, are not included."
    ),
    (
        "**0%** means that a different outcome was never observed in the simulations, not that it "
        "is impossible. With 95% confidence, its probability is below about 3 divided by the "
        "number of simulations (rule of three)."
    ),
    (
        "**By size of area**: areas are sorted by true count and divided into up to ten classes "
        "with about equal numbers of areas. Areas with equal counts are in the same class. Those "
        "with a true count of 0 have no relative error and form a class of their own."
    ),
    (
        "**Bias** is the mean of released minus true counts. If its 95% interval excludes 0, it is "
        "called statistically significant. Without any bias, this still happens by chance in about "
        "one class in twenty."
    ),
    (
        "**Downloads**: the tables of areas, of classes by size and of simulations are available "
        "as CSV. The camera in the corner of a chart saves it as a picture."
    ),
)


def title(outcome: Outcome, budget: str, *, unit: str) -> str:
    """Return the finding, as the title of the page.

    Args:
        outcome: the outcome of the simulations so far.
        budget: the budget in words.
        unit: what is counted, plural.
    """
    special = _FINDINGS.get(outcome.rule.id, _in_general)
    return f"At {budget}, {special(outcome, unit)}"


def _in_general(outcome: Outcome, unit: str) -> str:
    mean = float(outcome.places["wrong"].dropna().sum())
    who = counted(len(outcome.places["wrong"].dropna()), outcome.level)
    return f"on average {number(mean)} of {who} {_by_mean(mean, 'has', 'have')} a different outcome"


def _threshold_finding(outcome: Outcome, unit: str) -> str:
    mean = float(outcome.by_simulation["wrong"].mean())
    who = counted(int(outcome.facts["places"]), outcome.level)
    if mean == 0:
        return f"no {outcome.level} changes eligibility in {_simulations(outcome)}"
    if mean < 1:
        share = float((outcome.by_simulation["wrong"] > 0).mean())
        return (
            f"at least one {outcome.level} changes eligibility in {percent(share)} of simulations"
        )
    return f"on average {number(mean)} of {who} {_by_mean(mean, 'changes', 'change')} eligibility"


def _funding_finding(outcome: Outcome, unit: str) -> str:
    misplaced = float(outcome.by_simulation["misplaced"].mean())
    total = outcome.parameters["money"]
    wrong = f"goes to the wrong {plural(outcome.level)}"
    return f"on average {about(misplaced)} of {dollars(total)} {wrong}"


def _ranking_finding(outcome: Outcome, unit: str) -> str:
    changed = float((outcome.by_simulation["replaced"] > 0).mean())
    who = _selection(outcome)
    if changed == 0:
        verb = by_number(outcome.parameters["k"], "is", "are")
        return f"{who} {verb} the same in {_every_simulation(outcome)}"
    return f"the selection of {who} differs in {percent(changed)} of simulations"


def _seats_finding(outcome: Outcome, unit: str) -> str:
    moving = float((outcome.by_simulation["moved"] > 0).mean())
    seats = f"of {counted(int(outcome.parameters['seats']), 'seat')}"
    if outcome.parameters["seats"] == 1:
        one = "the one seat"
        if moving == 0:
            return f"{one} goes to the same {outcome.level} in {_every_simulation(outcome)}"
        return f"{one} goes to another {outcome.level} in {percent(moving)} of simulations"
    if moving == 0:
        return f"none {seats} changes hands in {_simulations(outcome)}"
    return f"at least one {seats} changes hands in {percent(moving)} of simulations"


def _grouping_finding(outcome: Outcome, unit: str) -> str:
    if not outcome.places["true"].any():
        return f"{_all_zero(outcome)}, so district sizes cannot be compared"
    over, limit = float(outcome.by_simulation["over"].mean()), percent(outcome.parameters["limit"])
    if outcome.facts["exact"] > outcome.parameters["limit"]:
        if over == 1:
            return f"district sizes differ by more than {limit}, as they do with true counts"
        if over == 0:
            return (
                f"district sizes differ by more than {limit} with true counts, but in no simulation"
            )
        return (
            f"district sizes differ by more than {limit} in {percent(over)} of simulations, and "
            "also with true counts"
        )
    if over == 0:
        return f"district sizes differ by at most {limit} in {_every_simulation(outcome)}"
    return f"district sizes differ by more than {limit} in {percent(over)} of simulations"


_FINDINGS: Mapping[str, Callable[[Outcome, str], str]] = {
    "threshold": _threshold_finding,
    "funding": _funding_finding,
    "ranking": _ranking_finding,
    "seats": _seats_finding,
    "grouping": _grouping_finding,
}


def dollars(amount: float) -> str:
    """Return an amount of money, in short form.

    >>> [dollars(v) for v in (18.4e9, 1e9, 61_212.3, 0.5, 2_500_000)]
    ['$18.4 billion', '$1 billion', '$61,212', '$0.5', '$2.5 million']
    """
    for size, name in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if abs(amount) >= size:
            return f"${amount / size:.3g} {name}"
    return f"${number(amount)}"


def about(amount: float) -> str:
    """Return a mean amount of money with three digits, which is all that simulations support.

    >>> about(61_212.3), about(41.27), about(18.44e9)
    ('$61,200', '$41', '$18.4 billion')
    """
    return dollars(float(f"{amount:.3g}"))


def paragraph(outcome: Outcome, *, unit: str) -> str:
    """Return the effect on decisions in words, with the number of simulations."""
    special = _PARAGRAPHS.get(outcome.rule.id)
    text = special(outcome, unit) if special else f"{capital(_in_general(outcome, unit))}."
    return in_a_row(text, _hardest_hit(outcome, unit))


def unused(parameters: Sequence[str]) -> str:
    """Return a message about parameters of the address that this page does not use.

    >>> unused(["level"])
    'This page ignores "level" in its address. On this page, "places" names the level.'
    >>> unused(["region"])
    'This page ignores "region" in its address.'
    """
    names = join_and([f'"{name}"' for name in parameters])
    instead = 'On this page, "places" names the level.' if "level" in parameters else ""
    return in_a_row(f"This page ignores {names} in its address.", instead)


def brief(outcome: Outcome, *, unit: str) -> str:
    """Return who is affected in a sentence or two, for a slide whose title has the finding."""
    hardest = _hardest_hit(outcome, unit)
    if hardest and "tolerance" in outcome.parameters:
        share = percent(outcome.parameters["tolerance"])
        return f"{hardest} The tolerance is {share} of the entitlement."
    return hardest or paragraph(outcome, unit=unit)


def pinned(outcome: Outcome, level: str, wrong: float | None) -> str:
    """Return how often the decision about a pinned area changes, in words.

    Args:
        outcome: what the rule decides.
        level: the level of the area.
        wrong: the proportion of simulations with another outcome; None where there is no decision.
    """
    if level != outcome.level:
        return f"the rule applies to {plural(outcome.level)}, not to {plural(level)}."
    if wrong is None or math.isnan(wrong):
        return "not included in the decision."
    return f"{outcome.rule.wrong} in {percent(wrong)} of {_simulations(outcome)}."


def _threshold(outcome: Outcome, unit: str) -> str:
    known, facts = outcome.parameters, outcome.facts
    n, areas = int(facts["qualify"]), counted(int(facts["places"]), outcome.level)
    limit = whole(known["limit"])  # the unit is plural, so "at least 1" stands without it
    rule = f"{SIDES[known['side']]} {limit}"
    if limit != "1":
        rule = f"{rule} {unit}"
    due = f"By the true counts, no {outcome.level} is eligible ({rule})."
    if n:
        verb = by_number(n, "is", "are")
        due = f"By the true counts, **{n:,}** of {areas} {verb} eligible ({rule})."
    simulations = outcome.by_simulation
    if not simulations["wrong"].any():
        return f"{due} No {outcome.level} is misclassified in {_simulations(outcome)}."
    verb = _by_mean(float(simulations["wrong"].mean()), "is", "are")
    wrong = _named(simulations["wrong"], outcome.level, bold=True)
    return (
        f"{due} On average, {wrong} {verb} misclassified per simulation "
        f"({_over(outcome)}). These are {_named(simulations['wrongly_in'], 'false positive')} and "
        f"{_named(simulations['wrongly_out'], 'false negative')}."
    )


def _funding(outcome: Outcome, unit: str) -> str:
    known, simulations = outcome.parameters, outcome.by_simulation
    areas = counted(int(outcome.facts["places"]), outcome.level)
    worst = outcome.places.iloc[int(outcome.places["mean_loss"].fillna(0).argmax())]
    loses_most = (
        f"The largest mean loss is that of {words.place(str(worst['name']))}: "
        f"{about(float(worst['mean_loss']))}, which is "
        f"{percent(float(worst['mean_loss_share']))} of its entitlement. A simulation in which it "
        "gains counts as a loss of 0."
    )
    return in_a_row(
        f"Of {dollars(known['money'])} allocated by number of {unit}, "
        f"**{about(float(simulations['misplaced'].mean()))}** "
        f"({_finely(float(simulations['misplaced_share'].mean()))}) is misallocated on average "
        f"({_over(outcome)}).",
        f"On average, **{_mean(simulations['losers'])}** of {areas} "
        f"{_by_mean(float(simulations['losers'].mean()), 'loses', 'lose')} more than the "
        f"tolerance, {percent(known['tolerance'])} of the entitlement.",
        loses_most if worst["mean_loss"] > 0 else "",
    )


def _selection(outcome: Outcome) -> str:
    known = outcome.parameters
    if known["k"] == 1:
        return f"the {known['end']} {outcome.level}"
    return f"the {known['k']:,} {known['end']} {plural(outcome.level)}"


def _ranking(outcome: Outcome, unit: str) -> str:
    one, simulations = outcome.parameters["k"] == 1, outcome.by_simulation
    chosen = f"{_selection(outcome)} by number of {unit}"
    changed = float((simulations["replaced"] > 0).mean())
    if not simulations["reordered"].any():
        if one:
            return f"{capital(chosen)} is the same in {_every_simulation(outcome)}."
        return f"{capital(chosen)} and their order are the same in {_every_simulation(outcome)}."
    if one:
        return f"{capital(chosen)} differs in **{percent(changed)}** of simulations."
    return (
        f"The selection of {chosen} differs in **{percent(changed)}** of {_simulations(outcome)}. "
        f"On average, {_mean(simulations['replaced'])} of them "
        f"{_by_mean(float(simulations['replaced'].mean()), 'is', 'are')} replaced. The selection "
        f"or its order differs in **{percent(float(simulations['reordered'].mean()))}** of "
        "simulations."
    )


def _seats(outcome: Outcome, unit: str) -> str:
    known, simulations = outcome.parameters, outcome.by_simulation
    among = counted(int(outcome.facts["places"]), outcome.level)
    names = outcome.places.loc[outcome.places["id"].isin(known["without"]), "name"]
    rule = (
        f"{counted(int(known['seats']), 'seat')} {by_number(int(known['seats']), 'is', 'are')} "
        f"apportioned among {among} by number of {unit} "
        f"({METHODS[known['method']]})."
    )
    verb = by_number(len(names), "gets", "get")
    without = f"{capital(_listed([words.place(name) for name in names]))} {verb} no seats."
    moving = float((simulations["moved"] > 0).mean())
    changes = f"No seat changes hands in {_simulations(outcome)}."
    if moving:
        changes = (
            f"At least one seat changes hands in **{percent(moving)}** of {_simulations(outcome)}. "
            f"The mean number of seats that change hands is **{_mean(simulations['moved'])}**."
        )
    return in_a_row(rule, without if len(names) else "", changes)


def _grouping(outcome: Outcome, unit: str) -> str:
    facts, simulations, known = outcome.facts, outcome.by_simulation, outcome.parameters
    many = plural(outcome.level)
    areas = counted(int(facts["places"]), outcome.level)
    moved = (
        f"On average, {_mean(simulations['moved'])} of {areas} "
        f"{_by_mean(float(simulations['moved'].mean()), 'is', 'are')} in a different district."
    )
    if not outcome.places["true"].any():
        return in_a_row(
            f"{capital(_all_zero(outcome))}, so {known['groups']:,} districts of undivided {many} "
            f"are formed to have about equal numbers of {many}.",
            moved,
        )
    return (
        f"{known['groups']:,} districts of undivided {many} are formed to have about "
        f"{whole(round(facts['ideal']))} {unit} each. In districts formed from released counts, "
        "the true counts of the largest and the smallest differ by "
        f"**{_finely(float(simulations['range'].mean()))}** of that size on average "
        f"({_over(outcome)}). In districts formed from true counts, they differ by "
        f"{_finely(facts['exact'])}. {moved}"
    )


def _all_zero(outcome: Outcome) -> str:
    every = by_number(len(outcome.places), "the true", "every true")
    return f"{every} {outcome.level} count is 0"


_PARAGRAPHS: Mapping[str, Callable[[Outcome, str], str]] = {
    "threshold": _threshold,
    "funding": _funding,
    "ranking": _ranking,
    "seats": _seats,
    "grouping": _grouping,
}


def _hardest_hit(outcome: Outcome, unit: str) -> str:
    """Return how many areas often have a different outcome, and which most often."""
    part = outcome.places.dropna(subset=["wrong"])
    often = int((part["wrong"] >= _NOTABLE).sum())
    if not len(part) or not part["wrong"].any():
        return ""
    worst = part.iloc[int(part["wrong"].argmax())]
    highest = (
        f"The highest probability is **{percent(float(worst['wrong']))}**, for "
        f"{words.place(str(worst['name']))} (true count {whole(float(worst['true']))})."
    )
    if not often:
        return in_a_row(
            f"No {outcome.level} {outcome.rule.wrong} with a probability of 5% or more.", highest
        )
    changes = by_number(often, outcome.rule.wrong, outcome.rule.wrongs)
    return in_a_row(
        f"**{counted(often, outcome.level)}** {changes} with a probability of 5% or more.", highest
    )


def _over(outcome: Outcome) -> str:
    """Return the range of the first result: of 95% of many simulations, of all if few."""
    if outcome.n_simulations == 1:
        return "one simulation"
    column = outcome.rule.simulation_columns[0]
    values, say = outcome.by_simulation[column.id], _finely if column.kind == "share" else number
    most = 0.95 if outcome.n_simulations >= _ENOUGH else 1.0
    ends = np.quantile(values, ((1 - most) / 2, (1 + most) / 2), method="inverted_cdf")
    low, high = (say(float(v)) for v in ends)  # both occur in a simulation
    which = "95% of simulations" if outcome.n_simulations >= _ENOUGH else "all simulations"
    return f"{which}: {low}" if low == high else f"{which}: {low}–{high}"


def _finely(share: float) -> str:
    """Return a proportion as a percentage with digits that distinguish similar simulations."""
    return f"{three_digits(100 * share)}%"


def _simulations(outcome: Outcome) -> str:
    return counted(outcome.n_simulations, "simulation")


def _each_simulation(outcome: Outcome) -> str:
    n = outcome.n_simulations
    return by_number(n, "The one simulation", f"Each of the {n:,} simulations")


def _every_simulation(outcome: Outcome) -> str:
    n = outcome.n_simulations
    return by_number(n, "the one simulation", f"all {n:,} simulations")


def programme(preset: Preset, *, level: str, unit: str) -> str:
    """Return what a programme or law decides, its source, and how the table differs."""
    caveat = preset.caveat(level=plural(level), unit=unit)
    return in_a_row(preset.about, f"Source: {preset.source}.", f"**{caveat}**" if caveat else "")


def small_places(sizes: pd.DataFrame, *, level: str, unit: str) -> str:
    """Return which areas are affected most: by size, with bias and zeros, in words.

    Args:
        sizes: `size_classes.by_size`.
        level: the name of the level.
        unit: what is counted, plural.
    """
    classes = sizes[sizes["size_class"] != ZERO]
    sentences = []
    if len(classes) > 1:
        first, last = classes.iloc[0], classes.iloc[-1]
        smallest = by_number(int(first["places"]), level, plural(level))
        sentences.append(
            f"The median relative error is **{percent(float(first['median_rel']))}** in the "
            f"smallest {smallest} ({_true_counts(labels(classes)[0], unit)}) and "
            f"**{percent(float(last['median_rel']))}** in the largest."
        )
        sentences.append(_bias_words(first, last, level, unit))
    elif len(classes):
        row = classes.iloc[0]
        sentences.append(f"The median relative error is **{percent(float(row['median_rel']))}**.")
    zeros = sizes[sizes["size_class"] == ZERO]
    if len(zeros):
        row = zeros.iloc[0]
        sentences.append(
            f"{counted(int(row['places']), level)} {by_number(int(row['places']), 'has', 'have')} "
            f"a true count of 0. The average error there is {number(float(row['mean_abs']))} "
            f"{unit}, and **{percent(float(row['false_positives']))}** of the released counts are "
            "above 0."
        )
    return in_a_row(*sentences)


def _true_counts(label: str, unit: str) -> str:
    """Return the true counts of a class of areas.

    >>> _true_counts("35 to 62", "people"), _true_counts("1", "people")
    ('35 to 62 people', 'true count 1')
    """
    return "true count 1" if label == "1" else f"{label} {unit}"


def _bias_words(first: pd.Series, last: pd.Series, level: str, unit: str) -> str:
    if math.isnan(float(first["bias_low"])):
        return "One simulation cannot show bias."
    nouns = [by_number(int(row["places"]), level, plural(level)) for row in (first, last)]
    parts = [
        f"released counts of the {which} {noun} are {_too_high(row, unit)} on average"
        for row, which, noun in zip((first, last), ("smallest", "largest"), nouns, strict=True)
        if row["bias_low"] > 0 or row["bias_high"] < 0
    ]
    if not parts:
        return (
            "No statistically significant bias is found in the smallest or the largest "
            f"{plural(level) if first['places'] > 1 else nouns[1]}."
        )
    return f"Bias is statistically significant: {join_and(parts)}."


def _too_high(row: pd.Series, unit: str) -> str:
    bias, width = float(row["bias"]), float(row["bias_high"] - row["bias_low"])
    return f"{with_margin(abs(bias), width / 2)} {unit} too {'high' if bias > 0 else 'low'}"


def map_title(outcome: Outcome) -> str:
    """Return the heading of the map."""
    return f"Probability that {a(outcome.level)} {outcome.rule.wrong}"


def hardest_hit_note(shown: int, of: int, level: str) -> str:
    """Return how many of the areas with another outcome a table shows; empty if all.

    >>> hardest_hit_note(15, 40, "county").split(". ")[0]
    'The table shows the 15 of 40 counties whose outcome differs most often'
    >>> hardest_hit_note(3, 3, "county")
    ''
    """
    if shown >= of:
        return ""
    return (
        f"The table shows the {shown:,} of {counted(of, level)} whose outcome differs most often. "
        "The one below the map lists all areas."
    )


def spread_title(outcome: Outcome) -> str:
    """Return the heading of the histogram."""
    return f"{outcome.rule.simulation_columns[0].title}, by simulation"


def columns_note(columns: Sequence[Column]) -> str:
    """Return the meaning of the columns of a table."""
    return " ".join(f"**{column.title}**: {column.about}" for column in columns)


def map_note(outcome: Outcome) -> str:
    """Return the line under the map."""
    return (
        f"The probabilities are estimated from {_simulations(outcome)}. The colours have the same "
        f"meaning for all rules and budgets. {words.NOT_PRIVATE}"
    )


def spread_note(outcome: Outcome) -> str:
    """Return the line under the histogram."""
    column = outcome.rule.simulation_columns[0]
    return in_a_row(
        f"{_each_simulation(outcome)} is one possible release.",
        "The dot marks the mean.",
        "The dashed line marks the result under the true counts."
        if outcome.facts.get("exact")
        else "",
        f"**{column.title}**: {column.about}",
    )


def on_every_rule(rows: pd.DataFrame) -> str:
    """Return what the table of all programmes and rules shows.

    Args:
        rows: the result of `work.programmes`.
    """
    changing = int((rows["affected"] > 0).sum())
    return (
        f"For **{changing:,}** of these {counted(len(rows), 'decision')}, the outcome of at least "
        "one area differs with a probability of 5% or more. Select a row to open that decision."
    )


def across_budgets(rows: pd.DataFrame, *, level: str, rule: Rule) -> str:
    """Return the budgets at which no area is often affected, in words.

    Args:
        rows: `decisions.across_budgets`, ascending in budget.
        level: the name of the level.
        rule: what is decided.
    """
    free = rows["affected"] == 0
    # From which budgets on no area is affected, at this or at any larger one.
    kept = free[::-1].cummin()[::-1].to_numpy(bool)
    if not kept.any():
        last = rows.iloc[-1]
        who = counted(int(last["affected"]), level)
        verb = by_number(int(last["affected"]), rule.wrong, rule.wrongs)
        return f"Even at {last['budget']}, **{who}** {verb} in 5% of simulations or more."
    none = f"no {level} {rule.wrong} in 5% of simulations or more."
    if kept.all():
        return f"At each of these budgets, {none}"
    least = rows[kept].iloc[0]["budget"]
    if kept.sum() == 1:
        return f"At **{least}**, the largest of these budgets, {none}"
    return f"At **{least}** and at every larger budget in the table, {none}"


def _mean(values: pd.Series) -> str:
    return number(float(values.mean()))


def _named(values: pd.Series, noun: str, *, bold: bool = False) -> str:
    """Return a mean with its noun, in the plural unless the mean is shown as 1."""
    mean = f"**{_mean(values)}**" if bold else _mean(values)
    return f"{mean} {_by_mean(float(values.mean()), noun, plural(noun))}"


def _by_mean(mean: float, one: str, several: str) -> str:
    """Return the verb that follows a mean, in the singular if the mean is shown as 1."""
    return one if number(mean) == "1" else several


def _listed(names: list[str]) -> str:
    first_names = names[:3]
    more = [f"{len(names) - 3} more"] if len(names) > 3 else []
    return join_and([*first_names, *more])


def budgets_note(rows: pd.DataFrame, mark: str, *, rule: Rule) -> str:
    """Return the line under the table of budgets."""
    return (
        f"The columns “{rows['measure'].iloc[0].lower()}” and “range” contain the mean and the "
        "range over 30 simulations at each budget. "
        f"An area is affected if it {rule.wrong} in 5% of simulations or more. "
        f"{mark}"
    )


def programmes_note(simulations: int, counted_things: str) -> str:
    """Return the line under the table of all programmes and rules."""
    return (
        f"All decisions use the same {counted(simulations, 'simulation')}, with counts of "
        f"{counted_things}. "
        "An area is affected if its outcome differs in 5% of simulations or more. For funding, "
        "only a loss of more than 1% of the entitlement is a different outcome. "
        f"{words.NOT_PRIVATE}"
    )
