"""The app on this machine: opened on a table from Python, in its own window, or from a menu."""
