"""The help of `hierdp check` names every setting that gives a column its role."""

import pytest

from hierdp_core.cli import main
from hierdp_core.readers.columns.measures import NAMING


def test_the_help_names_every_role_of_a_column(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    text = " ".join(capsys.readouterr().out.replace(",", " ").split())
    missing = [word for word in NAMING if f" {word} " not in text]
    assert not missing
    assert "row=group" in text
