"""Versions of dependencies: the lowest that pyproject.toml allows, those in use, and licences.

python .ci/versions.py lowest            constraints with every lower bound, for .ci/lowest
python .ci/versions.py locked            what is installed, as constraints, for .ci/locked.txt
python .ci/versions.py licences          a Markdown table, for docs/dependencies.md
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
LOCKED = ("dev", "browser", "docs")  # the extras that .ci/run installs
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_LOWEST = re.compile(r">=\s*([0-9][^,;\s]*)")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)""")


def name_of(requirement: str) -> str:
    """Return the name of what is required, as package indexes compare names."""
    match = _NAME.match(requirement)
    if match is None:
        raise ValueError(f"not a requirement: {requirement}")
    return re.sub(r"[-_.]+", "-", match[0]).lower()


def required(*extras: str) -> list[str]:
    """Return the requirements of the project itself and of some extras."""
    optional = PROJECT["optional-dependencies"]
    return [*PROJECT["dependencies"], *(line for extra in extras for line in optional[extra])]


def lowest(*extras: str) -> Iterator[str]:
    """Yield `name==version` for the lower bound of every requirement."""
    for requirement in required(*extras):
        bound = _LOWEST.search(requirement)
        if bound is None:
            raise ValueError(f"{requirement} has no lower bound")
        yield f"{name_of(requirement)}=={bound[1]}"


def installed(*extras: str) -> list[Distribution]:
    """Return the distributions behind the project and some extras, with all they need in turn."""
    found: dict[str, Distribution] = {}
    pending = [name_of(line) for line in required(*extras)]
    while pending:
        name = pending.pop()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # of another platform or Python
            continue
        needs = found[name].requires or ()
        pending += [name_of(line) for line in needs if not _EXTRA.search(line)]
    return [found[name] for name in sorted(found)]


def licence(package: Distribution) -> str:
    """Return what a package says of its licence: the expression, else its classifiers."""
    words = package.metadata
    if expression := words.get("License-Expression"):
        return str(expression)
    classes = [c for c in words.get_all("Classifier") or () if c.startswith("License ::")]
    if classes:
        return ", ".join(c.rsplit(" :: ", 1)[-1] for c in classes)
    return (words.get("License") or "not stated").splitlines()[0]


def licences(*extras: str) -> Iterator[str]:
    """Yield a Markdown table: one row per package, those of every installation first."""
    yield "| package | licence | needed by |"
    yield "|---|---|---|"
    always = {name_of(package.name) for package in installed()}
    packages = installed(*extras)
    for package in sorted(packages, key=lambda p: name_of(p.name) not in always):
        name = name_of(package.name)
        yield f"| {name} | {licence(package)} | {needed_by(name, always)} |"


def needed_by(name: str, always: set[str]) -> str:
    """Return what needs a package; `always` are the names of what every installation has."""
    if name in {name_of(line) for line in required()}:
        return "HierDP"
    if name in always:
        return "HierDP, through another package"
    optional = PROJECT["optional-dependencies"]
    extras = [e for e in sorted(optional) if name in {name_of(line) for line in optional[e]}]
    if not extras:
        return "an extra, through another package"
    return f"{'extra' if len(extras) == 1 else 'extras'} {', '.join(f'`{e}`' for e in extras)}"


def main(command: str) -> int:
    """Print what a command asks for; 2 if there is no such command."""
    match command:
        case "lowest":
            lines = list(lowest())
        case "locked":
            lines = [f"{name_of(p.name)}=={p.version}" for p in installed(*LOCKED)]
        case "licences":
            lines = list(licences(*PROJECT["optional-dependencies"]))
        case _:
            return 2
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2] or [""]))
