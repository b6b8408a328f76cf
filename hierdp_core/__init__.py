"""See, teach and decide what differential privacy does to hierarchical statistics.

    import hierdp_core as hdp

Names are loaded when first used, so that a command that needs little starts at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hierdp_core import decisions, mechanisms, privacy, samples
    from hierdp_core.audits import audit
    from hierdp_core.evaluation.errors import by_region_errors, errors
    from hierdp_core.evaluation.released_counts import released_counts
    from hierdp_core.evaluation.repeated import summarise, trials
    from hierdp_core.exceptions import HierdpError
    from hierdp_core.hierarchy import Hierarchy, Regions
    from hierdp_core.planning import best_shares, plan_budget
    from hierdp_core.privacy import Budget, Neighbours, Shares
    from hierdp_core.settings import Settings
    from hierdp_core.simulation import Plan, Release, plan, release, run
    from hierdp_core.tables import Counts, Flows, GroupSizes

__version__ = "0.1.0"

__all__ = [
    "Budget",
    "Counts",
    "Flows",
    "GroupSizes",
    "Hierarchy",
    "HierdpError",
    "Neighbours",
    "Plan",
    "Regions",
    "Release",
    "Settings",
    "Shares",
    "audit",
    "best_shares",
    "by_region_errors",
    "decisions",
    "errors",
    "mechanisms",
    "plan",
    "plan_budget",
    "privacy",
    "release",
    "released_counts",
    "run",
    "samples",
    "summarise",
    "trials",
]

_MODULES = ("decisions", "mechanisms", "privacy", "samples")
_HOME = {
    "Budget": "privacy",
    "Counts": "tables",
    "Flows": "tables",
    "GroupSizes": "tables",
    "Hierarchy": "hierarchy",
    "HierdpError": "exceptions",
    "Neighbours": "privacy",
    "Plan": "simulation",
    "Regions": "hierarchy",
    "Release": "simulation",
    "Settings": "settings",
    "Shares": "privacy",
    "audit": "audits",
    "best_shares": "planning",
    "by_region_errors": "evaluation.errors",
    "errors": "evaluation.errors",
    "plan": "simulation",
    "plan_budget": "planning",
    "release": "simulation",
    "released_counts": "evaluation.released_counts",
    "run": "simulation",
    "summarise": "evaluation.repeated",
    "trials": "evaluation.repeated",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in _HOME:
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
