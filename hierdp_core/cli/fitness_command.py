"""`hierdp fitness`: a one-page fitness-for-use statement about a plan."""

import argparse
import shlex

from hierdp_core.cli.own_data import Source, settings_for
from hierdp_core.cli.terminal import (
    print_json,
    print_table,
    print_written,
    privacy_as_dict,
    progress,
)
from hierdp_core.cli.words import Command, new_file, total_of, whole
from hierdp_core.settings import Settings, add_flags, add_synthetic_flag, words_of_flags
from hierdp_core.util.text import capital, counted, percent

_SIMULATIONS = 100


def add(command: Command) -> None:
    page = command(
        "fitness",
        _fitness,
        "state the expected accuracy of a planned release of a sample, on one page",
        more="A budget (--epsilon or --rho) is needed.",
    )
    add_flags(page, needs_sample=True)
    page.add_argument(
        "--simulations", metavar="N", help=f"number of simulations (default: {_SIMULATIONS})"
    )
    add_synthetic_flag(
        page, "use a synthetic table of the same shape; no confidential count is used"
    )
    page.add_argument(
        "--total", metavar="N", help="assumed total for --synthetic; needed if no total is public"
    )
    page.add_argument("--out", metavar="FILE.html", help="write the statement to this HTML file")


def _fitness(flags: argparse.Namespace) -> None:
    from hierdp_core import samples
    from hierdp_core.decisions.fitness import fitness
    from hierdp_core.mechanisms import registry
    from hierdp_core.planning import synthetic_twin
    from hierdp_core.util.marks import CONTAINS_TRUTH
    from hierdp_core.writers.fitness import SYNTHETIC, fitness_page

    out, total = new_file(flags.out, ".html"), total_of(flags)
    settings = _settings(flags)
    data = samples.load(settings.sample, progress=progress())
    table = data.table
    if flags.synthetic:
        table = synthetic_twin(table, settings.plan(table).mechanism, total)
    plan = settings.plan(table)
    statement = fitness(
        table,
        plan,
        settings.quantity,
        n_simulations=_simulations(flags),
        seed=settings.seed,
        progress=progress(),
    )
    if out is not None:
        repeat = settings.to_shell().replace("hierdp simulate", "hierdp fitness", 1)
        extra = ["--simulations", str(statement.counts.n), *(["--synthetic"] * flags.synthetic)]
        extra += [] if total is None else ["--total", str(total)]
        page = fitness_page(
            statement,
            plan,
            title=data.title,
            source=data.credit,
            repeat=f"{repeat} {shlex.join(extra)}",
            seed=settings.seed,
            not_real="" if flags.synthetic else data.badge,
            synthetic=flags.synthetic,
        )
        out.write_text(page, encoding="utf-8")
    if flags.json:
        print_json(
            {
                "sample": settings.sample,
                "privacy": privacy_as_dict(plan.privacy),
                "counted": statement.counts.quantity.title,  # what errors are in
                "simulations": statement.counts.n,
                "by_level": statement.by_level.to_dict("records"),
                "by_size": statement.by_size.to_dict("records"),
                "decisions": statement.decisions.to_dict("records"),
                "mark": "" if flags.synthetic else CONTAINS_TRUTH,
            }
        )
        return
    print(f"Fitness for use: {data.title}. Mechanism: {registry.get(plan.id).title} ({plan.id}).")
    rows = [
        {
            "level": row["level"],
            "areas": row["areas"],
            "mean absolute error": row["mae"],
            "mean absolute percentage error": percent(row["mape"]),
        }
        for row in statement.by_level.to_dict("records")
    ]
    print_table(["level", "areas", "mean absolute error", "mean absolute percentage error"], rows)
    unit = statement.counts.quantity.title
    print(f"Errors in {unit}, means over {counted(statement.counts.n, 'simulation')}.")
    print("Percentage errors are means over areas with a true count above 0.")
    print(plan.privacy.sentence)
    if plan.privacy.caution:
        print(plan.privacy.caution)
    print(SYNTHETIC if flags.synthetic else f"{capital(CONTAINS_TRUTH)}.")
    print_written(out)


def _settings(flags: argparse.Namespace) -> Settings:
    return settings_for(Source(sample=flags.sample), words_of_flags(flags))


def _simulations(flags: argparse.Namespace) -> int:
    if flags.simulations is None:
        return _SIMULATIONS
    return whole("--simulations", flags.simulations, least=1, most=100_000)
