"""One sum of large rows is evidence, although sums of small rows beside it may be chance."""

from pathlib import Path

import numpy as np

from hierdp_core.readers.columns.sums import nested_sums
from tests.support.answers import read_text, total


def _towns(seed: int = 3) -> list[int]:
    return [int(n) for n in np.random.default_rng(seed).integers(60, 400, 30)]


def test_a_state_with_its_capital_and_the_rest_is_not_counted_twice(tmp_path: Path) -> None:
    towns = _towns()
    rest, capital = sum(towns), 181_207
    rows = [("Whole state", capital + rest), ("Capital", capital), ("Other towns", rest)]
    rows += [(f"Town {k}", n) for k, n in enumerate(towns)]
    text = "place,population\n" + "\n".join(f"{name},{n}" for name, n in rows)
    assert total(read_text(tmp_path, text)) == capital + rest


def test_sums_of_small_numbers_by_coincidence_are_none() -> None:
    for seed in range(200):
        assert not nested_sums(np.array(_towns(seed))).is_sum.any()
