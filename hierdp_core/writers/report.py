"""A report as one HTML file, whose sections have a sentence, a figure, its table and notes.

It opens from a disk without a network. It contains plotly.js if it has figures, and its content
policy does not allow it to fetch anything.
"""

import base64
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from hierdp_core import __version__
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.embed import Figure, figure_json, in_script, plotly_script, templates_json
from hierdp_core.figures.style import camera, marked_anew
from hierdp_core.util.escaping import in_html
from hierdp_core.util.marks import CONTAINS_TRUTH, truth_mark
from hierdp_core.util.text import capital, counted, file_name, number, percent, whole
from hierdp_core.writers.defused import csv_text

_MOST_ROWS = 500  # rows of a table that the file shows; the CSV contains all of them
_TITLES = {  # of columns with names of code
    "name": "area",
    "true": "true count",
    "released": "simulated",
    "rel_error": "relative error",
}
_SHARES = ("rel_error",)  # columns of proportions in the tables of most figures
_FIGURE = re.compile(r"(< )?[+−-]?[\d,.]+%?( ± [\d,.]+)?|–")  # a formatted number
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src data:"
)
_DETAILS = {True: "<details open>", False: "<details>"}
_STYLE = """
:root {color-scheme: light dark; --text: #1c2733; --ground: #fff; --quiet: #5b6875;
 --line: #d5dde5; --mark: #8a4b00; --mark-ground: #fff3df}
@media (prefers-color-scheme: dark) {:root {--text: #e6ebf0; --ground: #12181f;
 --quiet: #9aa7b4; --line: #364351; --mark: #ffcf8f; --mark-ground: #33250f}}
* {box-sizing: border-box}
body {margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 62rem; color: var(--text);
 background: var(--ground); font: 16px/1.5 system-ui, sans-serif}
h1 {font-size: 1.7rem; line-height: 1.25; margin: .5rem 0}
h2 {font-size: 1.2rem; margin: 2.5rem 0 .25rem}
.mark {color: var(--mark); background: var(--mark-ground); padding: .4rem .75rem;
 border-radius: .25rem; font-weight: 600}
.quiet, .made {color: var(--quiet); font-size: .875rem}
.made td:first-child {padding-right: 1.5rem}
details {margin: .5rem 0} summary {cursor: pointer; color: var(--quiet)}
.wide {overflow-x: auto} table {border-collapse: collapse; font-size: .875rem}
.data th, .data td {padding: .2rem .75rem .2rem 0; border-bottom: 1px solid var(--line);
 text-align: left; vertical-align: top}
.data .figure {text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap}
a {color: inherit}
@page {size: A4; margin: 15mm}
@media print {
 :root {color-scheme: light; --text: #000; --ground: #fff; --quiet: #444; --line: #bbb;
  --mark: #8a4b00; --mark-ground: #fff}
 body {max-width: none; padding: 0; font-size: 9.5pt; line-height: 1.35}
 h1 {font-size: 16pt} h2 {font-size: 12pt; margin: 1rem 0 .25rem; break-after: avoid}
 p {margin: .4rem 0; orphans: 3; widows: 3} table, .quiet, .made {font-size: 9pt}
 details:not([open]), summary, button, a[download] {display: none}
 .figure-box, .mark, tr {break-inside: avoid} thead {display: table-header-group}
 .wide {overflow: visible} .mark {border: 1px solid}
}
"""
# For one side of A4: smaller type, notes in two columns, and the mark only at the top.
_ONE_SHEET = """
@page {margin: 11mm 13mm}
@media print {
 body {font-size: 8.5pt; line-height: 1.3} h1 {font-size: 14pt; margin: 0 0 .3rem}
 h2 {font-size: 10.5pt; margin: .7rem 0 .1rem} p {margin: .25rem 0}
 table, .quiet, .made {font-size: 8pt} details {margin: .2rem 0}
 .mark {padding: .1rem .5rem} .made ~ .mark {display: none}
 .data th, .data td {padding-top: .08rem; padding-bottom: .08rem}
 .data {width: 100%} .made td {padding-top: 0; padding-bottom: 0}
 .data td:first-child {white-space: nowrap} .data th.figure {white-space: normal}
 .notes p:only-child {column-span: all}
 .notes {columns: 2; column-gap: 8mm} .notes p {margin: 0 0 .2rem; break-inside: avoid}
}
"""
_SCRIPT = """
const looks = JSON.parse(document.getElementById('looks').textContent);
const dark = matchMedia('(prefers-color-scheme: dark)');
function draw(printed) {
  for (const box of document.querySelectorAll('.figure-box')) {
    const figure = JSON.parse(document.getElementById(box.id + '-data').textContent);
    const config = JSON.parse(document.getElementById(box.id + '-config').textContent);
    figure.layout.template = looks[dark.matches && printed !== true ? 'dark' : 'light'];
    Plotly.newPlot(box, figure.data, figure.layout, {...config, responsive: true});
  }
}
dark.addEventListener('change', draw);
addEventListener('beforeprint', () => draw(true));
addEventListener('afterprint', draw);
draw();
"""


@dataclass(frozen=True, eq=False, kw_only=True)
class Section:
    """A part of a report.

    Attributes:
        title: the heading.
        sentence: the finding in plain words; **stars** make bold.
        figure: a figure as wide as the page, if any.
        alt: the alternative text of the figure.
        table: the numbers of the figure, which the reader can open or save as a CSV file.
        open: whether the table is open at first.
        shares: the columns of proportions, which the page shows as percentages. The CSV has them
            as proportions.
        notes: further lines in small print on how to read the section.
    """

    title: str
    sentence: str = ""
    figure: Figure | None = None
    alt: str = ""
    table: pd.DataFrame | None = None
    open: bool = False
    shares: tuple[str, ...] = _SHARES
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        chart: Chart,
        *,
        title: str | None = None,
        sentence: str | None = None,
        shares: Sequence[str] = _SHARES,
        notes: Sequence[str] = (),
    ) -> "Section":
        """Return the section of a chart, with another title or sentence if given."""
        return cls(
            title=chart.title if title is None else title,
            sentence=chart.sentence if sentence is None else sentence,
            figure=chart.figure,
            alt=chart.alt,
            table=chart.table,
            shares=tuple(shares),
            notes=tuple(notes),
        )


def report(
    title: str,
    sections: Sequence[Section],
    *,
    summary: Sequence[str] = (),
    made_from: Mapping[str, str] | None = None,
    contains_truth: bool = True,
    confidential: bool = False,
    one_sheet: bool = False,
) -> str:
    """Return a report as the text of an HTML file.

    Args:
        title: the title of the report.
        sections: the sections, in order.
        summary: paragraphs under the title; **stars** make bold.
        made_from: data, settings and simulations that the report was made from, one line each.
        contains_truth: whether it contains true values or errors. It is then marked at its top
            and end, and in every CSV of its tables.
        confidential: whether the data are confidential. Each of these marks then states this.
        one_sheet: whether it is a short report without figures for one side of A4.
    """
    style = _STYLE + (_ONE_SHEET if one_sheet else "")
    warning = truth_mark(confidential=confidential) if contains_truth else ""
    mark = f'<p class="mark" role="note">{in_html(capital(warning))}.</p>' if warning else ""
    facts = {**(made_from or {}), "Made with": f"HierDP {__version__}"}
    body = [f"<h1>{in_html(title)}</h1>", mark, *(f"<p>{_bold(line)}</p>" for line in summary)]
    body += [_section(part, f"figure-{place}", warning) for place, part in enumerate(sections)]
    rows = "".join(f"<tr><td>{in_html(n)}</td><td>{in_html(v)}</td></tr>" for n, v in facts.items())
    body.append(f'<h2>What this was made from</h2><table class="made">{rows}</table>{mark}')
    scripts = ""
    if any(part.figure is not None for part in sections):
        scripts = (
            f'<script type="application/json" id="looks">{templates_json()}</script>'
            f"<script>{plotly_script()}</script><script>{_SCRIPT}</script>"
        )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{in_html(title)}</title><style>{style}</style></head>"
        f"<body>{''.join(body)}{scripts}</body></html>\n"
    )


def _section(part: Section, id: str, mark: str) -> str:
    pieces = [f"<section><h2>{in_html(part.title)}</h2>"]
    if part.sentence:
        pieces.append(f"<p>{_bold(part.sentence)}</p>")
    if part.figure is not None:
        config = in_script(json.dumps(camera(_file_name(part.title))))
        height = part.figure.layout.height or 400
        figure = marked_anew(part.figure, CONTAINS_TRUTH, mark) if mark else part.figure
        pieces.append(
            f'<div class="figure-box" id="{id}" role="img" aria-label="{in_html(part.alt)}" '
            f'style="min-height:{height:.0f}px"></div>'
            f'<script type="application/json" id="{id}-data">{figure_json(figure)}</script>'
            f'<script type="application/json" id="{id}-config">{config}</script>'
        )
    if part.notes:
        notes = "".join(f'<p class="quiet">{_bold(note)}</p>' for note in part.notes)
        pieces.append(f'<div class="notes">{notes}</div>')
    if part.table is not None:
        pieces.append(_table(part, mark))
    return "".join(pieces) + "</section>"


def _table(part: Section, mark: str) -> str:
    table = part.table
    assert table is not None
    shown = table.head(_MOST_ROWS)
    shares = {name: [percent(v) for v in shown[name]] for name in part.shares if name in shown}
    shown, table = (frame.rename(columns=_TITLES) for frame in (shown.assign(**shares), table))
    figures = [_holds_figures(shown[name]) for name in shown.columns]
    classes = [' class="figure"' if is_figure else "" for is_figure in figures]
    head = "".join(
        f"<th{c}>{in_html(capital(str(name)))}</th>"
        for c, name in zip(classes, table.columns, strict=True)
    )
    rows = "".join(
        "<tr>"
        + "".join(f"<td{c}>{_cell(value)}</td>" for c, value in zip(classes, row, strict=True))
        + "</tr>"
        for row in shown.itertuples(index=False)
    )
    more = ""
    if len(table) > len(shown):
        more = (
            f'<p class="quiet">The first {len(shown):,} of {len(table):,} rows are shown. The CSV '
            "file has all of them.</p>"
        )
    marked_table = table.assign(note=mark) if mark else table
    csv = base64.b64encode(csv_text(marked_table).encode()).decode()
    name = _file_name(part.title) + ("-contains-true-values" if mark else "")
    return (
        f"{_DETAILS[part.open]}<summary>{counted(len(table), 'row')} as a table</summary>"
        f'<p class="quiet"><a download="{name}.csv" href="data:text/csv;base64,{csv}">'
        f'Download the table (CSV)</a></p>{more}<div class="wide"><table class="data">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></details>"
    )


def _holds_figures(column: pd.Series) -> bool:
    """Return whether a column has numbers, or texts that are only formatted numbers."""
    if pd.api.types.is_numeric_dtype(column):
        return True
    return bool(len(column)) and all(_FIGURE.fullmatch(str(value)) for value in column)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return in_html(value)
    if isinstance(value, int):
        return whole(value)
    if isinstance(value, float):
        return "–" if not math.isfinite(value) else number(value)
    return "–" if value is None or value is pd.NA else in_html(str(value))


def _bold(text: str) -> str:
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", in_html(text))


def _file_name(title: str) -> str:
    return file_name(title)[:60] or "figure"
