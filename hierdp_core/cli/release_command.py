"""`hierdp release`: the plan and its cost first, then one private release into a package."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierdp_core.cli.cluster import add_scheduler_flag, cluster_of
from hierdp_core.cli.remedies import as_settings
from hierdp_core.cli.terminal import (
    account_lines,
    patience,
    print_json,
    print_table,
    progress,
    step,
)
from hierdp_core.cli.words import Command, whole
from hierdp_core.exceptions import BudgetError, ChoiceError, HierdpError, ReleaseError

if TYPE_CHECKING:
    from hierdp_core.maps.boundaries import Boundaries
    from hierdp_core.mechanisms import Plan
    from hierdp_core.privacy.statement import LevelPrivacy
    from hierdp_core.releases import Ledger
    from hierdp_core.releases.paying import Settled
    from hierdp_core.releases.request import ReleaseSettings, Request
    from hierdp_core.scale import PartitionedTable

_BASES = ("nothing", "public data", "synthetic data", "earlier data", "the same table")


def add(command: Command) -> None:
    parser = command(
        "release",
        _release,
        "release a table once with exactly sampled noise, and debit the cost in a ledger",
        more="The options --data (or --parts), --ledger, --dataset and --out are needed, and "
        "--tuned-on unless the settings state it.",
    )
    parser.add_argument(
        "settings",
        metavar="SETTINGS.toml",
        help="settings file with the mechanism, the budget and the meaning of the columns",
    )
    parser.add_argument(
        "--data",
        metavar="FILE",
        nargs="+",
        help="the table, optionally followed by boundaries, centres of areas or a lookup table",
    )
    parser.add_argument(
        "--parts", metavar="DIR", help="a table in parts, instead of --data; see `hierdp parts`"
    )
    add_scheduler_flag(parser)
    parser.add_argument(
        "--regions",
        metavar="FILE",
        help="lookup table or boundaries that list all areas and were not made from the records",
    )
    parser.add_argument("--ledger", metavar="FILE", help="the ledger: see `hierdp ledger`")
    parser.add_argument(
        "--dataset",
        metavar="NAME",
        help="dataset in the ledger from whose budget the cost is debited",
    )
    parser.add_argument(
        "--out",
        metavar="PATH",
        help="the package: a new folder, or a new file that ends in .zip (not with --parts)",
    )
    parser.add_argument(
        "--tuned-on",
        metavar="DATA",
        help="data on which the plan (mechanism, budget and allocation) was chosen, one of: "
        f"{', '.join(_BASES)}",
    )
    parser.add_argument(
        "--allow-same-table",
        action="store_true",
        help="permit a plan that was chosen on this table; the certificate then states this",
    )
    parser.add_argument(
        "--simulations",
        metavar="N",
        default="100",
        help="number of simulations for the margins of error, at least 10 (default: 100)",
    )
    parser.add_argument(
        "--measurements", action="store_true", help="include the noisy measurements in the package"
    )
    parser.add_argument(
        "--sign", metavar="FILE", help="sign the package with this private Ed25519 key (PEM)"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")


def _release(flags: argparse.Namespace) -> None:
    if flags.parts is not None:
        _release_parts(flags)
        return
    if flags.scheduler is not None:
        raise ChoiceError("--scheduler requires --parts. Leave out --scheduler, or give --parts.")
    _require_flags(flags, "data", "ledger", "dataset", "out")
    simulations = whole("--simulations", flags.simulations, least=10, most=10_000)
    _require_key(flags.sign)
    request = _request(flags)
    _require_permission(flags, request)

    from hierdp_core.noise import require_opendp
    from hierdp_core.releases import Ledger, release
    from hierdp_core.releases.package.writing import require_new

    require_opendp()
    out, ledger = Path(flags.out), Ledger(flags.ledger)
    require_new(out)
    ledger.account(flags.dataset)  # raises an error if there is no such dataset
    with patience("reading and planning"):
        step("reading the table")
        reading = request.read()
        assert reading.table is not None
        for correction in reading.report.corrections:
            print(f"hierdp: {as_settings(correction.sentence)}", file=sys.stderr)
        step("planning")
        with _of_plan(flags):
            plan = request.plan(reading.table)
    _settle(flags, request, ledger, plan)
    with patience("releasing"):
        step("sampling the noise")
        package = release(
            reading.table,
            plan,
            ledger=ledger,
            dataset=flags.dataset,
            title=request.title,
            tuned_on=request.tuned_on,
            allow_same_table=flags.allow_same_table,
            progress=_counted("noisy numbers"),
        )
        for note in package.notes:
            print(f"hierdp: {note}", file=sys.stderr)
        step("computing margins of error")
        margins = package.margins(
            n_simulations=simulations, progress=_counted("simulations for margins")
        )
        boundaries = reading.boundaries if request.has_boundaries else None
        step("writing the package")
        package.write(
            out,
            margins=margins,
            boundaries=boundaries,
            measurements=flags.measurements,
            sign=flags.sign,
        )
    _print_done(flags, ledger, package.id, out)


def _release_parts(flags: argparse.Namespace) -> None:
    """Release a table in parts, on this machine or on a cluster."""
    _require_flags(flags, "ledger", "dataset", "out")
    if flags.data is not None or flags.regions is not None:
        raise ChoiceError("--parts names the table with its areas. Leave out --data and --regions.")
    simulations = whole("--simulations", flags.simulations, least=10, most=10_000)
    _require_key(flags.sign)
    from hierdp_core.releases.request import ReleaseSettings

    with _of_settings(flags) as text:
        request = ReleaseSettings.for_parts(text, tuned_on=flags.tuned_on)
    _require_permission(flags, request)

    from hierdp_core.noise import require_opendp
    from hierdp_core.releases import Ledger, release
    from hierdp_core.releases.package.writing import require_new
    from hierdp_core.releases.parts.writing import require_folder
    from hierdp_core.scale import PartitionedTable, plan_parts

    require_opendp()
    out, ledger = Path(flags.out), Ledger(flags.ledger)
    require_new(out)
    require_folder(out)
    ledger.account(flags.dataset)  # raises an error if there is no such dataset
    table = PartitionedTable.open(flags.parts)
    with cluster_of(flags) as client:
        settings = request.settings
        with patience("planning"):
            step("planning")
            with _of_plan(flags):
                plan = plan_parts(
                    table,
                    settings.configured,
                    budget=settings.budget,
                    allocation=settings.allocation,
                    client=client,
                )
        _settle(flags, request, ledger, plan, in_parts=True)
        with patience("releasing"):
            step("sampling the noise")
            package = release(
                table,
                plan,
                ledger=ledger,
                dataset=flags.dataset,
                title=request.title,
                tuned_on=request.tuned_on,
                allow_same_table=flags.allow_same_table,
                progress=_counted("parts measured"),
                client=client,
            )
            for note in package.notes:
                print(f"hierdp: {note}", file=sys.stderr)
            step("writing the package")
            package.write(
                out,
                n_simulations=simulations,
                boundaries=_boundaries_of(table),
                measurements=flags.measurements,
                sign=flags.sign,
                client=client,
                progress=_counted("parts written"),
            )
    _print_done(flags, ledger, package.id, out)


def _boundaries_of(table: "PartitionedTable") -> "Boundaries | None":
    """Return the boundaries of the sample from which a table was made, if any."""
    from hierdp_core import samples

    return samples.load(table.boundaries_of).boundaries if table.boundaries_of else None


def _require_flags(flags: argparse.Namespace, *names: str) -> None:
    for name in names:
        if getattr(flags, name) is None:
            needed = f"--{name}"
            if name == "data":
                needed = "--data, or --parts for a table in parts,"
            raise ChoiceError(f"{needed} is needed. See: hierdp release --help")


def _require_key(file: str | None) -> None:
    """Require a key that can sign, before any budget is spent."""
    if file is not None:
        from hierdp_core.releases.package.signatures import Signer

        Signer(file)


def _require_permission(flags: argparse.Namespace, request: "ReleaseSettings") -> None:
    """Refuse a plan that was tuned on the table, before the table is read."""
    from hierdp_core.releases.checks import require_permission

    require_permission(request.tuned_on, allowed=flags.allow_same_table)


def _request(flags: argparse.Namespace) -> "Request":
    from hierdp_core.releases.request import Request

    with _of_settings(flags) as text:
        return Request.of(
            text,
            data=flags.data,
            regions=flags.regions,
            tuned_on=flags.tuned_on,
            folder=Path(flags.settings).parent,
        )


@contextmanager
def _of_settings(flags: argparse.Namespace) -> Iterator[str]:
    """Yield the text of the settings; messages about them begin with the name of the file."""
    try:
        text = Path(flags.settings).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ChoiceError(f"{flags.settings} is not text in UTF-8. Save it as UTF-8.") from None
    except OSError as error:
        raise ChoiceError(
            f"{flags.settings} cannot be read: {error.strerror}. Correct its path or permissions."
        ) from None
    try:
        yield text
    except ReleaseError:
        raise
    except HierdpError as error:
        raise ChoiceError(f"{flags.settings}: {error}") from None


@contextmanager
def _of_plan(flags: argparse.Namespace) -> Iterator[None]:
    """Begin messages about a plan, all of which is in the settings, with the name of the file."""
    try:
        yield
    except (BudgetError, ChoiceError) as error:
        raise type(error)(f"{flags.settings}: {error}") from None


def _settle(
    flags: argparse.Namespace,
    request: "ReleaseSettings",
    ledger: "Ledger",
    plan: "Plan",
    *,
    in_parts: bool = False,
) -> None:
    """Require a plan that can be released within the budget, and ask for confirmation.

    Raises:
        ReleaseError: the plan cannot be released, or was not confirmed; nothing was spent.
    """
    from hierdp_core.releases.paying import Order

    order = Order(
        ledger=ledger,
        dataset=flags.dataset,
        title=request.title,
        tuned_on=request.tuned_on,
        allow_same_table=flags.allow_same_table,
    )
    settled = order.settle(plan, in_parts=in_parts)
    _confirm(flags, settled, title=request.title, with_margins=not in_parts)


def _confirm(
    flags: argparse.Namespace, settled: "Settled", *, title: str, with_margins: bool
) -> None:
    """Show the plan and what it costs, and ask for the name of the dataset.

    Raises:
        ReleaseError: the release was not confirmed; nothing was spent.
    """
    if not flags.json:
        _print_plan(settled, title=title)
        if with_margins:  # a plan for parts does not have the numbers of areas
            _print_expected(settled.plan)
    if flags.yes:
        return
    if not sys.stdin.isatty():
        raise ReleaseError(
            "The release cannot be confirmed without a terminal, so nothing was spent. Add --yes."
        )
    dataset = settled.account.dataset
    words = f"Type the name of the dataset, {dataset}, to confirm this release: "
    try:
        answer = input(words).strip()
    except EOFError:
        answer = ""
    if answer != dataset:
        raise ReleaseError(
            "Not confirmed. Nothing was spent. Repeat the command, and type the name of the "
            "dataset to confirm."
        )


def _print_plan(settled: "Settled", *, title: str) -> None:
    plan, account = settled.plan, settled.account
    dataset = account.dataset
    print(f"Release of “{dataset}”: {title}" if title else f"Release of “{dataset}”")
    print(plan.privacy.sentence)
    for line in account_lines(plan.privacy):
        print(line)
    rows = [
        {"level": one.level, "allocation": one.share or "–", "cost": _cost(one), "noise": one.scale}
        for one in plan.privacy.levels
    ]
    print_table(["level", "allocation", "cost", "noise"], rows)
    print(f"The budget of “{dataset}” is {account.budget.words}. {account.balance}")
    print(settled.consequence)


def _cost(level: "LevelPrivacy") -> str:
    from hierdp_core.privacy.rounding import GUARANTEE_DIGITS, upper

    if level.epsilon is not None:
        return f"ε = {upper(level.epsilon, GUARANTEE_DIGITS)}"
    return "–" if level.rho is None else f"ρ = {upper(level.rho, GUARANTEE_DIGITS)}"


def _print_expected(plan: "Plan") -> None:
    from hierdp_core.releases.preview import expected_margins

    with patience("computing expected margins"):
        step("computing expected margins")
        expected = expected_margins(plan)
    if expected:
        print("Expected margins of error (90%), on a synthetic table of the same shape:")
    for one in expected:
        if one.median_up is None:
            print(f"  {one.level}: not available")
        else:
            print(f"  {one.level}: {one.median_up:,} (median over the numbers of this level)")


def _print_done(flags: argparse.Namespace, ledger: "Ledger", release: str, out: Path) -> None:
    account, head = ledger.account(flags.dataset), ledger.head()
    if flags.json:
        print_json(
            {
                "release": release,
                "package": str(out),
                "account": account.as_dict(),
                "ledger": {"number": head.number, "hash": head.hash},
            }
        )
        return
    print(f"Release {release} was written to {out}.")
    print(account.balance)


def _counted(words: str) -> Any:
    show = progress()
    return None if show is None else lambda done, total: show(done, total, words)
