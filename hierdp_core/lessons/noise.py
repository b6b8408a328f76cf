"""Lessons: why noise is added, why noisy numbers do not add up, and how that is corrected."""

import math
from fractions import Fraction

import numpy as np

from hierdp_core.explain.tree_steps import PAPER_NOISY
from hierdp_core.lessons.kit import Field, Lesson, Outcome, Prediction, bars, checked_number
from hierdp_core.noise import SeededNoise
from hierdp_core.privacy import GeometricEvent, belief
from hierdp_core.privacy.rounding import percent_up, stated
from hierdp_core.util.text import join_and

_ROUNDS = 20
_EPSILON = Fraction(1, 2)
# The rule is right unless the noise goes the wrong way by one or more: 1/(1 + q).
_RIGHT = _ROUNDS / (1 + math.exp(-float(_EPSILON)))
_NEAR = 2  # months; the standard deviation of the months with a right guess is 2.2
_STATES = 51
_RELEASES = 100
_NATION = 308_745_538
_US, _GA, _NY = PAPER_NOISY


def _noise(number: int, epsilon: Fraction, shape: tuple[int, ...], *, index: int) -> np.ndarray:
    event = GeometricEvent(level=0, query="", l1_sensitivity=1, scale=1 / epsilon)
    return SeededNoise(checked_number(number), index=index).draw(event, shape)


def _guess(number: int) -> Outcome:
    """Count the right guesses over twenty published counts, with Maria in half at random."""
    present = np.random.default_rng((number, 1)).random(_ROUNDS) < 0.5
    published = 12 + present + _noise(number, _EPSILON, (_ROUNDS,), index=1)
    right = int(((published >= 13) == present).sum())
    return Outcome(
        value=right,
        bars=bars(exact_counts=_ROUNDS, noisy_counts=right, tossing_a_coin=_ROUNDS / 2),
        result=(
            f"You said “Maria is there” whenever the published number was 13 or more. You were "
            f"right in {right} of {_ROUNDS} months. With exact numbers, you would have been right "
            f"in all {_ROUNDS} months. By tossing a coin, you would be right in {_ROUNDS // 2} "
            "months on average."
        ),
    )


def _judge_guess(prediction: Prediction, outcome: Outcome) -> str:
    expected, right = int(prediction["right"]), outcome.value
    start = (
        f"You expected to be right in {expected} of {_ROUNDS} months, and were right in "
        f"{right:.0f}."
    )
    mean = f"On average, your rule is right in {_RIGHT:.1f} of {_ROUNDS} months."
    if abs(expected - right) <= _NEAR:
        return f"{start} That is close."
    if abs(expected - _RIGHT) <= _NEAR:
        return f"{start} {mean} Your expectation was good, and chance made the difference."
    return f"{start} {mean} Chance often changes this by 2 or 3 months."


WHY_NOISE = Lesson(
    id="why-noise",
    title="Why noise",
    minutes=2,
    story=(
        "Each month, a statistical office publishes how many people live in a hamlet. You know "
        "that twelve people always live there. Each month, Maria lives there too with a "
        "probability of one half, and the true number is then 13. The office adds noise with "
        f"ε = {stated(_EPSILON)} to each number. In each of {_ROUNDS} months, you say “Maria is "
        "there” if the published number is 13 or more."
    ),
    question=f"In how many of the {_ROUNDS} months will you be right?",
    fields=(Field(name="right", label="Months in which I am right", most=_ROUNDS),),
    run=_guess,
    judge=_judge_guess,
    moral=(
        "An exact count reveals one person to anyone who knows the others. Noise leaves doubt: "
        f"at ε = {stated(_EPSILON)}, no rule for guessing is right more than "
        f"{percent_up(belief(float(_EPSILON), 0.5).most)} of the time on average. This holds for "
        "each single release. Many releases about the same fact can remove the doubt."
    ),
    measure=f"months with a right guess, of {_ROUNDS}",
    unit="months with a right guess",
    expected=_RIGHT,
    onward=("Explore what ε means", "privacy", {}),
)


def _gaps(number: int) -> Outcome:
    """Compare the nation with the sum of its states; all numbers have independent noise."""
    noise = _noise(number, Fraction(1, 2), (_RELEASES, _STATES + 1), index=2)
    gap = np.abs(noise[:, 0] - noise[:, 1:].sum(axis=1))
    agree = int((gap == 0).sum())
    mean = float(gap.mean())
    return Outcome(
        value=agree,
        bars=bars(add_up=agree, do_not_add_up=_RELEASES - agree),
        result=(
            f"In {agree} of {_RELEASES} simulated releases, the states added up to the nation. On "
            f"average, the sum of the states differed by {mean:.0f} people from the nation's "
            f"number. The largest difference was {gap.max():.0f} people, of {_NATION:,}."
        ),
    )


def _judge_gaps(prediction: Prediction, outcome: Outcome) -> str:
    return (
        f"You expected {prediction['agree']} of {_RELEASES} releases to add up, and "
        f"{outcome.value:.0f} did. Each of the {_STATES + 1} numbers has its own noise, so they "
        "add up only by chance."
    )


NOT_ADDING_UP = Lesson(
    id="not-adding-up",
    title="Noise does not add up",
    minutes=2,
    story=(
        f"The population of the nation and of its {_STATES} states (with the District of Columbia) "
        f"is counted. Each of the {_STATES + 1} numbers gets its own noise, with ε = 0.5 for the "
        "nation and ε = 0.5 for the level of states. A newspaper adds up the states, and compares "
        "the sum with the nation's number."
    ),
    question=f"In how many of {_RELEASES} releases will the states add up to the nation exactly?",
    fields=(Field(name="agree", label="Releases that add up", most=_RELEASES),),
    run=_gaps,
    judge=_judge_gaps,
    moral=(
        "Numbers with independent noise seldom add up. The more areas are added, the larger the "
        "difference is on average. Readers may take it for a mistake. Post-processing makes the "
        "numbers add up. It uses the noisy numbers and public facts only, so it spends no budget."
    ),
    measure=f"releases that add up, of {_RELEASES}",
    unit="releases",
    onward=None,
)


def _cost(ga: int, ny: int) -> int:
    return (ga - _GA) ** 2 + (ny - _NY) ** 2 + (ga + ny - _US) ** 2


def _repair(number: int) -> Outcome:
    """Compute the cost of every choice of up to six units per state, and the lowest cost."""
    checked_number(number)
    costs = {(ga, ny): _cost(ga, ny) for ga in range(7) for ny in range(7)}
    least = min(costs.values())
    best = [pair for pair, cost in costs.items() if cost == least]
    cheapest = sorted(costs.items(), key=lambda item: item[1])[:6]
    frame = bars(**{f"{ga}_+_{ny}_=_{ga + ny}": float(cost) for (ga, ny), cost in cheapest})
    names = join_and([f"{ga} + {ny} = {ga + ny}" for ga, ny in best])
    return Outcome(
        value=least,
        bars=frame,
        result=(
            f"The lowest cost is {least}. These choices have it: {names}. A solver finds one of "
            "them without trying all choices."
        ),
    )


def _judge_repair(prediction: Prediction, outcome: Outcome) -> str:
    ga, ny = int(prediction["ga"]), int(prediction["ny"])
    cost = _cost(ga, ny)
    verdict = (
        "No choice has a lower cost, so yours is an optimum."
        if cost == outcome.value
        else f"The lowest possible cost is {outcome.value:.0f}."
    )
    return (
        f"You chose Georgia {ga}, New York {ny} and United States {ga + ny}. The cost is "
        f"({ga} − {_GA})² + ({ny} − {_NY})² + ({ga + ny} − {_US})² = {cost}. {verdict}"
    )


REPAIR = Lesson(
    id="repair",
    title="Post-processing by hand",
    minutes=3,
    story=(
        "In a small example, a nation has two states. The noisy counts of their households of one "
        f"size are {_GA} for Georgia, {_NY} for New York and {_US} for the United States, which do "
        "not add up. Choose a non-negative integer for each state. The nation's count is their "
        "sum. The cost of a choice is the sum of the squared differences between the three counts "
        "and their noisy counts. The lower it is, the better."
    ),
    question="Which numbers do you choose?",
    fields=(
        Field(name="ga", label="Georgia", most=6),
        Field(name="ny", label="New York", most=6),
    ),
    run=_repair,
    judge=_judge_repair,
    moral=(
        "All three counts are noisy, so any of them may change. The table of a whole country can "
        "have millions of numbers. A solver then finds a closest table that adds up, by combining "
        "costs from the last level upwards."
    ),
    measure="lowest cost",
    unit="cost",
    onward=("See the method step by step", "inside", {}),
)
