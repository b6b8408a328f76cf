"""Plotly figures: data in, figure out; each with its table and its text for screen readers.

Figures know nothing of a screen. They take the text colour from the template of whoever
shows them, so they stand on light and on dark ground. Draw them with `style.CONFIG`:
without it Plotly fetches map outlines from the network and shows an empty map when
there is none.
"""

from hierdp_core.figures import (
    audit,
    by_size,
    chain,
    comparison,
    consistency,
    cost,
    cumulative,
    distance,
    flow_levels,
    flows,
    frequency,
    lessons,
    levels,
    maps,
    matching,
    meaning,
    moves,
    numbers,
    plan,
    regions,
    scale,
    sizes,
    spread,
    stages,
    style,
    tree,
)

__all__ = [
    "audit",
    "by_size",
    "chain",
    "comparison",
    "consistency",
    "cost",
    "cumulative",
    "distance",
    "flow_levels",
    "flows",
    "frequency",
    "lessons",
    "levels",
    "maps",
    "matching",
    "meaning",
    "moves",
    "numbers",
    "plan",
    "regions",
    "scale",
    "sizes",
    "spread",
    "stages",
    "style",
    "tree",
]
