"""A fitness-for-use statement on a planned release, as one page of HTML.

It opens without a network and prints on one side of A4. Errors are computed against the counts
of the table. The page is therefore marked as containing true values, unless the table was
synthetic.
"""

import math

import pandas as pd

from hierdp_core.decisions.fitness import Fitness
from hierdp_core.mechanisms.base import Plan
from hierdp_core.privacy.meaning import belief, limit_delta, loss_limit, uncertain_fact
from hierdp_core.privacy.rounding import GUARANTEE_DIGITS, percent_up, upper
from hierdp_core.util.text import (
    a,
    at_most,
    by_number,
    capital,
    counted,
    number,
    paragraph,
    percent,
    plural,
    whole,
    with_margin,
)
from hierdp_core.writers.report import Section, report

_LIMITS = (
    (
        "Errors reflect privacy noise only. Errors of the data collection, such as nonresponse "
        "and undercount, are not included."
    ),
    "Numbers are estimates from the simulated releases stated below. Any single release differs.",
    (
        "The sum of many areas can be less accurate than the published count of the area that "
        "covers them. Use the published count where there is one."
    ),
    (
        "A probability of 0% means that a different outcome was never observed in the simulations, "
        "not that it is impossible."
    ),
)
SYNTHETIC = (
    "Errors were computed on a synthetic table with the public structure of the data. Where true "
    "counts are mentioned, they are those of the synthetic table. No confidential count was used."
)


def fitness_page(
    fitness: Fitness,
    plan: Plan,
    *,
    title: str,
    source: str,
    repeat: str,
    seed: int,
    not_real: str = "",
    synthetic: bool = False,
    confidential: bool = False,
) -> str:
    """Return the page.

    Args:
        fitness: the measures for the plan.
        plan: the plan that the page describes.
        title: the title of the data.
        source: the source of the data, with its licence.
        repeat: a command that gives the same numbers; empty for none.
        seed: the seed of the noise.
        not_real: the part of the data that is fitted or synthetic, in a few words; empty if all is
            real.
        synthetic: whether the table is synthetic, so that no true value is included.
        confidential: whether the data are confidential.
    """
    unit = fitness.counts.quantity.title
    return report(
        f"Fitness for use: {title} at {plan.budget.words}",
        [
            _accuracy(fitness, unit),
            _sizes(fitness, unit),
            *_decisions(fitness, unit),
            Section(title="Limits", notes=_LIMITS),
        ],
        summary=[
            *([SYNTHETIC] if synthetic else []),
            paragraph(_finding(fitness, unit), f"**{capital(not_real)}.**" if not_real else ""),
            f"**Privacy.** {plan.privacy.sentence} {_person(plan)}",
            *([plan.privacy.caution] if plan.privacy.caution else []),
        ],
        made_from={
            "Data": title,
            "Source": source,
            "Variable": unit,
            "Mechanism": f"{plan.mechanism.title} ({plan.id})",
            "Budget": f"{plan.budget.words}; allocation {plan.allocation.ratio}",
            "Simulations": f"{fitness.counts.n:,}, seed {seed}",
            **({"Repeat": repeat} if repeat else {}),
        },
        contains_truth=not synthetic,
        confidential=confidential,
        one_sheet=True,
    )


def _finding(fitness: Fitness, unit: str) -> str:
    leaf = fitness.by_level.iloc[-1]
    level, mape = str(leaf["level"]), float(leaf["mape"])
    which = by_number(int(leaf["areas"]), f"the {level}", a(level))
    relative = f"The mean absolute percentage error is **{percent(mape)}**."
    if math.isnan(mape):
        relative = f"No {level} has a true count above 0, so there is no percentage error."
    return paragraph(
        f"**Accuracy.** {capital(which)} count of {unit} differs from the true count by "
        f"**{number(float(leaf['mae']))}** on average.",
        relative,
        f"{percent(float(leaf['within']))} of {level} counts in the simulations are within 5% of "
        "the true count.",
    )


def _person(plan: Plan) -> str:
    """Return the meaning of the guarantee for one person or other privacy unit."""
    statement = plan.privacy
    posterior = at_most(percent_up(belief(loss_limit(statement), 0.5).most))
    exception = limit_delta(statement)
    after = f"After seeing the release, the attacker is {posterior} sure."
    if exception is not None:
        probability = upper(exception, GUARANTEE_DIGITS)
        after = (
            f"After seeing the release, the attacker is {posterior} sure, except with probability "
            f"{probability}."
        )
    return paragraph(
        f"Suppose an attacker knows all other records and is 50% sure {uncertain_fact(statement)}.",
        after,
        statement.not_protected,
    )


_MEASURES = {
    "areas": "areas",
    "mae": "absolute error",
    "mape": "percentage error",
    "bias": "bias",
    "within": "within 5%",
    "largest": "largest error",
}


def _table(rows: pd.DataFrame, first: str) -> pd.DataFrame:
    """Return the measures as formatted text."""
    columns = {first: [capital(str(value)) for value in rows[first]]}
    columns |= {title: _cells(rows, id) for id, title in _MEASURES.items()}
    return pd.DataFrame(columns)


def _cells(rows: pd.DataFrame, id: str) -> list[str]:
    values = rows[id].astype(float)
    if id == "bias":
        return list(map(with_margin, values, rows["bias_margin"]))
    say = whole if id == "areas" else percent if id in ("mape", "within") else number
    return list(map(say, values))


def _accuracy(fitness: Fitness, unit: str) -> Section:
    return Section(
        title="Accuracy by level",
        sentence=f"Errors are absolute and in {unit}, averaged over the areas of a level and all "
        "simulations. Percentage errors leave out true counts of 0. “Within 5%” is the percentage "
        "of counts within 5% of the true count. The largest error of a simulation is averaged "
        "over simulations. Bias is the mean of released minus true counts, with a 95% confidence "
        "interval.",
        table=_table(fitness.by_level, "level"),
        open=True,
    )


def _sizes(fitness: Fitness, unit: str) -> Section:
    level = str(fitness.by_level["level"].iloc[-1])
    return Section(
        title=f"Accuracy of {plural(level)} by size",
        sentence=f"{capital(plural(level))} are grouped by their true number of {unit}.",
        table=_table(fitness.by_size, "size"),
        open=True,
    )


def _decisions(fitness: Fitness, unit: str) -> list[Section]:
    rows = fitness.decisions
    if rows.empty:
        return []
    table = pd.DataFrame(
        {
            "programme or law": rows["decision"],
            "level": [capital(str(level)) for level in rows["level"]],
            "areas affected": [whole(float(n)) for n in rows["affected"]],
            "highest probability": [percent(float(p)) for p in rows["highest"]],
            "most affected": rows["worst"],
        }
    )
    changing = int((rows["affected"] > 0).sum())
    return [
        Section(
            title="Decisions at risk",
            sentence=f"An area is affected if, with a probability of 5% or more, a rule has a "
            "different outcome for it than under the true counts. For grants, the outcome differs "
            "if the area loses more than 1% of its amount. "
            f"**{changing:,}** of {counted(len(rows), 'rule')} "
            f"{by_number(changing, 'affects', 'affect')} at least one area.",
            table=table,
            open=True,
            notes=(f"The rules are applied to {unit}, whatever the programme itself counts.",),
        )
    ]
