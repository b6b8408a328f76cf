"""`hierdp budget`: from accuracy to budget, or from a budget to an allocation with low error."""

import argparse
import math
from typing import TYPE_CHECKING, Any

from hierdp_core.cli.cluster import add_scheduler_flag, cluster_of
from hierdp_core.cli.listed_areas import ListedAreas
from hierdp_core.cli.own_data import Source, add_data_flags, required_source, with_words
from hierdp_core.cli.remedies import here
from hierdp_core.cli.terminal import (
    patience,
    print_json,
    print_mark,
    print_table,
    print_written,
    privacy_as_dict,
    progress,
)
from hierdp_core.cli.words import Command, given, new_file, total_of, whole
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.privacy.rounding import rounded_down, rounded_up, rounding_note
from hierdp_core.settings import (
    Settings,
    add_flags,
    add_old_flag,
    add_synthetic_flag,
    read_options,
    words_of_flags,
)
from hierdp_core.util.constraints import LARGEST_BUDGET
from hierdp_core.util.parallel import Workers

if TYPE_CHECKING:
    from hierdp_core.planning import BestAllocation, BudgetPlan, SyntheticTable
    from hierdp_core.tables import Table

_TARGETS = (
    "accuracy target, written LEVEL[/QUANTITY]=[AREAS:]TOLERANCE (repeatable). AREAS is a "
    "proportion of areas (default: 95%%), all, median or mean. TOLERANCE is relative with %% and "
    "absolute without. Examples: county=5%%, county=90%%:5%%, state=all:50, county=median:2%%, "
    "county/members=mean:10"
)
_SIMULATIONS_OF_ALLOCATION = 60
_RELIABILITY = "95%"
# The help of flags that mean something else where the budget or the allocation is to be found.
_OWN_HELP = {
    "--epsilon": "with --weights: privacy-loss budget ε, alone or with --delta",
    "--delta": "δ, if the budget is (ε, δ)",
    "--rho": "with --weights: privacy-loss budget ρ (zCDP), instead of --epsilon",
    "--allocation": "with --target: budget allocation to keep, one whole number (weight) for each "
    "level that gets noise, from the top (default: chosen by the search)",
}


# The keys of a settings file, and the flags with the same meaning.
_WORDS = {
    name: name
    for name in ("mechanism", "epsilon", "delta", "rho", "accounting", "noise", "allocation",
                 "seed", "quantity")
} | {"options": "option"}  # fmt: skip


def add(command: Command) -> None:
    plan = command(
        "budget",
        _plan,
        "find the smallest budget that meets accuracy targets, and its allocation",
        old="plan",
        more="A table (--sample or --data) is needed, here or in the settings file. Give --target, "
        "or --weights with a budget to find only an allocation.",
    )
    add_data_flags(plan)
    add_flags(plan, budget=_OWN_HELP)
    plan.add_argument(
        "--target", metavar="TARGET", nargs="+", action="extend", default=[], help=_TARGETS
    )
    plan.add_argument(
        "--find",
        metavar="KIND",
        help="kind of budget to find: epsilon (default) or rho",
    )
    plan.add_argument(
        "--reliability",
        metavar="PROPORTION",
        help="required probability of meeting all targets at once (default: 95%%)",
    )
    plan.add_argument("--most", metavar="NUMBER", help="largest ε or ρ to try (default: 10,000)")
    plan.add_argument(
        "--simulations",
        metavar="N",
        help="number of validation simulations (default: chosen by the search); with --weights, "
        f"simulations of each allocation (default: {_SIMULATIONS_OF_ALLOCATION})",
    )
    add_old_flag(plan, "--draws", "--simulations")
    plan.add_argument(
        "--floor",
        metavar="PROPORTION",
        help="smallest weight of a level in the allocation, as a proportion of its weight in an "
        "equal allocation, such as 0.5 (default: 0)",
    )
    add_synthetic_flag(
        plan,
        "plan on a synthetic table of the same shape, or of the areas in --regions if there is no "
        "--data; no confidential count is used",
    )
    plan.add_argument(
        "--total", metavar="N", help="assumed total for --synthetic; needed if no total is public"
    )
    plan.add_argument(
        "--weights",
        metavar="N,N,…",
        help="instead of targets: the weights of the errors of the levels, from the top. For the "
        "given budget, the command searches for an allocation with a low sum over levels of this "
        "weight times the mean absolute error. Not with --find, --reliability, --most, --floor "
        "or --out",
    )
    add_scheduler_flag(plan)
    plan.add_argument(
        "--out",
        metavar="FILE.csv",
        help="write to this CSV file how well other budgets meet the targets",
    )


def _plan(flags: argparse.Namespace) -> None:
    if not flags.target and flags.weights is None:
        raise ChoiceError(
            "A target is needed, such as --target county=5%, or --weights with a budget. "
            "See: hierdp budget --help"
        )
    if flags.target and flags.weights is not None:
        raise ChoiceError("Give either targets, or weights with a budget, not both.")
    if not flags.target:
        _require_no_flags_of_targets(flags)
    listed = ListedAreas.of(flags)
    source, words = required_source(flags) if listed is None else (listed, {})
    flags = with_words(flags, words, _WORDS)
    flags.sample = source.sample
    if flags.mechanism is None:
        flags.mechanism = source.recommended_mechanism()
    source.require_mechanism(flags.mechanism, read_options(flags.option))
    if flags.target:
        _require_no_budget(flags)
    if flags.target:
        _budget(flags, source)
    else:
        _allocation(flags, source)


def _require_no_flags_of_targets(flags: argparse.Namespace) -> None:
    """Require that no flag is given that has no effect with --weights.

    Raises:
        ChoiceError: there is one.
    """
    for name in ("find", "reliability", "most", "floor", "out"):
        if getattr(flags, name) is not None:
            raise ChoiceError(
                f"--{name} applies to a search with --target, not with --weights. Leave it out."
            )


def _require_no_budget(flags: argparse.Namespace) -> None:
    """Require that no budget is given where one is searched for.

    Raises:
        BudgetError: there is one.
    """
    if flags.epsilon is not None or flags.rho is not None:
        raise BudgetError(
            "The command finds the budget, so leave out --epsilon and --rho. Use --find rho for a "
            "budget in ρ."
        )


def _budget(flags: argparse.Namespace, source: Source) -> None:
    from hierdp_core.planning import find_budget, parse_targets, stated_size
    from hierdp_core.planning.targets import check_targets

    unit = "epsilon" if flags.find is None else flags.find
    if unit not in ("epsilon", "rho"):
        raise ChoiceError(f'Choose epsilon or rho for --find; got "{unit[:20]}".')
    targets = tuple(_with_quantity(t, flags.quantity) for t in parse_targets(flags.target))
    words = words_of_flags(flags)
    for word in ("delta", "accounting", "noise"):
        words.pop(word, None)
    settings = Settings.of(words)
    out = new_file(flags.out, ".csv")
    delta = None if flags.delta is None else _number("--delta", flags.delta)
    most = stated_size(
        LARGEST_BUDGET if flags.most is None else _number("--most", flags.most),
        unit=unit,
        delta=delta,
        accounting=flags.accounting,
        noise=flags.noise,
    )
    table = _table(flags, source)
    flags.fit.require(
        settings.configured, table, allocation=settings.allocation, quantity=flags.quantity
    )
    check_targets(table, targets)
    with cluster_of(flags) as client, patience("searching"):
        result = find_budget(
            _simulated(table, flags),
            settings.configured,
            targets,
            allocation=settings.allocation,
            most=most,
            reliability=_share("--reliability", flags.reliability or _RELIABILITY),
            floor=0.0 if flags.floor is None else _number("--floor", flags.floor),
            n_simulations=_simulations(flags, most=100_000),
            seed=settings.seed,
            workers=Workers(client=client),
            progress=progress(),
        )
    if out is not None:
        from hierdp_core.writers.exploration import write_errors

        write_errors(
            out,
            result.curve,
            contains_truth=not flags.synthetic,
            confidential=source.confidential,
        )
    if flags.json:
        _print_as_json(flags, source, result)
    else:
        _print_budget(result)
        _print_mark(flags, source)
        print_written(out)


def _allocation(flags: argparse.Namespace, source: Source) -> None:
    from hierdp_core.planning import best_allocation

    if flags.allocation is not None:
        raise BudgetError("The command finds the allocation, so leave out --allocation.")
    budget_words = given(epsilon=flags.epsilon, delta=flags.delta, rho=flags.rho)
    if not budget_words:
        raise BudgetError(
            "--weights requires a budget. Give --epsilon, --epsilon with --delta, or --rho."
        )
    settings = Settings.of(words_of_flags(flags))
    weights = [_number("--weights", part) for part in flags.weights.split(",")]
    n_simulations = _simulations(flags, most=10_000) or _SIMULATIONS_OF_ALLOCATION
    table = _table(flags, source)
    flags.fit.require(settings.configured, table, quantity=flags.quantity)
    with cluster_of(flags) as client, patience("searching"):
        result = best_allocation(
            _simulated(table, flags),
            settings.configured,
            budget=settings.budget,
            weights=weights,
            quantity=settings.quantity,
            n_simulations=n_simulations,
            seed=settings.seed,
            workers=Workers(client=client),
            progress=progress(),
        )
    if flags.json:
        _print_as_json(flags, source, result)
    else:
        counted = table.quantity(settings.quantity or table.quantities[0].id).title
        _print_allocation(result, counted)
        _print_mark(flags, source)


def _print_mark(flags: argparse.Namespace, source: Source) -> None:
    if not flags.synthetic:
        print_mark(confidential=source.confidential)


def _print_as_json(
    flags: argparse.Namespace, source: Source, result: "BudgetPlan | BestAllocation"
) -> None:
    from hierdp_core.util.marks import truth_mark

    privacy = result.plan.privacy
    mark = "" if flags.synthetic else truth_mark(confidential=source.confidential)
    values = _with_old_names(result.as_dict())
    unit = {"level_budgets_in": privacy.parts[0]}
    facts = {"privacy": privacy_as_dict(privacy), "mark": mark}
    print_json({"sample": flags.sample, **values, **unit, **facts})


def _print_budget(result: "BudgetPlan") -> None:
    print(here(result.sentence))
    print(here(result.sure))
    print(result.basis)
    print()
    symbol, _ = result.plan.privacy.parts
    shared = {"level": "level", "share": "allocation", "budget": symbol, "noise_sd": "noise SD"}
    levels = result.levels.rename(columns=shared).to_dict("records")
    for row in levels:
        row[symbol] = rounded_up(row[symbol])
        sd = row["noise SD"]
        row["noise SD"] = rounded_down(sd) if math.isfinite(sd) else sd
    print_table(list(shared.values()), levels)
    print("Noise SD is the standard deviation of the noise in one measured number.")
    if note := rounding_note(symbol, result.levels["budget"]):
        print(note)
    print()
    facts = {
        "level": "level",
        "regions": "areas",
        "mean_abs": "mean absolute error",
        "q95_abs": "95% of areas within",
    }
    print_table(list(facts.values()), result.errors.rename(columns=facts).to_dict("records"))
    print(f"Errors in {result.counted}, means over {result.n_simulations:,} simulations.")
    print(result.plan.privacy.sentence)
    for warning in result.warnings:
        print(warning)


def _print_allocation(result: "BestAllocation", counted: str) -> None:
    print(result.sentence)
    print(result.basis)
    print()
    rows = result.rows()
    if "allocation" not in rows[0]:
        print(f"Allocation over {', '.join(result.plan.levels)}.")
        print()
    print_table(list(rows[0]), rows)
    print(f"Errors in {counted}.")
    print(result.plan.privacy.sentence)
    print(result.measured)
    if not all(result.weights):
        print("Levels with weight 0 are not included.")


def _table(flags: argparse.Namespace, source: Source) -> "Table":
    from hierdp_core.mechanisms import warm_up

    table = source.table()
    warm_up(flags.mechanism)
    return table


def _simulated(table: "Table", flags: argparse.Namespace) -> "Table | SyntheticTable":
    from hierdp_core.planning import SyntheticTable

    total = total_of(flags)
    return SyntheticTable(table=table, total=total) if flags.synthetic else table


def _with_quantity(target: Any, quantity: str | None) -> Any:
    from dataclasses import replace

    return replace(target, quantity=target.quantity or quantity)


def _simulations(flags: argparse.Namespace, *, most: int) -> int | None:
    text = flags.simulations
    return None if text is None else whole("--simulations", text, least=1, most=most)


def _share(flag: str, text: str) -> float:
    value = _number(flag, text.strip().removesuffix("%"))
    return value / 100 if text.strip().endswith("%") else value


def _number(flag: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ChoiceError(
            f'{flag} takes a number; got "{text[:20]}". Write it with a decimal point, such as 0.5.'
        )
    return value


def _with_old_names(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer with the old names of its keys as well, for one more version."""
    old_names = {
        "shares": "allocation",
        "shares_chosen": "allocation_chosen",
        "draws": "simulations",
        "fresh_draws": "fresh_simulations",
    }
    return answer | {old: answer[new] for old, new in old_names.items() if new in answer}
