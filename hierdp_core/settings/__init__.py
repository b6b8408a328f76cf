"""Settings: what to load, how to protect it, and the texts that say so."""

from hierdp_core.settings.settings import (
    OLD_WORDS,
    Parser,
    Settings,
    add_account_flags,
    add_allocation_flag,
    add_flags,
    add_old_flag,
    current_words,
    merged,
    read_allocation,
    read_options,
    read_seed,
    words_of_flags,
    words_of_toml,
)

__all__ = [
    "OLD_WORDS",
    "Parser",
    "Settings",
    "add_account_flags",
    "add_allocation_flag",
    "add_flags",
    "add_old_flag",
    "current_words",
    "merged",
    "read_allocation",
    "read_options",
    "read_seed",
    "words_of_flags",
    "words_of_toml",
]
