"""Noise: what a source of it offers, and the seeded source of demonstrations."""

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
    "NoiseSource",
    "SeededNoise",
    "checked_seed",
    "discrete_gaussian",
    "double_geometric",
    "variance",
]
