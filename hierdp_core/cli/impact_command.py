"""`hierdp impact`: which decisions a plan changes; `hierdp fitness`: one page about a plan."""

import argparse
import shlex
from typing import TYPE_CHECKING, Any

from hierdp_core.cli.terminal import print_json, print_table, progress
from hierdp_core.cli.words import Command, new_file, whole
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.settings import Settings, add_flags, words_of_flags

if TYPE_CHECKING:
    from hierdp_core.decisions import Outcome

_SIMULATIONS = 100
_SHOWN = 15  # areas that are printed


def add(command: Command) -> None:
    impact = command("impact", _impact, "show which decisions change, for whom and how often")
    add_flags(impact)
    impact.add_argument("--rule", metavar="ID", help="threshold, funding, ranking, seats, grouping")
    impact.add_argument("--preset", metavar="ID", help="a rule of a real programme or law")
    impact.add_argument("--level", metavar="LEVEL", help="default: the usual level of the rule")
    impact.add_argument("--limit", metavar="N", help="of the rule threshold, in short")
    impact.add_argument(
        "--parameter", metavar="NAME=VALUE", action="append", default=[], help="of the rule"
    )
    impact.add_argument("--simulations", metavar="N", help=f"default: {_SIMULATIONS}")
    page = command("fitness", _fitness, "write a one-page fitness-for-use statement about a plan")
    add_flags(page)
    page.add_argument("--simulations", metavar="N", help=f"default: {_SIMULATIONS}")
    page.add_argument(
        "--stand-in",
        action="store_true",
        help="use a synthetic table of the same shape: no count is looked at",
    )
    page.add_argument("--total", metavar="N", help="of the synthetic table; needed for counts")
    page.add_argument("--out", metavar="FILE.html", help="where the page is written")


def _impact(flags: argparse.Namespace) -> None:
    from hierdp_core import decisions, samples
    from hierdp_core.evaluation.released_counts import released_counts

    settings = _settings(flags)
    table = samples.load(settings.sample, progress=progress()).table
    rule_id, level, parameters = _question(flags)
    quantity = settings.quantity or table.quantities[0].id
    rule = decisions.get(rule_id)
    counts = released_counts(
        table,
        settings.plan(table),
        quantity,
        n_simulations=_simulations(flags),
        seed=settings.seed,
        progress=progress(),
    )
    usual = next((n for n in level if n in counts.regions.levels), None) or (
        level[0] if level else rule.usual_level(counts.regions)
    )
    found = decisions.decide(rule_id, counts.of_level(usual), **parameters)
    if flags.json:
        print_json(_as_dict(settings, found))
    else:
        _print(found)


def _question(flags: argparse.Namespace) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    """The rule, the levels that are asked for in their order, and the parameters."""
    from hierdp_core import decisions

    if (flags.rule is None) == (flags.preset is None):
        raise ChoiceError(
            "Give --rule ID or --preset ID. Rules: "
            f"{', '.join(decisions.RULES)}; presets: {', '.join(decisions.PRESETS)}."
        )
    parameters: dict[str, Any] = {}
    rule = flags.rule
    levels: tuple[str, ...] = ()
    if flags.preset is not None:
        preset = decisions.get_preset(flags.preset)
        rule, levels, parameters = preset.rule, preset.levels, dict(preset.parameters)
    for word in flags.parameter:
        name, equals, value = word.partition("=")
        if not equals:
            raise ChoiceError(f'--parameter takes NAME=VALUE; got "{word[:40]}".')
        parameters[name.strip()] = value.strip()
    if flags.limit is not None:
        parameters["limit"] = flags.limit
    return rule, levels if flags.level is None else (flags.level,), parameters


def _print(found: "Outcome") -> None:
    from hierdp_core.decisions import summary

    told = summary(found)
    print(f"{found.rule.title}, {found.level} level, {found.draws:,} simulations")
    print(
        f"{told['measure']}: mean {told['mean']:,.6g} "
        f"(95% interval {told['low']:,.6g} to {told['high']:,.6g})"
    )
    print(f"areas with a different outcome in 5% of simulations or more: {told['affected']:,}")
    hit = found.places[found.places["wrong"] > 0]
    hit = hit.sort_values("wrong", ascending=False, kind="stable").head(_SHOWN)
    if len(hit):
        rows = [
            {
                "area": str(row["name"]),
                "true count": row["true"],
                "different outcome": f"{100 * row['wrong']:.3g}%",
            }
            for row in hit.to_dict("records")
        ]
        print_table(["area", "true count", "different outcome"], rows)
    print("Contains true values: not for publication.")


def _as_dict(settings: Settings, found: "Outcome") -> dict[str, Any]:
    """What `hierdp impact --json` prints; scripts rely on its names."""
    from hierdp_core.decisions import summary

    hit = found.places[found.places["wrong"] > 0]
    return {
        "sample": settings.sample,
        "rule": found.rule.id,
        "parameters": {name: _plain(value) for name, value in found.parameters.items()},
        "level": found.level,
        "simulations": found.draws,
        "summary": summary(found),
        "areas": [
            {"id": row["id"], "name": row["name"], "true": row["true"], "different": row["wrong"]}
            for row in hit.sort_values("wrong", ascending=False).to_dict("records")
        ],
        "note": "contains true values: not for publication",
    }


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _fitness(flags: argparse.Namespace) -> None:
    from hierdp_core import samples
    from hierdp_core.decisions.fitness import fitness
    from hierdp_core.planning import synthetic_twin
    from hierdp_core.writers.fitness import fitness_page

    settings, out = _settings(flags), new_file(flags.out)
    data = samples.load(settings.sample, progress=progress())
    table = data.table
    if flags.stand_in:
        total = None if flags.total is None else whole("--total", flags.total, least=1)
        table = synthetic_twin(table, settings.plan(table).mechanism, total)
    plan = settings.plan(table)
    found = fitness(
        table,
        plan,
        settings.quantity,
        n_simulations=_simulations(flags),
        seed=settings.seed,
        progress=progress(),
    )
    if out is not None:
        repeat = settings.to_shell().replace("hierdp simulate", "hierdp fitness", 1)
        extra = ["--simulations", str(found.counts.n), *(["--stand-in"] * flags.stand_in)]
        page = fitness_page(
            found,
            plan,
            title=data.title,
            source=f"{data.source}. Licence: {data.licence}.",
            repeat=f"{repeat} {shlex.join(extra)}",
            seed=settings.seed,
            synthetic=flags.stand_in,
        )
        out.write_text(page, encoding="utf-8")
    if flags.json:
        print_json(
            {
                "sample": settings.sample,
                "by_level": found.by_level.to_dict("records"),
                "by_size": found.by_size.to_dict("records"),
                "decisions": found.decisions.to_dict("records"),
            }
        )
        return
    rows = [
        {
            "level": row["level"],
            "areas": row["areas"],
            "mean absolute error": row["mae"],
            "percentage error": f"{100 * row['mape']:.3g}%",
        }
        for row in found.by_level.to_dict("records")
    ]
    print_table(["level", "areas", "mean absolute error", "percentage error"], rows)
    if out is not None:
        print(f"written to {out}")


def _settings(flags: argparse.Namespace) -> Settings:
    words = words_of_flags(flags)
    for word in ("sample", "mechanism"):
        if word not in words:
            raise ChoiceError(f"A {word} is needed: give --{word} ID; `hierdp {word}s` lists them.")
    if not words.keys() & {"epsilon", "delta", "rho"}:
        raise BudgetError("A budget is needed: give --epsilon, --epsilon with --delta, or --rho.")
    return Settings.of(words)


def _simulations(flags: argparse.Namespace) -> int:
    if flags.simulations is None:
        return _SIMULATIONS
    return whole("--simulations", flags.simulations, least=1, most=100_000)
