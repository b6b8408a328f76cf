"""Budgets from accuracy targets: the smallest budget that meets them, and its allocation."""

from hierdp_core.planning.allocation import best_allocation
from hierdp_core.planning.bench import PlanningStopped
from hierdp_core.planning.result import CONFIDENCE, BudgetPlan
from hierdp_core.planning.saving import BestAllocation
from hierdp_core.planning.search import (
    RELIABILITY,
    expected_simulations,
    find_budget,
)
from hierdp_core.planning.sizes import of_size, size_of, stated_size
from hierdp_core.planning.synthetic import ABOUT as SYNTHETIC_ABOUT
from hierdp_core.planning.synthetic import SyntheticTable, synthetic_table, synthetic_twin
from hierdp_core.planning.targets import EXAMPLES, GRAMMAR, Target, check_targets, parse_targets
from hierdp_core.planning.trade_off import TradeOff, trade_off

__all__ = [
    "CONFIDENCE",
    "EXAMPLES",
    "GRAMMAR",
    "RELIABILITY",
    "SYNTHETIC_ABOUT",
    "BestAllocation",
    "BudgetPlan",
    "PlanningStopped",
    "SyntheticTable",
    "Target",
    "TradeOff",
    "best_allocation",
    "check_targets",
    "expected_simulations",
    "find_budget",
    "of_size",
    "parse_targets",
    "size_of",
    "stated_size",
    "synthetic_table",
    "synthetic_twin",
    "trade_off",
]
