"""What the signature of a package shows, on every page that shows a package."""

from hierdp_core.releases import Package
from hierdp_core.releases.package.signatures import Signature

_SIGNED = {
    Signature.NONE: "The package is not signed. Its hashes show that no file was changed since "
    "its certificate was written. They do not show who wrote it.",
    Signature.UNCHECKED: "The package has a file for a signature, which was not checked, because "
    "no public key was given. It does not show who wrote the package. Check it with "
    "`hierdp --package PACKAGE --public-key FILE`.",
    Signature.VALID: "The package is signed, and the signature fits the given public key.",
}


def signed(package: Package) -> str:
    """Return what the signature of the package shows about its author."""
    return _SIGNED[package.signature]
