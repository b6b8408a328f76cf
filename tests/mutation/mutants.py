"""The mutants of a file: each a single small change that some test should notice.

Cosmic Ray makes the changes, to one top-level statement at a time. That is fast, and it gives every
mutant an id that stays the same while the code of the function around it stays the same.
"""

import ast
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path

from mutation.code_text import code_lines

# Cosmic Ray puts every binary operator in place of every other one. Most of those mutants end in a
# TypeError and would only flatter the score, so each operator keeps its two closest relatives.
_KEPT = re.compile(
    r"""core/(
        AddNot | NumberReplacer | RemoveDecorator | ZeroIterationForLoop | ExceptionReplacer
      | ReplaceTrueWithFalse | ReplaceFalseWithTrue | ReplaceAndWithOr | ReplaceOrWithAnd
      | ReplaceBreakWithContinue | ReplaceContinueWithBreak
      | ReplaceUnaryOperator_Delete_\w+
      | ReplaceBinaryOperator_(
            Add_Sub | Add_Mul | Sub_Add | Sub_Mul | Mul_Div | Mul_Add | Div_Mul | Div_FloorDiv
          | FloorDiv_Div | FloorDiv_Mul | Mod_FloorDiv | Mod_Mul | Pow_Mul | Pow_Div
          | BitOr_BitAnd | BitAnd_BitOr | BitXor_BitAnd | LShift_RShift | RShift_LShift)
      | ReplaceComparisonOperator_(
            Lt_LtE | Lt_GtE | LtE_Lt | LtE_Gt | Gt_GtE | Gt_LtE | GtE_Gt | GtE_Lt
          | Eq_NotEq | NotEq_Eq | Is_IsNot | IsNot_Is)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One change to one file.

    Attributes:
        file: from the root of the repository, such as "hierdp_core/noise/seeded.py".
        where: the function or method around the change, the class, or "" for the module.
        lines: the first and last line of the statement that is changed.
        scope: the first and last line of `where`.
        in_function: whether the change takes effect when `where` is called, not when it is defined.
        before: the lines that go, stripped and joined.
        after: the lines that come in their place.
        id: of twelve hexadecimal digits, from the code of `where` and the change alone. Comments
            and docstrings are no part of it.
        source: of the whole changed file.
    """

    file: str
    where: str
    lines: tuple[int, int]
    scope: tuple[int, int]
    in_function: bool
    before: str
    after: str
    id: str
    source: str

    @property
    def change(self) -> tuple[str, str, str, str]:
        """What a written reason refers to."""
        return self.file, self.where, self.before, self.after


def mutants_of(root: Path, file: str) -> list[Mutant]:
    """Return all mutants of a file, in the order of the lines they change."""
    source = (root / file).read_text(encoding="utf-8")
    lines = source.splitlines(keepends=True)
    original = ast.dump(ast.parse(source))
    found = {}
    for statement in ast.parse(source).body:
        if _is_skipped(statement):
            continue
        first, last = _extent(statement)
        segment = "".join(lines[first - 1 : last])
        for changed in _changes(segment):
            whole = "".join(lines[: first - 1]) + changed + "".join(lines[last:])
            try:
                same = ast.dump(ast.parse(whole)) == original
            except (SyntaxError, ValueError):
                continue
            if not same and (mutant := _mutant(file, lines, statement, first, changed, whole)):
                found.setdefault(mutant.id, mutant)
    return sorted(found.values(), key=lambda mutant: (mutant.lines, mutant.after, mutant.id))


def sampled(mutants: list[Mutant], size: int | None, seed: int) -> list[Mutant]:
    """Return a random sample without replacement; everything if `size` is None.

    Those with the least hash of seed and id are taken. A mutant whose function stays the same
    therefore tends to stay in the sample when the rest of the code changes.
    """
    if size is None or size >= len(mutants):
        return mutants
    by_chance = sorted(
        mutants, key=lambda mutant: hashlib.sha256(f"{seed}:{mutant.id}".encode()).hexdigest()
    )
    chosen = {mutant.id for mutant in by_chance[:size]}
    return [mutant for mutant in mutants if mutant.id in chosen]


def _changes(segment: str) -> Iterator[str]:
    """Yield the source of a top-level statement with one change each."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names
    from mutation.operators import OWN_OPERATORS

    operators = [get_operator(name) for name in operator_names() if _KEPT.fullmatch(name)]
    nodes = list(ast_nodes(get_ast(segment)))
    for operator in [*(kind() for kind in operators), *(kind() for kind in OWN_OPERATORS.values())]:
        places = sum(len(list(operator.mutation_positions(node))) for node in nodes)
        for occurrence in range(places):
            changed = mutate_code(segment, operator, occurrence)
            if changed is not None:
                yield changed


def _mutant(
    file: str, lines: list[str], statement: ast.stmt, first: int, changed: str, whole: str
) -> Mutant | None:
    """Describe a change; None if it is one of types or of how parameters may be passed."""
    old = lines[first - 1 : _extent(statement)[1]]
    new = changed.splitlines(keepends=True)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    blocks = [block for block in matcher.get_opcodes() if block[0] != "equal"]
    if not blocks:
        return None
    top, bottom = first + blocks[0][1], first + max(blocks[-1][2] - 1, blocks[0][1])
    before = _stripped(old[blocks[0][1] : blocks[-1][2]])
    after = _stripped(new[blocks[0][3] : blocks[-1][4]])
    where, scope, in_function, place = _place(statement, top, bottom)
    if _bare_once(statement) == _bare(ast.parse(changed).body[0]):
        return None
    code = _code_of("".join(lines))
    code_after = (*code[: first - 1], *code_lines(changed), *code[_extent(statement)[1] :])
    start, stop = scope if in_function else place
    around = "".join(line for line in code[start - 1 : stop] if line != "\n")
    above = sum(line != "\n" for line in code[start - 1 : top - 1])
    change = _stripped(code_after[first + blocks[0][3] - 1 : first + blocks[-1][4] - 1])
    text = "\0".join([file, where, around, str(above), change])
    return Mutant(
        file=file,
        where=where,
        lines=place,
        scope=scope,
        in_function=in_function,
        before=before,
        after=after,
        id=hashlib.sha256(text.encode()).hexdigest()[:12],
        source=whole,
    )


@lru_cache(maxsize=1)
def _code_of(source: str) -> tuple[str, ...]:
    return tuple(code_lines(source))


def _place(
    statement: ast.stmt, top: int, bottom: int
) -> tuple[str, tuple[int, int], bool, tuple[int, int]]:
    """Return the name and lines of what encloses a change, and the lines of its statement."""
    names, scope, in_function, here = [], _extent(statement), False, statement
    while True:
        if not in_function and isinstance(here, ast.FunctionDef | ast.ClassDef):
            names.append(here.name)
            scope = _extent(here)
            in_function = isinstance(here, ast.FunctionDef) and here.body[0].lineno <= top
        inside = [
            child
            for child in _statements(here)
            if _extent(child)[0] <= top and bottom <= _extent(child)[1]
        ]
        if not inside:
            break
        here = inside[0]
    place = _extent(here)
    body = _statements(here)
    if body and not isinstance(here, ast.FunctionDef | ast.ClassDef):
        place = place[0], max(place[0], min(_extent(child)[0] for child in body) - 1)
    return ".".join(names), scope, in_function, place


def _statements(node: ast.AST) -> list[ast.stmt]:
    found = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            found.append(child)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            found += _statements(child)
    return found


def _extent(statement: ast.stmt) -> tuple[int, int]:
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in decorators)]), statement.end_lineno


def _is_skipped(statement: ast.stmt) -> bool:
    """Skip imports, docstrings, names of types and what only a type checker reads."""
    if isinstance(statement, ast.Import | ast.ImportFrom | ast.Expr):
        return True
    if isinstance(statement, ast.If):
        return ast.unparse(statement.test) == "TYPE_CHECKING"
    if isinstance(statement, ast.Assign):
        names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
        value = statement.value
        is_union = isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr)
        return names == ["__all__"] or is_union
    return False


def _bare(statement: ast.stmt) -> str:
    """Return a statement without type annotations and without `/` and `*` between parameters."""
    tree = ast.parse(ast.unparse(statement))
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.arguments):
            defaults = [None] * len(node.posonlyargs + node.args)
            defaults[len(defaults) - len(node.defaults) :] = node.defaults
            node.args = node.posonlyargs + node.args + node.kwonlyargs
            node.defaults = [
                ast.Constant(...) if default is None else default
                for default in [*defaults, *node.kw_defaults]
            ]
            node.posonlyargs, node.kwonlyargs, node.kw_defaults = [], [], []
    return ast.dump(tree)


_bare_once = lru_cache(maxsize=1)(_bare)  # for the statement that all changes concern


def _stripped(lines: list[str]) -> str:
    return " ".join(line.strip() for line in lines)
