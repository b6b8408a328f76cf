"""Tables with one decision per row, made from the results of `decisions.summary`."""

import pandas as pd

from hierdp_core.util.text import capital, number, percent
from pages.ui.impact.impact_words import about


def programmes_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return all decisions at one budget, one row each, with formatted numbers.

    Args:
        rows: the result of `work.programmes`.
    """
    return pd.DataFrame(
        {
            "decision": rows["decision"],
            "level": rows["level"].map(capital),
            "measure": rows["measure"],
            "mean": _in_words(rows, "mean"),
            "areas affected": rows["affected"],
            "highest probability": rows["highest"].map(percent),
            "most affected": rows["worst"],
        }
    )


def budgets_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one decision at several budgets, one row each, with formatted numbers.

    Args:
        rows: the rows from `decisions.across_budgets`.
    """
    low, high = _in_words(rows, "low"), _in_words(rows, "high")
    return pd.DataFrame(
        {
            "budget": rows["budget"],
            rows["measure"].iloc[0].lower(): _in_words(rows, "mean"),
            "range": [f"{a}–{b}" if a != b else a for a, b in zip(low, high, strict=True)],
            "areas affected": rows["affected"],
            "highest probability": rows["highest"].map(percent),
            "most affected": rows["worst"],
        }
    )


def _in_words(rows: pd.DataFrame, column: str) -> list[str]:
    say = {"share": percent, "flag": percent, "money": about}
    return [
        say.get(kind, number)(float(value))
        for kind, value in zip(rows["kind"], rows[column], strict=True)
    ]
