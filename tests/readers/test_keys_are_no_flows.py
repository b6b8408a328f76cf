"""A key from areas to larger ones, whose columns are called source and target, holds no flows."""

from itertools import product
from pathlib import Path

import pytest

from hierdp_core.readers.reading import read_here
from hierdp_core.tables import GroupSizes
from tests.support.answers import read_text, total

_TOWNS = [f"M{k:03}" for k in range(16)]


@pytest.mark.parametrize("words", ["Source{0},Target{0}", "from_{0},to_{0}"])
def test_a_joined_key_adds_levels_and_no_flows(tmp_path: Path, words: str) -> None:
    counts = tmp_path / "counts.csv"
    key = tmp_path / "key.csv"
    counts.write_text(
        "\n".join(["gemeinde,einwohner", *(f"{t},{100 + k}" for k, t in enumerate(_TOWNS))])
    )
    rows = [f"{t},{'K' + str(k // 4)},District {'ABCD'[k // 4]}" for k, t in enumerate(_TOWNS)]
    key.write_text("\n".join([f"{words.format('code')},name of target", *rows]))
    reading = read_here([counts, key])
    assert reading.table is not None
    assert reading.table.kind == "counts"
    assert [
        reading.table.tree.level(k).stop - reading.table.tree.level(k).start for k in (1, 2)
    ] == [
        4,
        16,
    ]
    assert total(reading) == sum(100 + k for k in range(16))


def test_trips_from_source_to_target_are_flows(tmp_path: Path) -> None:
    pairs = [(one, other) for one, other in product(_TOWNS[:5], repeat=2) if one != other]
    rows = [f"{one},{other},{9 + 4 * k}" for k, (one, other) in enumerate(pairs)]
    reading = read_text(tmp_path, "\n".join(["source,target,trips", *rows]))
    assert reading.table is not None
    assert reading.table.kind == "flows"


def test_patients_of_several_towns_go_to_one_hospital(tmp_path: Path) -> None:
    rows = [f"{t},H{k // 4},{20 + k}" for k, t in enumerate(_TOWNS)]
    reading = read_text(tmp_path, "\n".join(["home,destination,patients", *rows]))
    assert reading.table is None or reading.table.kind == "flows"


def test_counts_of_groups_are_not_the_rows_of_a_matrix(tmp_path: Path) -> None:
    """The counts 1 to 5 in the last column were taken for the names of the columns."""
    names = ["1 person", "2 persons", "3 persons", "4 persons", "5+ persons"]
    rows = [
        f"I{k // 4},V{k},{9 + k},{8 + k % 5},{6 + k % 4},{4 + k % 3},{1 + k % 5}" for k in range(16)
    ]
    reading = read_text(tmp_path, f"island,village,{','.join(names)}\n" + "\n".join(rows))
    assert isinstance(reading.table, GroupSizes)
