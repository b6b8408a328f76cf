"""The sentences of Compare mechanisms."""

import shlex
from collections.abc import Sequence

from hierdp_core import mechanisms
from hierdp_core.evaluation.comparison import Comparison
from hierdp_core.privacy.budget import BEST_NOISE, TIGHT_ACCOUNT
from hierdp_core.privacy.rounding import as_typed
from hierdp_core.samples import Sample
from hierdp_core.util.text import counted, join_or
from pages.ui.compare.address import CompareView
from pages.ui.shell import words

SCALES = {
    "stated": "as stated",
    "rho": "all as ρ",
    "epsilon": "all as (ε, δ)",
    "epsilon-tight": "all as (ε, δ), tight",
}
NONE_CHOSEN = (
    "Choose at least one mechanism and one budget. The comparison then starts automatically."
)
COMPARING = "Simulating. The charts show the simulations completed so far."
CANCELLED = "Stopped. The results use the simulations completed so far."


def symbols(kinds: Sequence[str]) -> str:
    """Return the symbols of the budgets.

    >>> symbols(("epsilon", "delta")), symbols(("rho",)), symbols(("epsilon", "rho"))
    ('ε', 'ρ', 'ε or ρ')
    """
    names = dict.fromkeys("ρ" if kind == "rho" else "ε" for kind in kinds)
    return join_or(list(names))


def guarantee(statement: str, all_of_them: Sequence[str]) -> str:
    """Return the shortest form of a guarantee that distinguishes it from the others.

    >>> one = "ε = 1 (pure DP), adding or removing one person"
    >>> guarantee(one, [one]), guarantee(one, [one, "ε = 1 (pure DP), replacing one trip"]) == one
    ('ε = 1 (pure DP)', True)
    """
    differences = {text.partition("), ")[2] for text in all_of_them}
    return f"{statement.partition('), ')[0]})" if len(differences) == 1 else statement


def progress(done: Sequence[int], total: int, seconds: float | None) -> str:
    """Return the progress of the configurations in words.

    >>> progress((30, 12, 11), 30, None)
    '1 of 3 configurations complete. Each has at least 11 of 30 simulations.'
    >>> progress((3, 2), 30, 41.0)
    '0 of 2 configurations complete. Each has at least 2 of 30 simulations. About 40 seconds left.'
    """
    complete = sum(n >= total for n in done)
    text = (
        f"{complete} of {counted(len(done), 'configuration')} complete. Each has at least "
        f"{min(done)} of {total} simulations."
    )
    if seconds is None:
        return text
    return f"{text} About {10 * max(1, round(seconds / 10))} seconds left."


def made_from(
    comparison: Comparison, view: CompareView, sample: Sample, link: str
) -> dict[str, str]:
    """Return the data and settings behind a report, one line each."""
    facts = {
        "Data": f"{sample.title}. {sample.about} {sample.real}",
        "Source": sample.credit,
        "Mechanisms": ", ".join(
            f"{mechanisms.describe(id).title} ({id})"
            for id in dict.fromkeys(plan.id for plan in comparison.plans)
        ),
        "Budgets": ", ".join(dict.fromkeys(words.budget(plan) for plan in comparison.plans)),
        "Budget allocations": ", ".join(
            dict.fromkeys(plan.allocation.ratio for plan in comparison.plans)
        ),
        "Simulations": f"{_each(comparison.done)} each, seed {view.seed}",
    }
    return facts | ({"Link": link} if link else {})


def _each(done: Sequence[int]) -> str:
    """Return how many simulations the configurations have.

    >>> _each((30, 30)), _each((12, 30))
    ('30', '12 to 30')
    """
    return f"{done[0]}" if len(set(done)) == 1 else f"{min(done)} to {max(done)}"


def _account(view: CompareView) -> list[str]:
    defaults = {"accounting": TIGHT_ACCOUNT, "noise": BEST_NOISE}
    choices = {name: getattr(view, name) for name in defaults}
    return [
        part
        for name, word in choices.items()
        if word != defaults[name]
        for part in (f"--{name}", word)
    ]


def shell_lines(view: CompareView, sample: Sample) -> list[str]:
    """Return the commands of the same simulations, one line per kind of budget."""
    sizes = ",".join(as_typed(size) for size in view.sizes)
    budgets = {
        "epsilon": ["--epsilon", sizes],
        "delta": ["--epsilon", sizes, "--delta", as_typed(view.delta), *_account(view)],
        "rho": ["--rho", sizes],
    }
    start = ["hierdp", "compare", "--sample", view.sample]
    start += ["--mechanisms", ",".join(view.mechanisms)]
    levels = 0 if sample.between_regions else len(sample.table.regions.levels)
    allocation = [
        part
        for weights in view.splits(sample)
        if view.allocation != ("even",)
        for part in ("--allocation", ",".join(map(str, weights or (1,) * levels)))
    ]
    end = [p for n, v in view.options_used().items() for p in ("--option", f"{n}={v}")]
    end += ["--simulations", str(view.n_simulations), "--seed", str(view.seed)]
    return [shlex.join([*start, *budgets[kind], *allocation, *end]) for kind in view.kinds]
