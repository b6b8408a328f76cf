"""Mechanisms, budgets and allocations side by side on one table, over many simulations.

A *case* is one mechanism with one budget, one allocation and its options. Cases whose privacy
guarantees differ share an axis only after a conversion, which is then stated.
"""

from hierdp_core.evaluation.comparison.best import Best, best, front
from hierdp_core.evaluation.comparison.by_size import SizeClasses
from hierdp_core.evaluation.comparison.cases import (
    MOST_CASES,
    case_digest,
    fitting_grid,
    grid,
    labels,
    table_digest,
    with_options,
)
from hierdp_core.evaluation.comparison.comparable import (
    SCALES,
    Alike,
    Axis,
    axes,
    comparable,
    converted,
    only_public_to,
    privacy_table,
    rivals,
)
from hierdp_core.evaluation.comparison.measures import (
    Measure,
    measure_of,
    measured_quantities,
    measures,
)
from hierdp_core.evaluation.comparison.recommending import Recommendation, recommend
from hierdp_core.evaluation.comparison.simulating import (
    Comparison,
    SimulatedCase,
    compare,
    simulate_cases,
)
from hierdp_core.evaluation.comparison.summary import overview, summarize, summarize_by_size
from hierdp_core.util.constraints import USUAL_DELTA

__all__ = [
    "MOST_CASES",
    "SCALES",
    "USUAL_DELTA",
    "Alike",
    "Axis",
    "Best",
    "Comparison",
    "Measure",
    "Recommendation",
    "SimulatedCase",
    "SizeClasses",
    "axes",
    "best",
    "case_digest",
    "comparable",
    "compare",
    "converted",
    "fitting_grid",
    "front",
    "grid",
    "labels",
    "measure_of",
    "measured_quantities",
    "measures",
    "only_public_to",
    "overview",
    "privacy_table",
    "recommend",
    "rivals",
    "simulate_cases",
    "summarize",
    "summarize_by_size",
    "table_digest",
    "with_options",
]
