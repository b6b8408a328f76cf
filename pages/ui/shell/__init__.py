"""Modules that all pages share: frame, session, address, controls, jobs and charts."""
