"""The sentences of Set a budget."""

from hierdp_core.planning import SYNTHETIC_ABOUT, BestAllocation, BudgetPlan, Target, TradeOff
from hierdp_core.tables import Quantity
from hierdp_core.util.text import by_number, capital, paragraph
from pages.ui.shell import words

WHO = {
    "mean": "the mean over all",
    "median": "the median of the",
    "all": "every one of the",
}
ASKS = {
    "budget": "Find the budget for accuracy targets",
    "allocation": "Find the allocation with the lowest error for a budget",
}
UNITS = {True: "% of the true count", False: "absolute number"}

TRUE, SYNTHETIC = "The true counts", "A synthetic table of the same shape"
TABLE_HELP = (
    "**The true counts**: for public or synthetic data, such as the samples, which planning may "
    "use.\n\n"
    "**A synthetic table**: for data that planning must not use before the release. "
    f"{SYNTHETIC_ABOUT}"
)
GUARD_HELP = (
    "Every level keeps at least half of the budget that it would get under an equal allocation, "
    "rounded down to a whole percentage of the budget. "
    "Without this minimum, the search may give almost the whole budget to the levels with a "
    "target, and the other levels become inaccurate."
)
ALLOCATION_YET = (
    "Press **Find the allocation** to try different allocations. Each one is simulated, and the "
    "one with the lowest weighted error is kept. New simulations then measure how much lower its "
    "error is than that of an equal allocation."
)
STOPPED = "The search was stopped before it had a result."
WEIGHTS_HELP = (
    "The search minimises the sum over levels of weight times mean absolute error. A level with "
    "weight 2 counts twice, and one with weight 0 does not count. An error of 10 counts the same "
    "at every level, however large the areas are."
)
SEARCHING = "Searching. The result appears below when it is ready."
NEEDS_TOTAL = (
    "A synthetic table needs a total: a public figure, or your best estimate. Enter it under "
    "**Advanced**."
)

HOW_TO_READ = (
    (
        "**Target met** means that all targets hold at once in at least 95% of simulated releases, "
        "or in the percentage that you choose."
    ),
    (
        "**Validation**: the search proposes an allocation and a descending series of budgets. "
        "New simulations then test these budgets, from the largest down to the first that "
        "fails. The result is the last budget that passed. Because the order was fixed "
        "beforehand, the result holds with 95% confidence (Clopper–Pearson bounds)."
    ),
    (
        "**The smallest budget** is known only within an interval, because simulations are random. "
        "The budget shown is the upper end of this interval. With another seed, it may differ a "
        "little."
    ),
    (
        "**The chart**: the line is the median simulation, and the band contains 90% of "
        "simulations if targets must hold in 95% of them. The budget is large enough from the "
        "point where the dotted edge of the band crosses the dashed target."
    ),
    (
        "**The allocation** has one whole number per level. If you do not set it, HierDP simulates "
        "up to 24 allocations and keeps one that needs a small budget. With **Protect levels "
        "without a target**, every level keeps at least half of what it would get under an equal "
        "allocation, rounded down to a whole percentage. Otherwise, a level without a target may "
        "get as little as 1% of the budget."
    ),
    (
        "**Areas with a true count of 0** meet a relative target only if they are released as 0. "
        "The mean relative error leaves them out. For small areas, an absolute target is usually "
        "better."
    ),
    (
        "**Planned on true counts**, a budget reveals something about them. For data that are not "
        "public, plan on a synthetic table and choose a somewhat larger budget, because the true "
        "table differs."
    ),
)
HOW_TO_READ_ALLOCATION = (
    (
        "**The weighted error** is the sum over levels of weight times mean absolute error. The "
        "mean is over the areas of a level and over the simulations."
    ),
    (
        "**How the allocation is found**: the noise variances give a first allocation. Then 8%, "
        "4% and 2% of the budget are moved between two levels, as long as that lowers the "
        "simulated error by at least 0.2%. All allocations are simulated with the same seeds, "
        "which makes their errors easier to compare. At most 31 allocations are tried, the "
        "equal one among them."
    ),
    (
        "**The improvement** is measured again, on new simulations that had no part "
        "in the choice. The lowest of many simulated errors tends to be too low, because it was "
        "selected for being low. An improvement is stated only if its whole 95% interval lies "
        "above 0. Otherwise no improvement could be shown, which does not mean that there is none."
    ),
    (
        "**The allocation** has one whole number per level: 1 : 3 gives the second level three "
        "quarters of the budget. A public level has no noise, and its number is 0."
    ),
    (
        "**The privacy guarantee is the same** for every allocation. The budget covers the whole "
        "release, all levels together."
    ),
)


def not_yet(seconds: float) -> str:
    """Return what the button does, and about how long it takes.

    >>> not_yet(3.2).split(". ")[1], not_yet(44).split(". ")[1], not_yet(200).split(". ")[1]
    ('This takes about 5 seconds.', 'This takes about 45 seconds.', 'This takes about 3 minutes.')
    """
    return (
        "Press **Find the budget** to find the smallest budget that meets the targets, by "
        f"simulating releases at different budgets. {_takes(seconds)}"
    )


TRADE_OFF = "Error at several budgets"
PICK = "Select a point on a curve, or a budget below the chart, to see its error at every level."
FIRST_CURVES = (
    "These first curves show one simulation at each budget. They are replaced when all simulations "
    "are complete."
)
PICK_HELP = "The selected budget is then used on every page."


def trade_off_yet(seconds: float) -> str:
    """Return what the button does, and about how long it takes.

    >>> trade_off_yet(44).split(". ")[1]
    'This takes about 45 seconds.'
    """
    return (
        "Simulate releases at several budgets, then select a budget from the curves. "
        f"{_takes(seconds)}"
    )


def trade_off_progress(done: int, total: int, seconds: float) -> str:
    """Return the progress of the simulations, and how long all of them take.

    >>> trade_off_progress(40, 160, 3)
    '40 of 160 simulations at several budgets. All of them take about 5 seconds.'
    >>> trade_off_progress(0, 1, 3)
    'Getting ready. All simulations take about 5 seconds.'
    """
    if not done:
        return f"Getting ready. All simulations take about {_time(seconds)}."
    return (
        f"{done:,} of {total:,} simulations at several budgets. All of them take about "
        f"{_time(seconds)}."
    )


def trade_off_note(result: TradeOff) -> str:
    """Return the note below the curves."""
    weights = result.plans[0].allocation.weights
    return paragraph(
        f"Each curve shows the error that half of the {result.simulations:,} simulations at each "
        "budget do not exceed. The dashed lines are the targets. Levels without a target use the "
        "error measure of the first target.",
        f"The budget allocation is {' : '.join(map(str, weights))}." if len(weights) > 1 else "",
        "The simulations use a synthetic table of the same shape."
        if result.synthetic
        else words.NOT_PRIVATE,
    )


def _takes(seconds: float) -> str:
    return f"This takes about {_time(seconds)}."


def _time(seconds: float) -> str:
    if seconds >= 90:
        return f"{round(seconds / 60)} minutes"
    return f"{max(5, 5 * round(seconds / 5))} seconds"


def who(choice: str) -> str:
    """Return which areas a target is about, for use before the name of a level.

    >>> who("all"), who("95%")
    ('every one of the', '95% of the')
    """
    return WHO.get(choice, f"{choice.removesuffix('%')}% of the")


def who_choice(target: Target) -> str:
    """Return the option for the areas that a target is about.

    >>> who_choice(Target.parse("county=90%:5%"))
    '90%'
    """
    return target.text.rpartition("=")[2].partition(":")[0]


def counting(quantity: Quantity) -> str:
    """Return what a target counts, as the label of an option."""
    return capital(quantity.title)


def unbroken(sentence: str) -> str:
    """Return a sentence with no line break inside an allocation.

    >>> unbroken("allocation 1 : 98") == "allocation 1\N{NO-BREAK SPACE}:\N{NO-BREAK SPACE}98"
    True
    """
    return sentence.replace(" : ", "\N{NO-BREAK SPACE}:\N{NO-BREAK SPACE}")


def progress(done: int, expected: int, what: str) -> str:
    """Return the progress of the search, with its current step.

    >>> progress(0, 1, ""), progress(40, 2000, "finding the allocation")
    ('Getting ready', 'Finding the allocation: 40 of about 2,000 simulations')
    """
    if not done:
        return "Getting ready"
    return f"{capital(what)}: {done:,} of about {expected:,} simulations"


def title(answer: BudgetPlan | BestAllocation | None, ask: str = "budget") -> str:
    """Return the title of the page."""
    if isinstance(answer, BestAllocation):
        if answer.saving_shown:
            return f"Of the allocations tried, {allocation(answer)} has the lowest error"
        return "No allocation was shown to be better than an equal one"
    if ask == "allocation":
        return ASKS["allocation"]
    if answer is None:
        return "Which budget do I need?"
    targets = by_number(len(answer.scorers), "the target", "all targets")
    if not answer.reached:
        return f"No budget that was tried was shown to meet {targets}"
    return f"{answer.plan.budget.words} meets {targets}"


def allocation(answer: BestAllocation) -> str:
    """Return the allocation as text, such as "1 : 2 : 4"."""
    return answer.plan.allocation.ratio
