"""Signatures of packages: they show who published a package, and hashes show that it is complete.

`certificate.json`, which contains the hash of every other file, is signed. The signature is an
Ed25519 signature (RFC 8032) of the library `cryptography`, 64 bytes in a separate file. Keys are
PEM files, as `openssl genpkey -algorithm ed25519` writes them. The private key remains with its
owner, since only the signature is written to a package.
"""

import stat
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierdp_core.exceptions import ReleaseError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

SIGNATURE = "certificate.sig"
INSTALL = (
    "Install the library that signs packages in the folder of the repository: "
    'pip install ".[sign]".'
)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class Signature(StrEnum):
    """The state of the signature of a package."""

    NONE = "not signed"
    UNCHECKED = "signed, and not checked"  # a file has the name; anyone may have written it
    VALID = "signed with the given key"


class Signer:
    """A private key that signs certificates.

    Args:
        path: the path of an Ed25519 key as PEM, without a passphrase, that only its owner can read.

    Raises:
        ReleaseError: there is no such key, others can read it, or the library is missing.
    """

    def __init__(self, path: str | Path) -> None:
        self._key = _private_key(Path(path))

    def sign(self, certificate: bytes) -> bytes:
        """Return the signature of the content of a certificate."""
        return self._key.sign(certificate)

    def __repr__(self) -> str:
        return "<Signer>"


def signature_of(
    files: Mapping[str, bytes], certificate: str, public_key: str | Path | None
) -> Signature:
    """Return the state of the signature of a package.

    Args:
        files: the files of the package, by path.
        certificate: the path of the certificate, which is signed.
        public_key: a PEM file, from the publisher and not from the package. If None, the signature
            is not checked.

    Raises:
        ReleaseError: a key is given, and the package is not signed with it.
    """
    if public_key is None:
        return Signature.UNCHECKED if SIGNATURE in files else Signature.NONE
    key = _public_key(Path(public_key))
    from cryptography.exceptions import InvalidSignature

    if SIGNATURE not in files:
        raise ReleaseError(
            "The package is not signed, although a public key is given. Leave the key out to check "
            "the rest of the package, or ask the publisher for a signed one."
        )
    try:
        key.verify(files[SIGNATURE], files[certificate])
    except InvalidSignature:
        raise ReleaseError(
            "The signature of the package does not fit the given key. The package was changed, "
            "or another publisher signed it. Get the package and the key from the publisher again."
        ) from None
    return Signature.VALID


def require_public_key(path: str | Path) -> None:
    """Require a file with a public Ed25519 key.

    Raises:
        ReleaseError: the file has no such key, or the library is missing.
    """
    _public_key(Path(path))


def _private_key(path: Path) -> "Ed25519PrivateKey":
    serialization, ed25519 = _library()
    content = _content(path)
    try:
        key = serialization.load_pem_private_key(content, password=None)
    except TypeError:
        raise ReleaseError(f"The key {path} has a passphrase. Give a key without one.") from None
    except ValueError:
        key = None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise ReleaseError(
            f"{path} is not a private Ed25519 key in PEM format. Make one with: openssl genpkey "
            "-algorithm ed25519 -out FILE"
        )
    if path.stat().st_mode & _OTHERS:
        raise ReleaseError(f"The key {path} can be read by other users. Run: chmod 600 {path}")
    private_key: Ed25519PrivateKey = key
    return private_key


def _public_key(path: Path) -> "Ed25519PublicKey":
    serialization, ed25519 = _library()
    content = _content(path)
    try:
        key = serialization.load_pem_public_key(content)
    except ValueError:
        key = None
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise ReleaseError(
            f"{path} is not a public Ed25519 key in PEM format. Get the public key from the "
            "publisher."
        )
    public_key: Ed25519PublicKey = key
    return public_key


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ReleaseError(
            f"The key {path} cannot be read: {error.strerror}. Correct its path or permissions."
        ) from None


def _library() -> tuple[Any, Any]:
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise ReleaseError(INSTALL) from None
    return serialization, ed25519
