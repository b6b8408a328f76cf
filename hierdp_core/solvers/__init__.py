"""Solvers on trees: arrays in, arrays out, nothing about privacy."""
