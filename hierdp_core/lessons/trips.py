"""A lesson on false flows."""

from hierdp_core import samples
from hierdp_core.evaluation.errors import errors
from hierdp_core.lessons.kit import Field, Lesson, Outcome, Prediction, bars, checked_number
from hierdp_core.simulation import plan, simulate
from hierdp_core.util.constraints import USUAL_DELTA

_SAMPLE = "od-binary-sparse"
_WAYS = {
    "noise on every pair": "vanilla-gauss",
    "top-down": "inftda",
    "threshold": "stability-histogram",
}


def _false_flows(number: int) -> Outcome:
    """Compute the percentage of released pairs without a true trip, for three mechanisms."""
    table = samples.load(_SAMPLE).table
    spurious, missed = {}, {}
    for words, mechanism in _WAYS.items():
        mechanism_plan = plan(table, mechanism, epsilon=1, delta=USUAL_DELTA, accounting="simple")
        last = errors(table, simulate(table, mechanism_plan, seed=checked_number(number))).iloc[-1]
        spurious[words], missed[words] = 100 * float(last["fdr"]), 100 * float(last["fnr"])
    every, down, above = _WAYS
    return Outcome(
        value=spurious[every],
        bars=bars(**spurious),
        result=(
            f"With noise on every pair, {spurious[every]:.0f} of 100 released pairs have no true "
            f"trips. With a top-down mechanism, {spurious[down]:.0f} of 100 have none. A threshold "
            "mechanism adds noise to existing flows only, and releases those that reach a "
            "threshold: "
            f"{spurious[above]:.0f} of 100 have no true trips. Of 100 pairs with trips, the three "
            f"mechanisms miss {missed[every]:.0f}, {missed[down]:.0f} and {missed[above]:.0f}."
        ),
    )


def _judge(prediction: Prediction, outcome: Outcome) -> str:
    difference = int(prediction["invented"]) - outcome.value
    comment = "That is close."
    if abs(difference) > 10:
        comment = f"You expected too {'many' if difference > 0 else 'few'}."
    return (
        f"You expected {prediction['invented']} of 100, and it was {outcome.value:.0f}. {comment}"
    )


INVENTED_TRIPS = Lesson(
    id="invented-trips",
    title="Where false positives come from",
    minutes=3,
    story=(
        "256 areas form 65,536 pairs of an origin and a destination. People travel between 655 of "
        "these pairs, one in a hundred. An office adds noise to every pair (ε = 1, δ = 10⁻⁸). "
        "Pairs without trips get noise too, because it is confidential that nobody travels between "
        "two areas. The office publishes the pairs with a noisy count above 0."
    ),
    question="Of 100 released pairs, how many have no true trips?",
    fields=(Field(name="invented", label="False positives, of 100"),),
    run=_false_flows,
    judge=_judge,
    moral=(
        "Where almost all pairs are empty, the empty pairs with a noisy count above 0 outnumber "
        "the pairs with trips. A top-down mechanism measures nothing inside a pair of larger areas "
        "that it has set to 0. A threshold mechanism publishes no empty pair, but it misses small "
        "flows. Decide with the data users which matters more, false positives or missed flows."
    ),
    measure="false positives, of 100 released pairs",
    unit="of 100 released pairs",
    onward=("See flows on a map", "zoom", {"sample": "italy-commuting"}),
)
