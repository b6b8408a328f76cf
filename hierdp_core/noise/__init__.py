"""Noise sources: their protocol, the seeded one for simulations, the exact one for releases."""

from hierdp_core.noise.exact import ExactNoise, noise_source, representable, require_opendp
from hierdp_core.noise.laws import Cells, discrete_gaussian, double_geometric
from hierdp_core.noise.seeded import (
    LARGEST_SCALE,
    NoiseSource,
    SeededNoise,
    checked_seed,
    variance,
)

__all__ = [
    "LARGEST_SCALE",
    "Cells",
    "ExactNoise",
    "NoiseSource",
    "SeededNoise",
    "checked_seed",
    "discrete_gaussian",
    "double_geometric",
    "noise_source",
    "representable",
    "require_opendp",
    "variance",
]
