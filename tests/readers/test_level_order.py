"""Levels that go one to one: their names tell which is the upper one, or the report asks."""

from pathlib import Path

import pytest

from hierdp_core.readers.columns.facts import ColumnFacts
from hierdp_core.readers.columns.level_rules import tier_of
from tests.support.answers import offered, read_text, total


def _sectors(one: str, other: str) -> str:
    rows = [f"{'ABC'[k // 4]}ville,{'XYZ'[k // 4]}land,S{k:02},{40 + 3 * k}" for k in range(12)]
    return f"{one},{other},sector_code,people\n" + "\n".join(rows)


@pytest.mark.parametrize(
    ("lower", "upper"),
    [("TX_MUNTY_NL", "TX_PROV_NL"), ("commune", "departement"), ("municipio", "estado"),
     ("city", "county"), ("gemeinde", "landkreis"), ("district", "state")],
)  # fmt: skip
def test_words_for_levels_put_them_in_order(tmp_path: Path, lower: str, upper: str) -> None:
    for one, other in ((lower, upper), (upper, lower)):
        reading = read_text(tmp_path, _sectors(one, other))
        assert reading.layout is not None
        assert total(reading) == sum(40 + 3 * k for k in range(12))
        assert reading.layout.levels == (upper, lower, "sector_code")


def test_without_such_words_the_order_is_asked_for(tmp_path: Path) -> None:
    text = _sectors("area", "zone")
    reading = read_text(tmp_path, text)
    assert reading.table is None
    ways = [choice["levels"] for choice in offered(reading)]
    assert {("area", "zone", "sector_code"), ("zone", "area", "sector_code")} <= {*ways}
    for way in ways:
        one = read_text(tmp_path, text, levels=way)
        assert one.layout is not None
        assert total(one) == sum(40 + 3 * k for k in range(12))
        assert one.layout.levels == way


def test_a_name_of_two_levels_tells_no_order() -> None:
    def column(name: str) -> ColumnFacts:
        return ColumnFacts(name, [])  # type: ignore[arg-type]

    assert tier_of(column("state_or_city")) == -1
    assert tier_of(column("county_name")) < tier_of(column("town_code"))
