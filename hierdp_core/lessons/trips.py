"""A lesson on false flows."""

from hierdp_core import samples
from hierdp_core.evaluation.errors import errors
from hierdp_core.lessons.kit import Field, Lesson, Outcome, Prediction, bars, checked_number
from hierdp_core.simulation import plan, simulate
from hierdp_core.util.constraints import USUAL_DELTA

_SAMPLE = "od-binary-sparse"
_WAYS = {
    "noise on all pairs": "vanilla-gauss",
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
            f"With noise on all pairs, {spurious[every]:.0f} of 100 released pairs have no "
            f"true trips. With the top-down mechanism it is {spurious[down]:.0f}. With noise on "
            f"existing flows only and a high threshold, it is {spurious[above]:.0f}. That "
            f"mechanism releases zero for {missed[above]:.0f} of 100 pairs with trips, against "
            f"{missed[every]:.0f} and {missed[down]:.0f} with the other two."
        ),
    )


def _judge(prediction: Prediction, outcome: Outcome) -> str:
    difference = int(prediction["invented"]) - outcome.value
    comment = "That is close."
    if abs(difference) > 10:
        comment = f"You expected too {'many' if difference > 0 else 'few'}."
    return f"You expected {prediction['invented']} of 100; it was {outcome.value:.0f}. {comment}"


INVENTED_TRIPS = Lesson(
    id="invented-trips",
    title="Where false positives come from",
    minutes=3,
    story=(
        "Between 256 areas there are 65,536 pairs, and people travel between 655 of them, one in "
        "a hundred. An office adds noise to every pair (ε = 1, δ = 10⁻⁸), including empty ones, "
        "because it is also confidential that nobody travels between two areas. It publishes the "
        "pairs with a noisy count above zero."
    ),
    question="Of 100 released pairs, how many have no true trips?",
    fields=(Field(name="invented", label="False positives, of 100"),),
    run=_false_flows,
    judge=_judge,
    moral=(
        "Where almost all pairs are empty, many empty pairs have a noisy count above zero, and "
        "they outnumber the real ones. A top-down mechanism leaves out everything inside a pair of "
        "larger areas that it has set to 0. The threshold mechanism adds noise to existing flows "
        "only. So it publishes no empty pair, but it loses small true flows. "
        "Decide with the data users which of the two errors matters more."
    ),
    measure="false positives, of 100 released pairs",
    unit="of 100 released pairs",
    onward=("See flows on a map", "zoom", {"sample": "italy-commuting"}),
)
