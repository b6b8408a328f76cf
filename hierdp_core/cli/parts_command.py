"""`hierdp parts`: tables larger than memory, in parts on disk."""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierdp_core.cli.cluster import add_scheduler_flag, cluster_of
from hierdp_core.cli.terminal import Figure, print_json, print_table, progress
from hierdp_core.cli.words import NEEDS_BUDGET, Command, given, whole
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.settings import add_account_flags, add_allocation_flag, read_options
from hierdp_core.settings.flags import Parser
from hierdp_core.util.text import capital, counted, join_and, join_or

if TYPE_CHECKING:
    import pandas as pd

BLOCKS = "us-blocks"
_UNITS = {"MB": 10**6, "GB": 10**9, "TB": 10**12, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
_DECIMALS = 2  # of simulated numbers with fractions
_AMOUNT = re.compile(r"(\d{1,9}(?:\.\d+)?)\s*([MGT]i?B)", re.IGNORECASE)


def add(command: Command) -> None:
    parser = command(
        "parts", _missing, "write, simulate and show tables in parts, even if larger than memory"
    )
    subcommands = parser.add_subparsers(title="subcommands", metavar="SUBCOMMAND", dest="todo")

    write = _subcommand(
        subcommands,
        "write",
        "write a sample as a folder of parts, one for each area of a level",
        more="A table of your own is cut into parts in Python, with PartitionedTable.of.",
    )
    write.add_argument("folder", metavar="DIR", help="new folder for the table")
    write.add_argument(
        "--sample",
        metavar="ID",
        default=BLOCKS,
        help=f"the sample to write (default: {BLOCKS}, whose areas below counties are synthetic)",
    )
    write.add_argument(
        "--cut",
        metavar="LEVEL",
        help=f"make one part for each area of this level (not for {BLOCKS}, which has one for "
        f"each state)",
    )
    write.add_argument(
        "--share",
        metavar="PROPORTION",
        help=f"proportion of the tracts, block groups and blocks of {BLOCKS} to write, above 0 and "
        "at most 1. The population stays the same (default: 1)",
    )
    write.add_argument("--json", action="store_true", help="print JSON for scripts")
    write.set_defaults(do=_write)

    simulate = _subcommand(
        subcommands,
        "simulate",
        "simulate a release of a table in parts, with seeded noise",
        more="A budget (--epsilon or --rho) is needed.",
    )
    simulate.add_argument("folder", metavar="DIR", help="folder of the table")
    simulate.add_argument(
        "--out", metavar="DIR", required=True, help="new folder for the simulation"
    )
    simulate.add_argument(
        "--mechanism",
        metavar="ID",
        required=True,
        help="mechanism to simulate; the message for an unknown ID lists those for the table",
    )
    simulate.add_argument(
        "--epsilon", metavar="NUMBER", help="privacy-loss budget ε, alone or with --delta"
    )
    simulate.add_argument(
        "--delta", metavar="NUMBER", help="δ of a budget (ε, δ), together with --epsilon"
    )
    simulate.add_argument(
        "--rho", metavar="NUMBER", help="privacy-loss budget ρ (zCDP), instead of --epsilon"
    )
    add_account_flags(simulate)
    add_allocation_flag(simulate)
    simulate.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="option of the mechanism (repeatable): see `hierdp mechanisms --json`",
    )
    simulate.add_argument("--seed", metavar="N", default="0", help="seed of the noise (default: 0)")
    simulate.add_argument(
        "--workers", metavar="N", help="number of parts in memory at once (default: one per core)"
    )
    simulate.add_argument(
        "--memory",
        metavar="AMOUNT",
        help="memory limit, such as 1GB, which may lower the number of parts in memory at once",
    )
    add_scheduler_flag(simulate)
    simulate.add_argument("--json", action="store_true", help="print JSON for scripts")
    simulate.set_defaults(do=_simulate)

    show = _subcommand(
        subcommands, "show", "show an area of a simulation or release and the areas below it"
    )
    show.add_argument(
        "folder",
        metavar="DIR",
        help="folder of the simulation, or of the package of a release",
    )
    show.add_argument(
        "area", nargs="?", metavar="CODE", help="code of the area (default: the area at the top)"
    )
    show.add_argument(
        "--level",
        metavar="LEVEL",
        help="level of the area, if areas of several levels have this code",
    )
    show.add_argument("--table", metavar="DIR", help="the exact table, for true counts and errors")
    show.add_argument("--json", action="store_true", help="print JSON for scripts")
    show.set_defaults(do=_show)


def _subcommand(
    subcommands: "argparse._SubParsersAction[Parser]", name: str, about: str, *, more: str = ""
) -> Parser:
    description = f"{capital(about)}. {more}".rstrip()
    return subcommands.add_parser(name, help=about, description=description)


def _missing(flags: argparse.Namespace) -> None:
    raise ChoiceError(
        "Give a subcommand: `hierdp parts write`, `hierdp parts simulate` or `hierdp parts show`."
    )


def _write(flags: argparse.Namespace) -> None:
    from hierdp_core import samples
    from hierdp_core.scale import PartitionedTable, write_us_blocks

    if flags.sample == BLOCKS:
        if flags.cut is not None:
            raise ChoiceError(f"{BLOCKS} has a part for each state. Leave out --cut.")
        table = write_us_blocks(flags.folder, share=_share(flags.share))
    else:
        if flags.share is not None:
            raise ChoiceError(f"--share is for {BLOCKS} only. Leave out --share.")
        if flags.cut is None:
            raise ChoiceError(
                "Give --cut LEVEL. The table gets one part for each area of this level."
            )
        exact = samples.load(flags.sample, progress=progress()).table
        table = PartitionedTable.of(exact, flags.folder, cut=flags.cut, boundaries_of=flags.sample)
    sizes = dict(zip(table.levels, table.level_sizes, strict=True))
    if flags.json:
        print_json({"folder": str(table.folder), "parts": len(table.parts), "levels": sizes})
    else:
        areas = join_and([counted(n, level) for level, n in sizes.items()])
        print(f"{table.folder} holds {areas}, in {counted(len(table.parts), 'part')}.")


def _simulate(flags: argparse.Namespace) -> None:
    from hierdp_core import mechanisms
    from hierdp_core.privacy import Budget
    from hierdp_core.scale import PartitionedTable, simulate_parts
    from hierdp_core.util.marks import SEEDED

    words = given(
        epsilon=flags.epsilon,
        delta=flags.delta,
        rho=flags.rho,
        accounting=flags.accounting,
        noise=flags.noise,
    )
    if not words.keys() & {"epsilon", "delta", "rho"}:
        raise BudgetError(NEEDS_BUDGET)
    allocation = None if flags.allocation is None else _weights(flags.allocation)
    table = PartitionedTable.open(flags.folder)
    _require_known(flags.mechanism, table.kind)
    mechanism = mechanisms.parse(flags.mechanism, read_options(flags.option))
    with cluster_of(flags) as client:
        simulation = simulate_parts(
            table,
            mechanism,
            Path(flags.out),
            budget=Budget.stated(None, **words),
            allocation=allocation,
            seed=whole("--seed", flags.seed, least=0, most=10**9 - 1),
            workers=None if flags.workers is None else whole("--workers", flags.workers, least=1),
            client=client,
            memory=None if flags.memory is None else _bytes(flags.memory),
            progress=progress(),
        )
    if flags.json:
        facts = {"folder": str(simulation.folder), "digest": simulation.digest()}
        print_json(facts | {"privacy": simulation.plan.privacy.sentence})
    else:
        print(simulation.plan.privacy.sentence)
        print(f"Written to {simulation.folder}.")
        print(f"{capital(SEEDED)}.")


def _require_known(id: str, kind: str) -> None:
    """Require a mechanism that exists; the message offers those for tables in parts.

    Raises:
        ChoiceError: there is no such mechanism.
    """
    from hierdp_core import mechanisms
    from hierdp_core.scale.ways import names_in_parts

    if id not in mechanisms.names():
        raise ChoiceError(
            f'There is no mechanism "{id}". For this table, choose {join_or(names_in_parts(kind))}.'
        )


def _show(flags: argparse.Namespace) -> None:
    from hierdp_core.privacy.rounding import percent_exact
    from hierdp_core.releases.parts.looking import is_package
    from hierdp_core.util.marks import CONTAINS_TRUTH, seeded_mark

    frame = _area(flags)
    rows: list[Any] = frame.to_dict("records")
    if flags.json:
        facts = {"above": frame.attrs["above"], "privacy": frame.attrs["privacy"], "areas": rows}
        print_json(facts | ({"mark": CONTAINS_TRUTH} if flags.table is not None else {}))
        return
    print(" / ".join(frame.attrs["above"]))
    print(frame.attrs["privacy"])
    titles = {"id": "code", "exact": "true count"}
    simulated = not is_package(flags.folder)
    if simulated:
        titles["released"] = "simulated"
    columns = {name: titles.get(name, name) for name in rows[0]}
    if "error" in columns and any(row["released"] % 1 for row in rows):
        # With the same decimals, each error is the simulated number minus the true count.
        both = ("released", "error")
        rows = [
            row | {name: Figure(f"{row[name]:,.{_DECIMALS}f}") for name in both} for row in rows
        ]
    print_table(list(columns.values()), [{columns[k]: v for k, v in row.items()} for row in rows])
    if simulated:
        print(f"{capital(seeded_mark())}.")
    else:
        print(f"The margins of error have a confidence of {percent_exact(frame.attrs['level'])}.")
    if flags.table is not None:
        print(f"{capital(CONTAINS_TRUTH)}.")


def _area(flags: argparse.Namespace) -> "pd.DataFrame":
    from hierdp_core.releases import open_release
    from hierdp_core.releases.parts.looking import RELEASED_ALONE, is_package, read_released_area
    from hierdp_core.scale import read_area

    if not is_package(flags.folder):
        return read_area(flags.folder, flags.area, level=flags.level, table=flags.table)
    if flags.table is not None:
        raise ChoiceError(RELEASED_ALONE.format(path=flags.folder))
    package = open_release(flags.folder)
    frame = read_released_area(package, flags.area, level=flags.level)
    cells = frame.astype(object).where(frame.notna(), None)
    level = float(package.certificate["margins"]["level"])
    cells.attrs = {**frame.attrs, "privacy": package.guarantee, "level": level}
    return cells


def _share(text: str | None) -> float:
    if text is None:
        return 1.0
    try:
        return float(text)
    except ValueError:
        raise ChoiceError(f'Give --share a number above 0 and at most 1; got "{text}".') from None


def _bytes(text: str) -> int:
    """Return an amount of memory in bytes.

    >>> _bytes("1.5GB"), _bytes("512 MiB")
    (1500000000, 536870912)
    """
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        raise ChoiceError(
            f'--memory takes an amount such as 1GB or 512MiB; got "{text[:20]}". Give a number '
            "with a unit."
        )
    number, unit = match.groups()
    return int(float(number) * _UNITS[unit.upper()])


def _weights(text: str) -> list[int]:
    return [whole("--allocation", part.strip(), least=0) for part in text.split(",")]
