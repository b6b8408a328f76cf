"""`hierdp ledger`: the budgets of datasets, the releases that spent them, and verification."""

import argparse
from typing import TYPE_CHECKING

from hierdp_core.cli.terminal import print_json, print_table
from hierdp_core.cli.words import Command
from hierdp_core.exceptions import BudgetError, ChoiceError, ReleaseError
from hierdp_core.util.text import counted, join_and, join_or, paragraph

if TYPE_CHECKING:
    from hierdp_core.releases import Account, Ledger

_ACTIONS = ("list", "add-dataset", "set-budget", "verify", "export", "backup")
_TOTALS, _WITH_TOTAL = ("epsilon", "delta", "rho"), ("add-dataset", "set-budget")
_AFTER_PROBLEMS = (
    "If the ledger was edited, restore it from a backup. If a package was changed, get it from its "
    "publisher again."
)

_UNSIGNED = "No signature was checked, because no public key was given (--public-key FILE)."


def add(command: Command) -> None:
    parser = command(
        "ledger",
        _ledger,
        "record datasets with their budgets, and list or verify what releases have spent",
    )
    parser.add_argument(
        "file", metavar="FILE", help="the ledger; add-dataset creates it if there is none"
    )
    parser.add_argument(
        "action",
        nargs="?",
        default="list",
        metavar="ACTION",
        help="list datasets and releases (list, the default), add a dataset (add-dataset), change "
        "its budget (set-budget), check all records (verify), print them as JSON (export) or copy "
        "the ledger (backup)",
    )
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="name of the dataset, the same for all tables and years of the same people "
        "(add-dataset, set-budget), or new file for the backup (backup)",
    )
    parser.add_argument("--epsilon", metavar="NUMBER", help="total budget ε, alone or with --delta")
    parser.add_argument(
        "--delta", metavar="NUMBER", help="δ of a budget (ε, δ), together with --epsilon"
    )
    parser.add_argument(
        "--rho", metavar="NUMBER", help="total budget ρ (zCDP), instead of --epsilon"
    )
    parser.add_argument(
        "--reason",
        metavar="TEXT",
        default="",
        help="set-budget: the reason for the new budget, which is recorded",
    )
    parser.add_argument(
        "--against",
        metavar="PACKAGE",
        nargs="+",
        default=[],
        help="verify: published packages that must agree with the ledger",
    )
    parser.add_argument(
        "--public-key",
        metavar="FILE",
        help="verify: require that the packages were signed with the private key of this public "
        "key",
    )


def _ledger(flags: argparse.Namespace) -> None:
    from hierdp_core.releases import Ledger

    actions = {
        "list": _list,
        "add-dataset": _add_dataset,
        "set-budget": _set_budget,
        "verify": _verify,
        "export": _export,
        "backup": _back_up,
    }
    if flags.action not in actions:
        raise ChoiceError(f'There is no action "{flags.action[:40]}". Choose {join_or(_ACTIONS)}.')
    if flags.against and flags.action != "verify":
        raise ChoiceError("--against requires the action verify. See: hierdp ledger --help")
    if flags.public_key and not flags.against:
        raise ChoiceError(
            "--public-key requires the action verify and --against. See: hierdp ledger --help"
        )
    totals = [name for name in _TOTALS if getattr(flags, name) is not None]
    if totals and flags.action not in _WITH_TOTAL:
        raise ChoiceError(
            f"--{totals[0]} requires {join_or(_WITH_TOTAL)}. See: hierdp ledger --help"
        )
    if flags.reason and flags.action != "set-budget":
        raise ChoiceError("--reason requires set-budget. See: hierdp ledger --help")
    needs_name = flags.action in ("add-dataset", "set-budget", "backup")
    if needs_name != (flags.name is not None):
        if needs_name:
            what = "the name of a new file" if flags.action == "backup" else "a name"
            raise ChoiceError(f"{flags.action} needs {what}. See: hierdp ledger --help")
        raise ChoiceError(f"{flags.action} takes no name. See: hierdp ledger --help")
    actions[flags.action](flags, Ledger(flags.file))


def _list(flags: argparse.Namespace, ledger: "Ledger") -> None:
    accounts, entries, head = ledger.datasets(), ledger.entries(), ledger.head()
    if flags.json:
        print_json(
            {
                "datasets": [account.as_dict() for account in accounts],
                "releases": [
                    {
                        "release": entry.release,
                        "dataset": entry.dataset,
                        "title": entry.plan["title"],
                        "mechanism": entry.plan["mechanism"],
                        "guarantee": entry.plan["guarantee"],
                        "cost": None if entry.cost is None else str(entry.cost),
                        "state": entry.state.value,
                        "time": entry.reserved.time,
                    }
                    for entry in entries
                ],
                "number": head.number,
                "hash": head.hash,
            }
        )
        return
    _print_accounts(accounts)
    rows = [
        {
            "time": entry.reserved.time,
            "dataset": entry.dataset,
            "release": entry.release,
            "mechanism": entry.plan["mechanism"],
            "guarantee": entry.plan["guarantee"],
            "state": entry.state.value,
        }
        for entry in entries
    ]
    if rows:
        print()
        print_table(list(rows[0]), rows)
    records = counted(head.number, "record")
    print(f"The ledger has {records}. The hash of the last one is {head.hash}.")


def _print_accounts(accounts: "tuple[Account, ...]") -> None:
    rows = [
        {
            "dataset": account.dataset,
            "budget": account.budget.words,
            "spent": account.spent_words,
            "releases": len(account.costs),
        }
        for account in accounts
    ]
    print_table(["dataset", "budget", "spent", "releases"], rows)
    if any(account.budget.delta for account in accounts):
        from hierdp_core.releases.ledger.sentences import JOINT_COSTS

        print(JOINT_COSTS)


def _add_dataset(flags: argparse.Namespace, ledger: "Ledger") -> None:
    _require_budget(flags)
    account = ledger.add_dataset(
        flags.name, epsilon=flags.epsilon, delta=flags.delta, rho=flags.rho
    )
    _print_account(flags, account)


def _set_budget(flags: argparse.Namespace, ledger: "Ledger") -> None:
    _require_budget(flags)
    account = ledger.set_budget(
        flags.name,
        reason=flags.reason,
        epsilon=flags.epsilon,
        delta=flags.delta,
        rho=flags.rho,
    )
    _print_account(flags, account)


def _require_budget(flags: argparse.Namespace) -> None:
    if flags.epsilon is None and flags.rho is None:
        raise BudgetError(
            "A total budget is needed. Give --epsilon, --epsilon with --delta, or --rho."
        )


def _print_account(flags: argparse.Namespace, account: "Account") -> None:
    if flags.json:
        print_json(account.as_dict())
    else:
        print(f"The budget of “{account.dataset}” is {account.budget.words}. {account.balance}")


def _verify(flags: argparse.Namespace, ledger: "Ledger") -> None:
    from hierdp_core.releases.verification import faults_against

    checked = faults_against(ledger, flags.against, public_key=flags.public_key)
    faults = [*ledger.faults(), *checked]
    head = ledger.head()
    if flags.json:
        checks = {"signatures_checked": flags.public_key is not None} if flags.against else {}
        print_json({"faults": faults, "number": head.number, "hash": head.hash, **checks})
    if faults:
        raise ReleaseError(
            paragraph(f"{counted(len(faults), 'problem')} found.", *faults, _AFTER_PROBLEMS)
        )
    if not flags.json:
        chain = f"The chain of {counted(head.number, 'record')} is complete"
        packages = counted(len(flags.against), "package")
        if not flags.against:
            print(f"{chain}.")
        elif len(flags.against) == 1:
            print(f"{chain}, and {packages} agrees with it.")
        else:
            print(f"{chain}, and {packages} agree with it.")
        if flags.against and flags.public_key is None:
            print(_UNSIGNED)


def _export(flags: argparse.Namespace, ledger: "Ledger") -> None:
    print_json({"records": [record.as_dict() for record in ledger.records()]})


def _back_up(flags: argparse.Namespace, ledger: "Ledger") -> None:
    ledger.back_up(flags.name)
    others = [str(path) for path in (ledger.key_file, ledger.folder) if path.exists()]
    if flags.json:
        print_json({"copy": flags.name, "copy_also": others})
        return
    print(f"The ledger was copied to {flags.name}.")
    if others:
        print(f"Also copy {join_and(others)} to a place that only their owner can read.")
