"""What tests of releases share: a small table, a ledger, and noise that is known."""

from dataclasses import replace

import numpy as np

from hierdp_core.hierarchy import Regions
from hierdp_core.privacy import GaussianEvent
from hierdp_core.releases.ledger import Ledger
from hierdp_core.tables import Counts, Flows, GroupSizes

PARENTS = {"all": None, "a": "all", "b": "all", "a1": "a", "a2": "a", "b1": "b"}
LEVELS = ("country", "district", "parish")
BUDGETS = {"pure": {"epsilon": 1}, "zcdp": {"rho": 1}}

IN_A_MESSAGE = "98765432109876543210"  # a number that no random id or hash contains


def regions():
    return Regions.from_parents(PARENTS, levels=LEVELS)


def small_table(kind="counts", where=None):
    """A table of a kind with a few records in every leaf."""
    places = regions() if where is None else where
    if kind == "group-sizes":
        return GroupSizes.from_leaves(places, [[2, 5, 1, 0], [1, 0, 3, 1], [0, 4, 0, 2]])
    if kind == "flows":
        return Flows.from_pairs(places, places, [0, 0, 1, 2], [0, 1, 2, 0], [9, 4, 30, 2])
    return Counts.from_leaves(places, [40, 17, 230])


def new_ledger(folder, **budget):
    """A ledger with the dataset "pop"."""
    ledger = Ledger(folder / "agency.db")
    ledger.add_dataset("pop", **(budget or {"epsilon": 100}))
    return ledger


class InjectedNoise:
    """Gives every event the noisy numbers that were stated for it, whatever the table has.

    The noise is what is missing to them, so two tables get the same measurements.
    """

    def __init__(self, seed):
        self._seed, self._place = seed, 0

    def draw(self, event, shape, cells=None):
        self._place += 1
        rng = np.random.default_rng((self._seed, self._place))
        spread = 3 if isinstance(event, GaussianEvent) else 5
        return rng.integers(-spread, 30, size=shape).view(_Instead)


class _Instead(np.ndarray):
    """Added to exact answers it gives itself."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        if ufunc is np.add and method == "__call__" and out is None:
            return np.array(self.view(np.ndarray), dtype=np.int64)
        plain = [x.view(np.ndarray) if isinstance(x, _Instead) else x for x in inputs]
        return getattr(ufunc, method)(*plain, **kwargs)


def without_times(entry):
    """An entry whose ids, times and hashes are those of no run."""
    fixed = {"time": "2030-01-01T00:00:00Z", "previous": "0" * 64, "hash": "f" * 64}
    return replace(
        entry,
        release="0" * 32,
        reserved=replace(entry.reserved, **fixed),
        last=replace(entry.last, **fixed),
    )


def new_key(folder, name, *, passphrase=None):
    """A private key in a file of its owner, and its public key beside it."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    pem = serialization.Encoding.PEM
    key = Ed25519PrivateKey.generate()
    hidden = (
        serialization.BestAvailableEncryption(passphrase)
        if passphrase
        else serialization.NoEncryption()
    )
    private, public = folder / name, folder / f"{name}.pub"
    private.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, hidden))
    private.chmod(0o600)
    public.write_bytes(
        key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    return private, public
