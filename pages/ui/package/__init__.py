"""The page Published release: a package for its readers. All tables come from the package."""
