"""The samples: tables to experiment with, each with a statement of what is real.

>>> load("running-example").table.values[0].tolist()
[0, 3, 1, 2, 0, 0]
"""

from threading import RLock

from hierdp_core.exceptions import ChoiceError
from hierdp_core.samples.italy import ITALY
from hierdp_core.samples.rhode_island import RHODE_ISLAND
from hierdp_core.samples.sample import Recipe, Sample, SampleInfo
from hierdp_core.samples.synthetic_flows import SYNTHETIC_FLOWS
from hierdp_core.samples.taxi import TAXI
from hierdp_core.samples.us import HOUSEHOLDS, POPULATION, RUNNING_EXAMPLE
from hierdp_core.samples.us_national import HOUSEHOLDS_NATIONAL
from hierdp_core.util.progress import NamedProgressOption, reporting
from hierdp_core.util.text import join_or

__all__ = ["Sample", "SampleInfo", "describe", "load", "names"]

_RECIPES = {
    recipe.info.id: recipe
    for recipe in (
        HOUSEHOLDS,
        HOUSEHOLDS_NATIONAL,
        POPULATION,
        TAXI,
        RUNNING_EXAMPLE,
        ITALY,
        RHODE_ISLAND,
        *SYNTHETIC_FLOWS,
    )
}

_IN_PARTS = "us-blocks"  # made part by part, and never loaded
_loaded: dict[str, Sample] = {}
_loading = RLock()


def names() -> tuple[str, ...]:
    """Return the ids of all samples."""
    return tuple(_RECIPES)


def describe(id: str) -> SampleInfo:
    """Return the description of the sample with this id.

    Raises:
        ChoiceError: there is no sample with this id.
    """
    return _recipe(id).info


def load(id: str, progress: NamedProgressOption = None) -> Sample:
    """Return the sample with this id. Every call returns the same object.

    Args:
        id: one of `names()`.
        progress: True for a progress bar, or a function that is called as (done, total, name of
            the current step) if generating the sample takes some time.

    Raises:
        ChoiceError: there is no such sample.
    """
    recipe = _recipe(id)
    with _loading:
        if id not in _loaded:
            with reporting(progress, "steps") as report:
                _loaded[id] = recipe.sample(report)
        return _loaded[id]


def loaded() -> tuple[Sample, ...]:
    """Return the samples that have been loaded so far."""
    with _loading:
        return tuple(_loaded.values())


def _recipe(id: str) -> Recipe:
    if id == _IN_PARTS:
        raise ChoiceError(
            f"The sample {id} is a table in parts. Write it with `hierdp parts write`, and "
            "simulate it with `hierdp parts simulate`."
        )
    if id not in _RECIPES:
        raise ChoiceError(f'There is no sample "{id}". Choose {join_or(list(_RECIPES))}.')
    return _RECIPES[id]
