"""Audits: what the outputs of a mechanism show about its privacy loss.

An audit runs a mechanism many times on two tables that differ by one record. It chooses an event
on the first runs, at most half of them, and counts it on the others. The counts bound the
probabilities of the event on the two tables. The result is a lower bound on ε. It can expose a
mechanism whose privacy loss is larger than claimed. It cannot show that the loss is small; proofs
of sensitivity do that.
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
