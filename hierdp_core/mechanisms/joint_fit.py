"""What mechanisms that fit all regions at once have in common."""

from typing import Any

from hierdp_core.mechanisms.options import option
from hierdp_core.solvers.row_fits import RowFit


def row_fit_option(default: RowFit) -> Any:
    """The field that says what the joint program is fitted to."""
    return option(
        default,
        title="Each region first",
        about=(
            "Before all regions are fitted jointly, each row is made to rise by itself: by medians "
            "(l1), by means (l2), or as the average of the two (both). noisy leaves this step out."
        ),
        choices=("both", "l1", "l2", "noisy"),
    )
