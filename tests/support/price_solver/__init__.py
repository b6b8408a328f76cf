"""The tree program by prices, exact and slow: what the solver is compared with."""

from support.price_solver.solver import LARGEST_WEIGHT, solve_by_prices

__all__ = ["LARGEST_WEIGHT", "solve_by_prices"]
