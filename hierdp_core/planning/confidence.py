"""What a number of draws makes sure (Clopper and Pearson 1934, one-sided)."""

from functools import cache

from hierdp_core.exceptions import ChoiceError


@cache
def at_least(hits: int, draws: int, confidence: float) -> float:
    """The chance that is surely reached when `hits` of `draws` did.

    >>> round(at_least(59, 59, 0.95), 3)
    0.95
    """
    from scipy.stats import beta

    return float(beta.ppf(1 - confidence, hits, draws - hits + 1)) if hits else 0.0


@cache
def at_most(hits: int, draws: int, confidence: float) -> float:
    """The chance that is surely not exceeded when `hits` of `draws` did."""
    from scipy.stats import beta

    return float(beta.ppf(confidence, hits + 1, draws - hits)) if hits < draws else 1.0


@cache
def hits_needed(draws: int, reliability: float, confidence: float) -> int:
    """The least number of draws that must reach the targets to be sure of `reliability`.

    Raises:
        ChoiceError: not even all of them would do.
    """
    low, high = 0, draws + 1
    while high - low > 1:
        middle = (low + high) // 2
        if at_least(middle, draws, confidence) >= reliability:
            high = middle
        else:
            low = middle
    if high > draws:
        least = draws
        while at_least(least, least, confidence) < reliability:
            least += 1
        raise ChoiceError(
            f"{draws} draws cannot show that {reliability:.4g} of all draws reach a target; "
            f"at least {least} are needed."
        )
    return high


@cache
def hits_too_few(draws: int, reliability: float, confidence: float) -> int:
    """The largest number of hits that shows that `reliability` is not reached; −1 if none."""
    hits = -1
    while hits < draws and at_most(hits + 1, draws, confidence) < reliability:
        hits += 1
    return hits
