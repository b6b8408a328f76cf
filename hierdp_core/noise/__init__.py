"""Noise: what a source of it offers, and the seeded source of demonstrations."""

from hierdp_core.noise.seeded import (
    LARGEST_SCALE,
    NoiseSource,
    SeededNoise,
    discrete_gaussian,
    double_geometric,
    variance,
)

__all__ = [
    "LARGEST_SCALE",
    "NoiseSource",
    "SeededNoise",
    "discrete_gaussian",
    "double_geometric",
    "variance",
]
