"""The tables of columns on the page on the command line name every column, and no other."""

import re
from pathlib import Path

import pytest

import hierdp_core as hdp
from hierdp_core.decisions import RULES
from hierdp_core.evaluation.comparison import compare, grid
from hierdp_core.privacy import Budget
from hierdp_core.reproduce import accounting, coc, flows, pgsr, recommendations

PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text("utf-8")


def _rows(section: str) -> list[list[str]]:
    part = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("|")]
    return rows[2:]


def _names(cell: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", cell))


def _of_first_column(section: str) -> set[str]:
    return set().union(*(_names(row[0]) for row in _rows(section)))


def _by_group(section: str) -> dict[str, set[str]]:
    """Return the columns of each rule or experiment; an empty first cell repeats the last one."""
    columns: dict[str, set[str]] = {}
    groups: set[str] = set()
    for row in _rows(section):
        *first, names, _ = row if len(row) == 3 else ["", *row]
        groups = (_names(first[0]) or {"all"}) if first[0].strip() else groups
        for group in groups:
            columns.setdefault(group, set()).update(_names(names))
    return columns


def test_every_column_of_a_comparison_is_described() -> None:
    documented = _of_first_column("Columns of `hierdp compare --out`") | _of_first_column(
        "Files of `hierdp simulate --out`"
    )
    actual: set[str] = set()
    for sample, mechanism in (("running-example", "pgsr-h-dp"), ("od-binary-sparse", "inftda")):
        table = hdp.samples.load(sample).table
        plans = grid(table, [mechanism], [Budget.pure(1)])
        actual |= set(compare(table, plans, n_simulations=1).errors.columns)
    files = {"level", "counted", "note", "toml", "csv", "json"}
    assert actual <= documented
    assert documented - actual <= files


def test_every_column_of_a_decision_is_described() -> None:
    documented = _by_group("Columns of `hierdp impact --out`")
    assert documented.pop("all") == {"id", "name", "true", "wrong", "note"}
    assert documented == {
        id: {column.id for column in rule.place_columns} for id, rule in RULES.items()
    }


@pytest.mark.parametrize(
    ("experiment", "function"),
    [
        ("pgsr", pgsr.reproduce_pgsr),
        ("coc", coc.reproduce_coc),
        ("flows", flows.reproduce_flows),
        ("accounting", accounting.reproduce_accounting),
        ("recommendations", recommendations.reproduce_recommendations),
    ],
)
def test_every_column_of_an_experiment_is_described(experiment: str, function: object) -> None:
    text = str(function.__doc__).partition("The columns are:")[2].partition("Args:")[0]
    documented = _by_group("Columns of `hierdp reproduce --out`")
    described = _names(text) - {"errors"}  # a function that the text refers to
    assert described
    assert described <= documented[experiment] | documented["all"]
