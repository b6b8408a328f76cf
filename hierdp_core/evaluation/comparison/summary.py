"""Summaries of the simulations of a comparison, case by case."""

import pandas as pd

from hierdp_core.evaluation.comparison.simulating import Comparison
from hierdp_core.evaluation.repeated import SUMMARY_QUANTILES, require_number_column

_BY = ["case", "level"]


def summarize(
    comparison: Comparison, column: str = "mean_abs", *, quantity: str = ""
) -> pd.DataFrame:
    """Return mean, standard deviation and quantiles of a column, one row per case and level.

    `column` is a column of errors, such as "mean_abs", and `quantity` the id of a quantity ("" for
    every cell). Columns of the result: `case`, `level`, `mean`, `sd`, `simulations`, and `q2.5` …
    `q97.5`, all over simulations.
    The quantiles describe the privacy noise, not the sampling error of a survey.

    Raises:
        ChoiceError: there is no such column of numbers.
    """
    rows = _of(comparison, quantity)
    require_number_column(rows, column)
    grouped = rows.groupby(_BY, sort=False)[column]
    table = grouped.agg(mean="mean", sd="std", simulations="count")
    for q in SUMMARY_QUANTILES:
        table[f"q{100 * q:g}"] = grouped.quantile(q)
    return table.reset_index()


def overview(comparison: Comparison, *, quantity: str = "") -> pd.DataFrame:
    """Return the main results as means over simulations, one row per case and level.

    Columns: `case`, `level`, `mechanism`, `epsilon`, `delta`, `rho`, `allocation`, `options`,
    `simulations`, `mean_abs` and its quantiles `q10` and `q90`, `bias`, `emd` (for group sizes),
    `fdr`, `fnr`, `violations` and `seconds`. `seconds` is the median run time of the mechanism
    alone, which is longer if all cores are busy.
    """
    rows = _of(comparison, quantity)
    names = ["mechanism", "epsilon", "delta", "rho", "allocation", "options"]
    grouped = rows.groupby(_BY, sort=False)
    parts = grouped[names].first()
    parts["simulations"] = grouped["simulation"].nunique()
    parts["mean_abs"] = grouped["mean_abs"].mean()
    parts["q10"] = grouped["mean_abs"].quantile(0.1)
    parts["q90"] = grouped["mean_abs"].quantile(0.9)
    for column in ("bias", "emd", "fdr", "fnr", "violations"):
        if column in rows:
            parts[column] = grouped[column].mean()
    parts["seconds"] = grouped["seconds"].median()
    return parts.reset_index().sort_values("case", kind="stable", ignore_index=True)


def summarize_by_size(comparison: Comparison, column: str = "bias") -> pd.DataFrame:
    """Return the mean of `column` over simulations and its standard error, by case and class.

    Columns: `case`, `level`, `size_class`, `places` (the number of areas of the class), `smallest`
    and `largest` (their true counts), `mean`, `error` (the standard error, NaN with one simulation)
    and `simulations`. The frame is empty if no level has enough areas for classes.

    Raises:
        ChoiceError: there are classes, but no such column of numbers.
    """
    by = [*_BY, "size_class", "places", "smallest", "largest"]
    if comparison.by_size.empty:
        return pd.DataFrame(columns=[*by, "mean", "error", "simulations"])
    require_number_column(comparison.by_size, column)
    grouped = comparison.by_size.groupby(by, sort=False)[column]
    table = grouped.agg(mean="mean", error="sem", simulations="count").reset_index()
    return table.sort_values(["case"], kind="stable", ignore_index=True)


def _of(comparison: Comparison, quantity: str) -> pd.DataFrame:
    rows = comparison.errors
    return rows[rows["quantity"] == quantity]
