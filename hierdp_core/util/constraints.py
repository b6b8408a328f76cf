"""Ranges and defaults, each in one place: widgets, the command line and tests read them here."""

from fractions import Fraction

SMALLEST_BUDGET = Fraction(1, 100_000)  # the smallest ε or ρ
LARGEST_BUDGET = Fraction(10_000)
USUAL_DELTA = 1e-8
