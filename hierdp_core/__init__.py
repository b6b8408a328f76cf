"""See, teach and decide what differential privacy does to hierarchical statistics.

    import hierdp_core as hdp

Names are loaded when first used, so that a command that needs little starts at once.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hierdp_core import decisions, mechanisms, privacy, samples
    from hierdp_core.audit import audit
    from hierdp_core.draws import released_counts
    from hierdp_core.exceptions import HierdpError
    from hierdp_core.hierarchy import Hierarchy
    from hierdp_core.metrics import by_region_errors, errors
    from hierdp_core.planning import best_shares, plan_budget
    from hierdp_core.privacy import Budget, Neighbours, Shares
    from hierdp_core.regions import Regions
    from hierdp_core.release import Plan, Release, plan, release, run
    from hierdp_core.settings import Settings
    from hierdp_core.tables import Counts, Flows, GroupSizes
    from hierdp_core.trials import summarise, trials

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
    "Plan": "release",
    "Regions": "regions",
    "Release": "release",
    "Settings": "settings",
    "Shares": "privacy",
    "audit": "audit",
    "best_shares": "planning",
    "by_region_errors": "metrics",
    "errors": "metrics",
    "plan": "release",
    "plan_budget": "planning",
    "release": "release",
    "released_counts": "draws",
    "run": "release",
    "summarise": "trials",
    "trials": "trials",
}


class _Package(ModuleType):
    """A package in which `audit`, `release` and `trials` are functions, not their modules.

    Importing a submodule binds its name here, whoever imports it; three of ours are called
    like the function in them.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and _HOME.get(name) == name:
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


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
