"""The published package: tables with margins, a certificate, and the hash of every file."""

from hierdp_core.releases.package.reading import Package, open_release

__all__ = ["Package", "open_release"]
