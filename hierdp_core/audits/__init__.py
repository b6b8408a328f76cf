"""Audits: what the outputs of a mechanism show of its privacy loss.

Run a mechanism many times on two tables that one person tells apart, choose an event on half
of the runs, count it on the other half, and bound the two probabilities. What comes out is a
lower bound on ε. It can expose a mechanism that loses more than it claims; it can never show
that one loses little: that is what the proofs of sensitivity are for.
"""

from hierdp_core.audits.laboratory import audit, audit_in_steps
from hierdp_core.audits.pairs import checked_pair, neighbour_of, pairs_for, pairs_of, worst_pairs
from hierdp_core.audits.result import (
    Audit,
    Claim,
    CurvePoint,
    Finding,
    PairFindings,
    ScoreCounts,
)
from hierdp_core.mechanisms.neighbours import Pair

__all__ = [
    "Audit",
    "Claim",
    "CurvePoint",
    "Finding",
    "Pair",
    "PairFindings",
    "ScoreCounts",
    "audit",
    "audit_in_steps",
    "checked_pair",
    "neighbour_of",
    "pairs_for",
    "pairs_of",
    "worst_pairs",
]
