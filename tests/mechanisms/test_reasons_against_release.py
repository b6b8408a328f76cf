"""The reason against a release names exactly the properties that a mechanism lacks."""

import pytest

from hierdp_core.mechanisms import TreeDp


@pytest.mark.parametrize(
    ("consistent", "valid", "integral", "reason"),
    [
        (True, True, True, ""),
        (True, True, False, "Its numbers may be fractional."),
        (True, False, True, "Its numbers may be negative."),
        (True, False, False, "Its numbers may be negative or fractional."),
        (False, True, True, "Its numbers may not add up across levels."),
    ],
)
def test_the_reason_names_what_a_mechanism_lacks(consistent, valid, integral, reason):
    properties = {"consistent": consistent, "valid": valid, "integral": integral}
    assert type("Own", (TreeDp,), properties).reason_against_release() == reason
