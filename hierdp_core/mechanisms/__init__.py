"""Every mechanism, each a frozen configuration: `PgsrCOpt()`, `InfTda(order="descending")`."""

from hierdp_core.mechanisms.base import Mechanism, MechanismInfo, Plan
from hierdp_core.mechanisms.blue_top_down import BlueTopDown, BlueTopDownSizes
from hierdp_core.mechanisms.count_of_counts import (
    CountOfCounts,
    CountOfCountsBottomUp,
    CountOfCountsNaive,
)
from hierdp_core.mechanisms.count_of_counts_joint import CountOfCountsJoint
from hierdp_core.mechanisms.counts import (
    Hay,
    TopDown,
    TreeDp,
)
from hierdp_core.mechanisms.cumulative import (
    PgsrCChain,
    PgsrCDp,
    PgsrCOpt,
    PgsrCRelaxed,
)
from hierdp_core.mechanisms.generic import (
    PgsrC,
    PgsrH,
    PgsrHDpGeneric,
)
from hierdp_core.mechanisms.group_sizes import (
    PgsrHDp,
    PgsrHRelaxed,
    TopDown2018,
)
from hierdp_core.mechanisms.inftda import InfTda, TdaL2, TdaLinf
from hierdp_core.mechanisms.leaf_noise import StabilityHistogram, VanillaGauss
from hierdp_core.mechanisms.options import Option
from hierdp_core.mechanisms.registry import (
    MECHANISMS,
    check_words,
    configured,
    describe,
    get,
    is_recommended,
    names,
    options_of,
    parse,
    recommended,
    warm_up,
)
from hierdp_core.mechanisms.texts import read_text, text_of

__all__ = [
    "MECHANISMS",
    "BlueTopDown",
    "BlueTopDownSizes",
    "CountOfCounts",
    "CountOfCountsBottomUp",
    "CountOfCountsJoint",
    "CountOfCountsNaive",
    "Hay",
    "InfTda",
    "Mechanism",
    "MechanismInfo",
    "Option",
    "PgsrC",
    "PgsrCChain",
    "PgsrCDp",
    "PgsrCOpt",
    "PgsrCRelaxed",
    "PgsrH",
    "PgsrHDp",
    "PgsrHDpGeneric",
    "PgsrHRelaxed",
    "Plan",
    "StabilityHistogram",
    "TdaL2",
    "TdaLinf",
    "TopDown",
    "TopDown2018",
    "TreeDp",
    "VanillaGauss",
    "check_words",
    "configured",
    "describe",
    "get",
    "is_recommended",
    "names",
    "options_of",
    "parse",
    "read_text",
    "recommended",
    "text_of",
    "warm_up",
]


def __dir__() -> list[str]:
    return list(__all__)
