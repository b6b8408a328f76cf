"""Audits: what the outputs of a mechanism show of its privacy loss.

An audit runs a mechanism many times on two tables that differ by one person. It chooses an event
on half of the runs, counts it on the other half, and bounds the two probabilities. The result is
a lower bound on ε. It can expose a mechanism that loses more than it claims. It cannot show that a
mechanism loses little; that is what the proofs of sensitivity are for.
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
