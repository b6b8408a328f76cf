"""The page Release: one private release of a file on this machine, for the owner of a ledger."""
