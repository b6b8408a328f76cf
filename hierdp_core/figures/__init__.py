"""Plotly figures, each with its table and its text for screen readers.

Figures take the text colour from the template in use, so they suit light and dark backgrounds.
Show them with `style.CONFIG`. Otherwise Plotly fetches outlines of maps from the network, and
shows an empty map without a network.
"""

from hierdp_core.figures import (
    audits,
    deployments,
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
    "deployments",
    "errors",
    "flows",
    "lesson_results",
    "maps",
    "meaning_of_epsilon",
    "program",
    "published",
    "style",
]
