"""Settings of a simulation (its table, mechanism, budget and seed), and their forms as text."""

from hierdp_core.settings.codecs import budget_call, words_of_toml
from hierdp_core.settings.flags import (
    Parser,
    add_account_flags,
    add_allocation_flag,
    add_flags,
    add_old_flag,
    add_synthetic_flag,
    words_of_flags,
)
from hierdp_core.settings.settings import Settings, unknown_setting
from hierdp_core.settings.words import (
    ACCOUNT,
    BUDGET,
    OLD_WORDS,
    current_words,
    merged,
    read_allocation,
    read_options,
    read_seed,
)

__all__ = [
    "ACCOUNT",
    "BUDGET",
    "OLD_WORDS",
    "Parser",
    "Settings",
    "add_account_flags",
    "add_allocation_flag",
    "add_flags",
    "add_old_flag",
    "add_synthetic_flag",
    "budget_call",
    "current_words",
    "merged",
    "read_allocation",
    "read_options",
    "read_seed",
    "unknown_setting",
    "words_of_flags",
    "words_of_toml",
]
