"""The start options of the app, which the command passes to the pages in the environment.

Each of these pages exists only if its variable is set. Checking this imports nothing.
"""

LEDGER = "HIERDP_LEDGER"  # the file of `hierdp --ledger FILE`
PACKAGE = "HIERDP_PACKAGE"  # the folder or ZIP of `hierdp --package PACKAGE`
PUBLIC_KEY = "HIERDP_PUBLIC_KEY"  # the file of `hierdp --package PACKAGE --public-key FILE`
RESULT = "HIERDP_RESULT"  # the folder of `hierdp --result DIR`
RESULT_TABLE = "HIERDP_RESULT_TABLE"  # the folder of `hierdp --result DIR --table DIR`
