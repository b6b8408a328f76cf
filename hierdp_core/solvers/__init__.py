"""Solvers on trees, which take and return arrays and do not involve privacy."""
