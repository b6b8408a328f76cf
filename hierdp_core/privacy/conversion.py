"""From ρ to (ε, δ) and back."""

import math

from hierdp_core.privacy.numbers import not_negative, probability, within_range

BUN_STEINKE = "ε = ρ + 2√(ρ ln(1/δ)) (Bun and Steinke 2016, Proposition 1.3)"
TIGHT = "least ε over Rényi orders (Canonne, Kamath and Steinke 2020, Corollary 13)"
PURE_TO_ZCDP = "ρ is the sum over levels of ε²/2 (Bun and Steinke 2016, Proposition 1.4)"


def epsilon_of_rho(rho: float, *, delta: float) -> float:
    """An ε at which ρ-zCDP gives (ε, δ)-DP.

    An upper bound, a little loose, never an underestimate.
    Source: Bun and Steinke 2016, Proposition 1.3.

    >>> round(epsilon_of_rho(4.9622, delta=1e-10), 2)
    26.34
    """
    rho, delta = float(not_negative("rho", rho)), float(probability("delta", delta))
    return rho + 2 * math.sqrt(rho * -math.log(delta))


def epsilon_of_rho_tight(rho: float, *, delta: float) -> float:
    """The least ε known at which ρ-zCDP gives (ε, δ)-DP.

    Every Rényi order gives an upper bound; the least is taken, so a search that stops
    early is loose, never wrong. Source: Canonne, Kamath and Steinke 2020, Corollary 13.

    >>> round(epsilon_of_rho_tight(2.5562255, delta=1e-10), 2)
    17.14
    """
    rho, delta = float(not_negative("rho", rho)), float(probability("delta", delta))
    if rho == 0:
        return 0.0

    from scipy.optimize import minimize_scalar  # slow to load, and seldom asked for

    def bound(log_excess: float) -> float:
        excess = math.exp(log_excess)  # the order is 1 + excess
        order = 1 + excess
        tail = -math.log(delta) - log_excess + order * -math.log1p(1 / excess)
        return order * rho + tail / excess

    best = minimize_scalar(bound, bounds=(-20.0, 40.0), method="bounded", options={"xatol": 1e-10})
    near = math.log(math.sqrt(-math.log(delta) / rho) + 1e-300)
    near_best = minimize_scalar(
        bound, bounds=(near - 3, near + 3), method="bounded", options={"xatol": 1e-10}
    )
    found = min(float(best.fun), float(near_best.fun), epsilon_of_rho(rho, delta=delta))
    return max(0.0, found)


def rho_of_epsilon(epsilon: float, *, delta: float) -> float:
    """The ρ that (ε, δ) buys: the inverse of `epsilon_of_rho`, rounded down.

    >>> f"{rho_of_epsilon(1.0, delta=1e-8):.6g}"
    '0.0132154'
    """
    epsilon = float(within_range("epsilon", epsilon))
    log_inverse = -math.log(float(probability("delta", delta)))
    # (√(l + ε) − √l)², written so that small ε does not cancel.
    rho = (epsilon / (math.sqrt(log_inverse + epsilon) + math.sqrt(log_inverse))) ** 2
    while epsilon_of_rho(rho, delta=delta) > epsilon:
        rho = math.nextafter(rho, 0.0) * (1 - 1e-15)
    return rho
