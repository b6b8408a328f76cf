"""Where invented trips come from."""

from hierdp_core import samples
from hierdp_core.evaluation.errors import errors
from hierdp_core.lessons.kit import Field, Lesson, Outcome, Prediction, bars, checked_number
from hierdp_core.simulation import plan, simulate
from hierdp_core.util.constraints import USUAL_DELTA

_SAMPLE = "od-binary-sparse"
_WAYS = {
    "noise on every pair": "vanilla-gauss",
    "from the top down": "inftda",
    "only pairs far above zero": "stability-histogram",
}


def _invented(number: int) -> Outcome:
    """The share of published pairs without a true trip, by three mechanisms."""
    table = samples.load(_SAMPLE).table
    found, lost = {}, {}
    for words, mechanism in _WAYS.items():
        made = plan(table, mechanism, epsilon=1, delta=USUAL_DELTA, accounting="simple")
        last = errors(table, simulate(table, made, seed=checked_number(number))).iloc[-1]
        found[words], lost[words] = 100 * float(last["fdr"]), 100 * float(last["fnr"])
    every, down, above = _WAYS
    return Outcome(
        value=found[every],
        bars=bars(**found),
        said=(
            f"With noise on every pair, {found[every]:.0f} of 100 published pairs never had a "
            f"trip; from the top down it is {found[down]:.0f}. Publishing only what lies far above "
            f"zero invents none, and loses {lost[above]:.0f} of 100 pairs that do have trips "
            f"({lost[every]:.0f} and {lost[down]:.0f} with the other two)."
        ),
    )


def _judge(prediction: Prediction, outcome: Outcome) -> str:
    off = abs(int(prediction["invented"]) - outcome.value)
    near = "That is close." if off <= 10 else "Few people expect so many."
    return f"You expected {prediction['invented']} of 100; it was {outcome.value:.0f}. {near}"


INVENTED_TRIPS = Lesson(
    id="invented-trips",
    title="Where invented trips come from",
    minutes=3,
    story=(
        "Between 256 places there are 65,536 pairs, and people travel between 655 of them: one in "
        "a hundred. An office adds noise to every pair, also to the empty ones, since that nobody "
        "travels there is a secret too (ε = 1, δ = 10⁻⁸). It publishes the pairs that come out "
        "above zero."
    ),
    question="Of 100 pairs that are published, how many never had a trip?",
    fields=(Field(name="invented", label="Invented, of 100"),),
    run=_invented,
    judge=_judge,
    moral=(
        "Where almost everything is empty, half of the empty pairs come out above zero, and they "
        "outnumber the real ones. Going from the top down leaves out what lies under an empty "
        "region; a threshold leaves out nearly all, the true small flows with it. Invented or "
        "lost: a choice to make with those who will use the table."
    ),
    measure="invented, of 100 published pairs",
    unit="of 100 published pairs",
    onward=("Flows on the map", "zoom", {"sample": "italy-commuting"}),
)
