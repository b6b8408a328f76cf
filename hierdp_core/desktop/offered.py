"""The start options of the app, which the command passes to the pages in the environment.

A page exists if its variable is set, which can be checked without importing anything.
"""

LEDGER = "HIERDP_LEDGER"  # the file of `hierdp --ledger FILE`
PACKAGE = "HIERDP_PACKAGE"  # the folder or ZIP of `hierdp --package PACKAGE`
PUBLIC_KEY = "HIERDP_PUBLIC_KEY"  # the file of `hierdp --package PACKAGE --public-key FILE`
RESULT = "HIERDP_RESULT"  # the folder of `hierdp --result DIR`
RESULT_TABLE = "HIERDP_RESULT_TABLE"  # the folder of `hierdp --result DIR --table DIR`
