"""A presentation for a meeting: slides in one HTML file, or in a PowerPoint file.

The HTML file contains its charts and script, so it opens without a network. In it, the arrow keys
go forward and back, F fills the screen, and each chart can be saved as PNG or SVG.
"""

import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, Final

import pandas as pd

from hierdp_core.exceptions import ChoiceError
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.embed import figure_json, in_script, plotly_script, templates_json
from hierdp_core.figures.images import png
from hierdp_core.figures.maps import scale
from hierdp_core.figures.slide import enlarged
from hierdp_core.figures.style import CONFIG
from hierdp_core.util.escaping import in_html, visible
from hierdp_core.util.text import capital, file_name, join_and, number

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src data:"
)
_STYLE = """
:root {color-scheme: light; --text: #1c2733; --ground: #fff; --quiet: #5b6875;
 --warn: #b00020; --warn-ground: #ffe9ec}
* {box-sizing: border-box}
html, body {height: 100%; margin: 0}
body {color: var(--text); background: var(--ground); font: min(1.9vw, 3.3vh)/1.35 system-ui,
 sans-serif}
main, .step {height: 100%}
.step {display: none; flex-direction: column; gap: 1vh; padding: 4vh 5vw 3vh}
.step.shown {display: flex}
h1 {font-size: 1.9em; line-height: 1.15; margin: 0; text-wrap: balance}
h1:focus {outline: none}
h1.warn, .warn {color: var(--warn)}
.warn p {background: var(--warn-ground); padding: .4em .8em; border-radius: .25em}
p {margin: 0; max-width: 60em}
.figure {flex: 1; min-height: 0}
.classes [role="img"] {font-size: .55em !important}
footer {display: flex; gap: 1em; align-items: center; color: var(--quiet); font-size: .55em}
footer span {flex: 1}
button {font: inherit; color: inherit; background: none; border: 1px solid var(--quiet);
 border-radius: .25em; padding: .25em .8em; min-height: 28px; cursor: pointer}
@media print {
 :root {--text: #000; --quiet: #444; --warn-ground: #fff}
 html, body, main {height: auto} button {display: none}
 .step, .step.shown {display: flex; break-inside: avoid}
 .step + .step {break-before: page}
}
"""
# A page of the paper is a slide. Lengths are those of the page: browsers differ in vw in print.
_PRINTED = """
@page {{size: {width}px {height}px; margin: 0}}
@media print {{
 body {{font-size: calc({width}px * .019)}}
 .step, .step.shown {{width: {width}px; height: {height}px;
  padding: calc({height}px * .04) calc({width}px * .05) calc({height}px * .03)}}
}}
"""
_SCRIPT = """
const looks = JSON.parse(document.getElementById('looks').textContent);
const steps = [...document.querySelectorAll('.step')];
const SLIDE = JSON.parse(document.getElementById('size').textContent);  // pixels
const DESIGNED = {width: 1280, height: 720};  // window that the sizes of figures are for
let at = Math.min(steps.length, Math.max(1, Number(location.hash.slice(1)) || 1)) - 1;
function grow(figure, k) {
  const layout = figure.layout, larger = font => { if (font && font.size) { font.size *= k; } };
  [layout, layout.legend, ...layout.annotations || []].forEach(one => one && larger(one.font));
  (layout.annotations || []).forEach(one => { if (one.yshift) { one.yshift *= k; } });
  for (const side of ['l', 'r', 't', 'b']) { layout.margin[side] *= k; }
  for (const name of Object.keys(layout).filter(name => /^[xy]axis/.test(name))) {
    larger(layout[name].tickfont);
    if (layout[name].title) { larger(layout[name].title.font); }
  }
}
function draw(box, printed) {
  const figure = JSON.parse(document.getElementById(box.id + '-data').textContent);
  const width = printed ? SLIDE[0] : window.innerWidth;
  const height = printed ? SLIDE[1] : window.innerHeight;
  figure.layout.template = looks.light;
  grow(figure, Math.min(width / DESIGNED.width, height / DESIGNED.height));
  figure.layout.autosize = true;
  if (printed) {
    Object.assign(figure.layout, {width: 0.9 * width, height: 0.55 * height, autosize: false});
  }
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
  if (box) { Plotly.downloadImage(box, {format, filename: box.dataset.name,
    width: SLIDE[0], height: SLIDE[1]}); }
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
let waiting;
addEventListener('resize', () => { clearTimeout(waiting); waiting = setTimeout(() => {
  steps.forEach((step, j) => { const box = step.querySelector('.figure');
    if (box && j !== at) { delete box.dataset.drawn; } else if (box) { draw(box); } }); }, 150); });
addEventListener('beforeprint', () => print(true));
addEventListener('afterprint', () => print(false));
show(at);
"""
SIZES: Final = ((1280, 720), (1920, 1080))  # pixels of slides: width and height
_LONGEST_PROPERTY = 255  # letters of the title of a file, which the library limits
_PER_INCH = 96  # pixels of a slide; 1280 pixels are thus the 13.33 inches of PowerPoint
_MOST_ROWS = 8  # of a table on a slide
_MOST_COLUMNS = 5
_ROW_INCHES = 0.35  # height of a row on a slide


@dataclass(frozen=True, eq=False, kw_only=True)
class Step:
    """One slide.

    Attributes:
        title: the finding of the slide, as a sentence.
        sentences: sentences below the title; **stars** make bold.
        chart: the chart, if any.
        classed: whether the chart is a map of relative error, which has a separate legend.
        undefined: whether some areas of such a map have no relative error.
        warning: whether the slide warns that a claimed guarantee does not hold, in red.
    """

    title: str
    sentences: tuple[str, ...] = ()
    chart: Chart | None = None
    classed: bool = False
    undefined: bool = False
    warning: bool = False


def slides_html(
    title: str,
    steps: Sequence[Step],
    *,
    footer: str,
    size: tuple[int, int] = SIZES[0],
    contains_truth: bool = True,
) -> str:
    """Return the slides as one HTML file, which fills any window and prints one slide per page.

    Args:
        title: the title of the file.
        steps: the slides, at least one.
        footer: the text at the foot of every slide: the source, and any note on true values.
        size: width and height of a printed page and of a saved chart in pixels, one of `SIZES`.
        contains_truth: whether charts contain true values or errors. The file name of a saved
            chart then states this, since the footer is not part of the picture.

    Raises:
        ChoiceError: there is no slide.
    """
    _check(steps)
    mark = "-contains-true-values" if contains_truth else ""
    body = "".join(_slide(step, k, len(steps), footer, mark) for k, step in enumerate(steps))
    style = f"{_STYLE}{_PRINTED.format(width=size[0], height=size[1])}"
    config = in_script(json.dumps(CONFIG))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{in_html(title)}</title><style>{style}</style></head><body><main>{body}</main>"
        f'<script type="application/json" id="looks">{templates_json()}</script>'
        f'<script type="application/json" id="config">{config}</script>'
        f'<script type="application/json" id="size">{json.dumps(size)}</script>'
        f"<script>{plotly_script()}</script><script>{_SCRIPT}</script></body></html>\n"
    )


def _slide(step: Step, k: int, of: int, footer: str, mark: str) -> str:
    warn = ' class="warn"' if step.warning else ""
    sentences = "".join(f"<p>{_bold(sentence)}</p>" for sentence in step.sentences)
    figure = saves = legend = ""
    if step.classed:  # of maps in the light theme, which slides have on any screen
        legend = (
            f'<div class="classes">{scale.SHARED.legend("light", undefined=step.undefined)}</div>'
        )
    if step.chart is not None:
        figure = (
            f'<div class="figure" id="figure-{k}" role="img" data-name="'
            f'{file_name(step.chart.title)[:60] or "figure"}{mark}" '
            f'aria-label="{in_html(step.chart.alt)}"></div>'
            f'<script type="application/json" id="figure-{k}-data">'
            f"{figure_json(enlarged(step.chart).figure)}</script>"
        )
        saves = '<button data-act="png">PNG</button><button data-act="svg">SVG</button>'
    return (
        f'<section class="step"><h1 tabindex="-1"{warn}>{in_html(unbroken(step.title))}</h1>'
        f"<div{warn}>{sentences}</div>{figure}{legend}"
        f"<footer><span>{in_html(footer)}</span>{saves}"
        '<button data-act="back" aria-label="Previous slide">←</button>'
        f"{k + 1} / {of}"
        '<button data-act="on" aria-label="Next slide">→</button>'
        '<button data-act="whole">Full screen (F)</button></footer></section>'
    )


def unbroken(title: str) -> str:
    """Return a title in which no line ends inside an equation."""
    return title.replace(" = ", "\u00a0=\u00a0")


def slides_pptx(
    steps: Sequence[Step], *, footer: str, size: tuple[int, int] = SIZES[0], pictures: bool = False
) -> bytes:
    """Return the slides as a PowerPoint file, with each chart as a picture or a table.

    Args:
        steps: the slides, at least one.
        footer: the text at the foot of every slide.
        size: width and height of a slide in pixels, one of `SIZES`.
        pictures: whether to add the charts as pictures, which also needs the extra "images".
            Otherwise each chart is replaced by a table of its first numbers.

    Raises:
        ChoiceError: there is no slide, or an extra is not installed.
    """
    _check(steps)
    try:
        pptx = import_module("pptx")
    except ImportError as error:
        raise ChoiceError(
            'PowerPoint files need the extra "slides". Install it in the folder of the '
            'repository: pip install ".[slides]".'
        ) from error
    deck = pptx.Presentation()
    page = _Page(
        pptx=pptx, width=size[0] / _PER_INCH, height=size[1] / _PER_INCH, pictures=pictures
    )
    deck.slide_width, deck.slide_height = page.inches(page.width), page.inches(page.height)
    for step in steps:
        page.fill(deck.slides.add_slide(deck.slide_layouts[5]), step, footer)
    # The library's template names its author and a day of 2013.
    about, now = deck.core_properties, datetime.now(UTC)
    about.title = steps[0].title[:_LONGEST_PROPERTY]
    about.author = about.last_modified_by = "HierDP"
    about.created = about.modified = now
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


@dataclass(frozen=True, kw_only=True)
class _Page:
    """The layout of slides. Positions are in inches at the smaller size, and scaled for others.

    Attributes:
        pptx: the library.
        width, height: the size of a slide in inches.
        pictures: whether charts are pictures.
    """

    pptx: Any
    width: float
    height: float
    pictures: bool

    @property
    def larger(self) -> float:
        return self.width * _PER_INCH / SIZES[0][0]

    def inches(self, value: float) -> Any:
        return import_module("pptx.util").Inches(value)

    def place(self, *values: float) -> tuple[Any, ...]:
        """Return left, top, width and height, scaled to the size of the slide."""
        return tuple(self.inches(value * self.larger) for value in values)

    def points(self, value: float) -> Any:
        return import_module("pptx.util").Pt(round(value * self.larger))

    def colour(self, code: str) -> Any:
        return import_module("pptx.dml.color").RGBColor.from_string(code.lstrip("#").upper())

    def fill(self, slide: Any, step: Step, footer: str) -> None:
        title = slide.shapes.title
        title.left, title.top, title.width, title.height = self.place(0.6, 0.25, 12.1, 1.2)
        title.text = visible(step.title)
        head = title.text_frame.paragraphs[0]
        head.font.size, head.font.bold = self.points(32), True
        head.alignment = import_module("pptx.enum.text").PP_ALIGN.LEFT
        if step.warning:
            head.font.color.rgb = self.colour("B00020")
        lines = [sentence.replace("**", "") for sentence in step.sentences]
        self.write(slide, lines, 20, (0.6, 1.45, 12.1, 1.2))
        if step.chart is not None and self.pictures:
            self.draw(slide, step.chart, classed=step.classed, undefined=step.undefined)
        elif step.chart is not None and step.chart.table is not None:
            self.tabulate(slide, step.chart.table)
        self.write(slide, [footer], 11, (0.6, 7.0, 12.1, 0.4))

    def write(
        self, slide: Any, lines: Sequence[str], size: float, place: tuple[float, ...]
    ) -> None:
        box = slide.shapes.add_textbox(*self.place(*place)).text_frame
        box.word_wrap = True
        for k, text in enumerate(lines):
            line = box.paragraphs[0] if k == 0 else box.add_paragraph()
            line.text = visible(text)
            line.font.size = self.points(size)

    def draw(self, slide: Any, chart: Chart, *, classed: bool, undefined: bool) -> None:
        """Add the chart as a picture in large type, and the classes of a map below it."""
        left, top, width, height = 0.6, 2.65, 12.1, 3.7 if classed else 4.3
        figure = enlarged(chart.inked("light")).figure
        figure.update_layout(template="plotly_white", paper_bgcolor="white")
        data = png(
            figure,
            width=round(width * _PER_INCH),
            height=round(height * _PER_INCH),
            scale=self.larger,
        )
        picture = slide.shapes.add_picture(io.BytesIO(data), *self.place(left, top, width, height))
        picture.name = chart.title[:60]
        picture._element.nvPicPr.cNvPr.set("descr", chart.alt)
        if classed:
            self.legend(slide, left, top + height + 0.1, width, undefined=undefined)

    def legend(self, slide: Any, left: float, top: float, width: float, *, undefined: bool) -> None:
        entries = [*zip(scale.SHARED.colours("light"), scale.SHARED.labels, strict=True)]
        if undefined:
            entries.append((scale.UNDEFINED["light"], scale.UNDEFINED_LABEL))
        step = width / len(entries)
        for k, (colour, label) in enumerate(entries):
            box = slide.shapes.add_shape(1, *self.place(left + k * step, top, step, 0.14))
            box.fill.solid()
            box.fill.fore_color.rgb = self.colour(colour)
            box.line.color.rgb = self.colour("999999")
            self.write(slide, [label], 12, (left + k * step, top + 0.1, step, 0.3))

    def tabulate(self, slide: Any, table: pd.DataFrame) -> None:
        """Add the first rows and columns as a table, and a sentence on what is left out."""
        shown = table.iloc[:_MOST_ROWS, :_MOST_COLUMNS]
        rows, columns = len(shown) + 1, len(shown.columns)
        grid = slide.shapes.add_table(
            rows, columns, *self.place(0.6, 3.2, 12.1, _ROW_INCHES * rows)
        ).table
        cells = [[capital(str(name)) for name in shown.columns]]
        cells += [[_cell(value) for value in row] for row in shown.itertuples(index=False)]
        for i, line in enumerate(cells):
            for j, text in enumerate(line):
                cell = grid.cell(i, j)
                cell.text = text
                cell.text_frame.paragraphs[0].font.size = self.points(14)
        if left_out := omitted(table):
            self.write(slide, [left_out], 12, (0.6, 3.25 + _ROW_INCHES * rows, 12.1, 0.35))


def omitted(table: pd.DataFrame) -> str:
    """Return a sentence on what a slide leaves out of a table; empty if it shows all.

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
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return number(float(value)) if isinstance(value, int | float) else str(value)


def _check(steps: Sequence[Step]) -> None:
    if not steps:
        raise ChoiceError("A presentation needs at least one slide. Add a slide first.")


def _bold(text: str) -> str:
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", in_html(text))
