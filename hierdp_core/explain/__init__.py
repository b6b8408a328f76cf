"""The steps inside a mechanism, for the pages "How it works" and "Area profile"."""
