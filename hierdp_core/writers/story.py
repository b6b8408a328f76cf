"""A story of a few steps for a meeting: slides in one HTML file, or in a PowerPoint file.

The HTML file holds its own charts and script. It opens without a network, goes forward and back
with the arrow keys, fills the screen with F, and saves each chart as PNG or SVG.
"""

import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from typing import Any

import pandas as pd

from hierdp_core.exceptions import ChoiceError
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.embed import figure_json, plotly_script, templates_json
from hierdp_core.figures.maps import scale
from hierdp_core.util.text import capital, file_name, join_and, number

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src data:"
)
_STYLE = """
:root {color-scheme: light dark; --text: #1c2733; --ground: #fff; --quiet: #5b6875;
 --warn: #b00020; --warn-ground: #ffe9ec}
@media (prefers-color-scheme: dark) {:root {--text: #e6ebf0; --ground: #12181f; --quiet: #9aa7b4;
 --warn: #ff9aa8; --warn-ground: #3a1218}}
* {box-sizing: border-box}
html, body {height: 100%; margin: 0}
body {color: var(--text); background: var(--ground); font: clamp(18px, 1.7vw, 32px)/1.4 system-ui,
 sans-serif}
main, .step {height: 100%}
.step {display: none; flex-direction: column; gap: 1vh; padding: 4vh 5vw 3vh}
.step.shown {display: flex}
h1 {font-size: 2em; line-height: 1.15; margin: 0}
h1.warn, .warn {color: var(--warn)}
.warn p {background: var(--warn-ground); padding: .4em .8em; border-radius: .25em}
p {margin: 0; max-width: 60em}
.figure {flex: 1; min-height: 0}
footer {display: flex; gap: 1em; align-items: center; color: var(--quiet); font-size: .55em}
footer span {flex: 1}
button {font: inherit; color: inherit; background: none; border: 1px solid var(--quiet);
 border-radius: .25em; padding: .25em .8em; min-height: 28px; cursor: pointer}
@page {size: A4 landscape; margin: 12mm}
@media print {
 :root {color-scheme: light; --text: #000; --ground: #fff; --quiet: #444; --warn: #b00020;
  --warn-ground: #fff}
 html, body, main {height: auto} body {font-size: 14pt} button {display: none}
 h1:focus {outline: none}
 .step, .step.shown {display: flex; height: 184mm; padding: 0; break-inside: avoid}
 .step + .step {break-before: page}
}
"""
_SCRIPT = """
const looks = JSON.parse(document.getElementById('looks').textContent);
const dark = matchMedia('(prefers-color-scheme: dark)');
const steps = [...document.querySelectorAll('.step')];
const SHEET = {width: 1000, height: 440};  // pixels of a figure on A4 across
let at = Math.min(steps.length, Math.max(1, Number(location.hash.slice(1)) || 1)) - 1;
function draw(box, printed) {
  const figure = JSON.parse(document.getElementById(box.id + '-data').textContent);
  figure.layout.template = looks[dark.matches && !printed ? 'dark' : 'light'];
  figure.layout.font = {size: Math.max(14, window.innerWidth / 90)};
  delete figure.layout.height;
  figure.layout.autosize = true;
  if (printed) { Object.assign(figure.layout, SHEET, {autosize: false}); }
  const config = JSON.parse(document.getElementById('config').textContent);
  Plotly.react(box, figure.data, figure.layout, {...config, responsive: true});
}
function show(k) {
  at = Math.min(steps.length - 1, Math.max(0, k));
  steps.forEach((step, j) => step.classList.toggle('shown', j === at));
  history.replaceState(null, '', '#' + (at + 1));
  const box = steps[at].querySelector('.figure');
  if (box && !box.dataset.drawn) { box.dataset.drawn = '1'; draw(box); }
  else if (box) { Plotly.Plots.resize(box); }
  steps[at].querySelector('h1').focus();
}
function whole() {
  if (document.fullscreenElement) { document.exitFullscreen(); }
  else { document.documentElement.requestFullscreen(); }
}
function print(on) {
  document.querySelectorAll('.figure').forEach(box => { if (on || box.dataset.drawn) {
    draw(box, on); } });
}
function save(format) {
  const box = steps[at].querySelector('.figure');
  if (box) { Plotly.downloadImage(box, {format, filename: box.dataset.name, width: 1600,
    height: 900}); }
}
const keys = {ArrowRight: () => show(at + 1), PageDown: () => show(at + 1),
  ArrowLeft: () => show(at - 1), PageUp: () => show(at - 1), Home: () => show(0),
  End: () => show(steps.length - 1), f: whole, F: whole};
addEventListener('keydown', event => { const act = keys[event.key];
  if (act && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); act(); }
});
const acts = {back: () => show(at - 1), on: () => show(at + 1), whole,
  png: () => save('png'), svg: () => save('svg')};
document.addEventListener('click', event => { const act = acts[event.target.dataset.act];
  if (act) { act(); } });
dark.addEventListener('change', () => document.querySelectorAll('.figure[data-drawn]')
  .forEach(box => draw(box)));
addEventListener('beforeprint', () => print(true));
addEventListener('afterprint', () => print(false));
show(at);
"""
_MOST_ROWS = 8  # of a table on a slide
_MOST_COLUMNS = 5
_ROW_INCHES = 0.35  # height of a row on a slide


@dataclass(frozen=True, eq=False, kw_only=True)
class Step:
    """One slide.

    Attributes:
        title: what it shows, as a sentence.
        sentences: below the title; **stars** make bold.
        chart: what is drawn, if anything.
        classed: the chart is a map of relative error, whose legend stands beside it.
        warning: it says that a claimed guarantee does not hold, so it stands in red.
    """

    title: str
    sentences: tuple[str, ...] = ()
    chart: Chart | None = None
    classed: bool = False
    warning: bool = False


def slides_html(title: str, steps: Sequence[Step], *, footer: str) -> str:
    """The story as one HTML file.

    Args:
        title: of the file.
        steps: at least one.
        footer: on every slide: the source, and whether true values are inside.

    Raises:
        ChoiceError: there is no step.
    """
    _check(steps)
    body = "".join(_slide(step, k, len(steps), footer) for k, step in enumerate(steps))
    config = json.dumps({"displayModeBar": False, "displaylogo": False, "scrollZoom": False})
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><main>{body}</main>"
        f'<script type="application/json" id="looks">{templates_json()}</script>'
        f'<script type="application/json" id="config">{config}</script>'
        f"<script>{plotly_script()}</script><script>{_SCRIPT}</script></body></html>\n"
    )


def _slide(step: Step, k: int, of: int, footer: str) -> str:
    warn = ' class="warn"' if step.warning else ""
    sentences = "".join(f"<p>{_bold(sentence)}</p>" for sentence in step.sentences)
    figure = saves = ""
    legend = scale.SHARED.legend("light", undefined=False) if step.classed else ""
    if step.chart is not None:
        figure = (
            f'<div class="figure" id="figure-{k}" role="img" data-name="'
            f'{file_name(step.chart.title)[:60] or "figure"}" '
            f'aria-label="{escape(step.chart.alt)}"></div>'
            f'<script type="application/json" id="figure-{k}-data">'
            f"{figure_json(step.chart.figure)}</script>"
        )
        saves = '<button data-act="png">PNG</button><button data-act="svg">SVG</button>'
    return (
        f'<section class="step"><h1 tabindex="-1"{warn}>{escape(step.title)}</h1>'
        f"<div{warn}>{sentences}</div>{figure}{legend}"
        f"<footer><span>{escape(footer)}</span>{saves}"
        '<button data-act="back" aria-label="Previous step">←</button>'
        f"{k + 1} / {of}"
        '<button data-act="on" aria-label="Next step">→</button>'
        '<button data-act="whole">Full screen (F)</button></footer></section>'
    )


def slides_pptx(steps: Sequence[Step], *, footer: str) -> bytes:
    """The story as a PowerPoint file: titles, sentences, and each chart's numbers as a table.

    Args:
        steps: at least one.
        footer: on every slide.

    Raises:
        ChoiceError: there is no step, or the extra "slides" is not installed.
    """
    _check(steps)
    try:
        pptx, colours, units = (
            import_module(f"pptx{part}") for part in ("", ".dml.color", ".util")
        )
    except ImportError as error:
        raise ChoiceError(
            'PowerPoint files need the extra "slides": pip install "hierdp[slides]".'
        ) from error
    inches, points = units.Inches, units.Pt
    deck = pptx.Presentation()
    deck.slide_width, deck.slide_height = inches(13.333), inches(7.5)
    for step in steps:
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        title = slide.shapes.title
        title.left, title.top, title.width, title.height = (
            inches(v) for v in (0.6, 0.4, 12.1, 1.3)
        )
        title.text = step.title
        title.text_frame.paragraphs[0].font.size = points(32)
        if step.warning:
            title.text_frame.paragraphs[0].font.color.rgb = colours.RGBColor(0xB0, 0x00, 0x20)
        box = slide.shapes.add_textbox(*(inches(v) for v in (0.6, 1.8, 12.1, 1.8))).text_frame
        box.word_wrap = True
        for j, sentence in enumerate(step.sentences):
            line = box.paragraphs[0] if j == 0 else box.add_paragraph()
            line.text = sentence.replace("**", "")
            line.font.size = points(20)
        if step.chart is not None and step.chart.table is not None:
            _pptx_table(slide, step.chart.table, inches, points)
        foot = slide.shapes.add_textbox(*(inches(v) for v in (0.6, 6.95, 12.1, 0.4))).text_frame
        foot.text = footer
        foot.paragraphs[0].font.size = points(11)
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


def _pptx_table(slide: Any, table: pd.DataFrame, inches: Any, points: Any) -> None:
    """Add the first rows and columns as a table that PowerPoint can edit, and say what is left."""
    shown = table.iloc[:_MOST_ROWS, :_MOST_COLUMNS]
    rows, columns = len(shown) + 1, len(shown.columns)
    place = (inches(v) for v in (0.6, 3.4, 12.1, _ROW_INCHES * rows))
    grid = slide.shapes.add_table(rows, columns, *place).table
    cells = [[capital(str(name)) for name in shown.columns]]
    cells += [[_cell(value) for value in row] for row in shown.itertuples(index=False)]
    for i, line in enumerate(cells):
        for j, text in enumerate(line):
            cell = grid.cell(i, j)
            cell.text = text
            cell.text_frame.paragraphs[0].font.size = points(14)
    if said := omitted(table):
        below = (inches(v) for v in (0.6, 3.4 + _ROW_INCHES * rows + 0.05, 12.1, 0.35))
        note = slide.shapes.add_textbox(*below).text_frame
        note.text = said
        note.paragraphs[0].font.size = points(12)


def omitted(table: pd.DataFrame) -> str:
    """Return what a slide leaves out of a table; empty where it shows all.

    >>> omitted(pd.DataFrame(0, index=range(51), columns=list("abcdefg")))
    'The slide shows 8 of 51 rows and 5 of 7 columns. The table in the app has all of them.'
    >>> omitted(pd.DataFrame(0, index=range(3), columns=list("ab")))
    ''
    """
    rows, columns = table.shape
    left_out = []
    if rows > _MOST_ROWS:
        left_out.append(f"{_MOST_ROWS} of {rows:,} rows")
    if columns > _MOST_COLUMNS:
        left_out.append(f"{_MOST_COLUMNS} of {columns} columns")
    if not left_out:
        return ""
    return f"The slide shows {join_and(left_out)}. The table in the app has all of them."


def _cell(value: Any) -> str:
    if isinstance(value, bool | str):
        return str(value)
    return number(float(value)) if isinstance(value, int | float) else str(value)


def _check(steps: Sequence[Step]) -> None:
    if not steps:
        raise ChoiceError("A presentation needs at least one step; there is none.")


def _bold(text: str) -> str:
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escape(text))
