"""Columns that each count some of what another one counts are no parts of their sum."""

from pathlib import Path

import numpy as np

from tests.support.answers import offered, read_text, total

_HEADER = "code,town,voters,ballots,valid,check_sum"


def _rows(numbers: list[tuple[int, ...]]) -> str:
    rows = [
        f"20{k + 11:03d},Town {k},{','.join(map(str, one))},{sum(one)}"
        for k, one in enumerate(numbers)
    ]
    return "\n".join([_HEADER, *rows])


def _stages() -> list[tuple[int, ...]]:
    rng = np.random.default_rng(5)
    registered = rng.integers(200, 900, 12)
    returned = (registered * rng.uniform(0.5, 0.8, 12)).astype(int)
    valid = returned - rng.integers(0, 9, 12)
    return list(zip(*(column.tolist() for column in (registered, returned, valid)), strict=True))


def test_the_check_sum_of_registered_returned_and_valid_is_a_question(tmp_path: Path) -> None:
    text = _rows(_stages())
    reading = read_text(tmp_path, text)
    assert reading.table is None
    counts = [answer.get("count") for answer in offered(reading)]
    assert {"voters", "ballots", "valid"} <= {*counts}
    right = read_text(tmp_path, text, count="voters")
    assert total(right) == sum(one for one, *_ in _stages())


def test_parts_whose_order_differs_between_areas_are_added_up(tmp_path: Path) -> None:
    mixed = [one if k % 3 else one[::-1] for k, one in enumerate(_stages())]
    reading = read_text(tmp_path, _rows(mixed))
    assert total(reading) == sum(map(sum, mixed))
