"""Helpers that know nothing of the subject: arrays, threads, caches, text."""
