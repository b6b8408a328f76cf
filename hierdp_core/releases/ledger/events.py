"""Events as plain values for a ledger, and back, exactly."""

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from hierdp_core.exceptions import ReleaseError
from hierdp_core.privacy import Event, GaussianEvent, GeometricEvent, ThresholdEvent

_KINDS: dict[str, type[Event]] = {
    "two-sided geometric": GeometricEvent,
    "discrete Gaussian": GaussianEvent,
    "two-sided geometric above a threshold": ThresholdEvent,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_FRACTIONS = ("scale", "sigma2")


def event_as_dict(event: Event) -> dict[str, Any]:
    """Return an event as values for JSON; fractions are texts such as "10/3"."""
    values = {field.name: getattr(event, field.name) for field in fields(event)}
    for name in _FRACTIONS:
        if name in values:
            values[name] = str(values[name])
    if "threshold" in values:
        values["threshold"] = float(values["threshold"]).hex()
    if "shapes" in values:
        values["shapes"] = [list(shape) for shape in values["shapes"]]
    return {"noise": _NAMES[type(event)], **values}


def event_from_dict(values: Mapping[str, Any]) -> Event:
    """Return the event from the values of `event_as_dict`.

    Raises:
        ReleaseError: the kind of noise is unknown, as in a ledger of a later version of HierDP.
    """
    words = dict(values)
    kind = _KINDS.get(words.pop("noise", ""))
    if kind is None:
        raise ReleaseError(
            f"The ledger contains an unknown kind of noise: {values.get('noise')}. Use the version "
            "of HierDP that wrote it."
        )
    for name in _FRACTIONS:
        if name in words:
            words[name] = Fraction(words[name])
    if "threshold" in words:
        words["threshold"] = float.fromhex(words["threshold"])
    if "shapes" in words:
        words["shapes"] = tuple(tuple(shape) for shape in words["shapes"])
    return kind(**words)
