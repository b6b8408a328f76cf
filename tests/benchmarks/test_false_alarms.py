"""How often the audits report a leak in correct mechanisms, with fresh seeds.

    REPEATS=200 RUNS=2000 .venv/bin/pytest -n0 -s tests/benchmarks/test_false_alarms.py

Every mechanism that ships is audited on all its worst cases, with its usual options and with those
that change what one record moves, so often, with a new seed each time: at the confidence of the
tests, where none may be accused, and at 95%, where one in twenty may be.
"""

import os
from time import perf_counter

import numpy as np
from scipy.stats import binom

from hierdp_core.audits import audit
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.mechanisms import MECHANISMS, parse
from hierdp_core.privacy import Budget

REPEATS, RUNS = int(os.environ.get("REPEATS", "200")), int(os.environ.get("RUNS", "2000"))
CI, USUAL = 1 - 1e-9, 0.95
SOLVER = 20  # runs of mechanisms that solve an integer program for each
BUDGETS = ({"epsilon": 1}, {"rho": 0.5}, {"epsilon": 1, "delta": 0.01})


NOISY_CAP = {"cap": "noisy", "cap-epsilon": "0.5"}
# One set is taken each time, in turn; a mechanism that lacks an option of it has the usual ones.
OPTIONS = (
    {},
    {"neighbours": "unbounded"},
    {"trips": "2"},
    {"trips": "3", "distinct": "yes"},
    {"trips": "2", "distinct": "yes", "neighbours": "unbounded"},
    {"tree": "origin"},
    {"totals": "private"},
    {"totals": "private", "methods": "hg"},
    NOISY_CAP,
    NOISY_CAP | {"totals": "private"},
    {"methods": "naive"},
)


def options_of(id, place):
    """The options of this turn that the mechanism has."""
    known = {option.name for option in MECHANISMS[id].options}
    return {name: value for name, value in OPTIONS[place].items() if name in known}


def accused(id, budget, options, seed):
    """Whether it is accused at (the tests' confidence, 95%); None: it takes no such budget."""
    runs = RUNS if MECHANISMS[id].largest_cells is None else SOLVER
    try:
        return [
            audit(
                parse(id, options),
                budget=Budget.of(**budget),
                runs=runs,
                seed=seed,
                confidence=sure,
            ).leaks
            for sure in (CI, USUAL)
        ]
    except (BudgetError, ChoiceError):
        return None


def test_what_ships_is_not_accused():
    begun, found = perf_counter(), []
    seeds = np.random.SeedSequence().generate_state(REPEATS).tolist()
    for done, seed in enumerate(seeds, start=1):
        for id in MECHANISMS:
            for budget in BUDGETS if MECHANISMS[id].largest_cells is None else BUDGETS[:1]:
                one = accused(id, budget, options_of(id, done % len(OPTIONS)), seed)
                if one is not None:
                    found.append(one)
        alarms, usual = np.sum(found, axis=0)
        print(
            f"\n{perf_counter() - begun:6.0f} s  {done} repeats, {len(found)} audits: {alarms} "
            f"accused at the tests' confidence, {usual} at 95%",
            end="",
            flush=True,
        )
    assert alarms == 0
    # More than one in twenty by chance alone: once in a million.
    assert usual <= binom.isf(1e-6, len(found), 1 - USUAL)
