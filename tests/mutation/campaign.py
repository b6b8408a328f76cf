"""Runs the mutants that have no valid result yet, and says how many were caught."""

import random
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mutation.collected import CollectedTests
from mutation.coverage_map import CleanRunFailed, CoverageMap, coverage_map, fingerprint
from mutation.evidence import evidence_in
from mutation.forks import Outcome, files_of, preload, run_tests
from mutation.mutants import Mutant, mutants_of, sampled
from mutation.results import (
    REASONS,
    Result,
    Results,
    described,
    faults,
    read_reasons,
    score_interval,
)

ROOT = Path(__file__).parents[2]
CONFIGURATION = ROOT / "tests/mutation/targets.toml"
START_SECONDS = 6.0  # of processor time beside the tests: imports, compiled kernels
_CERTAINLY = 1_000_000_000  # kills of a test that goes first in any case
SLOWNESS = 4.0  # a mutant's tests may take so many times what they take without it


@dataclass(frozen=True)
class Target:
    """Files whose mutants are counted together; of `sample`, None means all of them."""

    name: str
    files: tuple[str, ...]
    sample: int | None


@dataclass(frozen=True)
class Configuration:
    """What is mutated and which tests must notice."""

    targets: tuple[Target, ...]
    test_files: tuple[str, ...]
    seed: int
    most_seconds: float

    @property
    def mutated(self) -> tuple[str, ...]:
        return tuple(file for target in self.targets for file in target.files)


def read_configuration(root: Path = ROOT, path: Path = CONFIGURATION) -> Configuration:
    words = tomllib.loads(path.read_text(encoding="utf-8"))
    targets = tuple(
        Target(name, _files(root, entry["files"]), entry.get("sample"))
        for name, entry in words.items()
        if isinstance(entry, dict)
    )
    mutated = tuple(file for target in targets for file in target.files)
    tests = (*_files(root, words["tests"]), *mutated)
    return Configuration(targets, tests, words["seed"], words["most_seconds"])


class Campaign:
    """One target: its mutants, the chosen ones among them and the results so far."""

    def __init__(self, root: Path, configuration: Configuration, target: Target) -> None:
        self.root, self.configuration, self.target = root, configuration, target
        self.everything = [mutant for file in target.files for mutant in mutants_of(root, file)]
        self.chosen = sampled(self.everything, target.sample, configuration.seed)
        self.results = Results(root, target.name)

    def pending(
        self, among: Sequence[str] = (), covered: CoverageMap | None = None
    ) -> list[Mutant]:
        """Return the chosen mutants without a valid result.

        A survivor without a reason is run again when the tests have changed that did not catch it.

        Args:
            among: only mutants of these files, if any are named.
            covered: with it, survivors without a reason are also run again where further test
                files have come to execute the changed line.
        """
        valid, current = self.results.valid(self.root), self.results.current(self.root)
        explained = {reason.change for reason in read_reasons(self.root / REASONS)}

        def settled(mutant: Mutant) -> bool:
            if mutant.id not in valid:
                return False
            if valid[mutant.id].caught or mutant.change in explained:
                return True
            return mutant.id in current and self._was_run_by_all(mutant, covered)

        return [
            mutant
            for mutant in self.chosen
            if (not among or mutant.file in among) and not settled(mutant)
        ]

    def _was_run_by_all(self, mutant: Mutant, covered: CoverageMap | None) -> bool:
        if covered is None:
            return True
        tests = covered.tests_for(mutant, self.configuration.most_seconds, {})
        return set(files_of(tests)) <= set(self.results.by_id[mutant.id].files)

    def forget(self, ids: Sequence[str]) -> None:
        for id in ids:
            self.results.by_id.pop(id, None)

    def run(
        self,
        covered: CoverageMap,
        *,
        collected: CollectedTests | None = None,
        among: Sequence[str] = (),
        until: float = float("inf"),
    ) -> int:
        """Run what is pending, one mutant at a time, and save after each; return how many ran.

        Args:
            covered: which tests execute which lines.
            collected: the tests, collected already; without it each mutant imports the project.
            among: only mutants of these files, if any are named.
            until: the time of `time.monotonic` when no further mutant is begun.
        """
        run = 0
        explained = {reason.change for reason in read_reasons(self.root / REASONS)}
        pending = self.pending(among, covered)
        # What is done when a run is stopped is then a sample of the whole.
        random.Random(self.configuration.seed).shuffle(pending)
        kills = {file: Counter() for file in self.target.files}
        for mutant in self.everything:
            result = self.results.by_id.get(mutant.id)
            if result and result.word == "killed":
                kills[mutant.file][result.by] += 1
        checked = set()
        for mutant in pending:
            if time.monotonic() > until:
                break
            start = time.monotonic()
            favoured = kills[mutant.file].copy()
            if mutant.id in self.results.by_id:  # out of date, but most likely right
                favoured[self.results.by_id[mutant.id].by] = _CERTAINLY
            result = None
            if collected:
                result = judge_quickly(
                    self.root, mutant, covered, self.configuration, favoured, collected
                )
            if not result or not (result.caught or mutant.change in explained):
                result = judge(self.root, mutant, covered, self.configuration, favoured)
                if result.test and (mutant.file, result.test) not in checked:
                    check_clean(self.root, mutant.file, result.test, covered)
                    checked.add((mutant.file, result.test))
            self.results.by_id[mutant.id] = result
            self.results.save()
            if result.word == "killed":
                kills[mutant.file][result.by] += 1
            run += 1
            taken = time.monotonic() - start
            print(f"{run}/{len(pending)} {result.word} {taken:.1f} s  {result.by}", flush=True)
            if not result.caught:
                print(described(mutant), flush=True)
        self.results.keep_only(self.everything)
        self.results.save()
        return run

    def faults(self) -> list[str]:
        reasons = [r for r in read_reasons(self.root / REASONS) if r.file in self.target.files]
        valid = self.results.valid(self.root)
        return faults(self.everything, self.chosen, valid, reasons)

    def report(self) -> str:
        """Return the counts for each file and the score of all, with its interval for a sample."""
        rows = [("", "mutants", "killed", "timeout", "survived", "untested", "to do")]
        total: Counter[str] = Counter()
        valid = self.results.valid(self.root)
        for file in self.target.files:
            chosen = [mutant for mutant in self.chosen if mutant.file == file]
            words = Counter(valid[m.id].word if m.id in valid else "to do" for m in chosen)
            words["mutants"] = len(chosen)
            total += words
            rows.append((Path(file).name, *(str(words[word]) for word in rows[0][1:])))
        rows.append((self.target.name, *(str(total[word]) for word in rows[0][1:])))
        table = "\n".join(
            f"{row[0]:22}" + "".join(f"{cell:>10}" for cell in row[1:]) for row in rows
        )
        caught, done = total["killed"] + total["timeout"], total["mutants"] - total["to do"]
        if not done:
            return table
        sample = self.target.sample is not None and len(self.chosen) < len(self.everything)
        kind = f"a random sample of {len(self.everything):,}" if sample else "all mutants"
        lower, upper = score_interval(caught, done)
        return (
            f"{table}\nscore: {caught} of {done} = {caught / done:.1%} "
            f"(95% interval {lower:.1%} to {upper:.1%}, Clopper–Pearson); {kind}"
            + (f"; unfinished, {total['to do']} to do" if total["to do"] else "")
        )


def judge(
    root: Path,
    mutant: Mutant,
    covered: CoverageMap,
    configuration: Configuration,
    kills: dict[str, int],
    runner: Callable[..., object] = run_tests,
) -> Result:
    """Run the tests that concern a mutant, in two steps: a few promising ones, then the rest."""
    tests = covered.tests_for(mutant, configuration.most_seconds, kills)
    if not tests:
        tests_run = tuple(sorted({t.split("::")[0] for t in covered.seconds}))
        return Result(word="untested", files=tests_run, key=fingerprint(root, tests_run))
    first_files = files_of(tests)[:2]
    first = [test for test in tests if test.split("::")[0] in first_files]
    rest = [test for test in tests if test.split("::")[0] not in first_files]
    for part in filter(None, (first, rest)):
        limit = START_SECONDS + SLOWNESS * sum(covered.seconds[test] for test in part)
        outcome = runner(root, part, seconds=limit, file=mutant.file, source=mutant.source)
        if outcome.word == "broken":
            raise RuntimeError(f"pytest did not finish for {described(mutant)}\n{outcome.log}")
        if outcome.word != "survived":
            return _result(root, outcome, part)
    return _result(root, outcome, sorted(tests))


def judge_quickly(
    root: Path,
    mutant: Mutant,
    covered: CoverageMap,
    configuration: Configuration,
    kills: dict[str, int],
    collected: CollectedTests,
) -> Result | None:
    """Run the tests that concern a mutant where they are collected; None if that is impossible.

    A function that is called during import is not changed there. What survives here may therefore
    be killed by `judge`.
    """
    tests = covered.tests_for(mutant, configuration.most_seconds, kills)
    if not tests:
        return None
    limit = START_SECONDS + SLOWNESS * sum(covered.seconds[test] for test in tests)
    outcome = collected.run(mutant, tests, seconds=limit)
    return None if outcome.word == "broken" else _result(root, outcome, tests)


def _result(root: Path, outcome: Outcome, tests: Sequence[str]) -> Result:
    result = Result(word=outcome.word, by=outcome.by)
    if result.test:
        return replace(result, key=evidence_in(root).key(result.test))
    files = tuple(sorted(files_of(tests)))
    return replace(result, files=files, key=fingerprint(root, files))


def check_clean(root: Path, file: str, test: str, covered: CoverageMap) -> None:
    """Run a test in the way in which it killed a mutant of a file, but with nothing changed.

    Raises:
        CleanRunFailed: it fails, so it would seem to kill every mutant.
    """
    seconds = START_SECONDS + SLOWNESS * covered.seconds[test]
    source = (root / file).read_text(encoding="utf-8")
    outcome = run_tests(root, [test], seconds=seconds, file=file, source=source)
    if outcome.word != "survived":
        raise CleanRunFailed(f"{file} unchanged: {outcome.word} by {outcome.by}\n{outcome.log}")


def map_for(root: Path, configuration: Configuration) -> CoverageMap:
    """Return the coverage map; every test passes without a mutant, or there is none."""
    covered = coverage_map(root, configuration.test_files, configuration.mutated)
    preload(covered.libraries)
    return covered


def _files(root: Path, patterns: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        path.relative_to(root).as_posix()
        for pattern in patterns
        for path in sorted(root.glob(pattern))
    )
