"""The page on own data lists every column setting, with an example that is accepted."""

import re
import tomllib
from dataclasses import fields

import pytest
from support.voice import ROOT

from hierdp_core.readers import Layout

PAGE = (ROOT / "docs" / "own-data.md").read_text(encoding="utf-8")
ROWS = re.findall(
    r"^\| (`[a-z_`, ]+`) \|.*\| `([a-z_]+ = [^`]+)` \|$",
    PAGE.partition("### All column settings")[2].partition("\n## ")[0],
    re.MULTILINE,
)


def test_every_setting_is_listed_once() -> None:
    listed = [name for names, _ in ROWS for name in re.findall("[a-z_]+", names)]
    assert sorted(listed) == sorted(field.name for field in fields(Layout))


@pytest.mark.parametrize(("names", "example"), ROWS, ids=[names for names, _ in ROWS])
def test_an_example_has_the_type_of_its_setting(names: str, example: str) -> None:
    ((name, value),) = tomllib.loads(example).items()
    assert f"`{name}`" in names
    default = getattr(Layout(levels=("area",), count="n"), name)
    assert isinstance(value, list if isinstance(default, tuple) else type(default))
