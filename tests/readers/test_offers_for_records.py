"""Records of households, registers and columns of ages: which answers are offered."""

from pathlib import Path

import pytest

from tests.support.answers import offered, read_text, total

_TOWNS = ("Ahlen", "Brand", "Celle", "Dorf")


def _households(header: str) -> str:
    rows = [f"{k:05d},{_TOWNS[k * 7 % 4]},{1 + k * k % 6},{41 + k * 37 % 90}" for k in range(160)]
    return f"{header}\n" + "\n".join(rows)


@pytest.mark.parametrize("header", ["Ident,Ort,AnzPers,Fläche", "Clave,Pueblo,TotPers,Metros"])
def test_rows_may_be_households_with_a_column_of_their_sizes(tmp_path: Path, header: str) -> None:
    size = header.split(",")[2]
    reading = read_text(tmp_path, _households(header))
    assert reading.table is None
    first = offered(reading)[0]
    assert first == {"kind": "group-sizes", "row": "group", "size": size}
    answered = read_text(tmp_path, _households(header), **first)
    assert answered.table is not None
    assert answered.table.kind == "group-sizes"
    assert answered.table.regions.tree.n_leaves == len(_TOWNS)
    assert total(answered) == 160


def test_a_count_that_records_add_up_to_is_no_region_for_each_record(tmp_path: Path) -> None:
    header = "Ident,Ort,AnzPers,Fläche"
    adding = {"count": "AnzPers", "add_up": True}
    assert adding in offered(read_text(tmp_path, _households(header)))
    answered = read_text(tmp_path, _households(header), **adding)
    assert answered.table is not None
    assert answered.table.regions.tree.n_leaves == len(_TOWNS)


@pytest.mark.parametrize("name", ["Mitgliedsnummer", "licence_number", "登録番号", "ward"])
def test_numbers_of_records_are_not_offered_as_counts(tmp_path: Path, name: str) -> None:
    rows = [f"{60173 + 911 * k % 30000},{_TOWNS[k * 7 % 4]},Shop {k}" for k in range(24)]
    reading = read_text(tmp_path, f"{name},town,shop\n" + "\n".join(rows))
    assert {"count": name} not in offered(reading)
    if reading.table is None:
        assert {"kind": "none"} in offered(reading)


def test_medians_beside_numbers_of_tracts_are_first_refused(tmp_path: Path) -> None:
    rows = [f"{_TOWNS[k * 7 % 4]},{460100 + 700 * k},{31_000 + 1_713 * k}" for k in range(24)]
    reading = read_text(tmp_path, "county,tract,median rent\n" + "\n".join(rows))
    choices = offered(reading)
    assert choices[0] == {"kind": "none"}
    assert {"count": "tract"} not in choices


@pytest.mark.parametrize(
    "names",
    [
        ["0-9", "10-19", "20-39", "40-64", "65+"],
        ["under 5", "5 to 14", "15 to 44", "45 to 64", "65 and over"],
        ["0–17 år", "18–29 år", "30–66 år", "67 år og eldre"],
    ],
)
def test_all_ages_and_their_sum_are_offered(tmp_path: Path, names: list[str]) -> None:
    """The numbers of the first ages all have four digits, as codes have."""
    rows = [[f"North {k // 4}", f"Town {k}", *(n * (9 + 5 * j % 31) for j, n in
             enumerate([1201 + 97 * k] + [61 + 13 * k] * (len(names) - 1)))]
            for k in range(12)]  # fmt: skip
    for k, row in enumerate(rows):
        row[2] = 1201 + 97 * k
    text = "\n".join(",".join(map(str, row)) for row in [["region", "town", *names], *rows])
    choices = offered(read_text(tmp_path, text))
    assert choices[0] == {"parts": tuple(names)}
    assert all({"count": name} in choices for name in names)
    whole = read_text(tmp_path, text, parts=tuple(names))
    assert total(whole) == sum(sum(map(int, row[2:])) for row in rows)


@pytest.mark.parametrize(
    "names",
    [
        ["Men 0-14", "Men 15-64", "Men 65+", "Women 0-14", "Women 15-64", "Women 65+"],
        [str(age) for age in range(30)],
        ["0-14", "15-64", "65+"],
    ],
)
def test_ages_of_both_sexes_and_single_ages_are_offered_as_a_sum(
    tmp_path: Path, names: list[str]
) -> None:
    rows = [[f"North {k // 4}", f"Town {k}", *(300 + (k * 71 + j * 37) % 211
             for j in range(len(names)))] for k in range(12)]  # fmt: skip
    text = "\n".join(",".join(map(str, row)) for row in [["region", "town", *names], *rows])
    sums = [c for c in offered(read_text(tmp_path, text)) if "parts" in c]
    assert [c["parts"] for c in sums] == [tuple(names)]
    whole = read_text(tmp_path, text, **sums[0])
    assert total(whole) == sum(sum(map(int, row[2:])) for row in rows)


def test_incomes_beside_sizes_of_households_do_not_come_first(tmp_path: Path) -> None:
    rows = [f"{7001 + k},{_TOWNS[k * 7 % 4]},{1 + k * k % 6},{900 + k * 37 % 901}"
            for k in range(160)]  # fmt: skip
    reading = read_text(tmp_path, "id,commune,taille,revenu\n" + "\n".join(rows))
    assert offered(reading)[0] == {"size": "taille", "row": "group"}


@pytest.mark.parametrize("numbered", ["1 2 3 4 5 6", "1 2 1 2 3 1"])
def test_numbers_of_persons_are_no_counts(tmp_path: Path, numbered: str) -> None:
    rows = [f"{k},{town}" for k, town in zip(numbered.split(), "AABBBC", strict=True)]
    reading = read_text(tmp_path, "\n".join(["person,town", *rows]))
    assert reading.table is not None
    assert (total(reading), reading.table.regions.tree.n_leaves) == (6, 3)
    counts = read_text(tmp_path, "town,person\nA,40\nB,12\nC,7\nD,33")
    assert total(counts) == 92
