"""The cases of a comparison, and the name of each."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from hierdp_core import __version__, mechanisms
from hierdp_core.exceptions import BudgetError, ChoiceError, HierdpError
from hierdp_core.mechanisms.base import Mechanism, Plan
from hierdp_core.privacy import Budget
from hierdp_core.simulation import plan
from hierdp_core.tables import Table
from hierdp_core.util.earlier import Arguments, Earlier, accepts
from hierdp_core.util.text import by_number, counted, join_and, join_or

MOST_CASES = 500


def with_options(
    mechanisms_or_ids: Sequence[Mechanism | str], options: Mapping[str, Any], *, kind: str = ""
) -> tuple[Mechanism | str, ...]:
    """Return each mechanism unchanged, and each id as a text with the options that apply to it.

    Args:
        mechanisms_or_ids: the mechanisms of a comparison.
        options: values by the name of the option. They apply to every id that has the option;
            "coc.cap" applies to `coc` alone.
        kind: the kind of table, if it is known. Messages then offer only options for it.

    Raises:
        ChoiceError: an id is unknown, or none of the mechanisms has an option.
    """
    _require_known(mechanisms_or_ids, options, kind)
    return tuple(
        one if isinstance(one, Mechanism) else _with_own(one, options) for one in mechanisms_or_ids
    )


def _in_ids(arguments: Arguments, old: Arguments) -> Arguments:
    return {"ids": with_options(arguments["ids"], old["options"] or {})}


_OPTIONS = Earlier(words=("options",), now='ids=["coc: merge=mean", …]', replace=_in_ids)


@accepts(_OPTIONS)
def grid(
    table: Table,
    ids: Sequence[Mechanism | str],
    budgets: Sequence[Budget],
    *,
    allocation: Sequence[Sequence[int] | None] = (None,),
) -> tuple[Plan, ...]:
    """Return the plans of every mechanism with every budget and allocation, without repetitions.

    Args:
        table: a table, of which only the public domain is used.
        ids: mechanisms, or their ids with any options, such as "coc: merge=mean".
        budgets: at least one budget.
        allocation: allocations, each as in `plan`; None for the default of the mechanism.

    Raises:
        ChoiceError: no case is requested, too many are, or a mechanism does not fit the
            table.
        BudgetError: no budget is given, or a budget or an allocation is not valid.
    """
    _require_size(ids, budgets, allocation)
    _ids_of(ids)
    plans: dict[str, Plan] = {}
    for one, budget, weights in product(ids, budgets, allocation):
        case = plan(table, one, budget=budget, allocation=weights)
        plans.setdefault(_words(case), case)
    return tuple(plans.values())


@accepts(_OPTIONS)
def fitting_grid(
    table: Table,
    ids: Sequence[Mechanism | str],
    budgets: Sequence[Budget],
    *,
    allocation: Sequence[Sequence[int] | None] = (None,),
) -> tuple[tuple[Plan, ...], tuple[str, ...]]:
    """Return the cases of `grid` that can be planned, and the distinct reasons for the others.

    Raises:
        ChoiceError, BudgetError: no case is requested, too many are, or none can be
            planned.
    """
    _require_size(ids, budgets, allocation)
    _ids_of(ids)
    plans: dict[str, Plan] = {}
    reasons: dict[str, HierdpError] = {}
    for one, budget, weights in product(ids, budgets, allocation):
        try:
            case = plan(table, one, budget=budget, allocation=weights)
            plans.setdefault(_words(case), case)
        except HierdpError as error:
            reasons.setdefault(str(error), error)
    if not plans:
        raise next(iter(reasons.values()))
    return tuple(plans.values()), tuple(reasons)


def _with_own(text: str, options: Mapping[str, Any]) -> str:
    """Return the text of a mechanism with the options that apply to it."""
    id, stated_options = mechanisms.read_text(text)
    names = {option.name for option in mechanisms.describe(id).options}
    general = {name: value for name, value in options.items() if name in names}
    own = {n.removeprefix(f"{id}."): v for n, v in options.items() if n.startswith(f"{id}.")}
    return mechanisms.text_of(id, general | own | stated_options)


def _require_size(
    ids: Sequence[Mechanism | str],
    budgets: Sequence[Budget],
    allocation: Sequence[Sequence[int] | None],
) -> None:
    if not ids:
        raise ChoiceError("Name at least one mechanism to compare.")
    if not budgets:
        raise BudgetError("State at least one budget to compare.")
    cases = len(ids) * len(budgets) * len(allocation)
    if cases > MOST_CASES:
        raise ChoiceError(
            f"{counted(len(ids), 'mechanism')} × {counted(len(budgets), 'budget')} × "
            f"{counted(len(allocation), 'allocation')} are {cases:,} configurations; the limit is "
            f"{MOST_CASES:,}. Name fewer of them."
        )


def labels(plans: Sequence[Plan], *, budgets: bool = True, ids: bool = False) -> tuple[str, ...]:
    """Return a name for each case: the mechanism's title, and all else that distinguishes cases.

    Args:
        plans: the cases.
        budgets: whether names include budgets if these differ.
        ids: whether names have the id of the mechanism instead of its title.
    """
    by_mechanism: dict[str, list[Plan]] = {}
    for case in plans:
        by_mechanism.setdefault(case.id, []).append(case)
    names = []
    for case in plans:
        same = by_mechanism[case.id]
        parts = [case.id if ids else case.mechanism.title]
        if len({other.allocation.words for other in same}) > 1:
            parts.append(case.allocation.words.replace(",", ":"))
        if len({other.options for other in same}) > 1:
            parts.append(", ".join(f"{name} {value}" for name, value in case.options))
        if budgets and len({other.budget.words for other in plans}) > 1:
            parts.append(case.budget.words)
        names.append(" · ".join(parts))
    return tuple(names)


def table_digest(table: Table) -> str:
    """Return a hash of the table's numbers, its tree and the names of its levels."""
    digest = hashlib.sha256()
    content, tree = table.content, table.tree
    numbers = (content,) if isinstance(content, np.ndarray) else tuple(vars(content).values())
    for array in (*numbers, tree.parent, tree.level_start):
        digest.update(str((array.dtype, array.shape)).encode())
        digest.update(np.ascontiguousarray(array).data)
    digest.update(json.dumps([table.kind, *table.regions.levels]).encode())
    return digest.hexdigest()


def case_digest(table: str, case: Plan, *, seed: int, quantities: Sequence[str]) -> str:
    """Return a hash of everything on which the simulations of a case depend.

    Args:
        table: the `table_digest` of the table.
        case: the plan that is simulated.
        seed: the seed of all noise.
        quantities: the quantities whose errors are measured.
    """
    made_of = [__version__, table, _words(case), seed, list(quantities)]
    return hashlib.sha256(json.dumps(made_of).encode()).hexdigest()


def _require_known(
    ids_or_values: Sequence[Mechanism | str], options: Mapping[str, Any], kind: str
) -> None:
    ids = _ids_of(ids_or_values)
    having = [(id, option) for id in ids for option in mechanisms.describe(id).options]
    for name in options:
        mechanism, dot, own = name.rpartition(".")
        if dot and mechanism not in mechanisms.names():
            raise ChoiceError(
                f'The option {name} is for "{mechanism}", which is not a mechanism. Choose '
                f"{join_or(ids)}."
            )
        if dot and mechanism not in ids:
            raise ChoiceError(
                f"The option {name} is for {mechanism}, which is not compared. Add {mechanism} to "
                "the mechanisms, or leave the option out."
            )
        bearers = (mechanism,) if dot else tuple(dict.fromkeys(ids))
        of_bearers = [option for id, option in having if id in bearers]
        if own not in {option.name for option in of_bearers}:
            fitting = {o.name for o in of_bearers if not kind or not o.kinds or kind in o.kinds}
            remedy = f"Choose {join_or(sorted(fitting))}." if fitting else "Leave it out."
            has = by_number(len(bearers), "has", "have")
            raise ChoiceError(f'{join_and(bearers)} {has} no option "{own}". {remedy}')


def _ids_of(ids_or_values: Sequence[Mechanism | str]) -> tuple[str, ...]:
    """Return the ids of mechanisms, some of which may be given as texts.

    Raises:
        ChoiceError: an id is unknown.
    """
    return tuple(
        mechanisms.get(mechanisms.read_text(one)[0]).id if isinstance(one, str) else one.id
        for one in ids_or_values
    )


def _words(case: Plan) -> str:
    budget = [str(part) for part in (case.budget.epsilon, case.budget.delta, case.budget.rho)]
    return json.dumps([case.id, budget, case.allocation.words, case.options])
