"""HierDP: the effect of differential privacy on hierarchical statistics.

    import hierdp_core as hdp

Names are loaded when they are first used, so that a command loads only what it needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any
from warnings import warn

if TYPE_CHECKING:
    from hierdp_core import decisions, mechanisms, privacy, samples
    from hierdp_core.audits import audit
    from hierdp_core.desktop.app import app
    from hierdp_core.display.widget import explore
    from hierdp_core.evaluation.comparison import Comparison, compare
    from hierdp_core.evaluation.errors import by_region_errors, errors
    from hierdp_core.evaluation.evaluation import Evaluation, evaluate
    from hierdp_core.evaluation.released_counts import released_counts
    from hierdp_core.evaluation.repeated import simulate_many, summarize
    from hierdp_core.exceptions import HierdpError
    from hierdp_core.hierarchy import Hierarchy, Regions
    from hierdp_core.maps.boundaries import Boundaries
    from hierdp_core.planning import SyntheticTable, best_allocation, find_budget
    from hierdp_core.privacy import Allocation, Budget, Neighbours
    from hierdp_core.readers.process import read_table
    from hierdp_core.releases import Ledger, Release, open_release, release
    from hierdp_core.settings import Settings
    from hierdp_core.simulation import Plan, Simulation, plan, simulate
    from hierdp_core.tables import Counts, Flows, GroupSizes
    from hierdp_core.util.parallel import Workers

__version__ = "0.1.0"

__all__ = [
    "Allocation",
    "Boundaries",
    "Budget",
    "Comparison",
    "Counts",
    "Evaluation",
    "Flows",
    "GroupSizes",
    "Hierarchy",
    "HierdpError",
    "Ledger",
    "Neighbours",
    "Plan",
    "Regions",
    "Release",
    "Settings",
    "Simulation",
    "SyntheticTable",
    "Workers",
    "app",
    "audit",
    "best_allocation",
    "by_region_errors",
    "compare",
    "decisions",
    "errors",
    "evaluate",
    "explore",
    "find_budget",
    "mechanisms",
    "open_release",
    "plan",
    "privacy",
    "read_table",
    "release",
    "released_counts",
    "samples",
    "simulate",
    "simulate_many",
    "summarize",
]

_MODULES = ("decisions", "mechanisms", "privacy", "samples")
_HOME = {
    "Allocation": "privacy",
    "Boundaries": "maps.boundaries",
    "Budget": "privacy",
    "Comparison": "evaluation.comparison",
    "Counts": "tables",
    "Evaluation": "evaluation.evaluation",
    "Flows": "tables",
    "GroupSizes": "tables",
    "Hierarchy": "hierarchy",
    "HierdpError": "exceptions",
    "Ledger": "releases",
    "Neighbours": "privacy",
    "Plan": "simulation",
    "Regions": "hierarchy",
    "Release": "releases",
    "Settings": "settings",
    "Simulation": "simulation",
    "SyntheticTable": "planning",
    "Workers": "util.parallel",
    "app": "desktop.app",
    "audit": "audits",
    "best_allocation": "planning",
    "by_region_errors": "evaluation.errors",
    "compare": "evaluation.comparison",
    "errors": "evaluation.errors",
    "evaluate": "evaluation.evaluation",
    "explore": "display.widget",
    "find_budget": "planning",
    "plan": "simulation",
    "read_table": "readers.process",
    "open_release": "releases",
    "release": "releases",
    "released_counts": "evaluation.released_counts",
    "simulate": "simulation",
    "simulate_many": "evaluation.repeated",
    "summarize": "evaluation.repeated",
}
# Names of the first version, each with the name that replaced it.
_OLD_NAMES = {
    "Shares": "Allocation",
    "StandIn": "SyntheticTable",
    "best_shares": "best_allocation",
    "plan_budget": "find_budget",
    "run": "simulate",
    "summarise": "summarize",
    "trials": "simulate_many",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in _OLD_NAMES:
        new = _OLD_NAMES[name]
        warn(f"hdp.{name} is now hdp.{new}.", DeprecationWarning, stacklevel=2)
        return __getattr__(new)
    if name in _HOME:
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
