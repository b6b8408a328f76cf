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
        "The median relative error of counties is about "
        f"{factor:,.0f} times the relative error of the nation."
        if households[0]
        else "The nation's error happened to be 0, so no ratio can be computed."
    )
    return Outcome(
        value=share[-1],
        bars=bars(**dict(zip(frame["level"], share, strict=True))),
        result=(
            f"The error was {nation} for the nation. For states, the median error was {state}, and "
            f"the median relative error was {share[1]:.2g}%. For counties, the median error was "
            f"{county}, and the median relative error was {share[2]:.2g}%. {ratio}"
        ),
    )


def _judge_zoom(prediction: Prediction, outcome: Outcome) -> str:
    values = outcome.bars["value"].tolist()
    prediction_words = (
        "You expected the median relative error of counties to be "
        f"{_THAN[str(prediction['factor'])]} the nation's."
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
        "Households by size are released for the United States, its states and its counties, with "
        "ε = 0.1 in total and a third of it for each level. The noise is equally strong at every "
        "level, but the numbers of households differ. The nation has 117 million. About "
        "half of the states have fewer than 1.7 million, and about half of the counties fewer than "
        "10,000. The "
        "nation's error is smaller still, because its number of housing units is public. The "
        "relative error of an area is the error of its number of households, divided by the true "
        "number."
    ),
    question="How large is the median relative error of counties, compared with the nation's?",
    fields=(
        Field(
            name="factor",
            label="Compared with the nation's, the median relative error of counties is",
            choices=_FACTORS,
        ),
    ),
    answer=_FACTORS[3],
    run=_zoom,
    judge=_judge_zoom,
    moral=(
        "The same noise is negligible for a nation and large for a village. Statistics of small "
        "areas need more budget, and any statement about error must name the level."
    ),
    measure="median relative error of counties, %",
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
            "Both releases have a total error of 200: 100 households are missing at size 1, and "
            "there are 100 too many at size 2 or at size 5. The earth mover's distance differs. In "
            "release A, 100 people would have to leave their households. In release B, it would be "
            "400. Now for the nation's households at ε = 0.01, in your simulation: with noise on "
            f"the count of each size, the distance is {distances['naive']:,.0f} people. With noise "
            f"on cumulative counts, it is {distances['cumulative']:,.0f} people."
        ),
    )


_SAME, _NEAR, _FAR = "equal total errors", "release A", "release B"


def _judge_distances(prediction: Prediction, outcome: Outcome) -> str:
    right = prediction["which"] == _SAME
    return (
        "You were right. Both releases have a total error of 200, although the sizes in release A "
        "are much closer to the true ones."
        if right
        else f"You expected {prediction['which']}. Both have a total error of 200, because the "
        "total error ignores how far the released sizes are from the true ones."
    )


EARTH_MOVER = Lesson(
    id="earth-mover",
    title="Measuring error in a distribution",
    minutes=3,
    story=(
        "A town has 100 households, all of one person. In release A, all 100 have two people. In "
        "release B, all 100 have five people. For each size, the error is the difference between "
        "the released and the true number of households. The total error adds up these "
        "differences, without their signs."
    ),
    question="Which release has the larger total error?",
    fields=(Field(name="which", label="Larger total error", choices=(_SAME, _NEAR, _FAR)),),
    answer=_SAME,
    run=_distances,
    judge=_judge_distances,
    moral=(
        "Sizes have an order, so to be wrong by one person is better than to be wrong by four. The "
        "earth mover's distance states how many people would have to join or leave groups to "
        "turn the released sizes into the true ones. It is stated for each level, because adding "
        "it up over levels would count the same people several times."
    ),
    measure="distance with noise on each size, divided by distance with noise on cumulative counts",
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
    rounded = "Rounded, this average differs from the true value."
    if mean < 0.5:
        rounded = "Rounded, this average equals the true value."
    return Outcome(
        value=float(noise.mean()),
        bars=bars(one_answer=typical, the_average_of_thirty=mean),
        result=paragraph(
            f"The mean absolute error of your {_ANSWERS} answers is {typical:.2g}.",
            f"The average of the {_ANSWERS} answers has an error of {mean:.2g}.",
            rounded,
            f"Together, the {_ANSWERS} answers have used ε = {_ANSWERS}.",
        ),
    )


_AS_FAR = "as large as the error of one answer"
_NEARER = "about a fifth of the error of one answer"
_NONE = "zero"


_ROOT = (
    "With independent noise, the error of an average is typically that of one answer, divided by "
    f"the square root of the number of answers. The square root of {_ANSWERS} is about 5.5. In a "
    "single simulation, the error can be larger or smaller."
)


def _judge_average(prediction: Prediction, outcome: Outcome) -> str:
    right = prediction["average"] == _NEARER
    return (
        f"You were right. {_ROOT}"
        if right
        else f"You expected that the error of the average is {prediction['average']}. {_ROOT}"
    )


WHERE_EPSILON_GOES = Lesson(
    id="where-epsilon-goes",
    title="How budgets add up",
    minutes=3,
    story=(
        f"An office answers the same question {_ANSWERS} times, with ε = 1 and fresh noise each "
        "time. Someone takes the average of the answers."
    ),
    question="How large is the error of this average, typically?",
    fields=(
        Field(
            name="average", label="The error of the average is", choices=(_AS_FAR, _NEARER, _NONE)
        ),
    ),
    answer=f"{_NEARER} (1/√{_ANSWERS} of it)",
    run=_average,
    judge=_judge_average,
    moral=(
        "Every query about the same people uses budget, and the budgets add up (composition). "
        f"{_ANSWERS} answers with ε = 1 together have ε = {_ANSWERS}. In a hierarchy, a person is "
        "counted in the nation, in a state and in a county, which are three queries. One budget is "
        "therefore divided between the levels."
    ),
    measure=f"average of the {_ANSWERS} answers minus the true value",
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
            f"{size + 1} people. Then {touched[-1]:,} cumulative sums of the counties change. The "
            f"nation and the states have such sums too, of which {touched[0]} and {touched[1]} "
            "change. The published noise, which claims ε = 1, covers one changed sum at each "
            f"level. The actual ε is {upper(true_epsilon, GUARANTEE_DIGITS)}."
        ),
    )


_PROOF = (
    "The paper's proof considers the cumulative sums of a single area, of which only one changes."
)


def _judge_chain(prediction: Prediction, outcome: Outcome) -> str:
    right = prediction["sums"] == _ALL
    return (
        f"You were right. {_PROOF}"
        if right
        else f"You expected {prediction['sums']}, but as many sums change as there are counties. "
        f"{_PROOF}"
    )


_ONE, _TWO, _ALL = "one", "two", "as many as there are counties"

BROKEN_PROOF = Lesson(
    id="broken-proof",
    title="When a privacy proof fails",
    minutes=3,
    story=(
        "A published mechanism puts the counts of all counties into one long list and computes its "
        "cumulative sums. First come the households of one person in county 1, in county 2 and so "
        "on up to county 3,143, then the households of two people in county 1. Its noise is "
        "sufficient if one person changes one cumulative sum by one. Now a household grows from "
        "one person to two."
    ),
    question="How many of the cumulative sums change?",
    fields=(Field(name="sums", label="Cumulative sums that change", choices=(_ONE, _TWO, _ALL)),),
    answer=_ALL,
    run=_chain,
    judge=_judge_chain,
    moral=(
        "A privacy claim is about all neighbouring datasets and every output. A lemma that holds "
        "for the sums of one area need not hold for the sums of a whole level. HierDP therefore "
        "verifies sensitivities by enumeration on small tables, and audits outputs."
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
