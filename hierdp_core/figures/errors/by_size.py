"""Error, bias and different outcomes by size of area, as labelled bars."""

from typing import Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hierdp_core.evaluation.size_classes import ZERO
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.style import BLUE, GREY, PURPLE, bare, with_own_margins
from hierdp_core.util.arrays import FloatArray
from hierdp_core.util.text import listing, number, percent, whole

_ROW = 26  # pixels per class
_COLUMNS: Final = (
    ("size_class", "true count", "text"),
    ("places", "areas", "count"),
    ("median_rel", "median relative error", "share"),
    ("mean_rel", "mean relative error", "share"),
    ("mean_abs", "mean absolute error", "number"),
    ("bias", "bias", "number"),
    ("bias_low", "bias from", "number"),
    ("bias_high", "bias to", "number"),
    ("bias_rel", "relative bias", "share"),
    ("wrong", "different outcome", "share"),
    ("false_positives", "true count 0, released above 0", "share"),
)
KINDS: Final = {title: kind for _, title, kind in _COLUMNS}  # of the columns of `table`
_ROOM = 0.3  # space beyond the longest bar for its number, as a proportion of the axis


def labels(frame: pd.DataFrame) -> list[str]:
    """Return the names of the classes: "35 to 2,062", "true count 0"."""
    return [
        "true count 0"
        if row["size_class"] == ZERO
        else whole(row["smallest"])
        if row["smallest"] == row["largest"]
        else f"{whole(row['smallest'])} to {whole(row['largest'])}"
        for row in frame.to_dict("records")
    ]


def relative(frame: pd.DataFrame) -> go.Figure:
    """Draw the median relative error of each class."""
    return _bars(frame, frame["median_rel"], [percent(v) for v in frame["median_rel"]], share=True)


def bias(frame: pd.DataFrame) -> go.Figure:
    """Draw the bias of each class, in the unit of what is counted, with its 95% interval."""
    texts = [_signed(v) for v in frame["bias"]]
    return _bars(frame, frame["bias"], texts, reach=frame["bias_high"] - frame["bias"])


def wrong(frame: pd.DataFrame) -> go.Figure:
    """Draw how often an area of each class has a different outcome than under its true count."""
    return _bars(frame, frame["wrong"], [percent(v) for v in frame["wrong"]], share=True)


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return all bars as a table, smallest areas first."""
    rows = frame.assign(size_class=labels(frame))
    titles = {id: title for id, title, _ in _COLUMNS}
    return rows[list(titles)].rename(columns=titles)


def alt(frame: pd.DataFrame, column: str, *, title: str) -> str:
    """Return one of the figures in words, from the smallest areas to the largest."""
    classes = zip(labels(frame), frame[column], strict=True)
    say = _signed if column == "bias" else percent
    return listing(f"{title} by true count", (f"{name}: {say(v)}" for name, v in classes))


def charts(frame: pd.DataFrame, *, unit: str, alone: bool = False) -> list[Chart]:
    """Return one chart for each of `PANELS`; the first holds the table of all.

    Args:
        frame: `size_classes.by_size`.
        unit: what is counted, plural, which is the unit of bias.
        alone: whether a chart is shown over the whole width and without its title.
    """
    titles = [f"{title}, in {unit}" if column == "bias" else title for column, _, title in PANELS]
    return [
        Chart(
            title=title,
            figure=_titled(draw(frame), title) if alone else draw(frame),
            alt=alt(frame, column, title=title),
            table=None if k else table(frame),
        )
        for k, ((column, draw, _), title) in enumerate(zip(PANELS, titles, strict=True))
    ]


def _titled(figure: go.Figure, title: str) -> go.Figure:
    """Return `figure` with the title of its chart below its axis, and with room for it."""
    text = f"{title[0].lower()}{title[1:]}, by true count"
    figure.update_xaxes(title={"text": text, "standoff": 6})
    return figure.update_layout(height=figure.layout.height + 20, margin={"b": 60})


def _bars(
    frame: pd.DataFrame,
    values: pd.Series,
    texts: list[str],
    *,
    share: bool = False,
    reach: pd.Series | None = None,
) -> go.Figure:
    names = labels(frame)
    known = values.fillna(0.0).to_numpy(np.float64)
    beyond = np.zeros(len(known)) if reach is None else reach.fillna(0.0).to_numpy(np.float64)
    ends = np.where(known < 0, known - beyond, known + beyond)
    figure = go.Figure()
    figure.add_bar(
        x=known,
        y=names,
        orientation="h",
        marker={"color": [PURPLE if c == ZERO else BLUE for c in frame["size_class"]]},
        error_x={"type": "data", "array": beyond, "thickness": 1.5, "width": 3, "color": GREY}
        if reach is not None
        else None,
        hovertemplate="%{y}<extra></extra>",
    )
    figure.add_scatter(
        x=ends,
        y=names,
        mode="text",
        text=[f" {t if v == v else 'none'} " for t, v in zip(texts, values, strict=True)],
        textposition=["middle left" if v < 0 else "middle right" for v in known],
        cliponaxis=False,
        hoverinfo="skip",
    )
    bare(figure, height=_ROW * len(names) + 46)
    figure.update_layout(showlegend=False, margin={"l": 8, "r": 8, "t": 4, "b": 40}, bargap=0.3)
    figure.update_xaxes(
        range=_axis(known, beyond),
        fixedrange=True,
        showgrid=False,
        zeroline=True,
        zerolinewidth=1,
        nticks=4,
        tickformat=".2~p" if share else "",
    )
    figure.update_yaxes(type="category", autorange="reversed", fixedrange=True, showgrid=False)
    return with_own_margins(figure, names)


def _axis(values: FloatArray, beyond: FloatArray) -> list[float]:
    """Return the range of an axis that holds 0, every bar with its whisker, and its label."""
    low = min(0.0, float((values - beyond).min()))
    high = max(0.0, float((values + beyond).max()))
    room = ((high - low) or 1.0) * _ROOM
    return [low - room if (values < 0).any() else low, high + room]


def _signed(value: float) -> str:
    return f"+{number(value)}" if value > 0 else number(value)


# The column, its figure, and what it shows.
PANELS: Final = (
    ("median_rel", relative, "Median relative error"),
    ("bias", bias, "Bias (released − true)"),
    ("wrong", wrong, "Different outcome"),
)
