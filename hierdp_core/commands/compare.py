"""`hierdp compare`: mechanisms, budgets and splits over many draws."""

import argparse

from hierdp_core.commands.words import Command, given, listed, new_file, whole
from hierdp_core.exceptions import BudgetError
from hierdp_core.settings import Settings
from hierdp_core.terminal import print_comparison, print_json, progress


def add(command: Command) -> None:
    compare = command("compare", _compare, "repeat mechanisms and budgets over many draws")
    compare.add_argument("--sample", metavar="ID", required=True)
    compare.add_argument("--mechanisms", metavar="ID,ID,…", required=True)
    compare.add_argument("--epsilon", metavar="NUMBER,…", help="one budget each")
    compare.add_argument("--delta", metavar="NUMBER", help="δ beside every ε")
    compare.add_argument("--rho", metavar="NUMBER,…", help="budgets as ρ instead")
    compare.add_argument(
        "--shares", metavar="N,N,…", action="append", help="may be given more than once"
    )
    compare.add_argument("--trials", metavar="N", default="30", help="draws of each (default: 30)")
    compare.add_argument("--seed", metavar="N", default="0")
    compare.add_argument("--workers", metavar="N", help="threads (default: one a core)")
    compare.add_argument("--quantity", metavar="ID", help="errors of this number per region")
    compare.add_argument("--out", metavar="FILE.csv", help="every draw, as CSV")


def _compare(flags: argparse.Namespace) -> None:
    trials_wanted = whole("--trials", flags.trials, least=1)
    workers = None if flags.workers is None else whole("--workers", flags.workers, least=1)
    views = _grid(flags)
    out = new_file(flags.out)

    from hierdp_core import samples
    from hierdp_core.trials import trials

    table = samples.load(views[0].sample, progress=progress()).table
    frame = trials(
        table,
        [view.plan(table) for view in views],
        n=trials_wanted,
        seed=views[0].seed,
        workers=workers,
        progress=progress(),
        quantities=() if flags.quantity is None else (flags.quantity,),
    )
    if out is not None:
        from hierdp_core.writers.exploration import write_errors

        write_errors(out, frame)
    if flags.json:
        print_json(frame.to_dict("records"))
    else:
        print_comparison(frame)


def _grid(flags: argparse.Namespace) -> list[Settings]:
    """Every mechanism with every budget and every split."""
    if flags.rho is None:
        stated = [{"epsilon": e} | given(delta=flags.delta) for e in listed(flags.epsilon)]
    else:
        stated = [
            {"rho": r} | given(epsilon=flags.epsilon, delta=flags.delta) for r in listed(flags.rho)
        ]
    if not stated:
        raise BudgetError("A budget is needed: give --epsilon, --epsilon with --delta, or --rho.")
    shared = {"sample": flags.sample, "seed": flags.seed} | given(quantity=flags.quantity)
    return [
        Settings.of(shared | {"mechanism": mechanism} | budget | given(shares=shares))
        for mechanism in listed(flags.mechanisms)
        for budget in stated
        for shares in flags.shares or [None]
    ]
