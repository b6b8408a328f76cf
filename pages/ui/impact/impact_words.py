"""The sentences of Impact on decisions: an outcome in, one paragraph in plain words out."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from hierdp_core.decisions import Column, Outcome
from hierdp_core.decisions.seats import METHODS
from hierdp_core.decisions.threshold import SIDES
from hierdp_core.evaluation.size_classes import ZERO
from hierdp_core.figures.errors.by_size import labels
from hierdp_core.util.text import capital, join_and, number, percent, plural, whole
from pages.ui.shell import words

_ENOUGH = 40  # draws from which 95 of 100 can be told from all
_NOTABLE = 0.05  # a place wrongly treated in more draws than this is counted in the paragraph
HOW_TO_READ = (
    (
        "**Wrongly treated**: otherwise than the true counts would have it. Each draw is one way "
        "the release might have come out; the rule is applied to every one of them."
    ),
    (
        "**Frequencies** are shares of the draws, so they are about privacy noise only. What was "
        "wrong in the counts before, such as people whom a census missed, comes on top."
    ),
    (
        "**Never in 300 draws** means rare, not impossible: less often than about once in 100 "
        "draws (3 divided by the number of draws), with 95% confidence."
    ),
    (
        "**By size of place**: places are put into ten classes of as many places each, from the "
        "smallest to the largest by their true number. Places that are truly 0 have no relative "
        "error and stand apart; none is dropped."
    ),
    (
        "**To take away**: each table can be saved as CSV, each chart as a picture with the camera "
        "in its corner. What holds true values says so."
    ),
    (
        "**Bias** is the mean of released less true. Where its range does not touch 0, places of "
        "that size gain or lose systematically, not by chance."
    ),
)


def title(budget: str) -> str:
    """The title of Impact on decisions.

    >>> title("ε = 1")
    'Which decisions does ε = 1 change?'
    """
    return f"Which decisions does {budget} change?"


def paragraph(outcome: Outcome, *, unit: str) -> str:
    """What the rule does to whom, with the number of draws."""
    special = _PARAGRAPHS.get(outcome.rule.id)
    said = special(outcome, unit) if special else _in_general(outcome)
    return f"{said} {_hardest_hit(outcome, unit)}".strip()


def pinned(outcome: Outcome, level: str, wrong: float | None) -> str:
    """How often the decision about a pinned area changes.

    Args:
        outcome: what the rule decides.
        level: of the area.
        wrong: the share of simulations with another outcome; None where there is no decision.
    """
    if level != outcome.level:
        return f"the rule decides about {plural(outcome.level)}, and this is {words.a(level)}."
    if wrong is None or math.isnan(wrong):
        return "takes no part in the decision."
    simulations = words.simulations_words(outcome.draws, outcome.draws)
    if wrong == 0:
        return f"the outcome is that of the true counts in each of {simulations}."
    return f"the outcome differs from that of the true counts in {percent(wrong)} of {simulations}."


def _in_general(outcome: Outcome) -> str:
    part = outcome.places["wrong"].dropna()
    return (
        f"In a draw **{number(float(part.sum()))}** of {words.counted(len(part), outcome.level)} "
        f"are treated otherwise than by the true counts, on average over {outcome.draws:,} draws; "
        f"{_over(outcome)}."
    )


def _threshold(outcome: Outcome, unit: str) -> str:
    known, facts = outcome.parameters, outcome.facts
    n, many = int(facts["qualify"]), words.counted(int(facts["places"]), outcome.level)
    asked = f"{SIDES[known['side']]} {whole(known['limit'])} {unit}"
    due = (
        f"By the true counts no {outcome.level} has {asked}; all {many} are shown all the same."
        if n == 0
        else f"By the true counts **{n:,}** of {many} qualify with {asked}."
    )
    draws = outcome.by_draw
    if not draws["wrong"].any():
        return f"{due} In none of {outcome.draws:,} draws is any of them wrongly treated."
    parts = f"{_mean(draws['wrongly_in'])} wrongly in and {_mean(draws['wrongly_out'])} wrongly out"
    return (
        f"{due} On average over {outcome.draws:,} draws **{_mean(draws['wrong'])}** are wrongly "
        f"treated, {parts}; {_over(outcome)}."
    )


def _funding(outcome: Outcome, unit: str) -> str:
    known, draws = outcome.parameters, outcome.by_draw
    places = words.counted(int(outcome.facts["places"]), outcome.level)
    return (
        f"Of {whole(known['money'])} shared out by {unit}, **{_mean(draws['misplaced'])}** "
        f"({percent(float(draws['misplaced_share'].mean()))}) goes to the wrong "
        f"{plural(outcome.level)} in a draw, on average over {outcome.draws:,} draws; "
        f"{_over(outcome)}. The one that loses most in a draw loses "
        f"{_mean(draws['largest_loss'])} on average; **{_mean(draws['losers'])}** of {places} "
        f"lose more than {percent(known['tolerance'])} of their due."
    )


def _ranking(outcome: Outcome, unit: str) -> str:
    known, draws = outcome.parameters, outcome.by_draw
    one = known["k"] == 1
    many = "" if one else f"{known['k']:,} "
    level = outcome.level if one else plural(outcome.level)
    picked = f"the {many}{known['end']} {level} by {unit}"
    changed = float((draws["replaced"] > 0).mean())
    if not draws["reordered"].any():
        if one:
            return f"In all {outcome.draws:,} draws {picked} is the true one."
        return f"In all {outcome.draws:,} draws {picked} are the true ones in their true order."
    if one:
        return f"In **{percent(changed)}** of {outcome.draws:,} draws {picked} is not the true one."
    return (
        f"In **{percent(changed)}** of {outcome.draws:,} draws {picked} are not the true ones; "
        f"{_mean(draws['replaced'])} are replaced on average. Set or order change in "
        f"**{percent(float(draws['reordered'].mean()))}**."
    )


def _seats(outcome: Outcome, unit: str) -> str:
    known, draws = outcome.parameters, outcome.by_draw
    among = words.counted(int(outcome.facts["places"]), outcome.level)
    left = outcome.places.loc[outcome.places["id"].isin(known["without"]), "name"]
    without = f", without {_listed([words.place(name) for name in left])}" if len(left) else ""
    shared = (
        f"{known['seats']:,} seats are shared out among {among} by {unit} "
        f"({METHODS[known['method']]}{without})."
    )
    moving = float((draws["moved"] > 0).mean())
    if moving == 0:
        return f"{shared} In none of {outcome.draws:,} draws does any seat move."
    return (
        f"{shared} In **{percent(moving)}** of {outcome.draws:,} draws at least one seat moves; "
        f"**{_mean(draws['moved'])}** move on average."
    )


def _grouping(outcome: Outcome, unit: str) -> str:
    facts, draws = outcome.facts, outcome.by_draw
    places = plural(outcome.level)
    exact = f"Groups made from the true counts would be off by **{percent(facts['exact'])}**"
    if facts["exact"]:
        exact += f", because {places} stay whole"
    return (
        f"{outcome.parameters['groups']:,} groups of {places} are made to be equal in the released "
        f"counts. In true counts the group furthest from the ideal ({whole(round(facts['ideal']))} "
        f"{unit}) is off it by **{percent(float(draws['deviation'].mean()))}** on average over "
        f"{outcome.draws:,} draws; {_over(outcome)}. {exact}. In a draw {_mean(draws['moved'])} of "
        f"{words.counted(int(facts['places']), outcome.level)} land in another group."
    )


_PARAGRAPHS: Mapping[str, Callable[[Outcome, str], str]] = {
    "threshold": _threshold,
    "funding": _funding,
    "ranking": _ranking,
    "seats": _seats,
    "grouping": _grouping,
}


def _hardest_hit(outcome: Outcome, unit: str) -> str:
    """How many places are often wrongly treated, and which most often."""
    part = outcome.places.dropna(subset=["wrong"])
    often = int((part["wrong"] >= _NOTABLE).sum())
    if not len(part) or not part["wrong"].any():
        return ""
    worst = part.iloc[int(part["wrong"].argmax())]
    some = (
        f"**{words.counted(often, outcome.level)}** "
        f"{outcome.rule.wrong if often == 1 else outcome.rule.wrongs} in 1 draw of 20 or more"
        if often
        else f"No {outcome.level} {outcome.rule.wrong} in as much as 1 draw of 20"
    )
    return (
        f"{some}; most often {words.place(str(worst['name']))} "
        f"({whole(float(worst['true']))} {unit}), in **{percent(float(worst['wrong']))}** of the "
        "draws."
    )


def _over(outcome: Outcome) -> str:
    """How far the first number of each draw ranges."""
    column = outcome.rule.draw_columns[0]
    values, say = outcome.by_draw[column.id], percent if column.kind == "share" else number
    most = 0.95 if outcome.draws >= _ENOUGH else 1.0
    ends = np.quantile(values, ((1 - most) / 2, (1 + most) / 2), method="inverted_cdf")
    low, high = (say(float(v)) for v in ends)  # both are draws that came up
    which = "95 of 100 draws" if outcome.draws >= _ENOUGH else "all draws"
    return f"{which} give {low}" if low == high else f"{which} lie between {low} and {high}"


def small_places(sizes: pd.DataFrame, *, level: str, unit: str) -> str:
    """Who bears the error: small and large places, for whom it systematically goes up, zeros.

    Args:
        sizes: `size_classes.by_size`.
        level: the name of the level.
        unit: what is counted, plural.
    """
    classes = sizes[sizes["size_class"] != ZERO]
    many = plural(level)
    sentences = []
    if len(classes) > 1:
        first, last = classes.iloc[0], classes.iloc[-1]
        smallest = labels(classes)[0]
        sentences.append(
            f"The smallest {many} ({smallest} {unit}) are off by more than "
            f"**{percent(float(first['median_rel']))}** of their true number in half of the cases, "
            f"the largest by more than **{percent(float(last['median_rel']))}**."
        )
        sentences.append(_bias_words(first, last, many, unit))
    elif len(classes):
        row = classes.iloc[0]
        sentences.append(
            f"In half of the cases the released number is off by more than "
            f"**{percent(float(row['median_rel']))}** of the true one."
        )
    zeros = sizes[sizes["size_class"] == ZERO]
    if len(zeros):
        row = zeros.iloc[0]
        sentences.append(
            f"{capital(words.counted(int(row['places']), level))} "
            f"{'is' if row['places'] == 1 else 'are'} truly 0 and without a relative error: "
            f"{number(float(row['mean_abs']))} {unit} off on average, released above 0 in "
            f"**{percent(float(row['invented']))}** of the cases."
        )
    return " ".join(s for s in sentences if s)


def _bias_words(first: pd.Series, last: pd.Series, many: str, unit: str) -> str:
    parts = []
    for row, which in ((first, "smallest"), (last, "largest")):
        low, high = row["bias_low"], row["bias_high"]
        if low > 0 or high < 0:
            way = "many" if row["bias"] > 0 else "few"
            parts.append(
                f"the {which} get {number(abs(float(row['bias'])))} {unit} too {way} on average"
            )
    if not parts:
        return f"Neither the smallest nor the largest {many} gain or lose systematically."
    return f"This is systematic, not by chance: {' and '.join(parts)}."


def map_title(outcome: Outcome) -> str:
    """The heading of the map."""
    return f"How often each {outcome.level} {outcome.rule.wrong}"


def spread_title(outcome: Outcome) -> str:
    """The heading of the histogram."""
    return f"{outcome.rule.draw_columns[0].title}, draw by draw"


def columns_note(columns: Sequence[Column]) -> str:
    """What the columns of a table say."""
    return " ".join(f"**{column.title}**: {column.about}" for column in columns)


def map_note(outcome: Outcome) -> str:
    """The line under the map."""
    return (
        f"Colours: how often each {outcome.level} {outcome.rule.wrong}, over "
        f"{outcome.draws:,} draws; they mean the same for every rule and budget. "
        f"{words.NOT_PRIVATE}"
    )


def spread_note(outcome: Outcome) -> str:
    """The line under the histogram."""
    column = outcome.rule.draw_columns[0]
    dashed = "; the dashed line is what the true counts give" if outcome.facts.get("exact") else ""
    return (
        f"Each of the {outcome.draws:,} draws is one way the release might have come out; the dot "
        f"is the mean{dashed}. The spread is privacy noise. **{column.title}**: {column.about}"
    )


def _mean(values: pd.Series) -> str:
    return number(float(values.mean()))


def _listed(names: list[str]) -> str:
    shown = names[:3]
    more = [f"{len(names) - 3} more"] if len(names) > 3 else []
    return join_and([*shown, *more])
