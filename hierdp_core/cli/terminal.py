"""Output of the command line: text for people, JSON for scripts."""

import codecs
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from decimal import Decimal
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO, cast

from hierdp_core.privacy.rounding import GUARANTEE_DIGITS, STATED_DIGITS, rounded_up, stated
from hierdp_core.settings import Settings
from hierdp_core.util.escaping import visible
from hierdp_core.util.text import capital, join_and, three_digits

if TYPE_CHECKING:
    import pandas as pd

    from hierdp_core.evaluation.comparison import Comparison
    from hierdp_core.privacy import PrivacyStatement
    from hierdp_core.simulation import Plan, Simulation
    from hierdp_core.tables import GroupSizes, Table

# Replacements for characters that a terminal cannot show.
_PLAIN = {"ε": "epsilon", "ρ": "rho", "δ": "delta", "σ": "sigma", "√": "sqrt", "²": "^2"} | {
    "±": "+/-", "–": "-", "−": "-", "…": "...", "×": "x", "·": "-", "≤": "<=", "≥": ">=",
    "∝": "~", "’": "'", "∞": "inf",
}  # fmt: skip

_FIRST_WORD, _NEXT_WORDS = 10.0, 30.0  # seconds of silence

_QUANTILES = (
    "The columns “10%” and “90%” are quantiles of the mean absolute error over simulations."
)
_TIME = "The run time is the median time of the mechanism for one simulation."

_POWER = re.compile("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def run_as_dict(
    settings: Settings,
    simulation: "Simulation",
    errors: "pd.DataFrame",
    *,
    confidential: bool = False,
) -> dict[str, Any]:
    """Return the output of `hierdp simulate --json`; scripts rely on its names."""
    from hierdp_core.util.marks import truth_mark

    measures = ("level", "regions", "l1", "mean_abs", "max_abs", "emd", "fdr", "fnr", "violations")
    columns = [name for name in (*measures, "bound") if name in errors.columns]
    return {
        "mechanism": settings.mechanism,
        "sample": settings.sample,
        "privacy": privacy_as_dict(simulation.privacy),
        "counted": _counted(simulation.exact, settings.quantity),  # what errors are in
        "levels": errors[columns].to_dict("records"),
        "checks": {
            "consistent": simulation.checks.consistent,
            "valid": simulation.checks.valid,
            "keeps_invariants": simulation.checks.keeps_invariants,
            "faithful": simulation.checks.keeps_invariants,  # the first version's name
        },
        "seconds": {name: simulation.seconds[name] for name in ("noise", "solve", "total")},
        "mark": truth_mark(confidential=confidential),
    }


def privacy_as_dict(statement: "PrivacyStatement") -> dict[str, Any]:
    """Return a guarantee as `--json` prints it, without the parts of the levels."""
    left_out = {"levels"} if statement.caution else {"levels", "claimed_epsilon", "caution"}
    return {name: value for name, value in statement.as_dict().items() if name not in left_out}


def progress() -> Callable[..., None] | None:
    """Return a function that shows progress on one line; None without a terminal."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int, words: str = "simulations") -> None:
        end = "\n" if done >= total else ""
        print(f"\r{words}: {done:,} of {total:,}", end=end, file=sys.stderr, flush=True)

    return show


def step(what: str) -> None:
    """Print on a terminal's standard error which step of a long command begins."""
    if sys.stderr.isatty():
        print(f"hierdp: {what} …", file=sys.stderr, flush=True)


@contextmanager
def patience(what: str) -> Iterator[None]:
    """Report on standard error, from time to time, that a long block still runs."""
    event, begun = Event(), monotonic()

    def tell() -> None:
        pause = _FIRST_WORD
        while not event.wait(pause):
            seconds = round(monotonic() - begun)
            print(f"hierdp: still {what} after {seconds} s", file=sys.stderr, flush=True)
            pause = _NEXT_WORDS

    if not sys.stderr.isatty():  # a terminal shows progress already
        Thread(target=tell, daemon=True).start()
    try:
        yield
    finally:
        event.set()


def print_written(file: Path | None) -> None:
    """Print that a file was written, if there is one."""
    if file is not None:
        print(f"Written to {file}.")


def print_mark(*, confidential: bool) -> None:
    """Print that the output contains true values, and how to store that of confidential data."""
    from hierdp_core.util.marks import truth_mark

    print(f"{capital(truth_mark(confidential=confidential))}.")


def print_json(value: object) -> None:
    print(json.dumps(_strict(value), indent=2, allow_nan=False))


def _strict(value: object) -> Any:
    """Return `value` in JSON's own types; NaN and infinities become null."""
    if isinstance(value, Mapping):
        return {str(name): _strict(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(part) for part in value]
    if hasattr(value, "item"):  # NumPy's scalars
        return _strict(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_run(
    settings: Settings,
    table: "Table",
    simulation: "Simulation",
    errors: "pd.DataFrame",
    *,
    confidential: bool = False,
) -> None:
    from hierdp_core import mechanisms, samples
    from hierdp_core.explain.group_sizes import top_coding
    from hierdp_core.samples.sample import OWN
    from hierdp_core.tables.checks import totals_kept

    title = mechanisms.describe(settings.mechanism).title
    own = settings.sample == OWN
    data = "Your own data" if own else samples.describe(settings.sample).title
    print(f"{data}: {title} ({settings.mechanism})")
    print(simulation.privacy.sentence)
    for line in account_lines(simulation.privacy):
        print(line)
    if simulation.privacy.caution:
        print(simulation.privacy.caution)
    if text := top_coding(table, simulation):
        print(text)
    print(f"Errors in one simulation (seed {settings.seed}):")
    print()
    names = {
        "level": "level",
        "regions": "areas" if settings.quantity or not table.between_regions else "pairs",
        "mean_abs": "mean absolute error",
        "max_abs": "largest error",
        "l1": "total (L1) error",
        "emd": "earth mover's distance",
        "fdr": "false discovery rate",
        "fnr": "false negative rate",
        "violations": "inconsistencies",
    }
    shares = {name: errors[name].map("{:.1%}".format) for name in ("fdr", "fnr")}
    rows = errors.assign(**shares).rename(columns=names).to_dict("records")
    print_table([name for name in names.values() if name in rows[0]], rows)
    print(f"Errors in {_counted(table, settings.quantity)}.")
    if "emd" in errors:
        print(_distance(cast("GroupSizes", table)))
    print()
    checks = simulation.checks
    words = {True: "yes", False: "no"}
    print(f"Consistent: {words[checks.consistent]}")
    print(f"Non-negative integers: {words[checks.valid]}")
    print(f"Public totals kept: {totals_kept(checks.keeps_invariants)}")
    seconds = simulation.seconds
    print(f"Time: noise {seconds['noise']:.3f} s, post-processing {seconds['solve']:.3f} s")
    print_mark(confidential=confidential)


def _counted(table: "Table", quantity: str | None) -> str:
    """Return the title of the quantity, or of all numbers of the table if none is named."""
    return table.quantity(quantity).title if quantity else table.counted


def _distance(table: "GroupSizes") -> str:
    distance = f"Earth mover's distance in {table.people}, as a mean over areas."
    if not table.top_coded:
        return distance
    last = table.n_sizes - 1
    return f"{distance} It is a lower bound, because sizes above {last} count as {last}."


def account_lines(privacy: "PrivacyStatement") -> list[str]:
    """Return the accounting of (ε, δ), or a guarantee of ε or ρ converted to (ε, δ)."""
    if not privacy.accounting:
        return [privacy.as_approximate] if privacy.as_approximate else []
    lines = [f"Accounting: {privacy.method}."]
    if privacy.candidates:
        kinds = join_and([f"{_kind(one.noise)} {one.variance:.3g}" for one in privacy.candidates])
        lines.append(f"Typical noise variance in units of the squared sensitivity: {kinds}.")
        lines += [
            f"The plan uses {_kind(one.noise)} noise." for one in privacy.candidates if one.chosen
        ]
    return lines


def _kind(noise: str) -> str:
    return noise.replace("gaussian", "Gaussian")


def print_comparison(
    comparison: "Comparison", table: "Table", *, quantity: str = "", confidential: bool = False
) -> None:
    from hierdp_core.evaluation.comparison import overview

    names = {
        "mean_abs": "mean absolute error",
        "q10": "10%",
        "q90": "90%",
        "emd": "earth mover's distance",
        "fdr": "false discovery rate",
        "violations": "inconsistencies",
        "seconds": "run time (s)",
        "simulations": "simulations",
    }
    lines = overview(comparison, quantity=quantity)
    lines["fdr"] = lines["fdr"].map("{:.1%}".format)
    lines["options"] = [_unusual(comparison.plans[case]) for case in lines["case"]]
    for name in ("epsilon", "delta", "rho"):
        spent: list[Any] = [
            _spent(comparison.plans[case], name, value)
            for case, value in lines[["case", name]].itertuples(index=False)
        ]
        lines[name] = spent
    shown = ["mechanism", "epsilon", "delta", "rho", "allocation", "options", "level"]
    shown = [c for c in shown if lines[c].notna().any() and (lines[c] != "").any()]
    one = int(lines["simulations"].max()) == 1
    rows = lines.drop(columns=["q10", "q90"] if one else []).rename(columns=names)
    columns = [*shown, *(name for name in names.values() if name in rows)]
    print_table(columns, rows.to_dict("records"))
    over = "from one simulation" if one else "means over simulations"
    print(f"Errors in {_counted(table, quantity)}, {over}.")
    if names["emd"] in columns:
        print(_distance(cast("GroupSizes", table)))
    print(_TIME if one else f"{_QUANTILES} {_TIME}")
    _print_best(comparison, quantity)
    print()
    _print_guarantees(comparison)
    print_mark(confidential=confidential)


def _spent(plan: "Plan", name: str, stated_value: float) -> Decimal | None:
    """Return ε, δ or ρ of a budget, or the amount that the noise spends if it differs."""
    if math.isnan(stated_value):
        return None
    if not plan.mechanism.states_what_is_spent(plan.domain):
        return rounded_up(stated_value, STATED_DIGITS)
    spent = {"epsilon": plan.privacy.epsilon, "delta": plan.privacy.delta, "rho": plan.privacy.rho}
    value = spent[name]
    return None if value is None else rounded_up(value, GUARANTEE_DIGITS)


def _unusual(plan: "Plan") -> str:
    """Return the options that differ from the default ones."""
    from hierdp_core import mechanisms

    defaults = {option.name: option.default for option in mechanisms.describe(plan.id).options}
    return ",".join(f"{name}={value}" for name, value in plan.options if value != defaults[name])


def _print_best(comparison: "Comparison", quantity: str) -> None:
    """Print the lowest mean absolute error at every level, among cases with the same guarantee."""
    from hierdp_core.evaluation.comparison import best, labels, rivals

    names = labels(comparison.plans, budgets=False, ids=True)
    for guarantee, cases in rivals(comparison.plans):
        if len(cases) < 2:
            continue
        print()
        print(f"Lowest mean absolute error, {guarantee}:")
        own = [names[k] for k in cases]
        for level in comparison.levels:
            errors = comparison.paired(cases, level=level, column="mean_abs", quantity=quantity)
            if len(errors):
                print(f"  {level}: {best(errors).sentence(own)}")


def _print_guarantees(comparison: "Comparison") -> None:
    """Print the guarantees, and what each mechanism treats as public."""
    from hierdp_core.evaluation.comparison import comparable, only_public_to

    groups = comparable(comparison.plans)
    if len(groups) > 1:
        print("Not all guarantees are comparable. Compare errors only within one of these groups:")
    for group in groups:
        ids = join_and(list({comparison.plans[k].id: None for k in group.cases}))
        print(f"Guarantee of {ids}: {group.words}.")
    shared, own = only_public_to(comparison.plans, ids=True)
    alone = not own and len({plan.id for plan in comparison.plans}) == 1
    _print_list("Treated as public:" if alone else "Treated as public by all:", shared)
    for name, facts in own.items():
        _print_list(f"Also treated as public by {name}:", facts)
    for caution in {
        plan.privacy.caution: None for plan in comparison.plans if plan.privacy.caution
    }:
        print(caution)


def _print_list(title: str, lines: Sequence[str]) -> None:
    if lines:
        print(title)
    for line in lines:
        print(f"  {line}")


def print_table(columns: Sequence[str], rows: Iterable[Mapping[Any, Any]]) -> None:
    print("\n".join(table_lines(columns, list(rows))))


def table_lines(columns: Sequence[str], rows: Sequence[Mapping[Any, Any]]) -> list[str]:
    """Return the lines of a table with a header: numbers to the right, text to the left."""
    cells = [list(columns)] + [[_cell(row.get(c)) for c in columns] for row in rows]
    values = [[row.get(c) for c in columns] for row in rows]
    right = [all(_is_figure(v[k]) for v in values) for k in range(len(columns))]
    widths = [max(len(line[k]) for line in cells) for k in range(len(columns))]
    padded = (
        [
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, right, strict=True)
        ]
        for line in cells
    )
    return ["  ".join(line).rstrip() for line in padded]


class Figure(str):
    """A number that is text already, so that it keeps its decimals."""

    __slots__ = ()


def _is_figure(value: object) -> bool:
    return not isinstance(value, str) or isinstance(value, Figure) or value.endswith("%")


def _cell(value: object) -> str:
    """Return a number as text: a `Decimal` of a guarantee unchanged, others with three digits."""
    if isinstance(value, str):
        return value
    if isinstance(value, Decimal):
        return stated(value)
    if not isinstance(value, int | float) or not math.isfinite(value):
        return "–"
    size = abs(value)
    whole_number = float(value).is_integer() or size >= 1000
    text = f"{size:,.0f}" if whole_number else three_digits(size)
    return f"-{text}" if value < 0 else text


class _Visible:
    """A stream that writes control characters visibly, so that they do not act on the terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(visible(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def harmless_output() -> Iterator[None]:
    """Make control codes in file names visible, such as those that clear the terminal."""
    out, errors = sys.stdout, sys.stderr
    with redirect_stdout(_Visible(out)), redirect_stderr(_Visible(errors)):
        yield


def let_any_terminal_print() -> None:
    """Print plain words for characters that the terminal cannot show."""

    def replaced(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        missing = error.object[error.start : error.end]
        power = _POWER.match(error.object, error.start)
        if power:  # including the digits that the terminal can show: ¹, ² and ³
            return "^" + power[0].translate(_DIGITS), power.end()
        return "".join(_PLAIN.get(letter, "?") for letter in missing), error.end

    codecs.register_error("hierdp-plain", replaced)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="hierdp-plain")
