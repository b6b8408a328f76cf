"""Releases of tables in parts, which are computed and stored one part at a time."""

from hierdp_core.releases.parts.making import PartitionedRelease, release_parts

__all__ = ["PartitionedRelease", "release_parts"]
