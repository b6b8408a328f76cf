"""The page Published release: a package for its readers. It knows no table but those in it."""
