"""The pieces of Presentation: the settings, one step in large type, and the files."""

from dataclasses import replace
from importlib.util import find_spec

import pandas as pd
import streamlit as st

from hierdp_core.evaluation.exploring import Exploration
from hierdp_core.figures import images, slide
from hierdp_core.figures.style import Theme
from hierdp_core.samples.sample import OWN
from hierdp_core.settings import Settings
from hierdp_core.util.marks import truth_mark
from hierdp_core.util.text import capital, paragraph
from hierdp_core.writers.story import SIZES, Step, slides_html, slides_pptx, unbroken
from pages.ui.impact.address import ImpactAddress
from pages.ui.presentation import presentation_words, story
from pages.ui.presentation.address import STEPS, PresentationAddress
from pages.ui.shell import (
    address,
    charts,
    datasets,
    frame,
    geometry,
    inputs,
    jobs,
    parts,
    tables,
    words,
    work,
)
from pages.ui.shell.address import View
from pages.ui.shell.cache import remembered
from pages.ui.shell.session import Key
from pages.ui.shell.work import Drawn

# All slides are stacked and one is visible, so a change of slides renders nothing again.
_PILE = """<style>
.st-key-slides {display: grid}
.st-key-slides > * {grid-area: 1 / 1; min-width: 0; min-height: 0}
</style>"""
# Streamlit makes elements visible even within a hidden container.
_VISIBLE = """<style>
[class*="st-key-slide-"]:not(.st-key-slide-{step}) {{visibility: hidden}}
[class*="st-key-slide-"]:not(.st-key-slide-{step}) * {{visibility: hidden !important}}
</style>"""
# A slide fills the window: its type and gaps grow with it, and the chart takes what is left.
_LARGE = f"""<style>
[data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stExpandSidebarButton"],
[data-testid="stLayoutWrapper"]:has(> .st-key-terms),
[data-testid="stHorizontalBlock"]:has([class*="st-key-{Key.FIND}"]) {{display: none}}
[data-testid="stMain"] {{overflow: hidden}}
[data-testid="stMainBlockContainer"] {{--em: min(1.9vw, 3.3vh); max-width: none; padding: 0}}
.st-key-stage {{position: fixed; inset: 0; height: auto; padding: 3.5vh 4vw 1.5vh;
 gap: 1.4vh; background: var(--st-background-color)}}
.st-key-stage > *, [class*="st-key-slide-"] > * {{flex-shrink: 0}}
.st-key-stage > :has(.st-key-slides), [class*="st-key-slide-"] > :has(.js-plotly-plot)
 {{flex: 1 1 0 !important; min-height: 0}}
.st-key-slides {{height: 100%; grid-template-rows: minmax(0, 1fr)}}
.st-key-slides > * {{display: flex; height: 100%}}
[class*="st-key-slide-"] {{flex: 1; min-width: 0; min-height: 0; height: auto; gap: 1.4vh}}
.st-key-stage h1 {{font-size: calc(1.9 * var(--em)); line-height: 1.15; padding: 0;
 text-wrap: balance}}
.st-key-stage [data-testid="stMarkdownContainer"] {{margin-bottom: 0}}
.st-key-stage p {{font-size: var(--em); line-height: 1.35}}
.st-key-stage [role="img"] {{font-size: calc(.7 * var(--em)) !important}}
.st-key-stage [data-testid="stCaptionContainer"] p {{font-size: max(12px, .55 * var(--em))}}
.st-key-stage button p {{font-size: max(14px, .65 * var(--em))}}
</style>"""


def show() -> None:
    """Show the page."""
    here = address.view().of(PresentationAddress)
    if here.large:
        st.html(_LARGE)
        view = address.view()
    else:
        view, _ = inputs.view()
        frame.part(_settings_file)()
    address.write(here.full_query(view))
    drawn = work.one_simulation(view.settings)
    _, job = work.simulations(view, drawn)
    # Read before the slides are shown, because the job may end meanwhile.
    every = jobs.beat(job.seconds) if job is not None and job.running else None
    with st.container(key="stage" if here.large else "steps"):
        n_simulations = _slides(view, drawn, here)
        frame.part(_place)(view, drawn, n_simulations)
    if every is not None:
        frame.part(_waiting, every=every)(view, drawn)
    if not here.large:
        _files(view, drawn)
        st.caption(presentation_words.HELP)


def _slides(view: View, drawn: Drawn, here: PresentationAddress) -> int:
    """Show the slides, beginning with the visible one. Return the number of simulations."""
    explored, _ = work.simulations(view, drawn)
    aim = view.of(ImpactAddress)  # the only page state that the steps depend on
    name = f"{drawn.digest}\n{explored.n} {aim}"
    mark = truth_mark(confidential=datasets.is_confidential(drawn.sample))
    st.html(_PILE)
    with st.container(key="slides"):
        slides = [st.container(key=f"slide-{step}") for step in range(1, STEPS + 1)]
    for step in sorted(range(1, STEPS + 1), key=lambda step: step != here.step):
        with slides[step - 1]:
            shown = _step(name, step - 1, charts.theme(), mark, view, drawn, explored)
            _slide(shown, drawn, step, large=here.large)
    return explored.n


def _place(view: View, drawn: Drawn, n_simulations: int) -> None:
    """Make one slide visible, with its buttons; only this part runs again when one is pressed."""
    here = address.view().of(PresentationAddress)
    st.html(_VISIBLE.format(step=here.step))
    mark = truth_mark(confidential=datasets.is_confidential(drawn.sample))
    footer = presentation_words.footer(
        parts.source(drawn.sample),
        capital(words.simulations_words(n_simulations, view.n_simulations)),
        f"{capital(mark)}.",
    )
    with st.container(horizontal=True, vertical_alignment="center", wrap=not here.large):
        if here.large:
            st.caption(f"Step {here.step} of {STEPS}. {footer}", width="stretch")
        _buttons(here)
    if not here.large:
        st.caption(f"Step {here.step} of {STEPS}. {footer}")


@remembered(max_entries=60)
def _step(
    digest: str,
    k: int,
    theme: Theme,
    mark: str,
    _view: View,
    _drawn: Drawn,
    _explored: Exploration,
) -> Step:
    """Return a step, kept in the cache because a speaker goes back and forth."""
    return story.step(
        k, _view, _drawn, _explored, lambda level: geometry.of(_drawn.sample, level), theme, mark
    )


def _buttons(here: PresentationAddress) -> None:
    st.button(
        "Back",
        icon=":material/arrow_back:",
        shortcut="Left",
        on_click=_go,
        args=(-1,),
        disabled=here.step == 1,
    )
    st.button(
        "Next",
        icon=":material/arrow_forward:",
        shortcut="Right",
        on_click=_go,
        args=(1,),
        disabled=here.step == STEPS,
    )
    if st.button(
        "End" if here.large else f"Present, step {here.step} of {STEPS}",
        icon=":material/present_to_all:",
        shortcut="Esc" if here.large else None,
        type="secondary" if here.large else "primary",
    ):
        address.keep(address.view().having(replace(here, large=not here.large)))
        st.rerun()


def _waiting(view: View, drawn: Drawn) -> None:
    """Keep the simulations running; the page runs again once, when all are complete."""
    _, job = work.simulations(view, drawn)
    if job is None or not job.running:
        st.rerun()
    else:
        job.look()
        st.progress(job.share, text=words.simulations_words(job.done, job.total))


def _slide(shown: Step, drawn: Drawn, step: int, *, large: bool) -> None:
    title = unbroken(shown.title).replace("$", "\\$")
    with st.container(key=f"warned-{step}" if shown.warning else f"plain-{step}"):
        st.title(title, anchor=False)
    for k, sentence in enumerate(shown.sentences):
        text = sentence.replace("$", "\\$")
        if shown.warning and k == 0:
            st.error(text, icon=":material/warning:")
        else:
            st.markdown(text)
    if shown.chart is None:
        return
    charts.show(
        slide.enlarged(shown.chart) if large else shown.chart,
        key=f"large-step-{step}" if large else f"step-{step}",
        file_name="presentation-contains-true-values",
        table_in=presentation_words.TABLE_OUTSIDE if large else None,
        beneath=(lambda: parts.legend(drawn)) if shown.classed else None,
        draw_table=_table,
        height="stretch" if large else "content",
    )


def _table(frame: pd.DataFrame) -> None:
    """Show the table of a step, with proportions as percentages and without empty columns."""
    cells = frame.dropna(axis="columns", how="all")
    config = tables.columns(cells)
    for name in story.shares_of(cells):
        cells = cells.assign(**{name: 100 * cells[name]})
        config[name] = st.column_config.NumberColumn(capital(name), format="%.3g%%")
    titles = {"name": "Area"} | parts.NUMBERS
    config |= {name: title for name, title in titles.items() if name in cells}
    tables.grid(cells, hide_index=True, column_config=config)


def _go(by: int) -> None:
    view = address.view()
    here = view.of(PresentationAddress)
    step = min(STEPS, max(1, here.step + by))
    seen = view.having(replace(here, step=step))
    address.keep(seen)
    address.write(seen.of(PresentationAddress).full_query(seen))


def _settings_file() -> None:
    """Take the settings from a file."""
    with st.expander("Open a settings file (TOML)", key=Key.SETTINGS_FILE, on_change="rerun"):
        file = st.file_uploader("Settings file", type="toml", label_visibility="collapsed")
        if file is not None and st.button("Use these settings"):
            settings = Settings.from_toml(file.getvalue().decode("utf-8", errors="replace"))
            there = View.from_query(settings.to_query())  # checked against the data, like a link
            seen = address.view()
            if settings.sample != seen.settings.sample:
                seen = seen.with_sample(settings.sample)
            address.go(replace(seen.at_root(), settings=there.settings))
            st.rerun()


def _files(view: View, drawn: Drawn) -> None:
    """Offer the presentation as files."""
    explored, _ = work.simulations(view, drawn)
    confidential = datasets.is_confidential(drawn.sample)
    mark = truth_mark(confidential=confidential)
    footer = presentation_words.footer(
        parts.source(drawn.sample),
        capital(words.simulations_words(explored.n, explored.n)),
        f"{capital(mark)}.",
    )
    name = f"presentation-contains-true-values-{drawn.sample.id}"

    # Results from a visitor's own data can be read only while the page is drawn.
    made = story.every(view, drawn, explored, "light", mark) if drawn.sample.id == OWN else None

    def steps() -> list[Step]:
        return story.every(view, drawn, explored, "light", mark) if made is None else made

    with st.container(horizontal=True, vertical_alignment="bottom"):
        sizes = {f"{width}×{height}": (width, height) for width, height in SIZES}
        chosen = st.segmented_control(
            "Size of slides and pictures",
            list(sizes),
            default=next(iter(sizes)),
            required=True,
            help="The size in pixels. It applies to slides in PowerPoint, to pages that are "
            "printed or saved as PDF from the HTML file, and to charts that are saved from it.",
        )
        size = sizes[chosen or next(iter(sizes))]
        st.download_button(
            "Download slides (HTML)",
            lambda: slides_html(steps()[0].title, steps(), footer=footer, size=size),
            file_name=f"{name}.html",
            mime="text/html",
            on_click="ignore",
            help="One file that opens without a network, with arrow keys, full screen, and every "
            "chart as PNG or SVG. Printed or saved as PDF, each slide fills a page.",
        )
        installed, drawable = find_spec("pptx") is not None, images.available()
        st.download_button(
            "Download slides (PowerPoint)",
            (lambda: slides_pptx(steps(), footer=footer, size=size, pictures=drawable))
            if installed
            else b"",
            file_name=f"{name}.pptx",
            mime="application/vnd.openxmlformats-officedocument.presentationml.presentation",
            on_click="ignore",
            disabled=not installed,
            help=paragraph(
                "Titles and sentences that PowerPoint can edit, with a picture of each chart."
                if drawable
                else "Titles, sentences and tables that PowerPoint can edit. Pictures of the "
                'charts need the extra "images". Install it in the folder of the repository: '
                'pip install ".[images]".',
                ""
                if installed
                else 'This file needs the extra "slides". Install it in the folder of the '
                'repository: pip install ".[slides]".',
            ),
        )
    if confidential:
        st.warning(words.CONFIDENTIAL_FILES, icon=":material/lock:")
