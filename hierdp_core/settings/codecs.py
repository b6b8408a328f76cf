"""Settings as text: an address, a settings file, a shell command and lines of Python.

`Words` can be written in each of these forms, and be read from it again.
"""

import ast
import shlex
import tomllib
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from hierdp_core.exceptions import ChoiceError
from hierdp_core.settings.flags import Parser, add_flags, words_of_flags
from hierdp_core.settings.words import ACCOUNT, BUDGET, text_of
from hierdp_core.util.escaping import json_text

if TYPE_CHECKING:
    from hierdp_core.privacy import Budget

Words = Mapping[str, Any]  # names and values of settings, before they are checked

_MOST_BITS = 4_000  # of a whole number: 1,200 digits
_OPTION = "option."  # starts the name of an option in the address bar

# For each function in the Python form, the settings that its positional arguments give.
_CALLS: dict[str, tuple[str | None, ...]] = {
    "load": ("sample",),
    "plan": (None, "mechanism"),
    "simulate": (None, None),
    "run": (None, None),
    "release": (None, "mechanism"),
    "errors": (None, None),
}
_OWN_FILE = "your-table.csv"  # stands for the user's own files


def toml_of(words: Words) -> str:
    """Return the settings as a TOML file for `hierdp simulate FILE`."""
    lines = [f"{name} = {_toml(value)}" for name, value in _without_options(words).items()]
    if options := words.get("options"):
        lines += ["", "[options]"]
        lines += [f"{name} = {_toml(value)}" for name, value in options.items()]
    return "\n".join(lines) + "\n"


def words_of_toml(text: str) -> dict[str, Any]:
    """Return the words in the text of a TOML file, with numbers as numbers.

    Raises:
        ChoiceError: the text is not TOML, is nested too deeply or has a number that is too long.
    """
    try:
        words = tomllib.loads(text)
        _require_writable(words)
    except tomllib.TOMLDecodeError as error:
        raise ChoiceError(
            f"The settings are not valid TOML: {error}. Correct them there."
        ) from None
    except (ValueError, RecursionError):
        raise ChoiceError(
            "The settings are nested too deeply, or contain a number with too many digits. Write "
            "them more simply."
        ) from None
    return words


def _require_writable(value: object) -> None:
    """Refuse integers with too many decimal digits, which hexadecimal ones may have."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts:
        _require_writable(part)
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise ValueError("too many digits")


def query_of(words: Words) -> dict[str, str]:
    """Return names and values for the address bar."""
    query = {name: text_of(value) for name, value in _without_options(words).items()}
    options = words.get("options", {})
    return query | {_OPTION + name: text_of(value) for name, value in options.items()}


def words_of_query(query: Mapping[str, str], *, also: Collection[str] = ()) -> dict[str, Any]:
    """Return the words of an address.

    Args:
        query: names and values.
        also: names that the page reads itself; they are left out.
    """
    words: dict[str, Any] = {}
    options: dict[str, str] = {}
    for name, value in query.items():
        if name.startswith(_OPTION):
            options[name.removeprefix(_OPTION)] = value
        elif name not in also:
            words[name] = value
    return words | ({"options": options} if options else {})


def shell_of(words: Words) -> str:
    """Return a command for the shell; for own data, with a placeholder for the name of the file."""
    line = ["hierdp", "simulate"]
    for name, value in _without_options(words).items():
        own = name == "sample" and _is_own(value)
        line += ["--data", _OWN_FILE] if own else [f"--{name}", text_of(value)]
    for name, value in words.get("options", {}).items():
        line += ["--option", f"{name}={text_of(value)}"]
    return shlex.join(line)


def words_of_shell(line: str) -> dict[str, Any]:
    """Return the words of a command like that of `shell_of`.

    Raises:
        ChoiceError: the line is not such a command.
    """
    try:
        arguments = shlex.split(line)
    except ValueError as error:
        raise ChoiceError(
            f"The line cannot be read as a command: {error}. Paste the whole line."
        ) from None
    if arguments[:2] not in (["hierdp", "simulate"], ["hierdp", "run"]):
        raise ChoiceError('The line must start with "hierdp simulate". Paste the whole line.')
    parser = Parser(prog="hierdp simulate", add_help=False, allow_abbrev=False)
    add_flags(parser)
    parser.add_argument("--data", nargs="+", default=[])
    flags = parser.parse_args(arguments[2:])
    return words_of_flags(flags) | ({"sample": _own()} if flags.data else {})


def python_of(words: Words) -> str:
    """Return lines of Python that make the simulation of these settings.

    For own data, they have a placeholder for the name of the file.
    """
    data = f'hdp.samples.load("{words["sample"]}")'
    if _is_own(words["sample"]):
        data = f'hdp.read_table("{_OWN_FILE}")  # name your own files here'
    quantity = f', quantity="{words["quantity"]}"' if "quantity" in words else ""
    return (
        "import hierdp_core as hdp\n\n"
        f"data = {data}\n"
        f"plan = {plan_call(words, 'data.table')}\n"
        f"sim = hdp.simulate(data.table, plan, seed={words['seed']})\n"
        f"print(hdp.errors(data.table, sim{quantity}))\n"
    )


def plan_call(words: Words, table: str) -> str:
    """Return the call of `hdp.plan` on `table`, a Python expression."""
    from hierdp_core import mechanisms

    parts = [f"{name}={text_of(words[name])}" for name in BUDGET if name in words]
    parts += [f'{name}="{words[name]}"' for name in ACCOUNT if name in words]
    if "allocation" in words:
        parts.append(f"allocation={list(words['allocation'])}")
    arguments = "".join(f", {part}" for part in parts)
    text = mechanisms.text_of(words["mechanism"], words.get("options", {}))
    return f"hdp.plan({table}, {json_text(text)}{arguments})"


def budget_call(budget: "Budget") -> str:
    """Return a Python expression for a budget."""
    from hierdp_core.privacy.rounding import as_typed

    if budget.rho is not None:
        return f"hdp.Budget.zcdp({as_typed(float(budget.rho))})"
    size = as_typed(float(budget.epsilon or 0))
    if budget.delta is None:
        return f"hdp.Budget.pure({size})"
    account = "".join(
        f', {name}="{getattr(budget, name)}"'
        for name, usual in ACCOUNT.items()
        if getattr(budget, name) != usual
    )
    return f"hdp.Budget.approximate({size}, {as_typed(float(budget.delta))}{account})"


def words_of_python(text: str) -> dict[str, Any]:
    """Return the words of lines like those of `python_of`. Nothing is executed.

    Raises:
        ChoiceError: the lines are not Python, contain no settings, or have an argument that is not
            a literal.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ChoiceError("These lines are not valid Python. Paste whole lines.") from None
    words: dict[str, Any] = {}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            if name == "read_table":
                words["sample"] = _own()
            for word, value in zip(_CALLS.get(name, ()), call.args, strict=False):
                if word:
                    words[word] = _literal(value)
            if name in _CALLS:
                words |= {k.arg: _literal(k.value) for k in call.keywords if k.arg}
    if not words:
        raise ChoiceError(
            "These lines contain no settings. Paste lines with a call of hdp.samples.load or "
            "hdp.plan."
        )
    return words | _read_mechanism(words)


def _read_mechanism(words: Words) -> dict[str, Any]:
    """Return the id and the options of a mechanism that is written as "coc: merge=mean"."""
    text = words.get("mechanism")
    if not isinstance(text, str) or ":" not in text:
        return {}
    from hierdp_core import mechanisms

    id, options = mechanisms.read_text(text)
    return {"mechanism": id, "options": options}


def _own() -> str:
    """Return the word that stands for own data in place of a sample."""
    from hierdp_core.samples.sample import OWN

    return OWN


def _is_own(sample: object) -> bool:
    return sample == _own()


def _without_options(words: Words) -> dict[str, Any]:
    return {name: value for name, value in words.items() if name != "options"}


def _toml(value: object) -> str:
    if isinstance(value, str):
        # A JSON string is a TOML string: `json_text` also escapes U+007F, which TOML forbids.
        return json_text(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    return text_of(value)


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise ChoiceError(
            f"Line {node.lineno} has a value that cannot be read. Write plain values, such as 1.0 "
            "or [1, 1, 2]."
        ) from None
