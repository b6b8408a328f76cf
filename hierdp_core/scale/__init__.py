"""Tables in parts, which may be larger than memory: written, simulated and read part by part."""

from hierdp_core.scale.blocks import write_us_blocks
from hierdp_core.scale.looking import read_area
from hierdp_core.scale.partitioned import PartitionedTable
from hierdp_core.scale.simulating import PartitionedSimulation, plan_parts, simulate_parts

__all__ = [
    "PartitionedSimulation",
    "PartitionedTable",
    "plan_parts",
    "read_area",
    "simulate_parts",
    "write_us_blocks",
]
