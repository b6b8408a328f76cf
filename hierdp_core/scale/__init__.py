"""Tables larger than memory: partitioned, simulated part by part, on one machine or a cluster."""

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
