"""Plotly figures: data in, figure out; each with its table and its text for screen readers.

Figures know nothing of a screen. They take the text colour from the template of whoever
shows them, so they stand on light and on dark ground. Draw them with `style.CONFIG`:
without it Plotly fetches map outlines from the network and shows an empty map when
there is none.
"""

from hierdp_core.figures import (
    audits,
    errors,
    flows,
    lesson_results,
    maps,
    meaning_of_epsilon,
    program,
    published,
    style,
)

__all__ = [
    "audits",
    "errors",
    "flows",
    "lesson_results",
    "maps",
    "meaning_of_epsilon",
    "program",
    "published",
    "style",
]
