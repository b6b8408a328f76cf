"""Checks before a budget is spent: of the mechanism, the plan and the facts treated as public.

No check uses a confidential count, so a refusal reveals nothing.
"""

import hashlib
from dataclasses import replace
from typing import Any

from hierdp_core.exceptions import ReleaseError
from hierdp_core.mechanisms.base import Mechanism, Plan, Tuning
from hierdp_core.noise import representable
from hierdp_core.privacy.account import within
from hierdp_core.releases.ledger.accounts import budget_as_dict
from hierdp_core.util.text import join_and, join_or, paragraph

_LONGEST_TITLE = 200


def refusal(mechanism: Mechanism) -> str:
    """Return a sentence on why a mechanism cannot be used for a release; empty if it can."""
    if why := mechanism.reason_against_release():
        return why
    if mechanism.max_size == "noisy":
        return (
            "It measures the maximum group size, so the table may turn out too large after the "
            "noise was sampled. Set a maximum size with the option `cap`, chosen without the data."
        )
    return ""


def releasable(plan: Plan) -> Plan:
    """Return the plan with exactly the noise that will be sampled, which is at least as large.

    Raises:
        ReleaseError: the mechanism cannot be used for a release, a fact treated as public was taken
            from the records, or the noise exceeds the budget.
    """
    if why := refusal(plan.mechanism):
        remedy = "" if plan.mechanism.max_size == "noisy" else "Choose another mechanism."
        raise ReleaseError(paragraph(f"{plan.id} cannot be used for a release.", why, remedy))
    privacy, domain = plan.privacy, plan.domain
    published = plan.mechanism.published_sensitivities(domain) is not None
    if privacy.claimed or published:
        raise ReleaseError(
            f"{plan.id} cannot be used for a release with a published calibration, which may spend "
            "more than the budget. Plan again with its default options."
        )
    if privacy.taken_from_data:
        raise ReleaseError(
            f"The guarantee does not cover what was taken from the records: "
            f"{join_and(privacy.taken_from_data)}. State it from a public source, such as a list "
            "of all areas."
        )
    events = tuple(representable(event) for event in plan.events)
    if not within(events, plan.budget):
        raise ReleaseError(
            f"The noise that can be sampled exactly costs slightly more than {plan.budget.words}. "
            "Plan again with a slightly different budget, such as one that differs in its third "
            "digit."
        )
    return replace(plan, events=events, privacy=replace(privacy, events=events))


def settled_tuning(plan: Plan, stated: Tuning | str | None, *, allowed: bool) -> Tuning:
    """Return the data that a plan was tuned on, as the plan records or as its owner states.

    Args:
        plan: the plan. A record that it was tuned on the same table cannot be overridden.
        stated: the owner's statement; None for the record of the plan.
        allowed: whether the owner permits a plan that was tuned on the same table.

    Raises:
        ReleaseError: the plan was tuned on the same table without permission, or the statement is
            not one of `Tuning`.
    """
    named = plan.tuned_on if stated is None else tuning_called(stated)
    tuning = Tuning.SAME if plan.tuned_on is Tuning.SAME else named
    require_permission(tuning, allowed=allowed)
    return tuning


def tuning_called(name: str) -> Tuning:
    """Return the member of `Tuning` with this name.

    Raises:
        ReleaseError: the name is not one of `Tuning`.
    """
    try:
        return Tuning(name)
    except ValueError:
        names = join_or([f'"{one}"' for one in Tuning])
        raise ReleaseError(f'A plan cannot be tuned on "{name}". Choose {names}.') from None


def require_permission(tuning: Tuning, *, allowed: bool) -> None:
    """Require permission for a plan that was tuned on the table that it would release.

    Raises:
        ReleaseError: the plan was tuned on the same table without permission.
    """
    if tuning is Tuning.SAME and not allowed:
        raise ReleaseError(
            "The plan was tuned on the table that it would release, and the guarantee does not "
            "cover that choice. Choose a plan on public or synthetic data, or permit this one "
            "(--allow-same-table, allow_same_table=True in Python, or the box on the page "
            "Release). Its certificate then states this."
        )


def require_title(title: str) -> None:
    """Require a title that fits on one line.

    Raises:
        ReleaseError: the title is too long or cannot be printed.
    """
    if len(title) > _LONGEST_TITLE or not title.isprintable():
        raise ReleaseError(
            "The title is too long, or has characters that cannot be printed. Give one line of up "
            f"to {_LONGEST_TITLE} characters."
        )


def plan_as_dict(plan: Plan, *, title: str, tuning: Tuning) -> dict[str, Any]:
    """Return a plan as plain values, which are equal for equal requests.

    Raises:
        ReleaseError: the title is too long or cannot be printed.
    """
    require_title(title)
    return {
        "title": title,
        "mechanism": plan.id,
        "options": dict(plan.options),
        "budget": {
            **budget_as_dict(plan.budget),
            **({"accounting": plan.privacy.accounting} if plan.privacy.accounting else {}),
        },
        "levels": list(plan.levels),
        "allocation": list(plan.allocation.weights),
        "guarantee": plan.privacy.guarantee,
        "invariants": list(plan.privacy.invariants),
        "tuned_on": tuning.value,
        "table": _public_facts(plan),
    }


def _public_facts(plan: Plan) -> dict[str, Any]:
    domain, regions = plan.domain, hashlib.sha256()
    for hierarchy in domain.hierarchies:
        regions.update("\0".join(hierarchy.ids).encode())
        regions.update(hierarchy.tree.parent.tobytes())
    return {
        "kind": domain.kind,
        "columns": domain.n_columns,
        "record": domain.person,
        "regions": [h.tree.level_sizes.tolist() for h in domain.hierarchies],
        "regions_sha256": regions.hexdigest(),
    }
