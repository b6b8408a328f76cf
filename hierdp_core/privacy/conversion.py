"""Conversions between ρ and (ε, δ). Results are rounded in the safe direction: ε up, ρ down."""

import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from hierdp_core.privacy.numbers import Number, not_negative, probability, within_range
from hierdp_core.privacy.rounding import (
    float_down,
    float_up,
    lowered,
    raised,
    to_decimal,
    working_digits,
)

BUN_STEINKE = "ε = ρ + 2√(ρ ln(1/δ)) (Bun and Steinke 2016, Proposition 1.3)"
TIGHT = "smallest ε over Rényi orders (Canonne, Kamath and Steinke 2020, Corollary 13)"
PURE_TO_ZCDP = (
    "ρ is the sum over all measurements of half the square of their ε (Bun and Steinke 2016, "
    "Proposition 1.4)"
)

# ln(1 + 1/excess) loses as many of its 60 digits as the order has. From this ρ on, the order
# is below 1e18, for every δ down to 1e-300.
_OFF, _LEAST_RHO = Decimal("1e-40"), 1e-30


def epsilon_of_rho(rho: Number, *, delta: Number) -> float:
    """Return an ε for which ρ-zCDP implies (ε, δ)-DP.

    It is computed to 60 digits and rounded up. That of `epsilon_of_rho_tight` is at most as large.
    Source: Bun and Steinke 2016, Proposition 1.3.

    Raises:
        BudgetError: ρ is negative, or δ does not lie strictly between 0 and 1.

    >>> round(epsilon_of_rho(4.9622, delta=1e-10), 2)
    26.34
    """
    cost, log_inverse = _checked(rho, delta)
    with working_digits():
        loss = cost + 2 * (cost * log_inverse).sqrt()
    return float_up(raised(loss))


def epsilon_of_rho_tight(rho: Number, *, delta: Number) -> float:
    """Return the smaller of `epsilon_of_rho` and the ε of Corollary 13.

    ρ-zCDP implies (ε, δ)-DP for both. Every Rényi order gives an upper bound. The best order is
    searched for in floating point, and the bound at that order is computed to 60 digits and rounded
    up. If the search stops early, the result is therefore loose but still a bound. For ρ below
    1e-30 it is `epsilon_of_rho`.
    Source: Canonne, Kamath and Steinke 2020, Corollary 13.

    Raises:
        BudgetError: ρ is negative, or δ does not lie strictly between 0 and 1.

    >>> round(epsilon_of_rho_tight(2.5562255, delta=1e-10), 2)
    17.14
    """
    cost, log_inverse = _checked(rho, delta)
    size, width = float(cost), float(log_inverse)
    simple = epsilon_of_rho(rho, delta=delta)
    if size < _LEAST_RHO:
        return simple

    from scipy.optimize import minimize_scalar  # slow to load, and seldom needed

    def bound(log_excess: float) -> float:
        excess = math.exp(log_excess)  # the order is 1 + excess
        order = 1 + excess
        tail = width - log_excess + order * -math.log1p(1 / excess)
        return order * size + tail / excess

    near = math.log(math.sqrt(width / size) + 1e-300)
    orders = [
        minimize_scalar(bound, bounds=bounds, method="bounded", options={"xatol": 1e-10}).x
        for bounds in ((-20.0, 40.0), (near - 3, near + 3))
    ]
    bounds = [_bound_at(to_decimal(math.exp(order)), cost, log_inverse) for order in orders]
    return min(simple, max(0.0, float_up(min(bounds))))


def rho_of_epsilon(epsilon: Number, *, delta: Number) -> float:
    """Return the largest ρ that `epsilon_of_rho` converts to at most ε, rounded down.

    Source: Bun and Steinke 2016, Proposition 1.3, solved for ρ.

    Raises:
        BudgetError: ε is outside its range, or δ does not lie strictly between 0 and 1.

    >>> f"{rho_of_epsilon(1.0, delta=1e-8):.6g}"
    '0.0132154'
    """
    loss = to_decimal(within_range("epsilon", epsilon))
    _, log_inverse = _checked(0, delta)
    with working_digits():
        # (√(l + ε) − √l)² for l = ln(1/δ), in a form without cancellation for small ε.
        rho = (loss / ((log_inverse + loss).sqrt() + log_inverse.sqrt())) ** 2
    return float_down(lowered(rho))


@lru_cache(maxsize=256)
def rho_of_epsilon_tight(epsilon: Fraction, *, delta: Fraction) -> float:
    """Return a ρ for which `epsilon_of_rho_tight` is at most ε.

    The largest such ρ is larger by a factor of at most 1 + 10⁻⁹.

    Raises:
        BudgetError: ε is outside its range, or δ does not lie strictly between 0 and 1.

    >>> f"{rho_of_epsilon_tight(Fraction(1), delta=Fraction(1, 10**8)):.6g}"
    '0.0172053'
    """
    low = rho_of_epsilon(epsilon, delta=delta)
    high = 4 * low
    while epsilon_of_rho_tight(high, delta=delta) <= epsilon:
        low, high = high, 4 * high
    while high - low > 1e-9 * low:
        middle = (low + high) / 2
        if epsilon_of_rho_tight(middle, delta=delta) <= epsilon:
            low = middle
        else:
            high = middle
    return low


def _checked(rho: Number, delta: Number) -> tuple[Decimal, Decimal]:
    """Return ρ and ln(1/δ)."""
    cost = to_decimal(not_negative("rho", rho))
    with working_digits():
        return cost, -to_decimal(probability("delta", delta)).ln()


def _bound_at(excess: Decimal, rho: Decimal, log_inverse: Decimal) -> Decimal:
    """Return an upper bound on the ε that the order 1 + `excess` gives."""
    with working_digits():
        order = 1 + excess
        parts = (
            order * rho,
            log_inverse / excess,
            -excess.ln() / excess,
            -order * (1 + 1 / excess).ln() / excess,
        )
        # The terms may cancel, so an allowance for their errors is added.
        return sum(parts, Decimal(0)) + sum(map(abs, parts), Decimal(0)) * _OFF
