"""What the experiments share."""

from collections.abc import Callable

import numpy as np

from hierdp_core.tables import Table

Load = Callable[[str], Table]


def or_dash(value: float, form: str) -> str:
    """`value` in `form`; a dash where there is none."""
    return "–" if np.isnan(value) else form.format(value)
