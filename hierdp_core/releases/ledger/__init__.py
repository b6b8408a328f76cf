"""The ledger of an agency: budgets, debits, and a chain of hashes that reveals changed records."""

from hierdp_core.releases.ledger.accounts import Account
from hierdp_core.releases.ledger.ledger import Entry, Head, Ledger, new_id
from hierdp_core.releases.ledger.records import GENESIS, Kind, Record

__all__ = ["GENESIS", "Account", "Entry", "Head", "Kind", "Ledger", "Record", "new_id"]
