"""From ρ to (ε, δ) and back. Results are rounded the safe way: ε up, ρ down."""

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
PURE_TO_ZCDP = "ρ is the sum over levels of ε²/2 (Bun and Steinke 2016, Proposition 1.4)"

# ln(1 + 1/excess) loses as many of 60 digits as the order has, which is below 1e18.
_OFF = Decimal("1e-40")


def epsilon_of_rho(rho: Number, *, delta: Number) -> float:
    """Return an ε at which ρ-zCDP gives (ε, δ)-DP.

    An upper bound, a little loose, never an underestimate: worked out to 60 digits and rounded up.
    Source: Bun and Steinke 2016, Proposition 1.3.

    Raises:
        BudgetError: ρ is negative, or δ is no probability.

    >>> round(epsilon_of_rho(4.9622, delta=1e-10), 2)
    26.34
    """
    cost, log_inverse = _checked(rho, delta)
    with working_digits():
        loss = cost + 2 * (cost * log_inverse).sqrt()
    return float_up(raised(loss))


def epsilon_of_rho_tight(rho: Number, *, delta: Number) -> float:
    """Return the smallest ε known at which ρ-zCDP gives (ε, δ)-DP.

    Every Rényi order gives an upper bound. The order is searched for in floating point, and the
    bound at that order is worked out to 60 digits and rounded up, so a search that stops early is
    loose, never wrong. Source: Canonne, Kamath and Steinke 2020, Corollary 13.

    Raises:
        BudgetError: ρ is negative, or δ is no probability.

    >>> round(epsilon_of_rho_tight(2.5562255, delta=1e-10), 2)
    17.14
    """
    cost, log_inverse = _checked(rho, delta)
    size, width = float(cost), float(log_inverse)
    simple = epsilon_of_rho(rho, delta=delta)
    if not size:
        return simple

    from scipy.optimize import minimize_scalar  # slow to load, and seldom asked for

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
    """Return the ρ that (ε, δ) buys: the inverse of `epsilon_of_rho`, rounded down.

    Raises:
        BudgetError: ε lies outside its range, or δ is no probability.

    >>> f"{rho_of_epsilon(1.0, delta=1e-8):.6g}"
    '0.0132154'
    """
    loss = to_decimal(within_range("epsilon", epsilon))
    _, log_inverse = _checked(0, delta)
    with working_digits():
        # (√(l + ε) − √l)², written so that small ε does not cancel.
        rho = (loss / ((log_inverse + loss).sqrt() + log_inverse.sqrt())) ** 2
    return float_down(lowered(rho))


@lru_cache(maxsize=256)
def rho_of_epsilon_tight(epsilon: Fraction, *, delta: Fraction) -> float:
    """Return a ρ for which `epsilon_of_rho_tight` is at most ε, within 1e-9 of the largest one.

    Raises:
        BudgetError: ε lies outside its range, or δ is no probability.

    >>> f"{rho_of_epsilon_tight(Fraction(1), delta=Fraction(1, 10**8)):.6g}"
    '0.0172053'
    """
    low = rho_of_epsilon(epsilon, delta=delta)
    high = 4 * low
    while epsilon_of_rho_tight(high, delta=delta) <= epsilon:
        low, high = high, 4 * high
    while high - low > 1e-9 * low:
        # The curve is nearly straight: bisection alone would take three times as many steps.
        middle = (low + high) / 2
        if epsilon_of_rho_tight(middle, delta=delta) <= epsilon:
            low = middle
        else:
            high = middle
    return low


def _checked(rho: Number, delta: Number) -> tuple[Decimal, Decimal]:
    """ρ and ln(1/δ)."""
    cost = to_decimal(not_negative("rho", rho))
    with working_digits():
        return cost, -to_decimal(probability("delta", delta)).ln()


def _bound_at(excess: Decimal, rho: Decimal, log_inverse: Decimal) -> Decimal:
    """An upper bound on the ε of the order 1 + `excess`."""
    with working_digits():
        order = 1 + excess
        parts = (
            order * rho,
            log_inverse / excess,
            -excess.ln() / excess,
            -order * (1 + 1 / excess).ln() / excess,
        )
        # The parts may cancel, so their error is allowed for before they are added.
        return sum(parts, Decimal(0)) + sum(map(abs, parts), Decimal(0)) * _OFF
