"""`hierdp reproduce`: repeat the experiment of a paper."""

import argparse

from hierdp_core.cli.terminal import print_json, print_written, progress
from hierdp_core.cli.words import Command, listed, new_file, whole
from hierdp_core.settings import add_old_flag, read_seed


def add(command: Command) -> None:
    reproduce = command(
        "reproduce",
        _reproduce,
        "repeat an experiment, and show published values where there are any",
    )
    reproduce.add_argument(
        "experiment",
        metavar="NAME",
        help="pgsr (Fioretto et al. 2021, Table 7), coc (Kuo et al. 2018, Section 6.2), flows "
        "(Boninsegna and Silvestri 2024, Figures 3 to 6), accounting (noise for the same (ε, δ) by "
        "each accounting method) or recommendations (which mechanism has the lowest error)",
    )
    reproduce.add_argument(
        "--epsilon",
        metavar="NUMBER,…",
        help="privacy-loss budgets ε, separated by commas (default: those of the experiment). For "
        "coc, each is the ε of a level, and the first comparison does not use them",
    )
    reproduce.add_argument(
        "--simulations",
        metavar="N",
        help="simulations per configuration, at most 2 for tda-linf (default: 30 for pgsr, 10 for "
        "the others)",
    )
    add_old_flag(reproduce, "--draws", "--simulations")
    reproduce.add_argument(
        "--seed", metavar="N", default="0", help="seed of the noise (default: 0)"
    )
    reproduce.add_argument("--out", metavar="FILE.csv", help="write the table to this CSV file")


def _reproduce(flags: argparse.Namespace) -> None:
    from hierdp_core import samples
    from hierdp_core.privacy import Budget
    from hierdp_core.reproduce import experiment

    chosen = experiment(flags.experiment)
    n_simulations = chosen.n_simulations
    if flags.simulations is not None:
        n_simulations = whole("--simulations", flags.simulations, least=1)
    seed, out = read_seed(flags.seed), new_file(flags.out, ".csv")
    budgets = {} if flags.epsilon is None else {"epsilons": listed(flags.epsilon)}
    for epsilon in budgets.get("epsilons", []):
        Budget.of(epsilon=epsilon)
    frame = chosen.run(
        lambda sample: samples.load(sample, progress=progress()).table,
        n_simulations=n_simulations,
        seed=seed,
        progress=progress(),
        **budgets,
    )
    if out is not None:
        from hierdp_core.writers.exploration import write_errors

        write_errors(out, frame)
    if flags.json:
        # For one more version, these columns also have their old names.
        old_names = {"draws": "simulations", "account": "accounting"}
        old = {name: frame[new] for name, new in old_names.items() if new in frame}
        print_json(frame.assign(**old).to_dict("records"))
    else:
        print(chosen.as_markdown(frame))
        print_written(out)
