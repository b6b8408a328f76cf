"""Decision rules that are used in practice, and how often noise changes their outcome.

    counts = hdp.released_counts(table, plan, "count", n_simulations=300)
    outcome = hdp.decisions.decide("threshold", counts.of_level("county"), limit=50_000)
    outcome.places, outcome.by_simulation

To add a rule, add its module to this package and its name to `RULES`. The page and the tests read
that list.
"""

from typing import Any

from hierdp_core.decisions.base import Column, Outcome, Parameter, Rule, outcome
from hierdp_core.decisions.budgets import across_budgets, summary
from hierdp_core.decisions.funding import FUNDING
from hierdp_core.decisions.grouping import GROUPING
from hierdp_core.decisions.presets import PRESETS, Preset, get_preset, presets_for
from hierdp_core.decisions.ranking import RANKING
from hierdp_core.decisions.seats import SEATS
from hierdp_core.decisions.threshold import THRESHOLD
from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.exceptions import ChoiceError
from hierdp_core.util.text import join_or

__all__ = [
    "PRESETS",
    "RULES",
    "Column",
    "Outcome",
    "Parameter",
    "Preset",
    "Rule",
    "across_budgets",
    "decide",
    "get",
    "get_preset",
    "names",
    "presets_for",
    "summary",
]

RULES = {rule.id: rule for rule in (THRESHOLD, FUNDING, RANKING, SEATS, GROUPING)}


def names() -> tuple[str, ...]:
    """Return the ids of all rules."""
    return tuple(RULES)


def get(id: str) -> Rule:
    """Return the rule with this id.

    Raises:
        ChoiceError: there is no rule with this id.
    """
    if id not in RULES:
        raise ChoiceError(f'There is no rule "{id[:40]}". Choose {join_or(list(RULES))}.')
    return RULES[id]


def decide(rule: str, places: LevelSimulations, **parameters: Any) -> Outcome:
    """Apply a rule to the released counts of one level, in each simulation.

    Args:
        rule: an id.
        places: the true and released numbers of one level, such as
            `hdp.released_counts(…).of_level("county")`.
        parameters: values of parameters of the rule, by name. All others have their defaults.

    Raises:
        ChoiceError: rule or parameter is unknown, not valid, or does not fit the areas.
    """
    return outcome(get(rule), places, parameters)


def __dir__() -> list[str]:
    return list(__all__)
