"""The range of budgets and the usual δ, for widgets, the command line and tests."""

from fractions import Fraction

SMALLEST_BUDGET = Fraction(1, 100_000)  # the smallest ε or ρ
LARGEST_BUDGET = Fraction(10_000)  # the largest ε or ρ
USUAL_DELTA = 1e-8
