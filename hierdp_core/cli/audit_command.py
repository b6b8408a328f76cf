"""`hierdp audit`: a lower bound on the privacy loss of a mechanism, from its outputs."""

import argparse
import re
from typing import TYPE_CHECKING, Any

from hierdp_core.cli.own_data import Source, add_data_flags, source_of, with_words
from hierdp_core.cli.terminal import print_json, print_mark, progress
from hierdp_core.cli.words import NEEDS_MECHANISM, Command, listed, whole
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.settings import (
    add_account_flags,
    add_allocation_flag,
    read_options,
    read_seed,
)
from hierdp_core.util.text import join_or

if TYPE_CHECKING:
    from hierdp_core.audits import Pair
    from hierdp_core.mechanisms import Mechanism
    from hierdp_core.privacy import Budget

_MOST_RUNS = 10_000_000
_ALLOCATION = (
    "budget allocation: one whole number (weight) for each level that gets noise, from the top "
    "(default: equal). The tables that come with HierDP have the levels nation and state. "
    "Mechanisms for flows may leave out the nation, or have other levels, which the error "
    "message lists"
)
# The keys of a settings file, and the flags with the same meaning.
_WORDS = {
    name: name
    for name in (
        "mechanism",
        "epsilon",
        "delta",
        "rho",
        "accounting",
        "noise",
        "allocation",
        "seed",
    )
} | {"options": "option"}


def add(command: Command) -> None:
    audit = command(
        "audit",
        _audit,
        "measure a lower bound on the privacy loss of a mechanism",
        more="A mechanism and a claimed budget (--epsilon or --rho) are needed, here or in the "
        "settings file.",
    )
    add_data_flags(
        audit,
        data_help="your own table, which is compared with a neighbouring table, instead of the "
        "pairs of small tables that come with HierDP",
    )
    audit.add_argument(
        "--mechanism", metavar="ID", help="mechanism to audit: see `hierdp mechanisms`"
    )
    audit.add_argument("--epsilon", metavar="NUMBER", help="claimed ε, alone or with --delta")
    audit.add_argument("--delta", metavar="NUMBER", help="claimed δ, together with --epsilon")
    audit.add_argument("--rho", metavar="NUMBER", help="claimed ρ (zCDP), instead of --epsilon")
    add_account_flags(audit)
    add_allocation_flag(audit, help=_ALLOCATION)
    audit.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="option of the mechanism (repeatable): see `hierdp mechanisms --json`",
    )
    audit.add_argument(
        "--pair",
        metavar="ID",
        help="pair of neighbouring tables to use (default: all worst cases of the mechanism). The "
        "error message for an unknown ID lists the pairs",
    )
    audit.add_argument(
        "--runs",
        metavar="N",
        default="20000",
        help="number of runs of the mechanism on each table (default: 20,000)",
    )
    audit.add_argument(
        "--confidence",
        metavar="LEVEL",
        default="0.95",
        help="confidence level of all lower bounds together (default: 0.95)",
    )
    audit.add_argument("--seed", metavar="N", help="seed of the noise (default: 0)")
    audit.add_argument("--workers", metavar="N", help="number of threads (default: one per core)")


def _audit(flags: argparse.Namespace) -> None:
    source, words = source_of(flags)
    flags = with_words(flags, words, _WORDS)
    flags.seed = flags.seed or "0"
    if flags.mechanism is None:
        raise ChoiceError(NEEDS_MECHANISM)
    if flags.epsilon is None and flags.rho is None:
        raise BudgetError(
            "A claimed budget is needed. Give --epsilon, --epsilon with --delta, or --rho."
        )
    runs = whole("--runs", flags.runs, least=1, most=_MOST_RUNS)
    workers = None if flags.workers is None else whole("--workers", flags.workers, least=1)
    allocation = [whole("--allocation", part, least=0) for part in listed(flags.allocation)] or None
    options = read_options(flags.option)

    from hierdp_core.audits import audit, pairs_of
    from hierdp_core.mechanisms import parse, warm_up
    from hierdp_core.util.marks import truth_mark

    if source is not None:
        source.require_mechanism(flags.mechanism, options)
    mechanism = parse(flags.mechanism, options)
    pair = _pair(flags, mechanism) if source is None else _own_pair(source, flags, mechanism)
    known = pair or pairs_of(mechanism, budget=_budget(flags))[0]
    flags.fit.require(mechanism, known.before, allocation=allocation)
    warm_up(flags.mechanism)
    result = audit(
        mechanism,
        budget=_budget(flags),
        allocation=allocation,
        pair=pair,
        runs=runs,
        seed=read_seed(flags.seed),
        confidence=_confidence(flags.confidence),
        workers=workers,
        progress=_counted(),
    )
    if flags.json:
        mark = "" if source is None else truth_mark(confidential=source.confidential)
        print_json(result.as_dict() | {"mark": mark})
    else:
        for sentence in result.sentences:
            print(sentence)
        if source is not None:
            print_mark(confidential=source.confidential)


def _pair(flags: argparse.Namespace, mechanism: "Mechanism") -> Any:
    """Return the pair that --pair names, or None for the mechanism's worst cases."""
    from hierdp_core.audits import pairs_of

    if flags.pair is None:
        return None
    of_mechanism = pairs_of(mechanism, budget=_budget(flags))
    pairs = {pair.id: pair for pair in of_mechanism}
    if flags.pair not in pairs:
        raise ChoiceError(
            f'{flags.mechanism} has no pair "{flags.pair}". Choose {join_or(list(pairs))}.'
        )
    return pairs[flags.pair]


def _own_pair(source: Source, flags: argparse.Namespace, mechanism: "Mechanism") -> "Pair":
    """Return the user's own table, and the same table with one record added or moved."""
    from hierdp_core.audits import neighbour_of

    if flags.pair is not None:
        raise ChoiceError(
            "--pair selects tables that come with HierDP, so it cannot be combined with --data. "
            "Leave out one of them."
        )
    return neighbour_of(source.table(), mechanism.neighbours)


def _budget(flags: argparse.Namespace) -> "Budget":
    from hierdp_core.privacy import Budget

    return Budget.of(
        epsilon=flags.epsilon,
        delta=flags.delta,
        rho=flags.rho,
        accounting=flags.accounting,
        noise=flags.noise,
    )


def _confidence(text: str) -> float:
    number = text.removesuffix("%")
    if not re.fullmatch(r"[0-9]*\.?[0-9]+", number):
        raise ChoiceError(f'Give --confidence a level such as 0.95 or 95%; got "{text}".')
    return float(number) / (100 if text.endswith("%") else 1)


def _counted() -> Any:
    show = progress()
    return None if show is None else lambda done, total: show(done, total, "runs on each table")
