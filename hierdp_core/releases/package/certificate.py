"""The certificate of a package: what was done, what it guarantees, and how to check it."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import hierdp_core
from hierdp_core.mechanisms.base import Tuning
from hierdp_core.privacy import NOT_COVERED
from hierdp_core.releases.coverage import CLASSES, in_class
from hierdp_core.releases.ledger.accounts import budget_as_dict
from hierdp_core.releases.ledger.events import event_as_dict
from hierdp_core.releases.margins import Margins, numbers_of_level
from hierdp_core.simulation import Checks
from hierdp_core.util.arrays import FloatArray, NumberArray
from hierdp_core.util.escaping import json_text

if TYPE_CHECKING:
    from hierdp_core.releases.making import Release
    from hierdp_core.releases.parts.making import PartitionedRelease
    from hierdp_core.releases.parts.margins import PartsMargins

FORMAT = 1
MARK_OF_PAPER = re.compile(r"\[[A-Z]\] ")  # which stands for a paper in HierDP's own documents
_TUNED = {
    Tuning.NOTHING: "The owner of the data states that the plan was chosen without any data.",
    Tuning.PUBLIC: "The plan was chosen on public data.",
    Tuning.SYNTHETIC: "The plan was chosen on synthetic data.",
    Tuning.EARLIER: "The plan was chosen on data of an earlier time.",
    Tuning.SAME: (
        "The plan was chosen on the table that is released. The guarantee does not cover that "
        "choice, which may itself reveal something about the records."
    ),
}
POST_PROCESSING = (
    "The released numbers are computed from the noisy measurements and public facts alone, so "
    "they cost no further budget."
)
LIMITS = (
    "The guarantee covers the content of this package. It does not cover the time that the release "
    "took, other publications from the same records, or facts that are treated as public."
)


def certificate(
    release: "Release | PartitionedRelease",
    margins: "Margins | PartsMargins",
    files: Mapping[str, str],
    *,
    checks: Checks,
) -> dict[str, Any]:
    """Return the certificate as plain values.

    Args:
        release: the release.
        margins: the margins of its numbers.
        files: the SHA-256 of every other file, by its path in the package.
        checks: the checks of the released numbers.
    """
    plan, privacy, entry = release.plan, release.privacy, release.entry
    mechanism = type(plan.mechanism).info()
    tuning = Tuning(entry.plan["tuned_on"])
    return {
        "format": FORMAT,
        "title": entry.plan["title"],
        "release": release.id,
        "released": entry.last.time,
        "dataset": entry.dataset,
        "guarantee": {
            "sentence": privacy.sentence,
            "parameters": privacy.guarantee,
            "epsilon": privacy.epsilon,
            "delta": privacy.delta,
            "rho": privacy.rho,
            "privacy_unit": privacy.unit,
            "neighbours": privacy.neighbours.value,
            "difference": privacy.difference,
            "conversion": privacy.conversion,
            "accounting": privacy.accounting,
            "limits": LIMITS,
            "not_covered": NOT_COVERED if privacy.taken_from_data else "",
        },
        "treated_as_public": [
            {"fact": fact.words, "source": fact.source.value} for fact in privacy.facts
        ],
        "budget": {
            "asked": budget_as_dict(plan.budget),
            "allocation": dict(zip(plan.levels, plan.allocation.weights, strict=True)),
            "levels": privacy.as_dict()["levels"],
            "events": [event_as_dict(event) for event in plan.events],
        },
        "plan_chosen_on": {"basis": tuning.value, "sentence": _TUNED[tuning]},
        "mechanism": {
            "id": plan.id,
            "title": mechanism.title,
            "about": mechanism.about,
            "paper": MARK_OF_PAPER.sub("", mechanism.paper),
            "options": dict(plan.options),
        },
        "noise_source": entry.reserved.body["software"],
        "post_processing": POST_PROCESSING,
        "checks": {
            "consistent": checks.consistent,
            "non_negative_integers": checks.valid,
            "public_totals_kept": checks.keeps_invariants,
        },
        "margins": {
            "level": margins.level,
            "simulations": margins.n_simulations,
            "public_seed": margins.seed,
            "between_pairs": plan.domain.between_regions,
            "method": "approximate Monte Carlo, arXiv:2503.19714; it is post-processing and "
            "costs no budget",
        },
        "fitness_for_use": (
            fitness(margins) if isinstance(margins, Margins) else list(margins.fitness)
        ),
        "ledger": {
            "number": entry.last.number,
            "hash": entry.last.hash,
            "reserved_number": entry.reserved.number,
            "reserved_hash": entry.reserved.hash,
        },
        "versions": {"hierdp": hierdp_core.__version__},
        "files": dict(sorted(files.items())),
    }


def fitness(margins: Margins) -> list[dict[str, Any]]:
    """Return the size of margins relative to the released numbers, by level and class of number.

    Only released numbers are used. There is one row per level and class: the number of counts, the
    median margin, the proportion without a margin, and the proportion whose margin is at most a
    tenth of the number.
    """
    return [
        row
        for level, name in enumerate(margins.table.regions.levels)
        for row in fitness_of_level(
            name, numbers_of_level(margins.table, level), margins.at(level)[0]
        )
    ]


def fitness_of_level(name: str, values: NumberArray, half: FloatArray) -> list[dict[str, Any]]:
    """Return the rows of one level; see `fitness`.

    Args:
        name: the name of the level.
        values: its released numbers.
        half: their margins.
    """
    rows = []
    for low, high in CLASSES:
        inside = in_class(values, low, high)
        if not inside.any():
            continue
        some = half[inside]
        numbers = some[~np.isnan(some)]
        small = np.nan_to_num(some, nan=np.inf) <= values[inside] / 10
        rows.append(
            {
                "level": name,
                "from": low,
                "to": high,
                "numbers": int(inside.sum()),
                "median_margin": float(np.median(numbers)) if len(numbers) else None,
                "without_margin": _share_rounded_up(np.isnan(some).sum(), len(some)),
                "within_a_tenth": _share_rounded_down(small.sum(), len(small)),
            }
        )
    return rows


def _share_rounded_down(part: int, total: int) -> float:
    """Return a proportion rounded down to four decimals.

    >>> _share_rounded_down(99_999, 100_000), _share_rounded_down(29, 100)
    (0.9999, 0.29)
    """
    return (10_000 * int(part) // total) / 10_000


def _share_rounded_up(part: int, total: int) -> float:
    """Return a proportion rounded up to four decimals.

    >>> _share_rounded_up(1, 100_000), _share_rounded_up(29, 100)
    (0.0001, 0.29)
    """
    return -(-10_000 * int(part) // total) / 10_000


def as_json(values: Mapping[str, Any]) -> bytes:
    """Return a certificate as the bytes of its file."""
    return (json_text(values, indent=2, allow_nan=False) + "\n").encode()
