"""`hierdp release`: the plan and its price first, then one private release into a package."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierdp_core.cli.terminal import account_lines, print_json, print_table, progress
from hierdp_core.cli.words import Command, whole
from hierdp_core.exceptions import BudgetError, ChoiceError, FileError, HierdpError, ReleaseError
from hierdp_core.settings import Settings, words_of_toml

if TYPE_CHECKING:
    from hierdp_core.mechanisms import Plan
    from hierdp_core.readers import Reading
    from hierdp_core.releases import Account, Ledger

_WORDS = ("title", "tuned_on")  # of a release, beside those of a simulation
_BASES = ("nothing", "public data", "synthetic data", "earlier data", "the same table")


def add(command: Command) -> None:
    parser = command(
        "release", _release, "release a table once, with exact noise paid for by a ledger"
    )
    parser.add_argument("settings", metavar="SETTINGS.toml", help="mechanism, budget and columns")
    parser.add_argument(
        "--data", metavar="FILE", nargs="+", help="the table, and boundaries or centres"
    )
    parser.add_argument("--regions", metavar="FILE", help="a list of all regions from elsewhere")
    parser.add_argument("--ledger", metavar="FILE", help="see `hierdp ledger`")
    parser.add_argument("--dataset", metavar="NAME", help="whose budget in the ledger pays")
    parser.add_argument(
        "--out", metavar="DIR", help="a new folder, or a new file that ends in .zip"
    )
    parser.add_argument(
        "--tuned-on",
        metavar="WORDS",
        help=f"what the plan was chosen on: {', '.join(_BASES)}",
    )
    parser.add_argument(
        "--allow-same-table",
        action="store_true",
        help="release a plan that was chosen on this table; the certificate says so",
    )
    parser.add_argument(
        "--simulations", metavar="N", default="100", help="for the margins of error (default: 100)"
    )
    parser.add_argument(
        "--measurements", action="store_true", help="put the noisy measurements in the package"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")


def _release(flags: argparse.Namespace) -> None:
    for name in ("data", "ledger", "dataset", "out"):
        if getattr(flags, name) is None:
            raise ChoiceError(f"--{name} is needed. See: hierdp release --help")
    simulations = whole("--simulations", flags.simulations, least=10, most=10_000)
    settings, words = _settings(flags)

    from hierdp_core.noise import require_opendp
    from hierdp_core.releases import Ledger, release
    from hierdp_core.releases.checks import releasable, settled_tuning
    from hierdp_core.releases.package.writing import require_new

    require_opendp()
    out, ledger = Path(flags.out), Ledger(flags.ledger)
    require_new(out)
    account = ledger.account(flags.dataset)
    reading = _reading(flags, words)
    assert reading.table is not None
    plan = releasable(settings.plan(reading.table))
    tuned = words["tuned_on"]
    settled_tuning(plan, tuned, allowed=flags.allow_same_table)
    account.require_room(plan.events, protects=plan.privacy.difference)
    _confirm(flags, account, plan, title=words.get("title", ""))
    made = release(
        reading.table,
        settings.plan(reading.table),
        ledger=ledger,
        dataset=flags.dataset,
        title=words.get("title", ""),
        tuned_on=tuned,
        allow_same_table=flags.allow_same_table,
        progress=_counted("noisy numbers"),
    )
    for note in made.notes:
        print(f"hierdp: {note}", file=sys.stderr)
    margins = made.margins(n_simulations=simulations, progress=_counted("simulations for margins"))
    boundaries = reading.boundaries if len(flags.data) > 1 else None
    made.write(out, margins=margins, boundaries=boundaries, measurements=flags.measurements)
    _print_done(flags, ledger, made.id, out)


def _settings(flags: argparse.Namespace) -> tuple[Settings, Mapping[str, Any]]:
    """The settings of the file, and its other words with those of the flags."""
    from hierdp_core.samples.sample import OWN

    try:
        words = words_of_toml(Path(flags.settings).read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise ChoiceError(f"{flags.settings} is not text in UTF-8.") from None
    except OSError as error:
        raise ChoiceError(f"{flags.settings} cannot be read: {error.strerror}.") from None
    except HierdpError as error:
        raise ChoiceError(f"{flags.settings}: {error}") from None
    for word, why in (
        ("seed", "The noise of a release has no seed"),
        ("sample", "A release is of data of your own, not of a sample"),
    ):
        if word in words:
            raise ReleaseError(f"{flags.settings} says {word}. {why}: leave that line out.")
    if "mechanism" not in words:
        raise ChoiceError(f"{flags.settings} names no mechanism; `hierdp mechanisms` lists them.")
    if not words.keys() & {"epsilon", "delta", "rho"}:
        raise BudgetError(f"{flags.settings} names no budget: epsilon, with delta, or rho.")
    others = {"data", "boundaries", "regions", "confidential", "columns", *_WORDS}
    rest: dict[str, Any] = {name: value for name, value in words.items() if name in others}
    if flags.tuned_on is not None:
        rest["tuned_on"] = flags.tuned_on
    if "tuned_on" not in rest:
        raise ReleaseError(
            "Say what the plan was chosen on: --tuned-on with one of "
            f"{', '.join(_BASES)}, or tuned_on in the settings."
        )
    for word in _WORDS:
        if not isinstance(rest.get(word, ""), str):
            raise ChoiceError(f"{word} is text in quotes.")
    own = {name: value for name, value in words.items() if name not in others}
    return Settings.of(own | {"sample": OWN}), rest


def _reading(flags: argparse.Namespace, words: Mapping[str, Any]) -> "Reading":
    from hierdp_core.settings.own_files import OwnFiles

    if len(flags.data) > 2:
        raise ChoiceError("--data takes a table, and beside it boundaries or centres.")
    columns = {"columns": words["columns"]} if "columns" in words else {}
    files = OwnFiles.of(
        {
            "data": flags.data[0],
            "boundaries": flags.data[1] if len(flags.data) > 1 else "",
            "regions": flags.regions or words.get("regions", ""),
            "confidential": True,
            **columns,
        },
        folder=Path(),
    )
    reading = files.read()
    if reading.table is None:
        raise FileError("There is no table in the file. See `hierdp check`.")
    for repair in reading.report.repairs:
        print(f"hierdp: {repair.sentence}", file=sys.stderr)
    return reading


def _confirm(flags: argparse.Namespace, account: "Account", plan: "Plan", *, title: str) -> None:
    """Show the plan and what it costs, and ask for the name of the dataset.

    Raises:
        ReleaseError: it was not confirmed; nothing was spent.
    """
    if not flags.json:
        _print_plan(account, plan, title=title)
    if flags.yes:
        return
    if not sys.stdin.isatty():
        raise ReleaseError("Nobody is there to confirm, so nothing was spent. Add --yes.")
    words = f"Type the name of the dataset, {account.dataset}, to release it at this cost: "
    if input(words).strip() != account.dataset:
        raise ReleaseError("Not confirmed. Nothing was spent.")


def _print_plan(account: "Account", plan: "Plan", *, title: str) -> None:
    print(f"Release of “{account.dataset}”" + (f": {title}" if title else ""))
    print(plan.privacy.sentence)
    for line in account_lines(plan.privacy):
        print(line)
    rows = [
        {"level": one.level, "share": one.share, "noise": one.scale} for one in plan.privacy.levels
    ]
    print_table(["level", "share", "noise"], rows)
    print(f"Budget of “{account.dataset}”: {account.budget.words}; {account.left_words} now.")
    after = account.with_release(plan.events)
    print(f"After this release {after.spent_words} is spent; {after.left_words}.")
    _print_expected(plan)


def _print_expected(plan: "Plan") -> None:
    from hierdp_core.releases.preview import expected_margins

    expected = expected_margins(plan)
    if expected:
        print("Expected margins of error (90%), on a synthetic table of the same shape:")
    for one in expected:
        median = "not available" if one.median is None else f"{one.median:,.0f} (median)"
        print(f"  {one.level}: {median}")


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
    print(f"Release {release} is in {out}.")
    print(f"{account.spent_words} is spent; {account.left_words}.")


def _counted(words: str) -> Any:
    show = progress()
    return None if show is None else lambda done, total: show(done, total, words)
