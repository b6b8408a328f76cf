"""Release mode: exactly sampled noise, a ledger that is debited first, packages and margins.

Releases share no noise with simulations. A package depends on the exact table only through noisy
measurements, and through the facts that are treated as public.
"""

from hierdp_core.releases.ledger import Account, Entry, Ledger
from hierdp_core.releases.making import Release, release
from hierdp_core.releases.margins import Interval, Margins
from hierdp_core.releases.package import Package, open_release

__all__ = [
    "Account",
    "Entry",
    "Interval",
    "Ledger",
    "Margins",
    "Package",
    "Release",
    "open_release",
    "release",
]
