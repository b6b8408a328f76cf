"""Runs tests in a forked process, with one source file replaced and nothing changed on disk.

The parent imports the libraries once, which takes seconds, but nothing of the project. Each child
then imports the project afresh, with the changed file in place of the real one.
"""

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PYTEST_OPTIONS = [
    *("-o", "addopts=", "--import-mode=importlib", "--strict-markers", "--doctest-modules"),
    *("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:benchmark"),
    *("-m", "not browser and not slow and not nightly and not exhaustive and not mutation"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # libraries are imported beforehand
    *("--exitfirst", "--quiet", "--no-header", "--tb=line"),
]
MOST_MEMORY = 12 * 2**30  # of address space, so that a mutant cannot take the machine down
COMPILE_SECONDS = 60.0  # of processor time, where the functions of the project are compiled again
PATIENCE = 10.0  # of wall time for each second of processor time, since the machine may be busy
IMPORT = "import"  # what caught a mutant that cannot even be imported
CRASH = "crash"  # what caught a mutant that ends the process, such as by a segmentation fault


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a run of tests ended.

    Attributes:
        word: "survived" if all passed, "killed", "timeout", or "broken" if nothing can be said.
        by: the test that failed first, "import", or "crash" where a signal ended the process.
        passed: how many tests passed.
        seconds: of wall time.
        log: the end of what the tests printed.
    """

    word: str
    by: str = ""
    passed: int = 0
    seconds: float = 0.0
    log: str = ""


def run_tests(
    root: Path, tests: Sequence[str], *, seconds: float, file: str = "", source: str | None = None
) -> Outcome:
    """Run `tests` in their order, until one fails, with `source` in place of `file`.

    Args:
        root: the repository.
        tests: their pytest ids.
        seconds: of processor time, after which the mutant counts as caught.
        file: the file to replace, from the root.
        source: what to replace it with.
    """

    def work() -> dict[str, Any]:
        module = module_name(file) if file else ""
        if compiled:
            _compile_into(cache)
        if source is not None:
            sys.meta_path.insert(0, _Replacement(module, str(root / file), source))
        if module:
            try:
                importlib.import_module(module)
            except BaseException as error:  # noqa: BLE001 (whatever a mutant raises)
                return {"word": "killed", "by": IMPORT, "log": repr(error)}
        watcher = Watcher(tests)
        code = run_pytest(files_of(tests), watcher)
        if watcher.failed:
            return {"word": "killed", "by": watcher.failed, "passed": watcher.passed}
        word = "survived" if code == 0 and watcher.passed == len(tests) else "broken"
        return {"word": word, "passed": watcher.passed}

    assert "hierdp_core" not in sys.modules, "the parent must not import the project"
    compiled = source is not None and has_compiled_functions(source)
    with tempfile.TemporaryDirectory() as cache:
        return outcome_of(root, work, seconds=seconds + COMPILE_SECONDS * compiled)


def outcome_of(root: Path, work: Callable[[], dict[str, Any]], *, seconds: float) -> Outcome:
    """Return how tests ended that `work` runs in a forked process.

    Args:
        root: the repository.
        work: returns the word of the outcome, what caught the mutant, and how many tests passed.
        seconds: of processor time, after which the mutant counts as caught.
    """
    start = time.monotonic()
    try:
        answer, log = in_fork(root, work, seconds=seconds)
    except TimeoutError:
        return Outcome(word="timeout", seconds=time.monotonic() - start)
    except ChildProcessError as error:
        return Outcome(word="killed", by=CRASH, seconds=time.monotonic() - start, log=str(error))
    answer = {"log": log} | (answer or {"word": "broken"})
    return Outcome(**answer, seconds=time.monotonic() - start)


def in_fork(root: Path, work: Callable[[], Any], *, seconds: float) -> tuple[Any, str]:
    """Call `work` in a forked process that may use so many seconds of processor time.

    Returns:
        What `work` returned, as JSON keeps it, or None if it raised an error; and the end of what
        was printed.

    Raises:
        TimeoutError: the time was up.
        ChildProcessError: a signal ended the process.
    """
    with tempfile.TemporaryDirectory() as folder:
        answer, log = Path(folder, "answer"), Path(folder, "log")
        child = os.fork()
        if not child:
            _be_the_child(root, work, answer, log, int(seconds) + 1)
        status = _wait(child, PATIENCE * seconds)
        said = log.read_text(encoding="utf-8", errors="replace")[-3000:] if log.exists() else ""
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
            raise TimeoutError
        if os.WIFSIGNALED(status):
            raise ChildProcessError(f"signal {os.WTERMSIG(status)}\n{said}")
        text = answer.read_text(encoding="utf-8") if answer.exists() else "null"
        return json.loads(text), said


def enter(root: Path) -> None:
    """Make this process one that works in a repository, as tests do."""
    os.environ["CI"] = "1"
    os.chdir(root)
    sys.path.insert(0, str(root))


def start_child(work: Callable[[], object], log: Path, *, close: Sequence[int]) -> int:
    """Call `work` in a forked process, with what it prints in a file; return its number."""
    child = os.fork()
    if child:
        return child
    try:
        for descriptor in close:
            os.close(descriptor)
        _print_into(log)
        work()
    except BaseException as error:  # noqa: BLE001 (a child must never return)
        print(repr(error))  # into the log
    finally:
        sys.stdout.flush()
        os._exit(0)


def run_pytest(files: Sequence[str], *plugins: object, options: Sequence[str] = ()) -> int:
    import pytest

    words = [*PYTEST_OPTIONS, *options, *files]
    return int(pytest.main(words, plugins=[_Repeatable(), *plugins]))


def preload(modules: Sequence[str]) -> None:
    """Import libraries here, so that no child has to."""
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        for module in modules:
            with contextlib.suppress(Exception):
                importlib.import_module(module)


def module_name(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def files_of(tests: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(test.split("::")[0] for test in tests))


def has_compiled_functions(source: str) -> bool:
    return "numba" in source


def _compile_into(cache: str) -> None:
    """Compile all functions anew, so that those of the changed file are what is tested.

    Numba keeps compiled code by file and bytecode. Neither shows a changed constant, nor that a
    function called from elsewhere has changed.
    """
    from numba.core import config

    os.environ["NUMBA_CACHE_DIR"] = cache
    config.reload_config()


def _be_the_child(
    root: Path, work: Callable[[], Any], answer: Path, log: Path, seconds: int
) -> None:
    code = 1
    try:
        os.setsid()
        _print_into(log)
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        enter(root)
        result = json.dumps(work())
        answer.with_suffix(".part").write_text(result, encoding="utf-8")
        answer.with_suffix(".part").rename(answer)
        code = 0
    except BaseException as error:  # noqa: BLE001 (a child must never return)
        print(repr(error))  # into the log
    finally:
        sys.stdout.flush()
        os._exit(code)


def _print_into(log: Path) -> None:
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)


def _wait(child: int, seconds: float) -> int:
    """Wait for a child and return its status; end it and what it started when its time is up."""
    end, pause, ended = time.monotonic() + seconds, 0.005, False
    try:
        while True:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return status
            if time.monotonic() > end:
                raise TimeoutError
            time.sleep(pause)
            pause = min(0.1, pause * 1.3)
    finally:
        if not ended:  # its time is up, or somebody has stopped the run
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)


class _Replacement(importlib.abc.MetaPathFinder):
    """Finds one module elsewhere than in its file."""

    def __init__(self, module: str, path: str, source: str) -> None:
        self.module, self.path, self.source = module, path, source

    def find_spec(self, fullname: str, path: object, target: object = None) -> Any:
        if fullname != self.module:
            return None
        loader = _SourceLoader(fullname, self.path)
        loader.source = self.source
        return importlib.util.spec_from_file_location(fullname, self.path, loader=loader)


class _SourceLoader(importlib.machinery.SourceFileLoader):
    source = ""

    def get_code(self, fullname: str) -> Any:
        return compile(self.source, self.path, "exec", dont_inherit=True)


class _Repeatable:
    """Makes Hypothesis try the same examples each time and stop at the first that fails."""

    def pytest_collection(self) -> None:
        from hypothesis import Phase, settings

        phases = [Phase.explicit, Phase.generate]
        settings.register_profile(
            "mutation", deadline=None, derandomize=True, database=None, phases=phases
        )
        settings.load_profile("mutation")


class Watcher:
    """Keeps to the chosen tests, in their order, and notes the first that fails."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.place = {test: k for k, test in enumerate(tests)}
        self.failed, self.passed = "", 0

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self.place),
            key=lambda item: self.place[item.nodeid],
        )

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid
        elif report.when == "call" or report.skipped:
            self.passed += 1
