"""Signed packages: the right key opens them, and a changed, unsigned or foreign one is refused."""

import json
import os
import shutil
from unittest import mock

import pytest
from cryptography.hazmat.primitives import serialization
from support.releases import new_key, new_ledger, small_table

import hierdp_core as hdp
from hierdp_core.cli import main
from hierdp_core.exceptions import ReleaseError
from hierdp_core.releases.package.signatures import SIGNATURE, Signature, Signer


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    """A signed package with its keys and ledger."""
    folder = tmp_path_factory.mktemp("signed")
    private, public = new_key(folder, "agency.key")
    table = small_table()
    made = hdp.release(
        table, hdp.plan(table, "tree-dp", epsilon=1), ledger=new_ledger(folder), dataset="pop"
    )
    path = made.write(folder / "package", margins=made.margins(n_simulations=10), sign=private)
    return path, private, public, made


@pytest.fixture
def copy(signed, tmp_path):
    return shutil.copytree(signed[0], tmp_path / "copy")


def test_a_signed_package_opens_with_the_key_of_its_publisher(signed):
    path, _, public, _ = signed
    assert hdp.open_release(path, public_key=public).signature is Signature.VALID
    assert hdp.open_release(path).signature is Signature.UNCHECKED


def test_the_key_is_not_in_the_package(signed):
    path, private, _, _ = signed
    secret = serialization.load_pem_private_key(private.read_bytes(), None).private_bytes_raw()
    for file in (one for one in path.rglob("*") if one.is_file()):
        content = file.read_bytes()
        assert secret not in content
        assert secret.hex().encode() not in content
        assert b"PRIVATE KEY" not in content
    assert secret.hex() not in repr(Signer(private)).lower()


def test_another_key_is_refused(signed, tmp_path):
    _, foreign = new_key(tmp_path, "other.key")
    with pytest.raises(ReleaseError, match="does not fit the given key"):
        hdp.open_release(signed[0], public_key=foreign)


def test_an_unsigned_package_is_refused_where_a_key_is_given(signed, copy):
    (copy / SIGNATURE).unlink()
    assert hdp.open_release(copy).signature is Signature.NONE
    with pytest.raises(ReleaseError, match="is not signed"):
        hdp.open_release(copy, public_key=signed[2])


def test_whoever_writes_all_hashes_anew_still_has_no_signature(signed, copy):
    """Tampering that the hashes alone do not show."""
    import hashlib

    file = copy / "tables" / "parish.csv"
    file.write_text(file.read_text(encoding="utf-8").replace("parish", "Parish"))
    certificate = json.loads((copy / "certificate.json").read_text(encoding="utf-8"))
    certificate["files"]["tables/parish.csv"] = hashlib.sha256(file.read_bytes()).hexdigest()
    (copy / "certificate.json").write_text(json.dumps(certificate))
    assert hdp.open_release(copy).signature is Signature.UNCHECKED
    with pytest.raises(ReleaseError, match="The package was changed"):
        hdp.open_release(copy, public_key=signed[2])


@pytest.mark.parametrize("content", [b"", b"x" * 64, b"x" * 1000])
def test_a_damaged_signature_is_refused(signed, copy, content):
    (copy / SIGNATURE).write_bytes(content)
    with pytest.raises(ReleaseError, match="does not fit the given key"):
        hdp.open_release(copy, public_key=signed[2])


def test_the_ledger_checks_signatures_of_packages(signed, copy, tmp_path, capsys):
    _, _, public, made = signed
    words = ["ledger", str(made.ledger.path), "verify", "--against"]
    assert main([*words, str(signed[0]), "--public-key", str(public)]) == 0
    assert "No signature was checked" not in capsys.readouterr().out
    (copy / SIGNATURE).write_bytes(b"anything")
    assert main([*words, str(copy)]) == 0
    assert "No signature was checked, because no public key" in capsys.readouterr().out
    assert main([*words, str(copy), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["signatures_checked"] is False
    (copy / SIGNATURE).unlink()
    assert main([*words, str(copy)]) == 0
    capsys.readouterr()
    assert main([*words, str(copy), "--public-key", str(public)]) == 2
    assert "is not signed" in capsys.readouterr().err
    assert main(["ledger", str(made.ledger.path), "verify", "--public-key", str(public)]) == 2


def test_keys_that_cannot_sign_are_reported_in_one_sentence(tmp_path):
    private, public = new_key(tmp_path, "good.key")
    public.chmod(0o600)
    with pytest.raises(ReleaseError, match="not a private Ed25519 key"):
        Signer(public)
    locked, _ = new_key(tmp_path, "locked.key", passphrase=b"secret")
    with pytest.raises(ReleaseError, match="has a passphrase"):
        Signer(locked)
    with pytest.raises(ReleaseError, match="cannot be read"):
        Signer(tmp_path / "none")
    private.chmod(0o640)
    with pytest.raises(ReleaseError, match=f"chmod 600 {private}"):
        Signer(private)
    public.chmod(0o644)
    with pytest.raises(ReleaseError, match="not a private Ed25519 key"):
        Signer(public)


def test_a_public_key_that_cannot_be_read_is_no_fault_of_a_package(signed, tmp_path, capsys):
    for key, why in ((tmp_path / "none", "cannot be read"), (signed[0], "cannot be read")):
        with pytest.raises(ReleaseError, match=why):
            hdp.open_release(signed[0], public_key=key)
    words = ["ledger", str(signed[3].ledger.path), "verify", "--against", str(signed[0])]
    assert main([*words, "--public-key", str(tmp_path / "none")]) == 2
    assert "fault" not in capsys.readouterr().err


def test_a_key_is_refused_before_anything_is_spent(tmp_path, capsys):
    ledger = new_ledger(tmp_path)
    (tmp_path / "settings.toml").write_text(
        'mechanism = "tree-dp"\nepsilon = 1\ntuned_on = "public data"\n'
    )
    words = ["--data", "t.csv", "--ledger", str(ledger.path), "--dataset", "pop", "--out", "p"]
    asked = ["release", str(tmp_path / "settings.toml"), *words, "--sign", "none.key", "--yes"]
    assert main(asked) == 2
    assert "The key none.key cannot be read" in capsys.readouterr().err
    assert ledger.account("pop").spent == 0
    assert not os.path.lexists(ledger.key_file)


def test_a_missing_library_is_named(signed):
    path, private, public, _ = signed
    gone = {
        "cryptography.hazmat.primitives": None,
        "cryptography.hazmat.primitives.asymmetric": None,
    }
    with mock.patch.dict("sys.modules", gone):
        with pytest.raises(ReleaseError, match=r"\.\[sign\]"):
            Signer(private)
        with pytest.raises(ReleaseError, match=r"\.\[sign\]"):
            hdp.open_release(path, public_key=public)
        assert hdp.open_release(path).signature is Signature.UNCHECKED
