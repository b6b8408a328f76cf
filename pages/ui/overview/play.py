"""Maps of one simulation after another, which show how much errors differ between releases."""

from pathlib import Path

import streamlit as st

from hierdp_core.evaluation.exploring import Exploration
from hierdp_core.figures.maps.error_map import BORDER
from hierdp_core.figures.maps.frames import class_digits
from hierdp_core.figures.maps.scale import RAMPS, UNDEFINED
from pages.ui.overview import overview_words
from pages.ui.shell import charts, geometry, words
from pages.ui.shell.work import Drawn

_MOST = 50  # simulations; more would only take longer to send
_HTML = """<div class="maps"></div>
<p><button type="button" class="toggle">Play</button>
<button type="button" class="next">Next</button> <span class="count"></span></p>"""
_CSS = """.maps {display: grid; gap: 1.5rem; grid-template-columns: repeat(var(--across), 1fr)}
@media (max-width: 640px) {.maps {grid-template-columns: 1fr}}
figure {margin: 0; min-width: 0; font: 0.875rem var(--st-font); color: var(--st-text-color)}
@media (min-width: 641px) {figcaption {display: none}}
canvas {width: 100%}
p {font: 0.875rem var(--st-font); color: var(--st-text-color); margin: 0.5rem 0 0}
button {font: inherit; color: inherit; background: var(--st-secondary-background-color);
 border: 1px solid var(--st-border-color); border-radius: 0.25rem; padding: 0.25rem 0.75rem;
 min-height: 2rem; cursor: pointer}"""
_component = st.components.v2.component(
    "hierdp-play",
    html=_HTML,
    css=_CSS,
    js=(Path(__file__).parent / "play.js").read_text(encoding="utf-8"),
)


def simulations(drawn: Drawn, explored: Exploration, *, across: int) -> None:
    """Show the simulations so far, up to fifty, as maps that follow one another.

    Args:
        drawn: one of the simulations.
        explored: all of them.
        across: the number of maps side by side.
    """
    theme = charts.theme()
    maps = []
    for k, level in enumerate(drawn.levels):
        areas = explored.counts.of_level(level)
        layer, title = geometry.of(drawn.sample, k), words.level_title(len(areas.ids), level)
        maps.append(
            {
                "polygons": layer.polygons,
                "ids": list(areas.ids),
                "frames": class_digits(areas, most=_MOST),
                "title": title,
                "alt": overview_words.play_alt(title),
            }
        )
    _component(
        key="play",
        data={
            "maps": maps,
            "across": across,
            "box": list(drawn.sample.boundaries.box),
            "colours": [*RAMPS[theme], UNDEFINED[theme]],
            "border": BORDER[theme],
            "total": min(explored.n, _MOST),
        },
    )
    st.caption(geometry.of(drawn.sample, 0).caption)
