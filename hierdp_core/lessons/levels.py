"""Lessons on levels: accuracy by size of area, distances, composition, and a wrong proof."""

import math
from fractions import Fraction

import numpy as np

from hierdp_core import samples
from hierdp_core.evaluation.errors import earth_movers_distance, errors
from hierdp_core.lessons.kit import Field, Lesson, Outcome, Prediction, bars, checked_number
from hierdp_core.mechanisms import PgsrCChain
from hierdp_core.noise import SeededNoise
from hierdp_core.privacy import GeometricEvent
from hierdp_core.privacy.rounding import GUARANTEE_DIGITS, upper
from hierdp_core.simulation import plan, simulate
from hierdp_core.tables import Table
from hierdp_core.util.text import counted, paragraph

_ANSWERS = 30
_STAND_IN = 1e-7  # %, a tenth of a household: an error of 0 has no place on a logarithmic axis
_LARGEST = "1,000"
_FACTORS = ("the same", "10 times", "100 times", f"{_LARGEST} times or more")
_THAN = dict(
    zip(_FACTORS, ("the same as", *_FACTORS[1:3], f"at least {_LARGEST} times"), strict=True)
)


def _households() -> Table:
    return samples.load("us-households").table


def _zoom(number: int) -> Outcome:
    """Compute the relative error of household counts at every level, in one simulation."""
    table = _households()
    simulation = simulate(table, plan(table, "pgsr-h-dp", epsilon=0.1), seed=checked_number(number))
    frame = errors(table, simulation, quantity="occupied")
    share = [max(100 * value, _STAND_IN) for value in frame["median_rel"]]
    households = frame["median_abs"]
    factor = float(f"{share[-1] / share[0]:.1g}")
    nation, state, county = (counted(round(error), "household") for error in households)
    ratio = (
        f"The relative error of the median county is about {factor:,.0f} times that of the nation."
        if households[0]
        else "The error for the nation happened to be 0, so no ratio can be computed."
    )
    return Outcome(
        value=share[-1],
        bars=bars(**dict(zip(frame["level"], share, strict=True))),
        result=(
            f"The error was {nation} for the nation. For states, the median error was {state}, and "
            f"the median relative error was {share[1]:.2g}%. For counties, they were {county} and "
            f"{share[2]:.2g}%. {ratio}"
        ),
    )


def _judge_zoom(prediction: Prediction, outcome: Outcome) -> str:
    values = outcome.bars["value"].tolist()
    prediction_words = (
        f"You expected the county's relative error to be {_THAN[str(prediction['factor'])]} the "
        "nation's."
    )
    if values[0] <= _STAND_IN:
        return (
            f"{prediction_words} In your simulation, the nation's error is 0, so the two cannot be "
            "compared."
        )
    ratio = values[-1] / values[0]
    power = min(3, max(0, round(math.log10(ratio))))
    if prediction["factor"] == _FACTORS[power]:
        verdict = "You were right."
    elif power == 0:
        verdict = "In your simulation, the two were about the same."
    else:
        about = f"at least {_LARGEST} times" if ratio >= 1000 else f"closer to {10**power:,} times"
        verdict = f"In your simulation, it was {about} the nation's."
    return f"{prediction_words} {verdict}"


ZOOM_OUT = Lesson(
    id="zoom-out",
    title="Larger areas have smaller relative errors",
    minutes=2,
    story=(
        "Households of the United States, its states and counties are released together with "
        "ε = 0.1, a third for each level. Each count by size gets noise of the same size at every "
        "level, but the counts differ: 117 million households in the nation, 1.7 million in the "
        "median state and 10,000 in the median county. The nation's error is smaller still, "
        "because its number of housing units is public."
    ),
    question="How large is the median county's relative error, compared with the nation's?",
    fields=(Field(name="factor", label="The county's relative error is", choices=_FACTORS),),
    answer=_FACTORS[3],
    run=_zoom,
    judge=_judge_zoom,
    moral=(
        "The same noise is negligible for a nation and large for a village. Small-area statistics "
        "need more budget, and any statement about error must name the level."
    ),
    measure="relative error of the median county, %",
    unit="%, log scale",
    logarithmic=True,
    onward=("See the maps", "explore", {"sample": "us-households", "epsilon": "0.1"}),
)


def _distances(number: int) -> Outcome:
    """Compute the earth mover's distance of two ways to release a histogram of sizes."""
    table = _households()
    seed = checked_number(number)
    nation = table.values[:1]
    distances = {}
    for name, method in (("naive", "naive"), ("cumulative", "hc")):
        method_plan = plan(table, f"coc: methods={method}", epsilon=0.01)
        released = simulate(table, method_plan, seed=seed).table.values
        distances[name] = float(earth_movers_distance(nation, released[:1])[0])
    ratio = distances["naive"] / max(distances["cumulative"], 1e-9)
    return Outcome(
        value=ratio,
        bars=bars(
            noise_on_each_size=distances["naive"],
            noise_on_cumulative_counts=distances["cumulative"],
        ),
        result=(
            "Both have a total error of 200: 100 households are missing at size 1, and there are "
            "100 too many at size 2 or at size 5. The earth mover's distance differs: 100 people "
            "would have to leave in A, 400 in B. In your simulation of the nation's households "
            f"at ε = 0.01, the distance is {distances['naive']:,.0f} people with noise on each "
            f"size, and {distances['cumulative']:,.0f} with noise on cumulative counts."
        ),
    )


_SAME, _NEAR, _FAR = "equal", "release A", "release B"


def _judge_distances(prediction: Prediction, outcome: Outcome) -> str:
    right = prediction["which"] == _SAME
    return (
        "Right: both have a total error of 200, although A is much closer to the true sizes."
        if right
        else f"Your answer was: {prediction['which']}. Both have a total error of 200, because "
        "that sum ignores how far the released sizes are from the true ones."
    )


EARTH_MOVER = Lesson(
    id="earth-mover",
    title="Measuring error in a distribution",
    minutes=3,
    story=(
        "A town has 100 households, all of one person. In release A, all 100 have two people. In "
        "release B, all 100 have five. Someone adds up the differences, size by size."
    ),
    question="Which release has the larger total error?",
    fields=(Field(name="which", label="Larger total error", choices=(_SAME, _NEAR, _FAR)),),
    answer="they are equal",
    run=_distances,
    judge=_judge_distances,
    moral=(
        "Sizes have an order, so an error of one person is smaller than an error of four. The "
        "earth mover's distance counts how many people would have to join or leave groups. It is "
        "given for each level and never added over levels."
    ),
    measure="distance with noise on each size, divided by that with noise on cumulative counts",
    unit="people, whole nation",
    onward=(
        "See the curves of any area",
        "zoom",
        {"sample": "us-households", "mechanism": "coc", "epsilon": "0.1"},
    ),
)


def _average(number: int) -> Outcome:
    """Compare one answer with the average of thirty, each with ε = 1."""
    event = GeometricEvent(level=0, query="", l1_sensitivity=1, scale=Fraction(1))
    noise = SeededNoise(checked_number(number), index=3).draw(event, (_ANSWERS,))
    typical, mean = float(np.abs(noise).mean()), abs(float(noise.mean()))
    rounded = "Rounded, this average is close to the true value."
    if mean < 0.5:
        rounded = "Rounded, this average equals the true value."
    return Outcome(
        value=float(noise.mean()),
        bars=bars(one_answer=typical, the_average_of_thirty=mean),
        result=paragraph(
            f"On average, each of your {_ANSWERS} answers has an error of {typical:.2g}.",
            f"The average of the {_ANSWERS} answers has an error of {mean:.2g}.",
            rounded,
            f"Together the {_ANSWERS} answers have used ε = {_ANSWERS}.",
        ),
    )


_AS_FAR = "as large as the error of one answer"
_NEARER = "about a fifth of the error of one answer"
_NONE = "zero"


def _judge_average(prediction: Prediction, outcome: Outcome) -> str:
    right = prediction["average"] == _NEARER
    return (
        "Right: with independent noise, the error of an average is about that of one answer, "
        "divided by the square root of the number of answers."
        if right
        else f"Your answer was: {prediction['average']}. The error is about a fifth of that of "
        "one answer. With independent noise, it is about that of one answer, divided by the square "
        f"root of the number of answers, and the square root of {_ANSWERS} is about 5.5."
    )


WHERE_EPSILON_GOES = Lesson(
    id="where-epsilon-goes",
    title="How budgets add up",
    minutes=3,
    story=(
        f"An office answers the same question {_ANSWERS} times, with ε = 1 and fresh noise each "
        "time. Someone takes the average."
    ),
    question="How large is the error of the average?",
    fields=(
        Field(
            name="average", label="The error of the average is", choices=(_AS_FAR, _NEARER, _NONE)
        ),
    ),
    answer=f"about a fifth of that of one answer (1/√{_ANSWERS})",
    run=_average,
    judge=_judge_average,
    moral=(
        "Every query on the same people uses budget, and budgets add up (composition). Thirty "
        "answers with ε = 1 are one release with ε = 30. That is why a hierarchy allocates one "
        "budget over its levels: a person is counted in the nation, a state and a county, which "
        "are three queries."
    ),
    measure="the average of thirty answers, minus the true value",
    unit="error, people",
    expected=0.0,
    onward=("See the budget of a release by level", "privacy", {}),
)


def _chain(number: int) -> Outcome:
    """Count the cumulative sums of the chain that one person changes, and their actual ε."""
    checked_number(number)
    table = _households()
    tree = table.tree
    leaf = tree.leaves.start
    before = table.values.astype(np.int64)
    after = before.copy()
    size = int(np.flatnonzero(after[leaf][1:-1])[0]) + 1
    for node in (leaf, int(tree.parent[leaf]), 0):
        after[node, size] -= 1
        after[node, size + 1] += 1
    mechanism = PgsrCChain(calibration="published")
    difference = mechanism.answer(after, tree) - mechanism.answer(before, tree)
    touched = [int(np.count_nonzero(difference[tree.level(k)])) for k in range(tree.n_levels)]
    chain_plan = plan(table, mechanism, epsilon=1)
    true_epsilon = chain_plan.privacy.epsilon or math.nan
    return Outcome(
        value=touched[-1],
        bars=bars(claimed_ε=1.0, actual_ε=true_epsilon),
        result=(
            f"One household in {table.regions.names[leaf]} grows from {counted(size, 'person')} to "
            f"{size + 1}. Then "
            f"{touched[-1]:,} cumulative sums of the counties change, {touched[1]} of the states "
            f"and {touched[0]} of the nation. The published noise covers one changed sum at each "
            "level, for a claim of ε = 1. The actual ε is "
            f"{upper(true_epsilon, GUARANTEE_DIGITS)}."
        ),
    )


def _judge_chain(prediction: Prediction, outcome: Outcome) -> str:
    right = prediction["sums"] == _ALL
    return (
        "Right. The paper's proof considered the cumulative sums of a single region, of which only "
        "one changes."
        if right
        else f"Your answer was: {prediction['sums']}. The paper's proof made a similar "
        "assumption: it considered the cumulative sums of a single region."
    )


_ONE, _TWO, _ALL = "one", "two", "as many as there are counties"

BROKEN_PROOF = Lesson(
    id="broken-proof",
    title="When a privacy proof fails",
    minutes=3,
    story=(
        "A published mechanism computes one long cumulative sum over all counties. It begins with "
        "households of one person in county 1, in county 2, … in county 3,143, and goes on with "
        "households of two people in county 1. Its noise assumes that one person changes one "
        "cumulative sum by one. One person moves in: a household grows from one person to two."
    ),
    question="How many of the cumulative sums change?",
    fields=(Field(name="sums", label="Cumulative sums that change", choices=(_ONE, _TWO, _ALL)),),
    answer=_ALL,
    run=_chain,
    judge=_judge_chain,
    moral=(
        "A privacy claim covers all neighbouring datasets and every output. A lemma that holds for "
        "the sums of one region need not hold for those of a whole level. That is why "
        "sensitivities are verified by enumeration on small tables, and outputs are audited."
    ),
    measure="cumulative sums of the counties that change",
    unit="ε, log scale",
    logarithmic=True,
    onward=(
        "Detect the error with an audit",
        "privacy",
        {"part": "laboratory"},
    ),
)
