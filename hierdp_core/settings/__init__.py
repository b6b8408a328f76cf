"""Settings: what to load, how to protect it, and the texts that say so."""

from hierdp_core.settings.settings import (
    Parser,
    Settings,
    add_flags,
    merged,
    read_options,
    read_shares,
    words_of_flags,
    words_of_toml,
)

__all__ = [
    "Parser",
    "Settings",
    "add_flags",
    "merged",
    "read_options",
    "read_shares",
    "words_of_flags",
    "words_of_toml",
]
