"""One decision at several budgets, to find those at which its outcome hardly changes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hierdp_core.decisions.base import Outcome, Rule, outcome
from hierdp_core.evaluation.released_counts import released_counts
from hierdp_core.mechanisms.base import Plan
from hierdp_core.tables import Table

FACTORS = (0.1, 0.3, 1.0, 3.0, 10.0)  # multiples of the current budget
NOTABLE = 0.05  # an area is affected if its probability of a different outcome is at least this


def across_budgets(
    table: Table,
    plans: Sequence[Plan],
    quantity: str,
    *,
    rule: Rule,
    level: str,
    parameters: Mapping[str, Any],
    n_simulations: int,
    seed: int = 0,
) -> Iterator[dict[str, Any]]:
    """Yield one `summary` of a rule's outcome for each plan, in the order of the plans.

    Args:
        table: the exact table.
        plans: plans for `table`, such as one mechanism at several budgets.
        quantity: the id of the quantity.
        rule, level, parameters: the rule, the level that it decides about, and its parameters.
        n_simulations: the number of simulations of each plan.
        seed: the seed of all noise.

    Raises:
        ChoiceError: the rule does not fit the level, a parameter is not valid, or as in
            `released_counts`.
    """
    for plan in plans:
        counts = released_counts(table, plan, quantity, n_simulations=n_simulations, seed=seed)
        result = outcome(rule, counts.of_level(level), parameters)
        yield {"budget": plan.budget.words} | summary(result)


def summary(found: Outcome) -> dict[str, Any]:
    """Return a row of numbers about an outcome.

    `measure` is the title of the rule's first column per simulation, `kind` its kind and `mean`
    its mean over simulations. At least 95% of the simulations lie between `low` and `high`.
    `affected` is the number of areas whose outcome differs in at least the proportion `NOTABLE` of
    simulations. `highest` is the highest such proportion, and `worst` the name of its area.
    """
    column = found.rule.simulation_columns[0]
    values = found.by_simulation[column.id].to_numpy(np.float64)
    part = found.places.dropna(subset=["wrong"])
    highest = float(part["wrong"].max()) if len(part) else 0.0
    low, high = np.quantile(values, (0.025, 0.975), method="inverted_cdf")
    return {
        "measure": column.title,
        "kind": column.kind,
        "mean": float(values.mean()),
        "low": float(low),
        "high": float(high),
        "affected": int((part["wrong"] >= NOTABLE).sum()),
        "highest": highest,
        "worst": str(part.iloc[int(part["wrong"].argmax())]["name"]) if highest > 0 else "",
    }
