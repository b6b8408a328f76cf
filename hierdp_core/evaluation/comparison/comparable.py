"""Cases with comparable guarantees, and the statements needed before cases share an axis.

Two values of ε are comparable if neighbours, privacy unit, kind of budget and any δ are the same.
Budgets of different kinds are compared after conversion to ρ, or to ε at one δ. Different
neighbours or units are never compared.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from hierdp_core.evaluation.comparison.cases import labels
from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.privacy import (
    BUN_STEINKE,
    EXACT_CURVE,
    PURE_TO_ZCDP,
    PrivacyStatement,
    epsilon_of_rho,
)
from hierdp_core.privacy.rounding import GUARANTEE_DIGITS, upper
from hierdp_core.util.constraints import USUAL_DELTA
from hierdp_core.util.text import by_number, join_and, join_or, paragraph, several

SCALES = ("stated", "rho", "epsilon", "epsilon-tight")
_SYMBOLS = {"pure": "ε", "approximate": "ε", "zcdp": "ρ"}


@dataclass(frozen=True, kw_only=True)
class Alike:
    """Cases whose budgets have the same meaning.

    Attributes:
        difference: how neighbouring datasets differ: "adding or removing one person".
        kind: the kind of the budget, as in `Budget.kind`.
        delta: the delta of (ε, δ); None for other kinds.
        cases: the indices of the cases.
    """

    difference: str
    kind: str
    delta: float | None
    cases: tuple[int, ...]

    @property
    def guarantee(self) -> str:
        """The definition, with any δ: "pure DP", "approximate DP (δ = 10⁻⁶)"."""
        if self.kind == "approximate":
            return f"approximate DP (δ = {upper(self.delta or 0, GUARANTEE_DIGITS)})"
        return {"pure": "pure DP", "zcdp": "zCDP"}[self.kind]

    @property
    def words(self) -> str:
        """The guarantee and how neighbouring datasets differ, in words."""
        return f"{self.guarantee}, {self.difference}"


@dataclass(frozen=True, kw_only=True)
class Axis:
    """Cases on one axis of privacy.

    Attributes:
        cases: the indices of the cases.
        values: the position of each case on the axis.
        symbol: the symbol of the values: "ε", "ρ" or "ε at δ = 10⁻⁸".
        about: how neighbouring datasets differ, in words; before it, the definition if budgets
            are not converted.
        note: what was converted and how; empty if nothing was.
    """

    cases: tuple[int, ...]
    values: tuple[float, ...]
    symbol: str
    about: str
    note: str = ""


def comparable(plans: Sequence[Plan]) -> tuple[Alike, ...]:
    """Return the cases in groups whose budgets have the same meaning, in order of appearance."""
    groups: dict[tuple[str, str, float | None], list[int]] = {}
    for place, case in enumerate(plans):
        privacy, kind = case.privacy, case.budget.kind
        delta = privacy.delta if kind == "approximate" else None
        key = (privacy.difference, kind, delta)
        groups.setdefault(key, []).append(place)
    return tuple(
        Alike(difference=difference, kind=kind, delta=delta, cases=tuple(cases))
        for (difference, kind, delta), cases in groups.items()
    )


def rivals(plans: Sequence[Plan]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return groups of cases with the same guarantee, so that errors can be compared in a group.

    Returns:
        for each group the guarantee in words ("ε = 1 (pure DP), adding or removing one person"),
        and the indices of its cases.
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for alike in comparable(plans):
        for place in alike.cases:
            key = (plans[place].privacy.guarantee, alike.difference)
            groups.setdefault(key, []).append(place)
    return tuple((", ".join(key), tuple(cases)) for key, cases in groups.items())


def converted(privacy: PrivacyStatement, *, delta: float = USUAL_DELTA) -> dict[str, float]:
    """Return the guarantee in common forms: `rho`, `epsilon` at δ, and `epsilon_tight` at δ.

    The first ε is by Bun and Steinke's bound. The second is the smallest ε that HierDP can prove,
    as in privacy statements. All are rounded up. A guarantee stated at some δ holds at every larger
    δ, so a converted ε at such a δ never exceeds the stated one. Without ρ, `rho` is NaN, and both
    ε are the stated one if the guarantee holds at this δ, or NaN.

    Raises:
        BudgetError: the guarantee has a ρ, and δ does not lie strictly between 0 and 1.
    """
    if privacy.rho is None:
        assert privacy.epsilon is not None
        epsilon = privacy.epsilon if (privacy.delta or 0) <= delta else math.nan
        return {"rho": math.nan, "epsilon": epsilon, "epsilon_tight": epsilon}
    simple, least = epsilon_of_rho(privacy.rho, delta=delta), privacy.epsilon_at(delta)
    forms = {
        "rho": privacy.rho,
        "epsilon": simple,
        "epsilon_tight": simple if least is None else least.epsilon,
    }
    if privacy.epsilon is not None and (privacy.delta or 0) <= delta:
        for name in ("epsilon", "epsilon_tight"):
            forms[name] = min(forms[name], privacy.epsilon)
    return forms


def axes(
    plans: Sequence[Plan], *, scale: str = "stated", delta: float = USUAL_DELTA
) -> tuple[Axis, ...]:
    """Return the axes on which cases may be shown together.

    Args:
        plans: the cases.
        scale: "stated" does not convert budgets and returns one axis per group of `comparable`.
            "rho", "epsilon" (Bun and Steinke) and "epsilon-tight" convert them and return one
            axis for all cases with the same neighbours and unit. A budget that cannot be
            converted keeps the axis of its group.
        delta: the δ of the two conversions to ε.

    Raises:
        ChoiceError: there is no such scale.
        BudgetError: δ does not lie strictly between 0 and 1, and a budget is converted.
    """
    if scale not in SCALES:
        raise ChoiceError(f'There is no scale "{scale}". Choose {join_or(list(SCALES))}.')
    groups = comparable(plans)
    if scale == "stated":
        return tuple(_stated(plans, group) for group in groups)
    merged: dict[str, list[Alike]] = {}
    for group in groups:
        merged.setdefault(group.difference, []).append(group)
    return tuple(
        axis for alike in merged.values() for axis in _on_one_axis(plans, alike, scale, delta)
    )


def only_public_to(
    plans: Sequence[Plan], *, ids: bool = False
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Return the facts that all cases treat as public, and the further ones of each case, by name.

    A case is named by the title of its mechanism, or by the id with `ids`. If cases of one
    mechanism treat different facts as public, for example because of an option, each has its name
    from `labels` instead.

    Returns:
        the shared facts, then a mapping of names to further facts, which is empty if all cases
        treat the same facts as public.
    """
    facts = [case.privacy.invariants for case in plans]
    shared = tuple(f for f in facts[0] if all(f in others for others in facts)) if facts else ()
    further: dict[str, tuple[str, ...]] = {}
    for name, mine in zip(_names_by_facts(plans, ids=ids), facts, strict=True):
        known = further.get(name, ())
        further[name] = known + tuple(f for f in mine if f not in shared and f not in known)
    return shared, further if any(further.values()) else {}


def _names_by_facts(plans: Sequence[Plan], *, ids: bool) -> list[str]:
    sets: dict[str, set[tuple[str, ...]]] = {}
    for case in plans:
        sets.setdefault(case.id, set()).add(case.privacy.invariants)
    names = labels(plans, budgets=False, ids=ids)
    short = [case.id if ids else case.mechanism.title for case in plans]
    return [
        own if len(sets[case.id]) == 1 else name
        for case, name, own in zip(plans, names, short, strict=True)
    ]


def privacy_table(plans: Sequence[Plan], *, delta: float = USUAL_DELTA) -> pd.DataFrame:
    """Return the guarantee of each case and what it treats as public, one row per case.

    Columns: `case`, `mechanism`, `guarantee`, `rho`, `epsilon_at_delta`, `epsilon_tight`,
    `delta`, `neighbours`, `unit`, `difference`, `public`, `caution`. The three numbers after
    `guarantee` are those of `converted`, and `delta` is the δ of these conversions.

    Raises:
        BudgetError: δ does not lie strictly between 0 and 1.
    """
    rows = []
    for place, case in enumerate(plans):
        privacy, forms = case.privacy, converted(case.privacy, delta=delta)
        rows.append(
            {
                "case": place,
                "mechanism": case.id,
                "guarantee": privacy.guarantee,
                "rho": forms["rho"],
                "epsilon_at_delta": forms["epsilon"],
                "epsilon_tight": forms["epsilon_tight"],
                "delta": delta,
                "neighbours": privacy.neighbours.value,
                "unit": privacy.unit,
                "difference": privacy.difference,
                "public": several(privacy.invariants),
                "caution": privacy.caution,
            }
        )
    return pd.DataFrame(rows)


def _stated(plans: Sequence[Plan], group: Alike) -> Axis:
    symbol = _SYMBOLS[group.kind]
    values = [
        plans[k].privacy.rho if group.kind == "zcdp" else plans[k].privacy.epsilon
        for k in group.cases
    ]
    return Axis(
        cases=group.cases,
        values=tuple(float(value or 0.0) for value in values),
        symbol=symbol,
        about=group.words,
    )


def _on_one_axis(
    plans: Sequence[Plan], groups: Sequence[Alike], scale: str, delta: float
) -> Iterator[Axis]:
    """Yield the axis of all cases that can be converted, then those of the other cases."""
    form, symbol = scale.replace("-", "_"), _converted_symbol(scale, delta)
    shared, apart = list[Alike](), list[Alike]()
    for group in groups:
        values = {k: converted(plans[k].privacy, delta=delta)[form] for k in group.cases}
        known = tuple(k for k in group.cases if not math.isnan(values[k]))
        unknown = tuple(k for k in group.cases if math.isnan(values[k]))
        shared += [replace(group, cases=known)] if known else []
        apart += [replace(group, cases=unknown)] if unknown else []
    if shared:
        yield _converted(plans, shared, scale, delta)
    for group in apart:
        note = f"{group.guarantee} cannot be converted to {symbol}, so it has its own axis."
        yield replace(_stated(plans, group), note=note)


def _converted_symbol(scale: str, delta: float) -> str:
    return "ρ" if scale == "rho" else f"ε at δ = {upper(delta, GUARANTEE_DIGITS)}"


def _converted(plans: Sequence[Plan], groups: Sequence[Alike], scale: str, delta: float) -> Axis:
    cases = tuple(sorted(k for group in groups for k in group.cases))
    form = scale.replace("-", "_")
    values = tuple(converted(plans[k].privacy, delta=delta)[form] for k in cases)
    moved = [group for group in groups if not _is_already(group, scale, delta)]
    symbol = _converted_symbol(scale, delta)
    note = ""
    if moved:
        names = join_and([group.guarantee for group in moved])
        shown = dict(zip(cases, values, strict=True))
        note = paragraph(
            f"To share one axis, {names} {by_number(len(moved), 'is', 'are')} expressed as "
            f"{symbol}.",
            _rules(plans, moved, scale, shown),
        )
    return Axis(cases=cases, values=values, symbol=symbol, about=groups[0].difference, note=note)


def _is_already(group: Alike, scale: str, delta: float) -> bool:
    if scale == "rho":
        return group.kind == "zcdp"
    return scale == "epsilon" and group.kind == "approximate" and group.delta == delta


def _rules(
    plans: Sequence[Plan], moved: Sequence[Alike], scale: str, shown: Mapping[int, float]
) -> str:
    """Return the rules by which the shown values follow from the guarantees."""
    places = [(group, place) for group in moved for place in group.cases]
    stated = [(g, k) for g, k in places if scale != "rho" and shown[k] == plans[k].privacy.epsilon]
    computed = [case for case in places if case not in stated]
    kinds = {group.kind for group, _ in computed}
    rules = []
    if "pure" in kinds:
        rules.append(f"From ε: {PURE_TO_ZCDP}.")
    if scale == "rho" and "approximate" in kinds:
        rules.append("From (ε, δ): the ρ that the noise spends.")
    if scale == "epsilon" and computed:
        rules.append(f"From ρ: {BUN_STEINKE}.")
    if scale == "epsilon-tight" and computed:
        rules.append(f"By accounting: {EXACT_CURVE}, or a conversion of ρ where that gives less.")
    if stated:
        rules.append("The stated ε is shown where it holds at this δ and no conversion gives less.")
    return " ".join(rules)
