"""The sections of a comparison, for the page and for the report.

A section may have a sentence, a figure, a table, and notes on how to read them. A *case* is one
combination of mechanism, budget and allocation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from hierdp_core import mechanisms
from hierdp_core.evaluation.comparison import (
    Best,
    Comparison,
    Measure,
    Recommendation,
    axes,
    best,
    comparable,
    front,
    only_public_to,
    overview,
    privacy_table,
    recommend,
    rivals,
    summarize,
    summarize_by_size,
)
from hierdp_core.figures.errors import levels as level_figures
from hierdp_core.figures.errors import mechanisms as pictures
from hierdp_core.figures.style import marked
from hierdp_core.privacy.rounding import GUARANTEE_DIGITS, parameter, upper
from hierdp_core.util.marks import CONTAINS_TRUTH
from hierdp_core.util.text import by_number, join_and, number, paragraph, percent, several
from hierdp_core.writers.report import Section

BARS = (
    "The dot is the mean. The bars contain the middle 50%, 80% and 95% of simulations and show "
    "privacy noise only. All levels share one axis."
)
_SURE = (
    "**Confidence.** The simulations are resampled 2,000 times (bootstrap). The confidence is the "
    "percentage of resamples in which a mechanism has the lowest mean error. Below 95%, or with "
    "few simulations, the page states that the simulations do not show which one has it."
)

_FRONT = (
    "Lower left is better. For each budget, a dotted line joins the configurations of the Pareto "
    "front: no other has a lower error at one level without a higher error at the other. Open "
    "marks are not on the front. Means over simulations are compared, so the order of close points "
    "is uncertain."
)
_CLASSES = (
    "Areas are divided into up to ten classes by true count, and counts of 0 are a class of their "
    "own. Each point is the bias of a class, which is the mean of released minus true counts, with "
    "its 95% interval. Above the line, counts are too high on average. Below it, they are too low."
)
_ORIGIN = "In a table of flows, each flow is counted at its origin."
_MEANING = (
    "Budgets are comparable only if the neighbouring datasets, the privacy unit and the privacy "
    "definition are the same. The last columns express each guarantee as ρ, summed over the "
    "levels, and as two values of ε at the δ in the column heading. One is by Bun and Steinke's "
    "formula, the other by the accounting method that gives the lowest ε (tight). Where a stated "
    "ε holds at this δ and is smaller, it is shown instead."
)
_FALSE = (
    "False discovery rate: of the counts released above 0, the percentage with a true count of 0. "
    "False negative rate: of the true counts above 0, the percentage not released above 0. "
    "Mean absolute error: the mean over all counts of a level. For group sizes, each size in each "
    "area is one count. "
    "Inconsistencies: counts that differ from the sum over their sub-areas. Seconds: the run time "
    "of the mechanism in one simulation, while all cores are busy."
)
_NOT_COVERED = (
    "Nobody stated that the facts taken from the data are public. A single record can change them, "
    "and no guarantee here covers that."
)
HOW_TO_READ = (
    f"**Error by level.** {BARS}",
    _SURE,
    f"**The budgets in every form.** {_MEANING}",
    f"**Trade-off.** {_FRONT}",
    f"**Bias by size of area.** {_CLASSES} {_ORIGIN}",
    f"**False positives, inconsistencies and run times.** {_FALSE}",
)


@dataclass(frozen=True, kw_only=True)
class Looking:
    """The selection of a comparison that sections show.

    Attributes:
        measure: the measure of error.
        guarantee: a guarantee from `rivals`, within which cases are compared.
        scale: the scale of the budget axis, as in `axes`.
        x, y: the levels of the trade-off.
        level: the level whose areas are divided by size; None if no level has enough areas.
        noun: what the true counts of areas count, plural.
    """

    measure: Measure
    guarantee: str
    scale: str
    x: str
    y: str
    level: str | None
    noun: str


def winner(
    comparison: Comparison, look: Looking, level: str
) -> tuple[Best, tuple[str, ...]] | None:
    """Return the best case of the guarantee on a level, with the names of the compared cases."""
    cases = _drawn(comparison, look)
    if not cases:
        return None
    errors = comparison.paired(
        cases, level=level, column=look.measure.column, quantity=look.measure.quantity
    )
    names = pictures.looks(comparison.plans)["name"]
    return (best(errors), tuple(f"**{names[k]}**" for k in cases)) if len(errors) else None


def headline(comparison: Comparison, look: Looking) -> str:
    """Return the case to use, the errors of the others, and levels without a conclusive ranking.

    A mechanism that cannot be used for a release is recommended only if none of the others can.
    """
    cases = [k for k in _drawn(comparison, look) if not comparison.plans[k].privacy.caution]
    summary = _summary(comparison, look)
    wide = summary.pivot(index="case", columns="level", values="mean")
    cases = [k for k in cases if k in wide.index]
    levels = [n for n in comparison.levels if len(cases) and wide.loc[cases, n].notna().all()]
    if len(cases) < 2 or not levels:
        return ""
    means = wide.loc[cases, levels].to_numpy(np.float64)
    if (means == means[0]).all():
        return f"At {look.guarantee}, all compared mechanisms have the same error."
    looks = pictures.looks(comparison.plans)["name"]
    kinds = [comparison.plans[k].mechanism for k in cases]
    can_release = [i for i, kind in enumerate(kinds) if not kind.reason_against_release()]
    names = [f"**{looks[k]}**" for k in cases]
    chosen = recommend(means, levels, among=can_release)
    marked_names = [
        name if i in can_release else f"{name} (for simulation only)"
        for i, name in enumerate(names)
    ]
    where = chosen.runner_up_level
    advice = (
        f"use {names[chosen.case]}."
        if can_release
        else f"{names[chosen.case]} has the lowest errors over all levels, but none of the "
        "compared mechanisms can be released."
    )
    sentences = [
        f"At {look.guarantee}, {advice}",
        _runner_up(chosen, names, exact=not means[chosen.case, levels.index(where)]),
        *_better(chosen, marked_names),
        _inconclusive(comparison, look, levels),
        _more_public(comparison, cases[chosen.case], names[chosen.case]),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _runner_up(chosen: Recommendation, names: Sequence[str], *, exact: bool) -> str:
    """Return a sentence on the error of the next best at the level where it is worst, or "".

    Args:
        chosen: the recommendation.
        names: the names of the cases.
        exact: whether the recommended case has no error at that level.
    """
    if chosen.runner_up is None or chosen.runner_up_ratio <= 1:
        return ""
    if exact:
        return (
            f"At {chosen.runner_up_level} level, it has no error in these simulations, and the "
            f"next best, {names[chosen.runner_up]}, has some."
        )
    return (
        f"At {chosen.runner_up_level} level, the error of the next best, "
        f"{names[chosen.runner_up]}, is {_more(chosen.runner_up_ratio)}."
    )


def _more(ratio: float) -> str:
    """Return in words how much larger an error is.

    >>> _more(1.4), _more(2.5), _more(23.4), _more(1e6)
    ('40% larger', '2.5 times as large', '23 times as large', 'over 1,000 times as large')
    """
    if ratio > 1_000:
        return "over 1,000 times as large"
    return f"{percent(ratio - 1)} larger" if ratio < 2 else f"{number(ratio)} times as large"


def _better(chosen: Recommendation, names: Sequence[str]) -> list[str]:
    """Return one sentence for each set of levels at which the same cases are better."""
    levels_of: dict[tuple[int, ...], list[str]] = {}
    for level, better in chosen.better.items():
        levels_of.setdefault(better, []).append(level)
    if levels_of.keys() == {()}:
        return ["No other has a lower mean error at any level."]
    sentences = []
    for better, levels in levels_of.items():
        if better:
            who = join_and([names[k] for k in better])
            most = max(1 - chosen.ratios[level] for level in levels)
            lower = f"a lower mean error at {_at(levels)}, by up to {percent(most)}"
            only, together = f"Only {who} has {lower}.", f"{who} have {lower}."
            sentences.append(by_number(len(better), only, together))
    return sentences


def _inconclusive(comparison: Comparison, look: Looking, levels: Sequence[str]) -> str:
    """Return a sentence on the levels at which the best mechanism is inconclusive, or ""."""
    won = {level: winner(comparison, look, level) for level in levels}
    open_ = [
        level
        for level, best in won.items()
        if best is not None and not best[0].settled and len(best[0].same) < len(best[1])
    ]
    if not open_:
        return ""
    return f"At {_at(open_)}, the simulations do not show which mechanism has the lowest error."


def _at(levels: Sequence[str]) -> str:
    return f"{join_and(levels)} {by_number(len(levels), 'level', 'levels')}"


def _more_public(comparison: Comparison, case: int, name: str) -> str:
    """Return a sentence on what only the recommended mechanism treats as public, or ""."""
    shared, _ = only_public_to(comparison.plans)
    facts = [fact for fact in comparison.plans[case].privacy.invariants if fact not in shared]
    return f"Unlike some others, {name} treats as public: {join_and(facts)}." if facts else ""


def error_section(comparison: Comparison, look: Looking, level: str, title: str) -> Section:
    """Return the errors of one level, with their ranges, on an axis that all levels share."""
    all_rows = _of_guarantee(comparison, look)
    rows = all_rows[all_rows["level"] == level]
    won = winner(comparison, look, level)
    sentence = won[0].sentence(won[1]) if won else ""
    table = level_figures.table(rows).drop(columns="level")
    table.insert(0, "mechanism", rows["name"].tolist())
    return Section(
        title=title,
        sentence=sentence,
        figure=marked(
            pictures.error_bars(rows, unit=look.measure.unit, along=all_rows), CONTAINS_TRUTH
        ),
        alt=pictures.error_alt(rows, level=level, unit=look.measure.unit),
        table=table,
        notes=(BARS,),
    )


def budget_sections(comparison: Comparison, look: Looking, level: str, title: str) -> list[Section]:
    """Return error against budget on one level, one section per axis that budgets may share.

    If all errors of a section are 0, it has no figure, since the axis is logarithmic.
    """
    all_rows = _summary(comparison, look)
    rows = all_rows[all_rows["level"] == level]
    sections = []
    groups = axes(comparison.plans, scale=look.scale)
    for axis in groups:
        own = rows[rows["case"].isin(axis.cases)]
        if own.empty:
            continue
        figure = pictures.against_budget(own, axis, unit=look.measure.unit)
        above_0 = all_rows[all_rows["case"].isin(axis.cases) & (all_rows["mean"] > 0)]
        levels = [name for name in comparison.levels if name in set(above_0["level"])]
        if level not in levels[:1]:
            figure.update_layout(showlegend=False)  # the first figure has the legend
        at = pd.DataFrame({"case": axis.cases, axis.symbol: axis.values})
        table = own.merge(at, on="case").sort_values(["name", axis.symbol])
        table[axis.symbol] = table[axis.symbol].map(parameter)  # grids round to nearest
        columns = ["name", axis.symbol, "mean", "q10", "q90", "simulations"]
        zeros = pictures.without_place(own, axis)
        none = f"Not shown on the log scale, since the error is 0: {several(zeros)}."
        if level not in levels:
            none = "Every error is 0, which a log scale cannot show."
        sections.append(
            Section(
                title=f"{title}, {axis.about}" if len(groups) > 1 else title,
                sentence=axis.note,
                figure=marked(figure, CONTAINS_TRUTH) if level in levels else None,
                alt=pictures.line_alt(figure, about=f"{level}, error against {axis.symbol}")
                if level in levels
                else "",
                table=table[columns].rename(
                    columns={
                        "name": "mechanism",
                        "q10": "middle 80%, from",
                        "q90": "middle 80%, to",
                        "simulations": "simulations",
                    }
                ),
                notes=(none,) if zeros else (),
            )
        )
    return sections


def trade_off_section(comparison: Comparison, look: Looking) -> Section:
    """Return the error of one level against that of another, with each budget's Pareto front."""
    rows = _summary(comparison, look)
    wide = rows.pivot(index="case", columns="level", values="mean")
    wide = wide[list(dict.fromkeys([look.x, look.y]))].dropna()
    points = rows.drop_duplicates("case").set_index("case").loc[wide.index, _LOOKS]
    points = points.assign(x=wide[look.x], y=wide[look.y]).reset_index()
    fronts: list[list[int]] = []
    budgets: dict[int, str] = {}
    for _, cases in rivals(comparison.plans):
        own = points[points["case"].isin(cases)]
        budgets |= {case: comparison.plans[case].privacy.guarantee for case in cases}
        if len(own):
            places = front(own[["x", "y"]].to_numpy(float))
            fronts.append([int(own["case"].iloc[k]) for k in places])
    points["budget"] = points["case"].map(budgets)
    points["on the front"] = points["case"].isin([case for cases in fronts for case in cases])
    figure = pictures.trade_off(points, fronts, x=look.x, y=look.y, unit=look.measure.unit)
    cases_here = dict(rivals(comparison.plans)).get(look.guarantee, ())
    names_on_front = [
        row["name"]
        for row in points.to_dict("records")
        if row["case"] in cases_here and row["on the front"]
    ]
    table = points[["name", "budget", "x", "y", "on the front"]]
    return Section(
        title=f"Trade-off: {look.x} against {look.y}",
        sentence=f"With {look.guarantee}, on the Pareto front: {_bold_names(names_on_front)}."
        if names_on_front
        else "",
        figure=marked(figure, CONTAINS_TRUTH),
        alt=paragraph(
            f"Error at {look.x} level against error at {look.y} level.",
            f"On the Pareto front with {look.guarantee}: {', '.join(names_on_front)}."
            if names_on_front
            else "",
        ),
        table=table.rename(
            columns={
                "name": "mechanism",
                "x": look.x,
                "y": f"{look.y} " if look.x == look.y else look.y,
            }
        ),
        notes=(_FRONT,),
    )


def size_section(comparison: Comparison, look: Looking, title: str) -> Section | None:
    """Return bias by size of area; None if no level has enough areas."""
    rows = summarize_by_size(comparison, "bias")
    rows = rows[(rows["level"] == look.level) & rows["case"].isin(_drawn(comparison, look))]
    if rows.empty:
        return None
    rows = rows.merge(pictures.looks(comparison.plans), on="case")
    figure = pictures.bias_by_size(rows, unit=look.noun)
    lowest = rows[rows["size_class"] >= 0]
    lowest = lowest[lowest["size_class"] == lowest["size_class"].min()]
    biases = [
        f"**{row['name']}** {'+' if row['mean'] > 0 else ''}{number(row['mean'])}"
        for row in lowest.to_dict("records")
    ]
    smallest = pictures.size_words(lowest.iloc[0].to_dict()) if len(lowest) else ""
    table = rows.assign(places_from_to=[pictures.size_words(r) for r in rows.to_dict("records")])
    return Section(
        title=title,
        sentence=f"Bias of the areas with the smallest counts ({smallest} {look.noun}): "
        f"{', '.join(biases)}.",
        figure=marked(figure, CONTAINS_TRUTH),
        alt=pictures.line_alt(figure, about=f"Bias in {look.noun} by size of area"),
        table=table[["name", "places_from_to", "places", "mean", "error", "simulations"]].rename(
            columns={
                "name": "mechanism",
                "places_from_to": "true count",
                "mean": "bias",
                "error": "standard error",
                "simulations": "simulations",
                "places": "areas",
            }
        ),
        notes=(_CLASSES, _ORIGIN) if comparison.plans[0].domain.between_regions else (_CLASSES,),
    )


def guarantee_section(comparison: Comparison) -> Section:
    """Return the guarantee of each mechanism, and what it treats as public."""
    shared, own = only_public_to(comparison.plans)
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, facts in own.items():
        groups.setdefault(facts, []).append(name)
    sentence = f"All treat the same information as public: {several(shared)}."
    if len({plan.id for plan in comparison.plans}) == 1:
        sentence = f"Treated as public: {several(shared)}."
    if own:
        sentence = paragraph(
            "The mechanisms treat different information as public.",
            f"All treat as public: {several(shared)}." if shared else "",
            *(_treated_by(who, facts, also=bool(shared)) for facts, who in groups.items()),
            "A mechanism that treats more as public protects less. Take this into account when "
            "you compare errors.",
        )
    if any(plan.privacy.taken_from_data for plan in comparison.plans):
        sentence = paragraph(sentence, _NOT_COVERED)
    rows = privacy_table(comparison.plans)
    rows = rows.rename(columns={"difference": "neighbouring datasets differ by"})
    by_mechanism = rows.groupby(["mechanism", "neighbouring datasets differ by"], sort=False)
    table = by_mechanism["guarantee"].first().to_frame("budgets")
    table["budgets"] = by_mechanism["guarantee"].agg(lambda texts: ", ".join(dict.fromkeys(texts)))
    table["treated as public"] = [_facts(comparison, id) for id, _ in table.index]
    if (rows["caution"] != "").any():
        table["caution"] = by_mechanism["caution"].agg(lambda texts: " ".join(dict.fromkeys(texts)))
    table = table.reset_index()
    table["mechanism"] = [_title(id) for id in table["mechanism"]]
    return Section(
        title="Privacy guarantees and public information", sentence=sentence, table=table, open=True
    )


def conversion_section(comparison: Comparison) -> Section:
    """Return every guarantee as ρ and as ε at one δ by both conversions, rounded up."""
    rows = privacy_table(comparison.plans)
    names = pictures.looks(comparison.plans)["name"]
    rows.insert(0, "name", [names[k] for k in rows["case"]])
    at = f"at δ = {upper(rows['delta'].iloc[0], GUARANTEE_DIGITS)}"
    for form in ("rho", "epsilon_at_delta", "epsilon_tight"):
        # As text: a grid of numbers would round to nearest.
        rows[form] = ["–" if v != v else upper(v, GUARANTEE_DIGITS) for v in rows[form]]
    columns = {
        "name": "mechanism",
        "guarantee": "guarantee",
        "rho": "as ρ",
        "epsilon_at_delta": f"as ε {at}",
        "epsilon_tight": f"as ε {at}, tight",
    }
    groups = comparable(comparison.plans)
    sentence = "All budgets here are comparable and share one axis."
    if len(groups) > 1:
        kinds = several(f"**{group.words}**" for group in groups)
        sentence = paragraph(
            f"Not all budgets here are comparable: {kinds}.",
            "They have separate axes, or are converted first, as the axis then states.",
        )
    return Section(
        title="The budgets in every form",
        sentence=sentence,
        table=rows[list(columns)].rename(columns=columns),
        notes=(_MEANING,),
    )


def rest_section(comparison: Comparison) -> Section:
    """Return false positives, inconsistencies and seconds, one row per case and level."""
    table = overview(comparison)
    names = pictures.looks(comparison.plans)["name"]
    budgets = [plan.privacy.guarantee for plan in comparison.plans]
    table.insert(0, "name", [names[k] for k in table["case"]])
    table.insert(1, "budget", [budgets[k] for k in table["case"]])
    for share in ("fdr", "fnr"):
        table[share] = table[share].map(percent)
    columns = {
        "name": "mechanism",
        "budget": "guarantee",
        "level": "level",
        "mean_abs": "mean absolute error",
        "emd": "earth mover’s distance",
        "fdr": "false discovery rate",
        "fnr": "false negative rate",
        "violations": "inconsistencies",
        "seconds": "seconds",
        "simulations": "simulations",
    }
    titles = {name: words for name, words in columns.items() if name in table}
    broken = [
        str(n) for n, v in table.groupby("name", sort=False)["violations"].max().items() if v > 0
    ]
    consistent = "All simulated tables are consistent."
    if broken:
        gives = by_number(len(broken), "gives", "give")
        consistent = f"{_bold_names(broken)} {gives} inconsistent tables."
    times = table.groupby("name", sort=False)["seconds"].median()
    return Section(
        title="False positives, inconsistencies and run times",
        sentence=paragraph(
            consistent,
            f"Seconds per simulation: {number(times.min())}."
            if len(times) == 1
            else f"Seconds per simulation: from {number(times.min())} ({times.idxmin()}) to "
            f"{number(times.max())} ({times.idxmax()}).",
        ),
        table=table[list(titles)].rename(columns=titles),
        notes=(_FALSE,),
    )


def all_sections(comparison: Comparison, look: Looking, titles: Mapping[str, str]) -> list[Section]:
    """Return the sections of the report, without a trade-off if one level is chosen twice.

    Args:
        comparison: the comparison.
        look: the selection that the report shows.
        titles: a title for each level, such as "51 states".
    """
    by_size = size_section(comparison, look, f"Bias by size of area: {look.level}, {look.noun}")
    return [
        *(error_section(comparison, look, n, f"Error: {titles[n]}") for n in comparison.levels),
        guarantee_section(comparison),
        conversion_section(comparison),
        *(
            part
            for level in comparison.levels
            for part in budget_sections(comparison, look, level, f"Error against budget: {level}")
        ),
        *([] if look.x == look.y else [trade_off_section(comparison, look)]),
        *([] if by_size is None else [by_size]),
        rest_section(comparison),
    ]


def how_to_read(look: Looking) -> tuple[str, ...]:
    """Return the lines that explain the measure and its uncertainty."""
    return (f"**{look.measure.title}**: {look.measure.about}", _SURE)


_LOOKS = ["name", "colour", "symbol", "dash"]


def _summary(comparison: Comparison, look: Looking) -> pd.DataFrame:
    rows = summarize(comparison, look.measure.column, quantity=look.measure.quantity)
    return rows.merge(pictures.looks(comparison.plans), on="case")


def _of_guarantee(comparison: Comparison, look: Looking) -> pd.DataFrame:
    rows = _summary(comparison, look)
    return rows[rows["case"].isin(dict(rivals(comparison.plans))[look.guarantee])]


def _drawn(comparison: Comparison, look: Looking) -> Sequence[int]:
    """Return the cases of the guarantee that have simulations."""
    n_done = comparison.done
    return [k for k in dict(rivals(comparison.plans))[look.guarantee] if n_done[k]]


def _bold_names(names: Sequence[str]) -> str:
    return join_and([f"**{name}**" for name in names])


def _facts(comparison: Comparison, id: str) -> str:
    facts = [fact for p in comparison.plans if p.id == id for fact in p.privacy.invariants]
    return several(dict.fromkeys(facts))


def _treated_by(who: Sequence[str], facts: Sequence[str], *, also: bool) -> str:
    """Return a sentence on the facts that only some mechanisms treat as public.

    Args:
        who: the titles of these mechanisms.
        facts: the facts.
        also: whether all mechanisms share other facts.
    """
    names, facts_listed = _bold_names(who), several(facts)
    verb = by_number(len(who), "treats", "treat")
    if not facts:
        if also:
            return f"{names} {verb} nothing else as public."
        return f"{names} {verb} nothing as public."
    if also:
        return f"{names} also {verb} as public: {facts_listed}."
    return f"{names} {verb} as public: {facts_listed}."


def _title(id: str) -> str:
    return f"{mechanisms.describe(id).title} ({id})"
