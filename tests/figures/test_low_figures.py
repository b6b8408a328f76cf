"""Figures so low that Plotly's search for margins would hang the browser have their own."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from hierdp_core.explain.flows import Matrix
from hierdp_core.figures import lesson_results
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.errors import by_size, consistency, distance, levels, mechanisms, spread
from hierdp_core.figures.flows import by_level
from hierdp_core.figures.flows.arcs_and_matrix import heat_map
from hierdp_core.figures.style import bare, settles, with_own_margins

QUANTILES = ("q2.5", "q10", "q25", "q50", "q75", "q90", "q97.5")
NAMES = ["nation", "state", "municipality"]


def summary(n: int) -> pd.DataFrame:
    frame = pd.DataFrame({"level": NAMES[:n], "mean": 3.0, "simulations": 30})
    return frame.assign(**dict.fromkeys(QUANTILES, 2.0))


def cases(n: int) -> pd.DataFrame:
    return summary(n).assign(name="Tree", colour="#0072B2", symbol="circle")


def trips(n: int) -> pd.DataFrame:
    frame = pd.DataFrame({"level": NAMES[:n]})
    return frame.assign(
        false_negatives=1, false_positives=2, false_negative_trips=3, false_positive_trips=4
    )


def of_sizes(n: int) -> pd.DataFrame:
    frame = pd.DataFrame({"level": NAMES[:n], "regions": 4, "before": 3.0, "after": 2.0})
    return frame.assign(low=1.0, high=4.0, mean=2.0, reference=1.5)


def of_classes(n: int) -> pd.DataFrame:
    frame = pd.DataFrame({"size_class": range(1, n + 1), "smallest": 1, "largest": 9})
    return frame.assign(bias=1.0, bias_high=1.5, median_rel=0.1, wrong=0.2, regions=3)


LOW = {
    "error by level": lambda n: levels.error_by_level(summary(n), unit="people"),
    "levels of a tree": lambda n: by_level.accuracy(
        summary(n), summary(n), pd.Series(dtype=float), unit="trips"
    ),
    "false_positives": lambda n: by_level.false_flow_bars(trips(n), unit="trips"),
    "consistency": lambda n: consistency.picture(of_sizes(n), unit="people"),
    "distance": lambda n: distance.picture(of_sizes(n), unit="people"),
    "mechanisms": lambda n: mechanisms.error_bars(cases(n), unit="people"),
    "spread": lambda n: spread.picture(np.arange(n), title="households", kind="count"),
    "by size": lambda n: by_size.bias(of_classes(n)),
    "matrix": lambda n: heat_map(
        Matrix(
            rows=tuple(NAMES[:n]),
            columns=tuple(NAMES[:n]),
            true=np.ones((n, n), dtype=np.int64),
            released=np.ones((n, n), dtype=np.int64),
        ),
        shown="released",
        unit="trips",
    ),
    "lesson": lambda n: lesson_results.bars(
        pd.DataFrame({"what": NAMES[:n], "value": 2.0}), unit="people", logarithmic=False
    ),
    "class": lambda n: lesson_results.class_dots(
        pd.DataFrame({"number": range(n), "value": np.arange(n)}),
        measure="error",
        mine=1,
        expected=None,
    ),
}


@pytest.mark.parametrize("figure", LOW)
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_figures_of_few_rows_leave_no_margin_to_plotly(figure: str, rows: int) -> None:
    drawn = LOW[figure](rows)
    assert settles(drawn)
    # The check sees it: with Plotly's margins the same figure would be refused.
    low = drawn.layout.height < 240
    assert settles(drawn.update_xaxes(automargin=None)) != low


def test_a_low_chart_without_margins_of_its_own_is_refused() -> None:
    figure = bare(go.Figure(go.Bar(x=[1], y=["nation"], orientation="h")), height=110)
    with pytest.raises(ValueError, match="leaves its margins to Plotly"):
        Chart(title="Error", figure=figure, alt="One bar.")
    Chart(title="Error", figure=with_own_margins(figure, ["nation"]), alt="One bar.")


def test_margins_hold_names_numbers_and_a_title() -> None:
    figure = bare(go.Figure(go.Bar(x=[1], y=["nation"], orientation="h")), height=110)
    numbers = with_own_margins(go.Figure(figure), ["nation"]).layout.margin
    titled = with_own_margins(go.Figure(figure).update_xaxes(title="people"), ["municipality"])
    assert titled.layout.margin.l > numbers.l > 40
    assert titled.layout.margin.b > numbers.b > 20
