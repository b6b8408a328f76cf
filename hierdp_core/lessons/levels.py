"""What gets better as one zooms out, where ε goes, and how a proof broke."""

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

_ANSWERS = 30
_FACTORS = ("the same", "10 times", "100 times", "1,000 times or more")


def _households() -> Table:
    return samples.load("us-households").table


def _zoom(number: int) -> Outcome:
    """The relative error of household counts at every level, in one draw."""
    table = _households()
    made = simulate(table, plan(table, "pgsr-h-dp", epsilon=0.1), seed=checked_number(number))
    frame = errors(table, made, quantity="occupied")
    # A tenth of a household stands for no error at all, which has no place on the axis.
    share = [max(100 * value, 1e-7) for value in frame["median_rel"]]
    households = frame["median_abs"]
    factor = float(f"{share[-1] / share[0]:.1g}")
    return Outcome(
        value=share[-1],
        bars=bars(**dict(zip(frame["level"], share, strict=True))),
        said=(
            f"The nation was off by {households[0]:.0f} households, the middle state by "
            f"{households[1]:,.0f}, which is {share[1]:.2g}%, the middle county by "
            f"{households[2]:,.0f}, which is {share[2]:.2g}%: about {factor:,.0f} times as much "
            "as the nation, in proportion."
        ),
    )


def _judge_zoom(prediction: Prediction, outcome: Outcome) -> str:
    values = outcome.bars["value"].tolist()
    power = min(3, max(0, round(math.log10(values[-1] / values[0]))))
    right = prediction["factor"] == _FACTORS[power]
    expected = str(prediction["factor"])
    expected += " as" if expected == _FACTORS[0] else ""
    found = "you were right" if right else f"here it was nearer to {_FACTORS[power]}"
    if not right and _FACTORS[power] == _FACTORS[-1]:
        found = f"here it was {_FACTORS[-1]}"
    return f"You expected the county's relative error to be {expected} the nation's; {found}."


ZOOM_OUT = Lesson(
    id="zoom-out",
    title="It gets better as you zoom out",
    minutes=2,
    story=(
        "Households of the United States, its states and counties, released together with "
        "ε = 0.1, a third for each level. The noise on one number has the same size on every "
        "level; "
        "the numbers have not: 117 million households, 1.6 million in the middle state, 10,000 "
        "in the middle county."
    ),
    question="How large is the middle county's relative error, against the nation's?",
    fields=(Field(name="factor", label="The county is off by", choices=_FACTORS),),
    run=_zoom,
    judge=_judge_zoom,
    moral=(
        "The same noise is nothing to a nation and much to a village. Who needs small places needs "
        "a larger share of the budget there, and who says “the error” must say on which level."
    ),
    measure="relative error of the middle county, %",
    unit="% (logarithmic)",
    logarithmic=True,
    onward=("Maps of it", "explore", {"sample": "us-households", "epsilon": "0.1"}),
)


def _distances(number: int) -> Outcome:
    """The earth mover's distance of two ways to release a histogram of sizes."""
    table = _households()
    seed = checked_number(number)
    nation = table.values[:1]
    found = {}
    for name, method in (("naive", "naive"), ("cumulative", "hc")):
        made = plan(table, "coc", epsilon=0.01, options={"methods": method})
        released = simulate(table, made, seed=seed).table.values
        found[name] = float(earth_movers_distance(nation, released[:1])[0])
    ratio = found["naive"] / max(found["cumulative"], 1e-9)
    return Outcome(
        value=ratio,
        bars=bars(noise_on_each_size=found["naive"], noise_on_running_sums=found["cumulative"]),
        said=(
            "By that sum A and B are both 200 off: 100 households are missing at size 1, and "
            "there are 100 too many at size 2 or at size 5. The earth mover's distance tells them "
            "apart: 100 people would have to leave in A, 400 in B. In your draw of the nation's "
            f"households, at ε = 0.01, noise on each size is {found['naive']:,.0f} people from "
            f"the truth, noise on running sums {found['cumulative']:,.0f}."
        ),
    )


_SAME, _NEAR, _FAR = "they count as equal", "size 2 counts as worse", "size 5 counts as worse"


def _judge_distances(prediction: Prediction, outcome: Outcome) -> str:
    right = prediction["which"] == _SAME
    return (
        "Right: size by size both are 200 off, although A is far nearer to the truth."
        if right
        else f"You said: {prediction['which']}. Size by size both are 200 off: that sum does not "
        "see how far the households have moved."
    )


EARTH_MOVER = Lesson(
    id="earth-mover",
    title="How far is a histogram off?",
    minutes=3,
    story=(
        "A town has 100 households, all of one person. Release A says that all 100 have two "
        "people; release B that all have five. Someone adds up the differences, size by size."
    ),
    question="Which release does that sum call worse?",
    fields=(Field(name="which", label="By the sum of differences", choices=(_SAME, _NEAR, _FAR)),),
    run=_distances,
    judge=_judge_distances,
    moral=(
        "Sizes have an order, so an error of one person is smaller than an error of four. The "
        "earth "
        "mover's distance counts the steps: how many people would have to join or leave groups. "
        "It is given for each level and never added over levels."
    ),
    measure="noise on each size: how many times as far as noise on running sums",
    unit="people, whole nation",
    onward=(
        "The curves for any place",
        "zoom",
        {"sample": "us-households", "mechanism": "coc", "epsilon": "0.1"},
    ),
)


def _average(number: int) -> Outcome:
    """One answer against the average of thirty, each with ε = 1."""
    event = GeometricEvent(level=0, query="", l1_sensitivity=1, scale=Fraction(1))
    noise = SeededNoise(checked_number(number), index=3).draw(event, (_ANSWERS,))
    typical, mean = float(np.abs(noise).mean()), abs(float(noise.mean()))
    return Outcome(
        value=float(noise.mean()),
        bars=bars(one_answer=typical, the_average_of_thirty=mean),
        said=(
            f"One answer is off by {typical:.2g} on average; the average of your {_ANSWERS} "
            f"answers "
            f"is off by {mean:.2g}. Rounded it says the truth "
            + ("exactly." if mean < 0.5 else "almost.")
            + f" Together the {_ANSWERS} answers have spent ε = {_ANSWERS}."
        ),
    )


_AS_FAR, _NEARER, _NONE = "as far as one answer", "about five times nearer", "not off at all"


def _judge_average(prediction: Prediction, outcome: Outcome) -> str:
    right = prediction["average"] == _NEARER
    return (
        "Right: noise that is drawn anew averages out, with the square root of how often."
        if right
        else f"You said: {prediction['average']}. It is about five times nearer, the square root "
        f"of {_ANSWERS}: noise that is drawn anew averages out."
    )


WHERE_EPSILON_GOES = Lesson(
    id="where-epsilon-goes",
    title="Where ε goes",
    minutes=3,
    story=(
        f"An office answers the same question {_ANSWERS} times, with ε = 1 and fresh noise each "
        "time. Someone takes the average."
    ),
    question="How far is the average from the truth?",
    fields=(Field(name="average", label="The average is", choices=(_AS_FAR, _NEARER, _NONE)),),
    run=_average,
    judge=_judge_average,
    moral=(
        "Every look at the same people spends, and what is spent adds up: thirty answers with ε "
        "= 1 "
        "are one release with ε = 30. That is why a hierarchy shares one budget over its levels: a "
        "person is counted in the nation, in a state and in a county, which are three looks."
    ),
    measure="the average of thirty answers, minus the truth",
    unit="people off",
    expected=0.0,
    onward=("The budget of a release, level by level", "privacy", {}),
)


def _chain(number: int) -> Outcome:
    """How many running sums of the chain one person moves, and what they spend in truth."""
    checked_number(number)
    table = _households()
    tree = table.tree
    leaf = tree.leaves.start
    before = table.values.astype(np.int64)
    moved = before.copy()
    size = int(np.flatnonzero(moved[leaf][1:-1])[0]) + 1
    for node in (leaf, int(tree.parent[leaf]), 0):
        moved[node, size] -= 1
        moved[node, size + 1] += 1
    mechanism = PgsrCChain(calibration="published")
    apart = mechanism.answer(moved, tree) - mechanism.answer(before, tree)
    touched = [int(np.count_nonzero(apart[tree.level(k)])) for k in range(tree.n_levels)]
    made = plan(table, mechanism, epsilon=1)
    true_epsilon = made.privacy.epsilon or math.nan
    return Outcome(
        value=touched[-1],
        bars=bars(claimed=1.0, spent_in_truth=true_epsilon),
        said=(
            f"One household in {table.regions.names[leaf]} grows from {size} to {size + 1}: "
            f"{touched[-1]:,} running sums of the counties move, {touched[1]} of the "
            f"states, {touched[0]} of the nation. Noise for one of each, as published, claims "
            f"ε = 1 and spends {upper(true_epsilon, GUARANTEE_DIGITS)}."
        ),
    )


def _judge_chain(prediction: Prediction, outcome: Outcome) -> str:
    right = prediction["sums"] == _ALL
    return (
        "Right. The paper's proof looked at the running sum of one region, where it is one."
        if right
        else f"You said: {prediction['sums']}. So did the paper's proof, or nearly: it looked at "
        "the running sum of a single region."
    )


_ONE, _TWO, _ALL = "one", "two", "as many as there are counties"

BROKEN_PROOF = Lesson(
    id="broken-proof",
    title="How a proof broke",
    minutes=3,
    story=(
        "A published mechanism writes down one long running sum over all counties: households of "
        "one person in county 1, in county 2, … in county 3,143, then households of two people "
        "in county 1, and so on. It adds noise to every running sum as if one person could move "
        "one of them by one. Somebody moves in: a household grows from one person to two."
    ),
    question="How many of the running sums change?",
    fields=(Field(name="sums", label="Running sums that change", choices=(_ONE, _TWO, _ALL)),),
    run=_chain,
    judge=_judge_chain,
    moral=(
        "A privacy claim is a claim about every neighbour and every output, and a lemma may hold "
        "for a part and not for the whole. That is why sensitivities here are counted out over all "
        "small tables in tests, and why outputs are audited."
    ),
    measure="running sums that change, of the counties",
    unit="ε (logarithmic)",
    logarithmic=True,
    onward=(
        "Catch it from its outputs alone",
        "privacy",
        {"part": "laboratory"},
    ),
)
