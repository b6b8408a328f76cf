"""Runs tests against a changed function in a process that has collected the tests already.

Importing the project and collecting tests takes most of the time of a mutant. Here both happen
once, in a process of their own. Each mutant has a fork of it, in which the code of the changed
function is exchanged. What a function did during import is therefore as it was before the change.
"""

import dataclasses
import gc
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, FunctionType, TracebackType
from typing import Any, TextIO

from mutation.coverage_map import CACHE, CleanRunFailed, clear_caches
from mutation.forks import (
    Outcome,
    Watcher,
    enter,
    has_compiled_functions,
    outcome_of,
    run_pytest,
    start_child,
)
from mutation.mutants import Mutant

Place = tuple[str, str, int]  # the file, the qualified name and the first line of a function


class CollectedTests:
    """The tests of some files, collected once.

    Args:
        root: the repository.
        files: the test files, from the root.

    Raises:
        CleanRunFailed: they cannot be collected.
    """

    def __init__(self, root: Path, files: Sequence[str]) -> None:
        self.root = root
        self._trusted: set[str] = set()
        theirs, requests = os.pipe()
        answers, ours = os.pipe()
        self._log = root / CACHE / "collected.log"
        self._log.parent.mkdir(parents=True, exist_ok=True)
        self._child = start_child(
            lambda: _serve(root, files, theirs, ours), self._log, close=(requests, answers)
        )
        os.close(theirs)
        os.close(ours)
        self._requests, self._answers = os.fdopen(requests, "w"), os.fdopen(answers)
        if not self._answers.readline():
            log = self._log.read_text(encoding="utf-8", errors="replace")
            raise CleanRunFailed(f"The tests could not be collected.\n{log[-3000:]}")

    def __enter__(self) -> "CollectedTests":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._requests.close()
        self._answers.close()
        os.waitpid(self._child, 0)
        self._log.unlink(missing_ok=True)

    def run(self, mutant: Mutant, tests: Sequence[str], *, seconds: float) -> Outcome:
        """Run `tests` in their order against a mutant, until one fails.

        Returns:
            The outcome. Its word is "broken" where the change cannot be made in this way, such as
            that of a constant or of a compiled function.

        Raises:
            CleanRunFailed: the test that fails also fails without the change.
        """
        if not mutant.in_function or has_compiled_functions(mutant.source):
            return Outcome(word="broken")
        change = [str(self.root / mutant.file), mutant.where, mutant.scope[0], mutant.source]
        outcome = self._ask(change, tests, seconds)
        if outcome.word == "killed" and "::" in outcome.by and outcome.by not in self._trusted:
            clean = self._ask(None, [outcome.by], seconds)
            if clean.word != "survived":
                raise CleanRunFailed(f"{outcome.by} fails without a mutant\n{clean.log}")
            self._trusted.add(outcome.by)
        return outcome

    def _ask(self, change: list[Any] | None, tests: Sequence[str], seconds: float) -> Outcome:
        self._requests.write(json.dumps([change, list(tests), seconds]) + "\n")
        self._requests.flush()
        answer = self._answers.readline()
        if not answer:
            raise CleanRunFailed(f"The process with the tests has ended; see {self._log}.")
        return Outcome(**json.loads(answer))


def _serve(root: Path, files: Sequence[str], requests: int, answers: int) -> None:
    enter(root)
    with os.fdopen(requests) as read, os.fdopen(answers, "w") as write:
        run_pytest(files, _Server(root, read, write), options=["--capture=no"])


class _Server:
    """Answers requests where pytest would run the tests."""

    def __init__(self, root: Path, requests: TextIO, answers: TextIO) -> None:
        self.root, self.requests, self.answers = root, requests, answers

    def pytest_runtestloop(self, session: Any) -> bool:
        items = {item.nodeid: item for item in session.items}
        functions = _functions_below(str(self.root))
        gc.collect()
        gc.freeze()
        self._write("ready")
        for line in self.requests:
            change, tests, seconds = json.loads(line)
            self._write(dataclasses.asdict(self._outcome(items, functions, change, tests, seconds)))
        return True

    def _write(self, answer: Any) -> None:
        self.answers.write(json.dumps(answer) + "\n")
        self.answers.flush()

    def _outcome(
        self,
        items: dict[str, Any],
        functions: dict[Place, list[FunctionType]],
        change: list[Any] | None,
        tests: list[str],
        seconds: float,
    ) -> Outcome:
        if unknown := [test for test in tests if test not in items]:
            return Outcome(word="broken", log=f"not collected: {unknown[0]}")
        chosen = [items[test] for test in tests]

        def work() -> dict[str, Any]:
            if change and not exchange(functions, *change):
                return {"word": "broken"}
            clear_caches([name for name in list(sys.modules) if name.startswith("hierdp_core")])
            watcher = Watcher(tests)
            chosen[0].config.pluginmanager.register(watcher)
            for item, following in zip(chosen, [*chosen[1:], None], strict=True):
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
                if watcher.failed:
                    return {"word": "killed", "by": watcher.failed, "passed": watcher.passed}
            word = "survived" if watcher.passed == len(tests) else "broken"
            return {"word": word, "passed": watcher.passed}

        return outcome_of(self.root, work, seconds=seconds)


def exchange(
    functions: dict[Place, list[FunctionType]], path: str, name: str, line: int, source: str
) -> bool:
    """Give functions the code that they have in a changed file; False if that is not possible."""
    found = functions.get((path, name, line), [])
    new = [c for c in _codes(compile(source, path, "exec")) if _place(c) == (path, name, line)]
    if not found or len(new) != 1:
        return False
    if any(function.__code__.co_freevars != new[0].co_freevars for function in found):
        return False
    for function in found:
        function.__code__ = new[0]
    return True


def _functions_below(folder: str) -> dict[Place, list[FunctionType]]:
    found: dict[Place, list[FunctionType]] = {}
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename.startswith(folder):
            found.setdefault(_place(thing.__code__), []).append(thing)
    return found


def _place(code: CodeType) -> Place:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _codes(code: CodeType) -> list[CodeType]:
    inside = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return [code, *(deeper for each in inside for deeper in _codes(each))]
