"""One value that names a view: what to load, how to protect it, how to draw.

The address bar, a TOML file, a shell line and a few lines of Python are all made
from it, and each of them reads back as the same value.
"""

import argparse
import ast
import json
import re
import shlex
import sys
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, Self

from hierdp_core.exceptions import BudgetError, ChoiceError

if TYPE_CHECKING:
    from hierdp_core.privacy import Budget
    from hierdp_core.simulation import Plan
    from hierdp_core.tables import Table

_BUDGET = ("epsilon", "delta", "rho")
_ACCOUNT = {"accounting": "tight", "noise": "best"}  # with what they are where nothing is said
OLD_WORDS = {"shares": "allocation"}  # of the first version
_OPTION = "option."  # starts the name of an option in the address bar

# How the Python form says each word: the function, and the words among its first arguments.
_CALLS: dict[str, tuple[str | None, ...]] = {
    "load": ("sample",),
    "plan": (None, "mechanism"),
    "simulate": (None, None),
    "run": (None, None),
    "release": (None, "mechanism"),
    "errors": (None, None),
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A sample, a mechanism with its budget, and a seed.

    Attributes:
        sample: id of a sample.
        mechanism: id of a mechanism.
        epsilon, delta, rho: the budget; ε = 1 when none of them is given.
        accounting, noise: how ε with δ becomes noise, as in `Budget.approximate`; None as usual.
        shares: one whole number a level, from the root down; None for even shares.
        seed: of the noise, at least 0. Anyone who knows it can take the noise away.
        options: of the mechanism, those that are set.
        quantity: id of the number that a region is asked for; None for every cell.

    Raises:
        ChoiceError: a word names nothing that exists.
        BudgetError: the budget or the shares cannot be spent.
    """

    sample: str = "us-households"
    mechanism: str = "pgsr-c-opt"
    epsilon: float | None = None
    delta: float | None = None
    rho: float | None = None
    accounting: str | None = None
    noise: str | None = None
    allocation: tuple[int, ...] | None = None
    seed: int = 0
    options: Mapping[str, str] = field(default_factory=dict)
    quantity: str | None = None

    def __post_init__(self) -> None:
        from hierdp_core import mechanisms, samples
        from hierdp_core.noise import checked_seed
        from hierdp_core.privacy import Allocation
        from hierdp_core.samples.sample import OWN

        if self.epsilon is None and self.delta is None and self.rho is None:
            object.__setattr__(self, "epsilon", 1.0)
        budget = self.budget
        for word in _BUDGET:
            stated = getattr(budget, word)
            object.__setattr__(self, word, None if stated is None else float(stated))
        for word, usual in _ACCOUNT.items():
            kind = getattr(budget, word)
            object.__setattr__(self, word, None if kind == usual else kind)
        if self.allocation is not None:
            # Their number is held against the levels when the sample is there.
            places = [f"place {k + 1}" for k in range(len(self.allocation))]
            object.__setattr__(self, "allocation", Allocation.of(self.allocation, places).weights)
        object.__setattr__(self, "seed", checked_seed(self.seed))
        if self.quantity is not None and not re.fullmatch(r"[a-z0-9-]+", self.quantity):
            raise ChoiceError(
                f'A quantity is named by a word such as "occupied"; got "{self.quantity}".'
            )
        if self.sample != OWN:
            samples.describe(self.sample)
        options = {name: _text(value) for name, value in sorted(self.options.items())}
        mechanisms.check_words(self.mechanism, options)
        object.__setattr__(self, "options", MappingProxyType(options))

    def plan(self, table: "Table") -> "Plan":
        """How `table` would be released under these settings."""
        from hierdp_core.simulation import plan

        return plan(
            table,
            self.mechanism,
            budget=self.budget,
            allocation=self.allocation,
            options=self.options,
        )

    @property
    def budget(self) -> "Budget":
        """The budget that is stated."""
        from hierdp_core.privacy import Budget

        return Budget.of(
            epsilon=self.epsilon,
            delta=self.delta,
            rho=self.rho,
            accounting=self.accounting,
            noise=self.noise,
        )

    @property
    def words(self) -> dict[str, Any]:
        """What is set, by name, in the order of the attributes."""
        named = {f.name: getattr(self, f.name) for f in fields(self)}
        named["options"] = dict(self.options) or None
        return {name: value for name, value in named.items() if value is not None}

    @classmethod
    def of(cls, words: Mapping[str, Any]) -> Self:
        """Settings from words as text or as values: {"epsilon": "1", "allocation": "1,1,2"}.

        Raises:
            ChoiceError, BudgetError: a word is unknown, or says nothing usable.
        """
        known = [f.name for f in fields(cls)]
        words = current_words(words)
        for word in words:
            if word not in known:
                raise ChoiceError(f'No setting "{word}"; the settings are {", ".join(known)}.')
        given = dict(words)
        for word in ("sample", "mechanism", "quantity", *_ACCOUNT):
            if word in given and not isinstance(given[word], str):
                raise ChoiceError(f"{word} is named by a word in quotes; got {given[word]}.")
        if "allocation" in given:
            given["allocation"] = read_allocation(given["allocation"])
        if "seed" in given:
            given["seed"] = read_seed(given["seed"])
        if not isinstance(given.get("options", {}), Mapping):
            raise ChoiceError(f"Options are names with values; got {given['options']}.")
        return cls(**given)

    def to_toml(self) -> str:
        """A file that `hierdp simulate FILE` takes."""
        lines = [
            f"{name} = {_toml(value)}" for name, value in self.words.items() if name != "options"
        ]
        if self.options:
            lines += ["", "[options]"]
            lines += [f"{name} = {_toml(value)}" for name, value in self.options.items()]
        return "\n".join(lines) + "\n"

    @classmethod
    def from_toml(cls, text: str) -> Self:
        return cls.of(words_of_toml(text))

    def to_query(self) -> dict[str, str]:
        """Names and values for the address bar."""
        query = {name: _text(value) for name, value in self.words.items() if name != "options"}
        return query | {_OPTION + name: _text(value) for name, value in self.options.items()}

    @classmethod
    def from_query(cls, query: Mapping[str, str], *, also: Collection[str] = ()) -> Self:
        """Settings from an address; an empty one gives the default view.

        Args:
            query: names and values.
            also: names that the page reads itself; they are passed over.
        """
        words: dict[str, Any] = {}
        options: dict[str, str] = {}
        for name, value in query.items():
            if name.startswith(_OPTION):
                options[name.removeprefix(_OPTION)] = value
            elif name not in also:
                words[name] = value
        return cls.of(words | ({"options": options} if options else {}))

    def to_shell(self) -> str:
        """One line for the command line."""
        line = ["hierdp", "simulate"]
        for name, value in self.words.items():
            if name != "options":
                line += [f"--{name}", _text(value)]
        for name, value in self.options.items():
            line += ["--option", f"{name}={_text(value)}"]
        return shlex.join(line)

    @classmethod
    def from_shell(cls, line: str) -> Self:
        try:
            arguments = shlex.split(line)
        except ValueError as error:
            raise ChoiceError(f"The line cannot be read as a command: {error}.") from None
        if arguments[:2] not in (["hierdp", "simulate"], ["hierdp", "run"]):
            raise ChoiceError('The line must start with "hierdp simulate".')
        parser = Parser(prog="hierdp simulate", add_help=False, allow_abbrev=False)
        add_flags(parser)
        return cls.of(words_of_flags(parser.parse_args(arguments[2:])))

    def to_python(self) -> str:
        """Lines of Python that make the same simulation."""
        quantity = "" if self.quantity is None else f', quantity="{self.quantity}"'
        return (
            "import hierdp_core as hdp\n\n"
            f'data = hdp.samples.load("{self.sample}")\n'
            f"plan = {self.plan_call('data.table')}\n"
            f"sim = hdp.simulate(data.table, plan, seed={self.seed})\n"
            f"print(hdp.errors(data.table, sim{quantity}))\n"
        )

    def plan_call(self, table: str) -> str:
        """The call of `hdp.plan` on what Python calls `table`."""
        budget = "".join(
            f", {name}={_text(self.words[name])}" for name in _BUDGET if name in self.words
        )
        budget += "".join(
            f', {name}="{self.words[name]}"' for name in _ACCOUNT if name in self.words
        )
        allocation = "" if self.allocation is None else f", allocation={list(self.allocation)}"
        options = f", options={dict(self.options)}" if self.options else ""
        return f'hdp.plan({table}, "{self.mechanism}"{budget}{allocation}{options})'

    @classmethod
    def from_python(cls, text: str) -> Self:
        """Settings from lines like those of `to_python`. Nothing is executed."""
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ChoiceError("These lines are not Python.") from None
        words: dict[str, Any] = {}
        for call in ast.walk(tree):
            if isinstance(call, ast.Call):
                name = getattr(call.func, "attr", getattr(call.func, "id", ""))
                for word, value in zip(_CALLS.get(name, ()), call.args, strict=False):
                    if word:
                        words[word] = _literal(value)
                if name in _CALLS:
                    words |= {k.arg: _literal(k.value) for k in call.keywords if k.arg}
        return cls.of(words)


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of printing its usage and leaving."""

    def error(self, message: str) -> NoReturn:
        raise ChoiceError(f"{message}. See: {self.prog} --help")


def add_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that say settings. Their values stay text until `Settings.of` reads them."""
    parser.add_argument("--sample", metavar="ID", help="what to load: see `hierdp samples`")
    parser.add_argument("--mechanism", metavar="ID", help="see `hierdp mechanisms`")
    parser.add_argument("--epsilon", metavar="NUMBER", help="privacy budget ε; alone, or with δ")
    parser.add_argument("--delta", metavar="NUMBER", help="δ beside ε")
    parser.add_argument("--rho", metavar="NUMBER", help="budget ρ instead: Gaussian noise")
    add_account_flags(parser)
    add_allocation_flag(parser, help="parts of the budget by level, from the top (default: equal)")
    parser.add_argument("--seed", metavar="N", help="of the noise, at least 0 (default: 0)")
    parser.add_argument("--quantity", metavar="ID", help="count errors of this number per region")
    parser.add_argument(
        "--option", metavar="K=V", action="append", default=[], help="option of the mechanism"
    )


def add_account_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say how ε with δ becomes noise."""
    parser.add_argument(
        "--accounting",
        metavar="WORD",
        help="how ε with δ becomes noise: tight (default), zcdp or simple, as in the papers",
    )
    parser.add_argument(
        "--noise",
        metavar="WORD",
        help="for ε with δ: best (default, the kind with less variance), gaussian or geometric",
    )


class _OldFlag(argparse.Action):
    """A flag of the first version: it still works, and its new name is told."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        new = "--" + self.dest
        sys.stderr.write(f"hierdp: {option_string} is now {new}.\n")
        parser._option_string_actions[new](parser, namespace, values, new)


def add_old_flag(parser: argparse.ArgumentParser, old: str, new: str) -> None:
    """Accept the flag `old` of the first version for `new`, and say so on standard error."""
    dest = new.removeprefix("--")
    parser.add_argument(
        old, dest=dest, action=_OldFlag, default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )


def add_allocation_flag(parser: argparse.ArgumentParser, **words: Any) -> None:
    """Add `--allocation`, and `--shares` as its old name."""
    parser.add_argument("--allocation", metavar="N,N,…", **words)
    add_old_flag(parser, "--shares", "--allocation")


def current_words(words: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the words of the first version by those of today.

    Raises:
        ChoiceError: a word is there under both names.
    """
    for old, new in OLD_WORDS.items():
        if old in words and new in words:
            raise ChoiceError(f'"{old}" is the old name of "{new}"; give one of them.')
    return {OLD_WORDS.get(word, word): value for word, value in words.items()}


def words_of_flags(flags: argparse.Namespace) -> dict[str, Any]:
    """The words that parsed flags say; flags not given are left out."""
    named = [f.name for f in fields(Settings) if f.name != "options"]
    words = {name: getattr(flags, name) for name in named if getattr(flags, name) is not None}
    options = read_options(flags.option)
    return words | ({"options": options} if options else {})


def read_options(given: Sequence[str]) -> dict[str, str]:
    """Options from the words of --option, each NAME=VALUE.

    Raises:
        ChoiceError: one is not written so.
    """
    options: dict[str, str] = {}
    for option in given:
        name, equals, value = option.partition("=")
        if not equals or not name:
            raise ChoiceError(f'An option is given as --option NAME=VALUE; got "{option}".')
        options[name] = value
    return options


def words_of_toml(text: str) -> dict[str, Any]:
    """The words in a TOML file; numbers stay as they are written."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ChoiceError(f"The settings are not written as TOML: {error}.") from None


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Words where those `above` win; a ρ above replaces ε and δ below, and the reverse."""
    kept = dict(below)
    if "rho" in above:
        others = ("epsilon", "delta", *_ACCOUNT)
        kept = {name: value for name, value in kept.items() if name not in others}
    if "epsilon" in above or "delta" in above:
        kept.pop("rho", None)
    words = {**kept, **above}
    if isinstance(below.get("options"), Mapping) and "options" in above:
        words["options"] = {**below["options"], **above["options"]}
    return words


def read_allocation(value: object) -> tuple[Any, ...]:
    """The numbers in "1,1,2", or in a list of them; held against the levels later.

    Raises:
        BudgetError: they cannot be read.
    """
    parts: Sequence[Any]
    if isinstance(value, str):
        parts = value.split(",")
    elif isinstance(value, list | tuple):
        parts = value
    else:
        raise BudgetError(f"An allocation is one whole number a level, such as 1,1,2; got {value}.")
    return tuple(_part(part) if isinstance(part, str) else part for part in parts)


def _part(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise BudgetError(
            f'An allocation is whole numbers with commas, such as 1,1,2; got "{text[:40]}".'
        ) from None


def read_seed(value: object) -> Any:
    """The seed that a text stands for; any other value as it is.

    Raises:
        ChoiceError: the text is no whole number.
    """
    if not isinstance(value, str):
        return value
    try:
        return int(value)
    except ValueError:
        raise ChoiceError(f'The seed is a whole number, 0 or above; got "{value[:40]}".') from None


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, tuple | list):
        return ",".join(map(str, value))
    return str(value)


def _toml(value: object) -> str:
    if isinstance(value, str):
        # JSON escapes what TOML does, but for the one control character above it.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    return _text(value)


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise ChoiceError(
            f"Line {node.lineno}: only plain values can be read back, such as 1.0 or [1, 1, 2]."
        ) from None
