"""Files in the manner of many offices: read as they are meant, or asked about, and never wrong."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.companion_files import companion_files
from support.counted_twice import counted_twice_files
from support.exports import export_files
from support.extracts import extract_files
from support.further_files import further_files
from support.odd_cells import odd_cell_files
from support.office_flows import office_flow_files
from support.office_layouts import layout_files
from support.offices import File, Value, files
from support.printed_tables import printed_files
from support.registers import register_files
from support.rows_not_areas import rows_not_areas
from support.spoilt_levels import spoilt_files

from hierdp_core.readers import Reading
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.reading import read_here
from hierdp_core.tables import Flows, GroupSizes

MADE = dict(register_files()) | dict(export_files()) | dict(odd_cell_files())
MADE |= dict(further_files()) | dict(counted_twice_files()) | dict(rows_not_areas())
CORPUS = dict(files()) | dict(printed_files()) | dict(layout_files()) | MADE
CORPUS |= dict(spoilt_files()) | dict(extract_files()) | dict(companion_files())
CORPUS |= dict(office_flow_files())
OFTEN = ("us-", "de-")  # countries of the usual run; all are in the slow one
SINGLE = {id for id in CORPUS if "-" not in id}
LEAST_RIGHT = 0.85  # of the files, without help
MOST_STEPS = 4  # questions that a person answers for one file
SOME = 12  # every twelfth file in the usual run of slow tests, for a property of all answers
FOLLOWED = 12  # answers of one file that are followed
# How many areas each level has, from the whole down; checked by hand for each group of files.
WIDTHS = json.loads(Path(__file__).with_name("corpus_widths.json").read_text(encoding="utf-8"))
WIDTHS_OF = {id: widths for widths, ids in WIDTHS.items() for id in ids}


@dataclass(frozen=True)
class Outcome:
    """How a file ended.

    Attributes:
        word: right, asked, refused, wrong or stuck.
        shown: the reports.
        widths: the number of areas at each level of the table, if there is one.
    """

    word: str
    shown: str
    widths: str = ""


def read_file(folder: Path, file: File, stated: dict[str, Any]) -> Reading:
    (folder / file.name).write_bytes(file.data)
    for name, data in file.beside:
        (folder / name).write_bytes(data)
    paths = [folder / file.name, *(folder / name for name, _ in file.beside)]
    return read_here(paths, stated=stated)


def meaning(reading: Reading) -> tuple[str, dict[str, Value], int]:
    """The kind of the table, the numbers of its last regions, and its levels below the whole."""
    table = reading.table
    assert table is not None
    regions = table.regions
    leaves = regions.tree.leaves
    if isinstance(table, Flows):
        ids = regions.ids[leaves]
        sums: Counter[str] = Counter(dict.fromkeys(ids, 0))
        for origin, value in zip(table.origin, table.values, strict=True):
            sums[ids[int(origin)]] += int(value)
        return table.kind, dict(sums), regions.tree.n_levels - 1
    rows = table.values[leaves].tolist()
    values = [tuple(row) if isinstance(table, GroupSizes) else row for row in rows]
    return (
        table.kind,
        dict(zip(regions.ids[leaves], values, strict=True)),
        regions.tree.n_levels - 1,
    )


def as_meant(reading: Reading, file: File) -> bool:
    kind, found, depth = meaning(reading)
    regions = reading.table.regions if reading.table is not None else None
    assert regions is not None
    names = regions.names[regions.tree.leaves]
    by_name = dict(zip(names, found.values(), strict=True))
    same = any(leaves == dict(file.leaves) for leaves in (found, by_name)) or (
        # Codes that repeat carry the code above, so that numbers alone can be compared.
        reading.layout is not None
        and reading.layout.within
        and Counter(found.values()) == Counter(file.leaves.values())
    )
    return kind == file.kind and same and file.depth in (None, depth)


def answered(reading: Reading, file: File) -> dict[str, Any]:
    """What the report offers that the file's answers agree with."""
    for fault in reading.report.faults:
        for choice in fault.choices:
            if all(_agrees(file.answers.get(word), value) for word, value in choice.stated.items()):
                return dict(choice.stated)
    return {}


def _agrees(answer: Any, offered: Any) -> bool:
    """Whether an offer is what a person answers, or, of several rows to leave out, some of them."""
    if isinstance(answer, tuple) and isinstance(offered, tuple):
        return answer[: len(offered)] == offered
    return bool(answer == offered)


def widths_of(reading: Reading) -> str:
    assert reading.table is not None
    return ", ".join(map(str, reading.table.regions.tree.level_sizes))


def outcome(folder: Path, file: File) -> Outcome:
    """Read a file, and answer what the report asks, as a person would."""
    stated: dict[str, Any] = {}
    reading = read_file(folder, file, stated)
    shown = "\n".join((*reading.report.lines(), *reading.guesses))
    if reading.table is not None:
        right = bool(file.kind) and as_meant(reading, file)
        return Outcome("right" if right else "wrong", shown, widths_of(reading))
    if not file.kind:
        return Outcome("refused", shown)
    for _ in range(MOST_STEPS):
        step = answered(reading, file)
        if not step or step.items() <= stated.items():
            return Outcome("stuck", shown)
        stated |= step
        reading = read_file(folder, file, stated)
        shown += "\n----- after " + str(step) + "\n" + "\n".join(reading.report.lines())
        if reading.table is not None:
            right = as_meant(reading, file)
            return Outcome("asked" if right else "wrong", shown, widths_of(reading))
    return Outcome("stuck", shown)


def require_right_or_asked(folder: Path, corpus: dict[str, File]) -> None:
    """Require that no file is read wrong, every remedy works, and most files need no help."""
    outcomes = {id: outcome(folder, file) for id, file in corpus.items()}
    for bad in ("wrong", "stuck"):
        ids = [id for id, outcome in outcomes.items() if outcome.word == bad]
        assert not ids, "\n\n".join(f"{id} is {bad}:\n{outcomes[id].shown}" for id in ids)
    widths = {id: outcome.widths for id, outcome in outcomes.items() if outcome.widths}
    assert widths == {id: WIDTHS_OF.get(id) for id in widths}
    plain = [id for id, file in corpus.items() if file.kind and not file.answers]
    right = [id for id in plain if outcomes[id].word == "right"]
    words = Counter(outcome.word for outcome in outcomes.values())
    assert len(right) >= LEAST_RIGHT * len(plain), words


@pytest.mark.slow
def test_some_of_the_corpus_is_read_right_or_asked_about(tmp_path: Path) -> None:
    often = {id: f for id, f in CORPUS.items() if id in SINGLE or id.startswith(OFTEN)}
    require_right_or_asked(tmp_path, often)


@pytest.mark.nightly
def test_the_whole_corpus_is_read_right_or_asked_about(tmp_path: Path) -> None:
    assert len(CORPUS) >= 450
    require_right_or_asked(tmp_path, CORPUS)


@pytest.mark.slow
def test_a_list_with_several_meanings_is_asked_about(tmp_path: Path) -> None:
    """One file with two meanings is never read at once, and each meaning can be chosen."""
    several = {}
    for id, file in MADE.items():
        several.setdefault(file.data, {})[id] = file
    families = [family for family in several.values() if len(family) > 1]
    assert len(families) >= 35
    for family in families:
        for id, file in family.items():
            assert outcome(tmp_path, file).word == "asked", id


def test_what_was_answered_is_a_layout() -> None:
    for file in CORPUS.values():
        assert Layout.parsed(file.answers) == dict(file.answers)


# ---------------------------------------------------------------- each answer changes the report


def output(reading: Reading) -> tuple[object, ...]:
    """What a person reads: findings with their answers, and how the file was read."""
    faults = [(f.sentence, tuple(c.flags for c in f.choices)) for f in reading.report.findings]
    return (tuple(faults), reading.guesses, reading.table is None)


def unchanged(folder: Path, file: File) -> list[str]:
    """The answers to the first questions of a file that change nothing."""
    reading = read_file(folder, file, {})
    before = output(reading)
    choices = [c for fault in reading.report.faults for c in fault.choices][:FOLLOWED]
    return [c.flags for c in choices if output(read_file(folder, file, dict(c.stated))) == before]


def require_changes(folder: Path, ids: list[str]) -> None:
    found = {id: unchanged(folder, CORPUS[id]) for id in ids}
    assert not {id: flags for id, flags in found.items() if flags}


@pytest.mark.slow
def test_each_answer_to_some_of_the_corpus_changes_the_report(tmp_path: Path) -> None:
    asked = [id for id, file in CORPUS.items() if file.answers][::SOME]
    assert len(asked) >= 20
    require_changes(tmp_path, asked)


@pytest.mark.nightly
def test_each_answer_to_the_whole_corpus_changes_the_report(tmp_path: Path) -> None:
    require_changes(tmp_path, list(CORPUS))
