"""Which tests execute which lines, and how long each test takes.

One entry is kept for each test file, in a folder that is not committed. It is made again when the
test file, what it imports from `tests`, or one of the files to be mutated changes.
"""

import ast
import hashlib
import json
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from mutation.code_text import code_text
from mutation.forks import has_compiled_functions, in_fork, module_name, run_pytest
from mutation.mutants import Mutant

CACHE = "tests/mutation/.coverage-map"
MOST_SECONDS_A_FILE = 1800
_METHOD = "caches are cleared before each test"  # an entry made otherwise is out of date
_CACHING = type(lru_cache(maxsize=1)(abs))
_UNPROVED = 0.2  # kills of a test that has not killed any mutant yet
_FOR_THE_FOLDER = 0.2  # of the time, as these tests may hold what is true of all its files
_AROUND = 0.02  # seconds that pytest takes beside a test
_NO_TESTS = 5  # pytest's exit code where nothing was collected


class CleanRunFailed(Exception):
    """Tests fail although nothing has been mutated."""


@dataclass(frozen=True)
class CoverageMap:
    """For each test its seconds, and the lines that it executes in each file.

    Attributes:
        seconds: of each test.
        lines: of each test, by file. Those of compiled functions are not seen.
        libraries: what the tests import from elsewhere.
        imports: the modules that a test file imports, by file.
    """

    seconds: dict[str, float]
    lines: dict[str, dict[str, frozenset[int]]]
    libraries: tuple[str, ...] = ()
    imports: dict[str, frozenset[str]] = field(default_factory=dict)

    def tests_for(self, mutant: Mutant, most_seconds: float, kills: dict[str, int]) -> list[str]:
        """Return the tests to run against a mutant, the most promising first.

        These are the tests that execute the changed statement. For what takes effect on import
        (constants, attributes of a class, defaults) they are those that execute anything in the
        function, the class, the file or the folder, in this order. For a file with compiled
        functions they are the tests of the files that import it, and then those that execute
        anything in the folder. Within a group, tests that have killed more mutants for each second
        of their time come first.

        Args:
            mutant: the mutant.
            most_seconds: where the tests together take longer, the last are left out. A part of
                the time is kept for the tests of the folder.
            kills: how many mutants of the same file each test has killed.
        """
        folder = str(Path(mutant.file).parent)
        groups = [self._executing(mutant.file, *mutant.lines)]
        if not mutant.in_function:
            groups.append(self._executing(mutant.file, *mutant.scope))
        if not (mutant.in_function and groups[0]):
            groups += [
                self._executing(mutant.file, *mutant.scope),
                self._executing(mutant.file, 1, sys.maxsize),
            ]
        compiled, kept = has_compiled_functions(mutant.source), 0.0
        if compiled:
            groups.insert(0, self._importing(mutant.file))
        if compiled or not mutant.in_function:
            groups.append({test for test, files in self.lines.items() if _any_in(files, folder)})
            kept = _FOR_THE_FOLDER * most_seconds
        order, left = [], most_seconds
        for number, group in enumerate(groups, start=1):
            least = kept if number < len(groups) else 0.0
            for test in sorted(group, key=lambda t: (-self._promise(t, kills), t)):
                if test not in order and self.seconds[test] <= left - least:
                    left -= self.seconds[test]
                    order.append(test)
        return order

    def _promise(self, test: str, kills: dict[str, int]) -> float:
        """Return how many mutants a test is likely to kill in each second."""
        return (kills.get(test, 0) + _UNPROVED) / (self.seconds[test] + _AROUND)

    def _importing(self, file: str) -> set[str]:
        module = module_name(file)
        return {t for t in self.seconds if module in self.imports.get(t.split("::")[0], ())}

    def _executing(self, file: str, first: int, last: int) -> set[str]:
        return {
            test
            for test, files in self.lines.items()
            if any(first <= line <= last for line in files.get(file, ()))
        }


def coverage_map(root: Path, test_files: Sequence[str], mutated: Sequence[str]) -> CoverageMap:
    """Return the map for these test files, running those whose entry is missing or out of date.

    Raises:
        CleanRunFailed: a test fails.
    """
    sources = _digest(root, mutated)
    seconds, lines, libraries, imports = {}, {}, set(), {}
    for file in test_files:
        kept = root / CACHE / f"{file.replace('/', '-')}.json"
        key = hashlib.sha256(f"{_METHOD}{sources}{fingerprint(root, [file])}".encode()).hexdigest()
        entry = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        if entry.get("key") != key:
            start = time.monotonic()
            entry = {"key": key, **_run_with_coverage(root, file, mutated)}
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(json.dumps(entry), encoding="utf-8")
            taken = time.monotonic() - start
            print(f"coverage of {file}: {len(entry['seconds'])} tests, {taken:.0f} s", flush=True)
        seconds |= entry["seconds"]
        imports[file] = _imported(root, file)
        libraries |= set(entry["libraries"])
        for test, files in entry["lines"].items():
            lines[test] = {name: frozenset(found) for name, found in files.items()}
    return CoverageMap(seconds, lines, tuple(sorted(libraries)), imports)


def fingerprint(root: Path, files: Iterable[str]) -> str:
    """Return what identifies the code of test files and of what they import from `tests`."""
    together = hashlib.sha256()
    for name in sorted({name for file in files for name in _behind(root, file)}):
        text = code_text((root / name).read_text(encoding="utf-8"))
        together.update(f"{name}\0{text}".encode())
    return together.hexdigest()[:12]


def _imported(root: Path, file: str) -> frozenset[str]:
    """Return the modules that a file imports, or imports something from."""
    tree = ast.parse((root / file).read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    whole = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return frozenset(
        whole | {n.module for n in nodes if isinstance(n, ast.ImportFrom) and n.module}
    )


def _behind(root: Path, file: str) -> set[str]:
    found, new = set(), {file, "tests/conftest.py"}
    while new:
        name = new.pop()
        if name in found or not (root / name).exists():
            continue
        found.add(name)
        if not name.startswith("tests/"):
            continue
        new |= _files_behind((root / name).read_text(encoding="utf-8"))
    return found


@cache
def _files_behind(source: str) -> frozenset[str]:
    """Return the files of `tests` that code may import."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(f"tests/{node.module.replace('.', '/')}.py")
        elif isinstance(node, ast.Import):
            found |= {f"tests/{alias.name.replace('.', '/')}.py" for alias in node.names}
    return frozenset(found)


def _run_with_coverage(root: Path, file: str, mutated: Sequence[str]) -> dict[str, Any]:
    def work() -> dict[str, Any]:
        import coverage

        before = set(sys.modules)
        watch = coverage.Coverage(
            data_file=None, config_file=False, include=[str(root / name) for name in mutated]
        )
        contexts = _Contexts(watch, [module_name(name) for name in mutated])
        watch.start()
        code = run_pytest([file], contexts)
        watch.stop()
        data = watch.get_data()
        lines: dict[str, dict[str, list[int]]] = {}
        for measured in data.measured_files():
            name = Path(measured).relative_to(root).as_posix()
            for line, tests in data.contexts_by_lineno(measured).items():
                for test in filter(None, tests):
                    lines.setdefault(test, {}).setdefault(name, []).append(line)
        ours = ("hierdp_core", "tests", "_pytest", "pytest", "__", Path(file).stem)
        return {
            "failed": contexts.failed or ([] if code in (0, _NO_TESTS) else [file]),
            "seconds": contexts.seconds,
            "lines": {test: lines[test] for test in lines if test in contexts.seconds},
            "libraries": sorted(
                name
                for name, module in sys.modules.items()
                if name not in before and _is_library(name, module, root, ours)
            ),
        }

    try:
        answer, log = in_fork(root, work, seconds=MOST_SECONDS_A_FILE)
    except (TimeoutError, ChildProcessError) as error:
        raise CleanRunFailed(f"{file} does not finish without any mutant: {error!r}") from None
    if answer is None or answer["failed"]:
        failed = ", ".join(answer["failed"]) if answer else file
        raise CleanRunFailed(f"Without any mutant these fail: {failed}\n{log}")
    return answer


def _is_library(name: str, module: object, root: Path, ours: tuple[str, ...]) -> bool:
    path = getattr(module, "__file__", None) or ""
    inside = path.startswith(str(root)) and "site-packages" not in path
    return bool(path) and not inside and not name.startswith(ours)


class _Contexts:
    """Tells the coverage tool which test is running, and times the tests that pass.

    Results that the mutated modules keep between calls are dropped before each test. A test that
    used those of an earlier one would not execute the lines behind them.
    """

    def __init__(self, watch: Any, mutated: Sequence[str]) -> None:
        self.watch, self.mutated, self.failed = watch, mutated, []
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        clear_caches(self.mutated)
        self.watch.switch_context(nodeid)

    def pytest_runtest_logfinish(self) -> None:
        self.watch.switch_context("")

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)
        elif report.passed and report.when in ("setup", "call"):
            spent = self.seconds.get(report.nodeid, 0.0) if report.when == "call" else 0.0
            self.seconds[report.nodeid] = round(spent + report.duration, 4)
        if report.skipped:
            self.seconds.pop(report.nodeid, None)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


def clear_caches(modules: Iterable[str]) -> None:
    """Drop what functions of these modules keep with `functools.lru_cache` or `cache`."""
    for name in modules:
        for kept in list(vars(sys.modules[name]).values()) if name in sys.modules else ():
            if isinstance(kept, _CACHING):
                kept.cache_clear()


def _any_in(files: dict[str, frozenset[int]], folder: str) -> bool:
    return any(str(Path(name).parent) == folder for name in files)


def _digest(root: Path, files: Iterable[str]) -> str:
    together = hashlib.sha256()
    for file in files:
        together.update(f"{file}\0".encode() + (root / file).read_bytes())
    return together.hexdigest()
