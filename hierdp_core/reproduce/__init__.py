"""Repetitions of the papers' experiments, with published values, and two comparisons of HierDP.

Some of the papers' data are not public. HierDP's tables are fitted or generated, so only orders of
magnitude and ratios can agree.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from hierdp_core.exceptions import ChoiceError
from hierdp_core.reproduce import accounting, coc, flows, pgsr, recommendations
from hierdp_core.reproduce.accounting import reproduce_accounting
from hierdp_core.reproduce.coc import reproduce_coc
from hierdp_core.reproduce.common import Load
from hierdp_core.reproduce.flows import reproduce_flows
from hierdp_core.reproduce.pgsr import reproduce_pgsr
from hierdp_core.reproduce.recommendations import reproduce_recommendations
from hierdp_core.util.text import join_or

__all__ = [
    "EXPERIMENTS",
    "Experiment",
    "Load",
    "experiment",
    "reproduce_accounting",
    "reproduce_coc",
    "reproduce_flows",
    "reproduce_pgsr",
    "reproduce_recommendations",
]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """An experiment of a paper, or a comparison of HierDP's own methods.

    Attributes:
        about: the experiment in one line. [A] is Fioretto et al. 2021, [B] Kuo et al. 2018 and
            [C] Boninsegna and Silvestri 2024.
        n_simulations: the default number of simulations of each case; for an experiment of a
            paper, that of the paper.
        run: runs the experiment. Takes a loader of samples, and `epsilons`, `n_simulations`,
            `seed`, `progress` and `cancel`.
        as_markdown: formats the result for readers.
    """

    about: str
    n_simulations: int
    run: Callable[..., pd.DataFrame]
    as_markdown: Callable[[pd.DataFrame], str]


EXPERIMENTS = {
    "pgsr": Experiment(
        about="group sizes by optimisation, [A] Table 7",
        n_simulations=30,
        run=reproduce_pgsr,
        as_markdown=pgsr.as_markdown,
    ),
    "coc": Experiment(
        about="count-of-counts, [B] Section 6.2",
        n_simulations=10,
        run=reproduce_coc,
        as_markdown=coc.as_markdown,
    ),
    "flows": Experiment(
        about="flows from the root down, [C] Figures 3 to 6",
        n_simulations=10,
        run=reproduce_flows,
        as_markdown=flows.as_markdown,
    ),
    "accounting": Experiment(
        about="errors for the same (ε, δ) under each accounting method, for tree-dp and flows",
        n_simulations=10,
        run=reproduce_accounting,
        as_markdown=accounting.as_markdown,
    ),
    "recommendations": Experiment(
        about="the mechanism with the lowest error, for each kind of table",
        n_simulations=10,
        run=reproduce_recommendations,
        as_markdown=recommendations.as_markdown,
    ),
}


def experiment(name: str) -> Experiment:
    """Return the experiment with this name.

    Raises:
        ChoiceError: there is no experiment with this name.
    """
    if name not in EXPERIMENTS:
        raise ChoiceError(f'There is no experiment "{name}". Choose {join_or(list(EXPERIMENTS))}.')
    return EXPERIMENTS[name]
