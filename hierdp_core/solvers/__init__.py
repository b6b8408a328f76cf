"""Solvers on trees. They take and return arrays and do not involve privacy."""
