"""From accuracy to budget: targets in, the least budget and its shares out."""

from hierdp_core.planning.bench import PlanningStopped
from hierdp_core.planning.result import CONFIDENCE, BudgetPlan
from hierdp_core.planning.search import RELIABILITY, made_up, plan_budget
from hierdp_core.planning.shares import BestShares, best_shares
from hierdp_core.planning.stand_in import ABOUT as STAND_IN_ABOUT
from hierdp_core.planning.stand_in import stand_in
from hierdp_core.planning.targets import EXAMPLES, GRAMMAR, Target, check_targets, parse_targets

__all__ = [
    "CONFIDENCE",
    "EXAMPLES",
    "GRAMMAR",
    "RELIABILITY",
    "STAND_IN_ABOUT",
    "BestShares",
    "BudgetPlan",
    "PlanningStopped",
    "Target",
    "best_shares",
    "check_targets",
    "made_up",
    "parse_targets",
    "plan_budget",
    "stand_in",
]
