"""Privacy accounting: budgets, their allocation, events, and their privacy loss.

An *event* describes one released vector in enough detail that anyone could compute its privacy
loss. The functions of `account` give the cost of each event, add the costs and convert the sum.
Budgets, allocations and scales of noise are exact fractions, so the parts of a budget add up to
exactly the whole.
"""

from hierdp_core.privacy.account import (
    EXACT_CURVE,
    Priced,
    all_priced,
    event_delta,
    event_epsilon,
    event_rho,
    priced,
    total_delta,
    total_epsilon,
    total_rho,
)
from hierdp_core.privacy.budget import (
    ACCOUNTS,
    LARGEST_SHARE,
    NOISES,
    PRESETS,
    Allocation,
    Budget,
    SharePreset,
)
from hierdp_core.privacy.conversion import (
    BUN_STEINKE,
    PURE_TO_ZCDP,
    TIGHT,
    epsilon_of_rho,
    epsilon_of_rho_tight,
    rho_of_epsilon,
)
from hierdp_core.privacy.events import (
    Event,
    GaussianEvent,
    GeometricEvent,
    Neighbours,
    Sensitivity,
    ThresholdEvent,
    level_events,
)
from hierdp_core.privacy.meaning import (
    Belief,
    Conversion,
    belief,
    conversions,
    highest_chance,
    loss_limit,
    of_a_hundred,
)
from hierdp_core.privacy.numbers import (
    Number,
    exact_number,
)
from hierdp_core.privacy.spending import Candidate, Spending, spending
from hierdp_core.privacy.statement import (
    NOT_COVERED,
    FactSource,
    Invariant,
    LevelPrivacy,
    PrivacyStatement,
    state_privacy,
)
from hierdp_core.util.constraints import LARGEST_BUDGET, SMALLEST_BUDGET

__all__ = [
    "ACCOUNTS",
    "BUN_STEINKE",
    "EXACT_CURVE",
    "LARGEST_BUDGET",
    "LARGEST_SHARE",
    "NOISES",
    "NOT_COVERED",
    "PRESETS",
    "PURE_TO_ZCDP",
    "SMALLEST_BUDGET",
    "TIGHT",
    "Allocation",
    "Belief",
    "Budget",
    "Candidate",
    "Conversion",
    "Event",
    "FactSource",
    "GaussianEvent",
    "GeometricEvent",
    "Invariant",
    "LevelPrivacy",
    "Neighbours",
    "Number",
    "Priced",
    "PrivacyStatement",
    "Sensitivity",
    "SharePreset",
    "Spending",
    "ThresholdEvent",
    "all_priced",
    "belief",
    "conversions",
    "epsilon_of_rho",
    "epsilon_of_rho_tight",
    "event_delta",
    "event_epsilon",
    "event_rho",
    "exact_number",
    "highest_chance",
    "level_events",
    "loss_limit",
    "of_a_hundred",
    "priced",
    "rho_of_epsilon",
    "spending",
    "state_privacy",
    "total_delta",
    "total_epsilon",
    "total_rho",
]


def __dir__() -> list[str]:
    return list(__all__)
