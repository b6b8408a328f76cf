"""People's own files: tables, hierarchies and boundaries, with one report of all faults."""
