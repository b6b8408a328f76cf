"""The sentences of the page Set a budget."""

from hierdp_core.planning import SYNTHETIC_ABOUT, BestAllocation, BudgetPlan, Target, TradeOff
from hierdp_core.tables import Quantity
from hierdp_core.util.text import capital, paragraph
from pages.ui.shell import words

WHO = {
    "mean": "on average, all",
    "median": "the median one of",
    "all": "every one of",
}
ASKS = {
    "budget": "Find the budget for accuracy targets",
    "allocation": "Find the best allocation for a budget",
}
UNITS = {True: "% of the true count", False: "in number"}
FINDS = {"epsilon": "ε", "delta": "(ε, δ)", "rho": "ρ"}

TRUE, SYNTHETIC = "The true counts", "A synthetic table of the same shape"
TABLE_HELP = (
    "**The true counts**: what a sample shows is public, so planning may look at it.\n\n"
    f"**A synthetic table**: for data that nobody may look at before the release. {SYNTHETIC_ABOUT}"
)
GUARD_HELP = (
    "Every level keeps at least half of an equal part of the budget. Without this guard rail the "
    "search gives almost everything to the levels with a target, and the other levels become "
    "inaccurate."
)
ALLOCATION_YET = (
    "Press **Find the allocation**: HierDP tries different allocations, simulates each one and "
    "keeps the one with the lowest weighted error. Fresh simulations then measure what it saves."
)
NONE_SHOWN = "No saving could be shown"
NO_ALLOCATION = "Stopped before a result."
WEIGHTS_HELP = (
    "The search minimises the sum over levels of weight times mean error. A level with weight 2 "
    "counts twice, and one with weight 0 does not count. Errors of all levels are in the same "
    "unit, whatever the size of the areas."
)
SEARCHING = "Searching. The answer appears below when it is ready."
CANCELLED = "Stopped before a result."
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
        "Separate simulations then test these budgets, from the largest down to the first that "
        "fails. The answer is the last that passed. Because the order was fixed "
        "beforehand, the 95% confidence holds (Clopper and Pearson)."
    ),
    (
        "**The smallest budget** is known only within an interval, because simulations are random. "
        "The budget shown is its upper end. Another seed gives nearly the same."
    ),
    (
        "**The picture**: the line is the median simulation; the band holds 90% of simulations "
        "for a reliability of 95%. The dotted edge of the band crosses the dashed target where the "
        "budget is enough."
    ),
    (
        "**The allocation** has one whole number per level. If you do not give it, it is chosen so "
        "that the targets need the smallest budget. The guard rail leaves every level at least "
        "half of an equal part. Without it, levels without a target may get as little as 1%."
    ),
    (
        "**Areas with a true count of 0** meet a relative target only if released as 0. For small "
        "areas an absolute target is usually better."
    ),
    (
        "**Planned on true counts**, a budget says a little about them. For data that are not "
        "public, plan on a synthetic table and keep a margin, since the true table differs."
    ),
)
HOW_TO_READ_ALLOCATION = (
    (
        "**The weighted error** is the sum over levels of weight times mean absolute error. The "
        "mean is over the areas of a level and over the simulations."
    ),
    (
        "**How the allocation is found**: the noise variances give a first allocation. Then 8, 4 "
        "and 2 percent of the budget are moved between two levels, as long as that saves at least "
        "0.2% of the simulated error. Every allocation is simulated with the same seeds, which "
        "makes them easier to compare. Up to 30 allocations are tried."
    ),
    (
        "**What it saves** is measured again, on fresh simulations that had no part in the "
        "choice. The lowest of many simulated errors is too low by selection. A saving is stated "
        "only where its whole 95% interval lies above 0. Otherwise no saving could be shown, "
        "which does not mean that there is none."
    ),
    (
        "**The allocation** has one whole number per level: 1 : 3 gives the second level three "
        "quarters of the budget. A level that is public has no noise and the number 0."
    ),
    (
        "**The privacy guarantee is the same** for every allocation. The budget covers the whole "
        "release, all levels together."
    ),
)


def not_yet(seconds: float) -> str:
    """What the button does, and about how long it takes.

    >>> not_yet(3.2).split(". ")[1], not_yet(44).split(". ")[1], not_yet(200).split(". ")[1]
    ('This takes about 5 seconds.', 'This takes about 45 seconds.', 'This takes about 3 minutes.')
    """
    return (
        "Press **Find the budget** to simulate releases at different budgets until the smallest "
        f"one that meets the targets is found. {_takes(seconds)}"
    )


TRADE_OFF = "Error at several budgets"
PICK = "Select a point of a curve, or a budget below the chart, to see what it does to every level."
PICK_HELP = "The budget becomes that of the settings, on every page."


def trade_off_yet(seconds: float) -> str:
    """What the button does, and about how long it takes.

    >>> trade_off_yet(44).split(". ")[1]
    'This takes about 45 seconds.'
    """
    return f"Simulate releases at several budgets and pick one from the curves. {_takes(seconds)}"


def trade_off_progress(done: int, total: int, seconds: float) -> str:
    """
    >>> trade_off_progress(40, 160, 3)
    '40 of 160 simulations at several budgets. This takes about 5 seconds.'
    """
    return f"{done:,} of {total:,} simulations at several budgets. {_takes(seconds)}"


def trade_off_note(found: TradeOff) -> str:
    """The line under the curves."""
    weights = found.plans[0].allocation.weights
    return paragraph(
        f"Curves: the tolerance that a median simulation needs, of {found.simulations} at each "
        "budget. Dashed: the targets. Levels without a target are measured as the first target is.",
        f"Budget allocation {' : '.join(map(str, weights))}." if len(weights) > 1 else "",
        "A synthetic table of the same shape." if found.synthetic else words.NOT_PRIVATE,
    )


def _takes(seconds: float) -> str:
    if seconds >= 90:
        return f"This takes about {round(seconds / 60)} minutes."
    return f"This takes about {max(5, 5 * round(seconds / 5))} seconds."


def who(choice: str) -> str:
    """
    >>> who("all"), who("95%")
    ('every one of', '95% of')
    """
    return WHO.get(choice, f"{choice.removesuffix('%')}% of")


def who_choice(target: Target) -> str:
    """The choice that a target stands at.

    >>> who_choice(Target.parse("county=90%:5%"))
    '90%'
    """
    return target.text.rpartition("=")[2].partition(":")[0]


def counting(wanted: Quantity) -> str:
    return capital(wanted.title)


def unbroken(sentence: str) -> str:
    """The sentence with an allocation that stays in one line.

    >>> unbroken("allocation 1 : 98") == "allocation 1\N{NO-BREAK SPACE}:\N{NO-BREAK SPACE}98"
    True
    """
    return sentence.replace(" : ", "\N{NO-BREAK SPACE}:\N{NO-BREAK SPACE}")


def progress(done: int, expected: int, what: str) -> str:
    """
    >>> progress(0, 1, ""), progress(40, 2000, "finding the allocation")
    ('Getting ready', 'Finding the allocation: 40 of about 2,000 simulations')
    """
    if not done:
        return "Getting ready"
    return f"{capital(what)}: {done:,} of about {expected:,} simulations"


def title(found: BudgetPlan | BestAllocation | None, ask: str = "budget") -> str:
    """The title of the page."""
    if isinstance(found, BestAllocation) or ask == "allocation":
        question = ASKS["allocation"]
        if not isinstance(found, BestAllocation):
            return question
        return f"{question} {allocation(found) if found.saving_shown else NONE_SHOWN}"
    if found is None:
        return "Which budget do I need?"
    if not found.reached:
        return "Which budget do I need? None that was tried"
    return f"Which budget do I need? {found.plan.budget.words}"


def allocation(found: BestAllocation) -> str:
    """The allocation as one reads it: "1 : 2 : 4"."""
    return " : ".join(map(str, found.plan.allocation.weights))
