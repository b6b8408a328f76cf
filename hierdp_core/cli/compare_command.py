"""`hierdp compare`: mechanisms, budgets and allocations over many simulations."""

import argparse
import sys
from typing import TYPE_CHECKING

from hierdp_core.cli.cluster import add_scheduler_flag, cluster_of
from hierdp_core.cli.own_data import add_data_flags, required_source, with_words
from hierdp_core.cli.terminal import print_comparison, print_json, print_written, progress
from hierdp_core.cli.words import NEEDS_BUDGET, Command, given, listed, new_file, whole
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.settings import (
    Settings,
    add_account_flags,
    add_allocation_flag,
    add_old_flag,
    read_allocation,
    read_options,
)
from hierdp_core.util.parallel import Workers

if TYPE_CHECKING:
    from hierdp_core.privacy import Budget


# The keys of a settings file, and the flags with the same meaning.
_WORDS = {
    "mechanism": "mechanisms", "mechanisms": "mechanisms", "epsilon": "epsilon", "delta": "delta",
    "rho": "rho", "accounting": "accounting", "noise": "noise", "options": "option",
    "quantity": "quantity", "seed": "seed", "allocation": "allocation",
}  # fmt: skip


def add(command: Command) -> None:
    compare = command(
        "compare",
        _compare,
        "compare the errors of mechanisms and budgets",
        more="A table (--sample or --data), mechanisms and a budget (--epsilon or --rho) are "
        "needed, here or in the settings file.",
    )
    add_data_flags(compare)
    compare.add_argument(
        "--sample", metavar="ID", help="a table that comes with HierDP: see `hierdp samples`"
    )
    compare.add_argument(
        "--mechanisms",
        metavar="ID,ID,…",
        help="mechanisms to compare, separated by commas: see `hierdp mechanisms`",
    )
    compare.add_argument(
        "--epsilon",
        metavar="NUMBER,…",
        help="one or more privacy-loss budgets ε, separated by commas",
    )
    compare.add_argument("--delta", metavar="NUMBER", help="δ that is combined with every ε")
    compare.add_argument(
        "--rho",
        metavar="NUMBER,…",
        help="one or more budgets ρ (zCDP), separated by commas, instead of --epsilon",
    )
    add_account_flags(compare)
    add_allocation_flag(
        compare,
        help="budget allocation: one whole number (weight) for each level that gets noise, from "
        "the top (default: equal; repeatable)",
        action="append",
    )
    compare.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="option of all mechanisms that have it, such as cap=100, or of one mechanism, such as "
        "coc.cap=100 (repeatable)",
    )
    compare.add_argument(
        "--simulations",
        metavar="N",
        default="30",
        help="simulations per configuration (default: 30)",
    )
    add_old_flag(compare, "--trials", "--simulations")
    compare.add_argument("--seed", metavar="N", help="seed of the noise (default: 0)")
    compare.add_argument("--workers", metavar="N", help="number of threads (default: one per core)")
    add_scheduler_flag(compare)
    compare.add_argument(
        "--quantity",
        metavar="ID",
        help="quantity of each area to evaluate, such as occupied. The error message for an "
        "unknown ID lists all IDs",
    )
    compare.add_argument(
        "--out", metavar="FILE.csv", help="write the errors of every simulation to this CSV file"
    )


def _compare(flags: argparse.Namespace) -> None:
    source, words = required_source(flags)
    flags = with_words(flags, words, _WORDS)
    if isinstance(flags.allocation, str):  # from the settings file, which has one
        flags.allocation = [flags.allocation]
    if flags.mechanisms is None:
        raise ChoiceError(
            "Mechanisms are needed. Give --mechanisms ID,ID (see `hierdp mechanisms`)."
        )
    n_simulations = whole("--simulations", flags.simulations, least=1)
    workers = None if flags.workers is None else whole("--workers", flags.workers, least=1)
    seed, budgets = _seed(flags.seed or "0"), _budgets(flags)
    allocation = (
        [None] if flags.allocation is None else [read_allocation(text) for text in flags.allocation]
    )
    options, out = read_options(flags.option), new_file(flags.out, ".csv")

    from hierdp_core import mechanisms, samples
    from hierdp_core.evaluation.comparison import compare, grid, labels, with_options
    from hierdp_core.util.marks import truth_mark

    if source.own is None:
        samples.describe(source.sample)
    ids = listed(flags.mechanisms)
    for id in ids:
        known = mechanisms.check_words(id) if id in mechanisms.names() else {}
        own = {name: word for name, word in options.items() if name in known}
        source.require_mechanism(id, own)
    table = source.table()
    texts = with_options(ids, options, kind=table.kind)
    for text in texts:
        flags.fit.require(
            mechanisms.configured(text),
            table,
            allocation=allocation[0],
            quantity=flags.quantity,
        )
    plans = grid(table, texts, budgets, allocation=allocation)
    for id in ids:
        mechanisms.warm_up(id)
    with cluster_of(flags) as client:
        comparison = compare(
            table,
            plans,
            n_simulations=n_simulations,
            seed=seed,
            workers=Workers(threads=workers, client=client),
            progress=progress(),
            quantities=("",) if flags.quantity is None else (flags.quantity,),
        )
    names = labels(plans, ids=True)
    for case, failure in comparison.failures:
        print(f"hierdp: The simulations of {names[case]} stopped. {failure}", file=sys.stderr)
    if out is not None:
        from hierdp_core.writers.exploration import write_errors

        write_errors(out, comparison.errors, confidential=source.confidential)
    if flags.json:
        # For one more version, the columns also have their old names.
        old_names = {
            "shares": "allocation",
            "trial": "simulation",
            "invented": "false_positives",
            "lost": "false_negatives",
        }
        renamed = {
            old: comparison.errors[new]
            for old, new in old_names.items()
            if new in comparison.errors
        }
        mark = truth_mark(confidential=source.confidential)
        print_json(comparison.errors.assign(**renamed, note=mark).to_dict("records"))
    else:
        print_comparison(
            comparison,
            table,
            quantity=flags.quantity or "",
            confidential=source.confidential,
        )
        print_written(out)


def _budgets(flags: argparse.Namespace) -> "list[Budget]":
    from hierdp_core.privacy import Budget

    account = given(accounting=flags.accounting, noise=flags.noise)
    if flags.rho is None:
        beside = given(delta=flags.delta) | account
        budgets = [{"epsilon": e} | beside for e in listed(flags.epsilon)]
    else:
        beside = given(epsilon=flags.epsilon, delta=flags.delta) | account
        budgets = [{"rho": r} | beside for r in listed(flags.rho)]
    if not budgets:
        raise BudgetError(NEEDS_BUDGET)
    return [Budget.of(**words) for words in budgets]


def _seed(text: str) -> int:
    return Settings.of({"seed": text}).seed
