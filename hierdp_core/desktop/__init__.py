"""The app on this machine: opened on a table from Python, in a window of its own, from a menu."""
