"""The search of Set a budget as a command, and as Python code."""

import shlex
from collections.abc import Sequence

from hierdp_core.planning import Target
from hierdp_core.privacy.rounding import as_typed, percent_as_typed
from hierdp_core.settings import Settings, budget_call
from hierdp_core.util.escaping import json_text
from pages.ui.budget.address import FLOOR, BudgetAddress

_PYTHON_OF_ALLOCATION = """import hierdp_core as hdp

data = hdp.samples.load("{sample}")
found = hdp.best_allocation({table}, {mechanism}, {words})
print(found.sentence)
print(found.basis)
"""
_PYTHON_OF_BUDGET = """import hierdp_core as hdp

data = hdp.samples.load("{sample}")
found = hdp.find_budget({table}, {mechanism}, {words})
print(found.sentence)
print(found.sure)
"""


def shares_shell(settings: Settings, aim: BudgetAddress, levels: Sequence[str]) -> str:
    """Return the command line of the same search for an allocation."""
    line = ["hierdp", "budget", "--sample", settings.sample, "--mechanism", settings.mechanism]
    budget_words = {"epsilon": settings.epsilon, "delta": settings.delta, "rho": settings.rho}
    line += [
        part
        for name, v in budget_words.items()
        if v is not None
        for part in (f"--{name}", as_typed(v))
    ]
    line += [
        part
        for name in ("accounting", "noise")
        if (word := getattr(settings, name)) is not None
        for part in (f"--{name}", word)
    ]
    line += ["--weights", ",".join(map(as_typed, aim.weights_for(levels)))]
    if settings.quantity is not None:
        line += ["--quantity", settings.quantity]
    return shlex.join(line + _common(settings, aim))


def shares_python(settings: Settings, aim: BudgetAddress, levels: Sequence[str]) -> str:
    """Return the Python of the same search for an allocation."""
    arguments = [f"budget={budget_call(settings.budget)}"]
    arguments.append(f"weights={[float(weight) for weight in aim.weights_for(levels)]}")
    if settings.quantity is not None:
        arguments.append(f'quantity="{settings.quantity}"')
    if settings.seed:
        arguments.append(f"seed={settings.seed}")
    return _PYTHON_OF_ALLOCATION.format(
        sample=settings.sample,
        table=aim.table_call("data.table"),
        mechanism=json_text(settings.mechanism_text),
        words=", ".join(arguments),
    )


def _common(settings: Settings, aim: BudgetAddress) -> list[str]:
    line: list[str] = []
    if aim.synthetic:
        line += ["--synthetic", *([] if aim.total is None else ["--total", str(aim.total)])]
    for name, value in settings.options.items():
        line += ["--option", f"{name}={value}"]
    if settings.seed:
        line += ["--seed", str(settings.seed)]
    return line


def shell(settings: Settings, aim: BudgetAddress, targets: Sequence[Target]) -> str:
    """Return the command line of the same search."""
    line = ["hierdp", "budget", "--sample", settings.sample, "--mechanism", settings.mechanism]
    line += ["--target", *(target.text for target in targets)]
    defaults = BudgetAddress()
    if aim.find == "rho":
        line += ["--find", "rho"]
    if aim.find == "delta":
        line += ["--delta", as_typed(aim.delta)]
    if aim.reliability != defaults.reliability:
        line += ["--reliability", f"{percent_as_typed(aim.reliability)}%"]
    if aim.most != defaults.most:
        line += ["--most", as_typed(aim.most)]
    if aim.fresh is not None:
        line += ["--simulations", str(aim.fresh)]
    if aim.guard and not aim.given:
        line += ["--floor", f"{FLOOR:g}"]
    if aim.given and settings.allocation is not None:
        line += ["--allocation", ",".join(map(str, settings.allocation))]
    return shlex.join(line + _common(settings, aim))


def python(settings: Settings, aim: BudgetAddress, targets: Sequence[Target]) -> str:
    """Return the Python of the same search."""
    arguments = [f"{[target.text for target in targets]}"]
    if aim.find != BudgetAddress().find:
        arguments.append(f"most={budget_call(aim.largest)}")
    elif aim.most != BudgetAddress().most:
        arguments.append(f"most={as_typed(aim.most)}")
    if aim.reliability != BudgetAddress().reliability:
        arguments.append(f"reliability={as_typed(aim.reliability)}")
    if aim.fresh is not None:
        arguments.append(f"n_simulations={aim.fresh}")
    if aim.guard and not aim.given:
        arguments.append(f"floor={FLOOR:g}")
    if aim.given and settings.allocation is not None:
        arguments.append(f"allocation={list(settings.allocation)}")
    if settings.seed:
        arguments.append(f"seed={settings.seed}")
    return _PYTHON_OF_BUDGET.format(
        sample=settings.sample,
        table=aim.table_call("data.table"),
        mechanism=json_text(settings.mechanism_text),
        words=", ".join(arguments),
    )
