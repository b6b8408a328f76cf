"""What became of the mutants: kept in text files that are committed, so that a run goes on later.

A result holds as long as the function around the mutant stays the same, and the test that caught it
with what that test uses in `tests`. A survivor needs no test to stay the same: other tests can only
catch it, so the score counts too few as caught, never too many.
"""

import json
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mutation.coverage_map import fingerprint
from mutation.evidence import evidence_in
from mutation.forks import IMPORT
from mutation.mutants import Mutant

RESULTS = "tests/mutation/results"
REASONS = "tests/mutation/survivors.toml"
CAUGHT = ("killed", "timeout")


@dataclass(frozen=True, kw_only=True)
class Result:
    """What became of one mutant.

    Attributes:
        word: "killed", "timeout", "survived", or "untested" if no test executes the changed line.
        by: the test that caught it.
        files: the test files that were run; empty if a test caught it.
        key: identifies the code of that test, or else the contents of `files`.
    """

    word: str
    by: str = ""
    files: tuple[str, ...] = ()
    key: str = ""

    @property
    def caught(self) -> bool:
        return self.word in CAUGHT

    @property
    def test(self) -> str:
        """The test that caught it; "" if none is known, as for a timeout or a crash."""
        return self.by if self.word == "killed" and "::" in self.by else ""


class Results:
    """The results of one target, by the mutants' ids."""

    def __init__(self, root: Path, target: str) -> None:
        self.file = root / RESULTS / f"{target}.json"
        self.by_id: dict[str, Result] = {}
        if self.file.exists():
            kept = json.loads(self.file.read_text(encoding="utf-8"))
            self.by_id = {
                id: Result(word=word, by=by, files=tuple(files), key=key)
                for id, (word, by, files, key) in kept.items()
            }

    def save(self) -> None:
        """Write one line for each mutant, so that few new results make a small diff."""
        lines = [
            f'"{id}": {json.dumps([r.word, r.by, r.files, r.key], ensure_ascii=False)}'
            for id, r in sorted(self.by_id.items())
        ]
        self.file.parent.mkdir(parents=True, exist_ok=True)
        part = self.file.with_suffix(".part")
        part.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        part.rename(self.file)

    def valid(self, root: Path) -> dict[str, Result]:
        """Return the survivors, and what was caught by tests that are still the same."""
        current = self.current(root)
        return {
            id: result
            for id, result in self.by_id.items()
            if id in current or result.word in ("survived", "untested")
        }

    def current(self, root: Path) -> dict[str, Result]:
        """Return the results that the same tests would give again."""
        evidence = evidence_in(root)

        @cache
        def of_files(files: tuple[str, ...]) -> str | None:
            there = all((root / file).exists() for file in files)
            return fingerprint(root, files) if there else None

        def now(result: Result) -> str | None:
            return evidence.key(result.test) if result.test else of_files(result.files)

        return {
            id: result
            for id, result in self.by_id.items()
            if result.by == IMPORT or result.key == now(result)
        }

    def keep_only(self, mutants: Iterable[Mutant]) -> None:
        """Forget mutants that no longer exist."""
        known = {mutant.id for mutant in mutants}
        self.by_id = {id: result for id, result in self.by_id.items() if id in known}


@dataclass(frozen=True)
class Reason:
    """Why a mutant may survive."""

    file: str
    where: str
    before: str
    after: str
    reason: str

    @property
    def change(self) -> tuple[str, str, str, str]:
        return self.file, self.where, self.before, self.after


def read_reasons(path: Path) -> list[Reason]:
    """Read the written reasons; one may stand for several changes of the same line.

    Raises:
        ValueError: one lacks an entry or says nothing.
    """
    if not path.exists():
        return []
    reasons = []
    for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("survivor", []):
        changes = entry.get("after", "")
        for after in [changes] if isinstance(changes, str) else changes:
            try:
                reasons.append(Reason(**entry | {"after": after}))
            except TypeError as error:
                raise ValueError(f"{path.name}: {error}") from None
    for reason in reasons:
        if len(reason.reason.split()) < 3:
            raise ValueError(f"{path.name}: no reason is given for {reason.after!r}.")
    return reasons


def faults(
    everything: Sequence[Mutant],
    chosen: Sequence[Mutant],
    by_id: dict[str, Result],
    reasons: Sequence[Reason],
) -> list[str]:
    """Return what keeps the goal from being met, in words; nothing if it is met.

    Args:
        everything: all mutants of the files.
        chosen: those that are to be tested: all, or a sample.
        by_id: the results.
        reasons: the written ones, for these files.
    """
    missing = [mutant for mutant in chosen if mutant.id not in by_id]
    found = [f"{len(missing)} of {len(chosen)} mutants have no result yet."] if missing else []
    explained = {reason.change for reason in reasons}
    survivors = [m for m in chosen if m.id in by_id and not by_id[m.id].caught]
    found += [
        f"Survivor without a reason, {mutant.id}, line {mutant.lines[0]}:\n{entry(mutant)}"
        for mutant in survivors
        if mutant.change not in explained
    ]
    existing = {mutant.change for mutant in everything}
    # A line may occur twice in a function. The reason stands while one of the mutants survives.
    open_changes = {m.change for m in everything if m.id not in by_id or not by_id[m.id].caught}
    for reason in reasons:
        if reason.change not in existing:
            found.append(f"Reason for a mutant that is gone: {reason.file}: {reason.after}")
        elif reason.change not in open_changes:
            found.append(f"Reason for a mutant that is killed: {reason.file}: {reason.after}")
    if len(explained) < len(reasons):
        found.append("Two reasons are given for the same mutant.")
    return found


def entry(mutant: Mutant) -> str:
    """Return the entry for the file of reasons, with the reason to be filled in."""
    names = ("file", "where", "before", "after")
    lines = [
        f"{name} = {json.dumps(value, ensure_ascii=False)}"
        for name, value in zip(names, mutant.change, strict=True)
    ]
    return "\n".join(["[[survivor]]", *lines, 'reason = ""'])


def described(mutant: Mutant) -> str:
    return (
        f"{mutant.file}:{mutant.lines[0]} {mutant.where} [{mutant.id}]\n"
        f"    - {mutant.before}\n    + {mutant.after}"
    )


def score_interval(caught: int, of: int, level: float = 0.95) -> tuple[float, float]:
    """Return the Clopper–Pearson interval of a share.

    >>> score_interval(5, 10) == (0.18708602844739855, 0.8129139715526015)
    True
    """
    from scipy.stats import beta

    tail = (1 - level) / 2
    lower = 0.0 if caught == 0 else float(beta.ppf(tail, caught, of - caught + 1))
    upper = 1.0 if caught == of else float(beta.ppf(1 - tail, caught + 1, of - caught))
    return lower, upper
