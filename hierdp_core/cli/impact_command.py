"""`hierdp impact`: how often a decision from released counts differs from one from true counts."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hierdp_core.cli.own_data import add_data_flags, planned, required_settings
from hierdp_core.cli.terminal import (
    print_json,
    print_mark,
    print_table,
    print_written,
    privacy_as_dict,
    progress,
)
from hierdp_core.cli.words import TABLE_AND_BUDGET, Command, new_file, whole
from hierdp_core.exceptions import ChoiceError
from hierdp_core.settings import add_flags
from hierdp_core.util.text import (
    counted,
    join_and,
    join_or,
    plural,
    three_digits,
)

if TYPE_CHECKING:
    from hierdp_core.decisions import Outcome, Parameter, Preset, Rule
    from hierdp_core.privacy import PrivacyStatement

_LISTED = 15  # areas listed on the terminal
_DIFFERENT = "simulations with a different outcome"
_MOST = 100_000  # largest number of simulations


def add(command: Command) -> None:
    impact = command(
        "impact",
        _impact,
        "show how often noise changes the outcome of a decision for each area",
        more=TABLE_AND_BUDGET,
    )
    add_data_flags(impact)
    add_flags(impact)
    impact.add_argument(
        "--rule", metavar="ID", help="decision rule: threshold, funding, ranking, seats or grouping"
    )
    impact.add_argument(
        "--preset", metavar="ID", help="rule of a real programme or law, instead of --rule"
    )
    impact.add_argument(
        "--level",
        metavar="LEVEL",
        help="level of the areas decided on (default: the usual level of the rule or preset)",
    )
    impact.add_argument(
        "--limit",
        metavar="N",
        help="the threshold, for --rule threshold; the same as --parameter limit=N (default: "
        "50,000 if at least a tenth of the areas lies on each side, otherwise a round number above "
        "the median)",
    )
    impact.add_argument(
        "--parameter",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="parameter of the rule (repeatable). The error message for an unknown name lists "
        "all names",
    )
    impact.add_argument(
        "--simulations", metavar="N", default="300", help="number of simulations (default: 300)"
    )
    impact.add_argument("--workers", metavar="N", help="number of threads (default: one per core)")
    impact.add_argument(
        "--out", metavar="FILE.csv", help="write the result for every area to this CSV file"
    )


def _impact(flags: argparse.Namespace) -> None:
    from hierdp_core.decisions import decide

    rule, preset, parameters = _question(flags)
    n = whole("--simulations", flags.simulations, least=1, most=_MOST)
    workers = None if flags.workers is None else whole("--workers", flags.workers, least=1)
    out = new_file(flags.out, ".csv")
    settings, source = required_settings(flags)

    from hierdp_core.evaluation.released_counts import released_counts
    from hierdp_core.mechanisms import warm_up
    from hierdp_core.util.marks import truth_mark

    table = source.table()
    plan = planned(flags, settings, table)
    if flags.level is not None:
        table.regions.level_index(flags.level)  # raises an error if there is no such level
    elif preset is not None:
        _require_level_of(preset, table.regions.levels)
    warm_up(settings.mechanism)
    selected = table.quantity(settings.quantity) if settings.quantity else table.quantities[0]
    counts = released_counts(
        table,
        plan,
        selected.id,
        n_simulations=n,
        seed=settings.seed,
        workers=workers,
        progress=progress(),
    )
    level = flags.level
    if level is None and preset is not None:
        level = preset.level_in(counts.regions.levels)
    if level is None:
        level = rule.usual_level(counts.regions)
    outcome = decide(rule.id, counts.of_level(level), **parameters)
    if out is not None:
        from hierdp_core.writers.exploration import write_errors

        write_errors(out, outcome.places, confidential=source.confidential)
    about = {} if preset is None else _about(preset, level=plural(level), unit=selected.title)
    if flags.json:
        mark = {"mark": truth_mark(confidential=source.confidential)}
        print_json(_as_dict(outcome, source.sample, plan.privacy) | about | mark)
    else:
        if preset is not None:
            print(f"{preset.title}. {preset.about} Source: {preset.source}.")
        if about.get("caveat"):
            print(about["caveat"])
        _print(outcome, plan.privacy)
        print_mark(confidential=source.confidential)
        print_written(out)


def _require_level_of(preset: "Preset", levels: Sequence[str]) -> None:
    """Require a level that the preset applies to, before anything is simulated.

    Raises:
        ChoiceError: the table has none; the message offers its levels for --level.
    """
    if preset.level_in(levels) is None:
        usual = join_or([plural(level) for level in preset.levels])
        raise ChoiceError(
            f"The preset {preset.id} is for {usual}, but this table has no such level. Name a "
            f"level with --level: {join_or(levels)}."
        )


def _about(preset: "Preset", *, level: str, unit: str) -> dict[str, str]:
    """Return the id of a preset, and what differs between its law and the table."""
    return {"preset": preset.id, "caveat": preset.caveat(level=level, unit=unit)}


def _question(flags: argparse.Namespace) -> tuple["Rule", "Preset | None", dict[str, Any]]:
    """Return the rule, the preset that names it if any, and the parameters.

    Raises:
        ChoiceError: no rule is named or two are, or a parameter belongs to another rule.
    """
    from hierdp_core.decisions import PRESETS, RULES, get, get_preset

    if flags.rule is not None and flags.preset is not None:
        raise ChoiceError("--rule and --preset cannot be combined. Give one of them.")
    if flags.rule is None and flags.preset is None:
        raise ChoiceError(
            "Neither a rule nor a preset is given. Give --rule or --preset. The rules are "
            f"{join_and(list(RULES))}. The presets are {join_and(list(PRESETS))}."
        )
    if flags.preset is None:
        rule = get(flags.rule)
        return rule, None, _given(flags, rule)
    preset = get_preset(flags.preset)
    rule = get(preset.rule)
    return rule, preset, dict(preset.parameters) | _given(flags, rule)


def _given(flags: argparse.Namespace, rule: "Rule") -> dict[str, str]:
    """Return the parameters that the flags give.

    Raises:
        ChoiceError: a parameter belongs to another rule, or has no value.
    """
    words = [*flags.parameter, *([] if flags.limit is None else [f"limit={flags.limit}"])]
    parameters: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ChoiceError(
                f'--parameter takes NAME=VALUE; got "{word[:40]}". Name one of the parameters of '
                f"{rule.id}: {join_and([p.name for p in rule.parameters])}."
            )
        name, value = name.strip(), value.strip()
        if parameters.get(name, value) != value:
            raise ChoiceError(
                f'The parameter {name} has two values, "{parameters[name][:40]}" and '
                f'"{value[:40]}". Give one of them.'
            )
        parameters[name] = value
    for name in parameters:
        rule.parameter(name)
    return parameters


def _as_dict(outcome: "Outcome", sample: str, privacy: "PrivacyStatement") -> dict[str, Any]:
    """Return the output of `hierdp impact --json`; scripts rely on its names."""
    from hierdp_core.decisions import summary

    return {
        "sample": sample,
        "rule": outcome.rule.id,
        "parameters": {
            name: outcome.rule.parameter(name).say(v) for name, v in outcome.parameters.items()
        },
        "level": outcome.level,
        "simulations": outcome.n_simulations,
        "privacy": privacy_as_dict(privacy),
        "facts": dict(outcome.facts),
        "summary": summary(outcome),
        "mean_changed": float(outcome.places["wrong"].fillna(0).sum()),
        "places": outcome.places.to_dict("records"),
    }


def _print(outcome: "Outcome", privacy: "PrivacyStatement") -> None:
    # Areas that the rule leaves out have no outcome.
    included = outcome.places.dropna(subset=["wrong"])
    wrong, n = included["wrong"], len(included)
    print(f"{outcome.rule.title}: {outcome.rule.about}")
    for parameter in outcome.rule.parameters:
        print(f"{parameter.title}: {_shown(parameter, outcome)}")
    mean = three_digits(float(wrong.sum()))
    print(
        f"On average over {counted(outcome.n_simulations, 'simulation')}, {mean} of "
        f"{counted(n, outcome.level)} {'has' if mean == '1' else 'have'} a different outcome than "
        "under the true counts."
    )
    print(f"An area has a different outcome if it {outcome.rule.wrong}.")
    print(privacy.sentence)
    if privacy.caution:
        print(privacy.caution)
    print()
    worst = included.sort_values("wrong", ascending=False, kind="stable")
    worst = worst[worst["wrong"] > 0]
    n_worst, n_simulations = len(worst), outcome.n_simulations
    if n_worst:
        titles = {"name": outcome.level, "true": "true count", "wrong": _DIFFERENT}
        in_words = [f"{round(n_simulations * p):,} of {n_simulations:,}" for p in worst["wrong"]]
        rows = worst.assign(wrong=in_words).rename(columns=titles).head(_LISTED)
        print_table(list(titles.values()), rows.to_dict("records"))
        if n_worst > _LISTED:
            print(
                f"The table lists {_LISTED} of the {n_worst:,} {plural(outcome.level)} with a "
                "different outcome in at least one simulation, the most frequent first. Use --out "
                "FILE.csv to see all."
            )
    else:
        print("No area has a different outcome in any simulation.")


def _shown(parameter: "Parameter", outcome: "Outcome") -> str:
    """Return the value of a parameter as people read it, with the names of areas."""
    value = outcome.parameters[parameter.name]
    if parameter.kind != "places" or not value:
        return parameter.shown(value)
    names = dict(zip(outcome.places["id"], outcome.places["name"], strict=True))
    return join_and([f"{names[id]} ({id})" for id in value])
