"""Numbers of a guarantee are written out by `privacy.rounding` alone.

Python's own formatting rounds to nearest, which is half the time a stronger guarantee than the
noise gives. So no f-string, `round`, `format`, `%`, `str` or grid of numbers may get hold of one.
"""

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.syntax import nodes

from hierdp_core.privacy import rounding
from hierdp_core.settings import Settings
from hierdp_core.writers import notebook

ROOT = Path(__file__).parents[2]

# Names of what bounds a privacy loss. A variable called so is one.
GUARDED = {"delta", "epsilon", "loss", "rho", "sigma2"} | {
    f"{prefix}epsilon" for prefix in ("claimed_", "spent_", "true_")
}
GUARDED |= {"spent_rho", "epsilon_at_delta", "epsilon_tight", "epsilon_per_level"}
IN_MEANING = {"least", "most"}  # of a belief
RELIABILITY = {"reliability", "showable", "surely"}  # what a search or an audit shows
SYMBOLS = {"ε", "δ", "ρ"}

# What may get hold of such a number: it rounds the safe way, or keeps every digit.
SAFE = {name for name in vars(rounding) if not name.startswith("_")} | {"parameter", "_parameter"}
SAFE |= {"_except", "_guarantee", "_rounded_up", "_tenths"}  # one line each, on top of those
WRITERS = {"format", "repr", "round", "str"}

# An audit measures a lower bound, and has its own rounding.
APART = {"hierdp_core/privacy/rounding.py"}
AUDIT = ("hierdp_core/audits/", "pages/ui/laboratory", "pages/audit", "pages/laboratory")
AUDIT += ("hierdp_core/figures/audits.py", "hierdp_core/cli/audit_command.py")


def sources() -> list[Path]:
    files = [
        *(ROOT / "hierdp_core").rglob("*.py"),
        *(ROOT / "pages").rglob("*.py"),
        ROOT / "app.py",
    ]
    names = {file: file.relative_to(ROOT).as_posix() for file in sorted(files)}
    return [f for f, name in names.items() if name not in APART and not name.startswith(AUDIT)]


def violations(source: str, *, of_beliefs: bool = False) -> list[str]:
    """Where a number of a guarantee is written out by anything but `rounding`: lines with why."""
    return _all_violations(source, GUARDED | (IN_MEANING if of_beliefs else set()))


def _all_violations(source: str, guarded: set[str]) -> list[str]:
    return sorted(
        f"{node.lineno}: {why}"
        for node in nodes(source)
        for why in _faults(node, guarded)
        if isinstance(node, ast.expr)
    )


def _faults(node: ast.AST, guarded: set[str]) -> Iterator[str]:
    if isinstance(node, ast.FormattedValue) and node.conversion != ord("r"):
        if _holds(node.value, guarded):
            yield f"{{{ast.unparse(node.value)}}} in an f-string"
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        if isinstance(node.left, ast.Constant | ast.JoinedStr) and _holds(node.right, guarded):
            yield f"% {ast.unparse(node.right)}"
    elif isinstance(node, ast.Call):
        yield from _faulty_call(node, guarded)
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            named = isinstance(key, ast.Constant) and key.value in guarded | SYMBOLS
            if named and isinstance(value, ast.Call) and _called(value) == "NumberColumn":
                yield f"a grid of numbers rounds {ast.unparse(key)} to nearest"


def _faulty_call(node: ast.Call, guarded: set[str]) -> Iterator[str]:
    name = _called(node)
    inside = [*node.args, *(keyword.value for keyword in node.keywords)]
    if name in WRITERS:
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        for part in (*inside, *owner):
            if _holds(part, guarded):
                yield f"{name}() of {ast.unparse(part)}"
    elif name in {"map", "apply"} and isinstance(node.func, ast.Attribute):
        formats = [a for a in inside if isinstance(a, ast.Attribute) and a.attr == "format"]
        if formats and _holds(node.func.value, guarded):
            yield f"{ast.unparse(node.func.value)} through format"


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _holds(node: ast.AST, guarded: set[str]) -> bool:
    """Whether a number of a guarantee stands in the expression, outside what is safe.

    Only as its value: a condition decides what is written, and is not itself written.
    """
    if isinstance(node, ast.Call) and (_called(node) in SAFE or _called(node) == "isinstance"):
        return False
    if isinstance(node, ast.IfExp):
        return _holds(node.body, guarded) or _holds(node.orelse, guarded)
    if isinstance(node, ast.Compare):
        return False
    if isinstance(node, ast.Name):
        return node.id in guarded
    if isinstance(node, ast.Attribute):
        return node.attr in guarded
    if isinstance(node, ast.Subscript):
        known = isinstance(node.slice, ast.Constant) and node.slice.value in guarded
        return known or _holds(node.value, guarded)
    return any(_holds(child, guarded) for child in ast.iter_child_nodes(node))


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_guarantees_are_written_out_by_rounding(path: Path) -> None:
    assert violations(path.read_text(encoding="utf-8"), of_beliefs="meaning" in path.stem) == []


@pytest.mark.parametrize(
    "planted",
    [
        'f"{privacy.epsilon:g}-DP"',
        'f"{self.delta}"',
        'f"ρ = {statement.rho:.6g}"',
        'f"{math.exp(epsilon):.3g} times"',
        "f\"{row['true_epsilon']:,.4g}\"",
        'f"{float(budget.epsilon):g}" if budget.epsilon is not None else ""',
        "round(c.epsilon, 2)",
        "np.round(100 * loss)",
        'table["rho"].round(3)',
        'format(event.sigma2, ".3g")',
        '"{:g}".format(delta)',
        '"ε = %.3g" % privacy.epsilon',
        "str(delta)",
        "repr(statement.rho)",
        'frame["epsilon"].map("{:.3g}".format)',
        '{"epsilon": st.column_config.NumberColumn("ε", format="%.4g")}',
        '{"ρ": NumberColumn()}',
        'f"{upper(epsilon)} of {epsilon:.2f}"',
    ],
)
def test_the_walk_finds_a_number_written_out_otherwise(planted: str) -> None:
    assert violations(planted)


def test_bounds_of_searches_and_audits_are_written_out_by_rounding() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{violation}"
        for folder in ("audits", "planning")
        for path in sorted((ROOT / "hierdp_core" / folder).glob("*.py"))
        for violation in _all_violations(path.read_text(encoding="utf-8"), RELIABILITY)
    ]
    assert found == []
    assert _all_violations('f"{audit.showable:.3g}"', RELIABILITY)


def test_notebooks_write_beliefs_out_by_rounding() -> None:
    pages = [notebook.meaning(Settings(), source=one).code for one in notebook.DataSource]
    files = [json.loads(file.read_text()) for file in sorted((ROOT / "notebooks").glob("*.ipynb"))]
    assert files
    code = ["\n".join(cells) for cells in pages] + [
        "".join(cell["source"])
        for file in files
        for cell in file["cells"]
        if cell["cell_type"] == "code"
    ]
    beliefs = [source for source in code if "belief(" in source]
    assert len(beliefs) > len(pages)
    assert [found for source in beliefs for found in _all_violations(source, IN_MEANING)] == []


@pytest.mark.parametrize("planted", ["round(100 * here.most)", 'f"{belief(1, 0.5).most:.0%}"'])
def test_beliefs_are_bounds_too(planted: str) -> None:
    assert violations(planted, of_beliefs=True)
    assert not violations(planted)


@pytest.mark.parametrize(
    "fine",
    [
        'f"ε = {upper(privacy.epsilon, 6)}"',
        'f"{rounding.stated(budget.delta)}"',
        'f"{factor_up(epsilon)} times"',
        "parameter(rho)",
        "as_typed(view.delta)",
        'f"{name!r} and {epsilon!r}"',
        "f\"{'pure' if delta == 0 else 'approximate'}\"",
        "round(seconds, 1)",
        '{"epsilon": "ε", "year": NumberColumn()}',
    ],
)
def test_the_walk_lets_safe_ways_pass(fine: str) -> None:
    assert violations(fine) == []
