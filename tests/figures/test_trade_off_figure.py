"""Error against budget: what the curves, the targets, the table and the words say."""

import math

import numpy as np
from support.strategies import regions_of

from hierdp_core.figures.errors import trade_off as pictures
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.planning import TradeOff, trade_off
from hierdp_core.privacy import Budget
from hierdp_core.tables import Counts

_TREE = Hierarchy(parent=np.array([-1, 0, 0, 0]), level_start=np.array([0, 1, 4]))
TABLE = Counts.from_leaves(regions_of(_TREE), [3_000_000_000, 4_000, 5_000])
TOP, LEAF = TABLE.regions.levels


def found(*targets: str, sizes: tuple[float, ...] = (0.1, 1.0), n_simulations: int = 4) -> TradeOff:
    budgets = [Budget.pure(size) for size in sizes]
    return trade_off(TABLE, "hay", targets, budgets=budgets, n_simulations=n_simulations)


def test_a_curve_a_level_and_a_line_a_target() -> None:
    seen = found(f"{LEAF}=all:5%")
    (chart,) = pictures.charts(seen, chosen=1.0)
    figure = chart.figure
    rows = seen.frame[seen.frame["curve"] == 0]
    assert list(figure.data[0].y) == [100 * v for v in rows["typical"]]
    assert list(figure.data[0].x) == [0.1, 1.0]
    levels = [shape.y0 for shape in figure.layout.shapes if shape.y0 == shape.y1]
    assert levels == [5]
    (note,) = figure.layout.annotations
    assert note.y == math.log10(5)  # on a logarithmic axis notes stand at powers of ten
    assert note.text == f"target: every {LEAF} within 5%"
    upright = [shape.x0 for shape in figure.layout.shapes if shape.x0 == shape.x1]
    assert upright == [1.0]


def test_what_is_too_small_to_draw_is_named_and_in_the_table() -> None:
    (chart,) = pictures.charts(found(f"{LEAF}=all:5%"))
    assert chart.figure.data[1].name == f"the {TOP} (below 0.0001%)"
    assert set(chart.figure.data[1].y) == {None}
    assert chart.table is not None
    assert set(chart.table[f"The {TOP} within"]) <= {"0%", "< 0.0001%"}
    assert len(chart.table) == 2


def test_percent_and_numbers_have_charts_of_their_own() -> None:
    relative, absolute = pictures.charts(found(f"{LEAF}=all:5%", f"{TOP}=all:50"))
    assert "true count" in relative.figure.layout.yaxis.title.text
    assert "true count" not in absolute.figure.layout.yaxis.title.text


def test_the_words_say_what_the_simulations_show() -> None:
    seen = found(f"{LEAF}=all:90%", sizes=(1.0, 10.0))
    assert pictures.finding(seen) == (
        "Simulated budgets from ε = 1 on meet the target in all 4 simulations"
    )
    assert "4 of 4 simulations meet the target." in pictures.sentence(seen, 10.0)
    never = found(f"{LEAF}=all:0.001", sizes=(0.1,))
    assert pictures.finding(never) == (
        "No budget that was simulated, up to ε = 0.1, meets the target in all 4 simulations"
    )
    (chart,) = pictures.charts(seen, chosen=1.0)
    assert "both axes logarithmic" in chart.alt
    assert pictures.finding(seen) in chart.alt
    assert chart.sentence.startswith("At ε = 1: ")


def test_the_words_are_right_for_one_simulation() -> None:
    met = found(f"{LEAF}=all:90%", sizes=(1.0, 10.0), n_simulations=1)
    assert pictures.finding(met) == (
        "Simulated budgets from ε = 1 on meet the target in one simulation"
    )
    assert pictures.sentence(met, 10.0).endswith(". The one simulation meets the target.")
    missed = found(f"{LEAF}=all:0.001", sizes=(0.1,), n_simulations=1)
    assert pictures.finding(missed) == (
        "No budget that was simulated, up to ε = 0.1, meets the target"
    )
    assert pictures.sentence(missed, 0.1).endswith(". The one simulation does not meet the target.")
