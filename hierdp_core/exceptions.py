"""The exceptions for wrong input, which a user can correct.

A message states what is wrong, where, and how to correct it. The app and the command line show it
unchanged. A function of the library may raise a `TypeError` or an `AttributeError` for a value of
another type than it declares. Any other exception that its docstring does not list is a defect of
HierDP.
"""

import re

_LONG_WORD = re.compile(r"(\S{60})\S{61,}")  # longer than any name or path worth repeating


class HierdpError(ValueError):
    """Input that HierDP cannot use, with a message for the person who gave it.

    Very long words in the message, which can only come from the input, are shortened.
    """

    def __str__(self) -> str:
        return _LONG_WORD.sub(r"\1…", super().__str__())


class HierarchyError(HierdpError):
    """The regions do not form a tree in level order, or have no such level or region."""


class TableError(HierdpError):
    """The values of a table are not valid, or contradict what is stated about them."""


class FileError(HierdpError):
    """A file cannot be read, or its content has errors."""


class BudgetError(HierdpError):
    """A privacy budget, or its allocation, is not valid or cannot be spent."""


class ChoiceError(HierdpError):
    """An argument, option or setting is unknown, not valid, or does not fit."""


class SolverError(HierdpError):
    """A solver stopped before it proved an optimum, or its numbers are too large or too uneven."""


class ReleaseError(HierdpError):
    """A release cannot be made, or a ledger or package cannot be used."""
