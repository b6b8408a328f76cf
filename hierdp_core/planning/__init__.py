"""Budgets from accuracy targets: the smallest budget that meets them, and its allocation."""

from hierdp_core.planning.allocation import BestAllocation, best_allocation
from hierdp_core.planning.bench import PlanningStopped
from hierdp_core.planning.result import CONFIDENCE, BudgetPlan
from hierdp_core.planning.search import (
    RELIABILITY,
    expected_simulations,
    find_budget,
    synthetic_twin,
)
from hierdp_core.planning.stand_in import ABOUT as STAND_IN_ABOUT
from hierdp_core.planning.stand_in import stand_in
from hierdp_core.planning.targets import EXAMPLES, GRAMMAR, Target, check_targets, parse_targets
from hierdp_core.planning.trade_off import TradeOff, trade_off

__all__ = [
    "CONFIDENCE",
    "EXAMPLES",
    "GRAMMAR",
    "RELIABILITY",
    "STAND_IN_ABOUT",
    "BestAllocation",
    "BudgetPlan",
    "PlanningStopped",
    "Target",
    "TradeOff",
    "best_allocation",
    "check_targets",
    "expected_simulations",
    "find_budget",
    "parse_targets",
    "stand_in",
    "synthetic_twin",
    "trade_off",
]
