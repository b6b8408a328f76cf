"""The samples: tables to experiment with, each with a statement of what is real.

>>> load("running-example").table.values[0].tolist()
[0, 3, 1, 2, 0, 0]
"""

from hierdp_core.samples.registry import describe, load, names
from hierdp_core.samples.sample import OWN, Sample, SampleInfo

__all__ = ["OWN", "Sample", "SampleInfo", "describe", "load", "names"]


def __dir__() -> list[str]:
    return list(__all__)
