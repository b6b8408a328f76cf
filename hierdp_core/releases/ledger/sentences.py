"""The sentences of accounts, one for each case; amounts are texts such as "ε = 0.4"."""


def balance(spent: str, remainder: str) -> str:
    """Return a sentence on the budget spent and the budget left.

    >>> balance("ε = 0.6", "ε = 0.4")
    'ε = 0.6 is spent and ε = 0.4 is left.'
    """
    return f"{spent} is spent and {remainder} is left."


def balance_after(spent: str, remainder: str) -> str:
    return f"After this release, {spent} is spent and {remainder} is left."


CHOSEN_BEFORE = "This is proved only if no plan was chosen in the light of earlier releases."
JOINT_COSTS = f"If a budget has a δ, its releases are accounted for together. {CHOSEN_BEFORE}"


NOTHING_SPENT = "No release has been made, so nothing is spent."


def joint_balance(spent: str) -> str:
    """Return a sentence on the joint cost of all releases, and the condition under which it holds.

    >>> joint_balance("ε = 0.6 at δ = 10⁻⁸").partition(". ")[0]
    'All releases so far together cost ε = 0.6 at δ = 10⁻⁸'
    """
    return f"All releases so far together cost {spent}. {CHOSEN_BEFORE}"


def joint_balance_after(spent: str) -> str:
    return f"With this release, all releases together cost {spent}. {CHOSEN_BEFORE}"


def over_budget(dataset: str, budget: str, *, cost: str, left: str, none_left: bool) -> str:
    remedy = (
        "Another release needs a larger budget of this dataset, set with set-budget on the command "
        "line, or Ledger.set_budget in Python."
        if none_left
        else "Plan again with a smaller budget."
    )
    return (
        f"The release costs {cost}, and {left} is left of the budget of “{dataset}”, {budget}. "
        f"Nothing was spent. {remedy}"
    )


def over_joint_budget(dataset: str, budget: str, *, spent: str, together: str) -> str:
    return (
        f"With this release, all releases of “{dataset}” would cost {together} together. Its "
        f"budget is {budget}, and the releases so far cost {spent}. Nothing was spent. Plan again "
        "with a smaller budget."
    )


def gaussian_under_pure(dataset: str, budget: str) -> str:
    return (
        f"The budget of “{dataset}” is {budget}. This plan has Gaussian noise, which has no ε "
        "without δ. Plan with ε alone."
    )


def threshold_under_pure(dataset: str, budget: str) -> str:
    return (
        f"The budget of “{dataset}” is {budget}. This plan releases only flows above a threshold, "
        "which needs δ. Use a dataset whose budget has δ."
    )


def threshold_under_zcdp(dataset: str, budget: str) -> str:
    return (
        f"The budget of “{dataset}” is {budget}. This plan releases only flows above a threshold, "
        "which has no ρ. Use a dataset whose budget is (ε, δ)."
    )


def other_neighbours(dataset: str, before: str, now: str) -> str:
    return (
        f"In earlier releases of “{dataset}”, neighbouring datasets differ by {before}. In this "
        f"plan, they differ by {now}, so the costs cannot be added. Plan for the same privacy unit "
        "and neighbours, or use a separate dataset. If you charge another dataset for the same "
        "people, neither budget counts what is spent on the other. Add up the costs yourself."
    )


def no_joint_epsilon(dataset: str, stated: str) -> str:
    return (
        f"No accounting method gives an ε at δ = {stated} for all releases of “{dataset}” "
        "together. Plan again with a smaller δ."
    )
