"""Helpers that do not depend on the subject: arrays, threads, caches, text."""
