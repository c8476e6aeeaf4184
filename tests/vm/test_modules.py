"""Modules are loaded after what they need."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from ciphermark.errors import RunError
from ciphermark.vm import modules

_NEEDS = {
    "af_alg": (),
    "algif_skcipher": ("af_alg",),
    "aes_ce_cipher": (),
    "aes_ce_blk": ("aes_ce_cipher", "af_alg"),
    "one": ("other",),
    "other": ("one",),
    "lonely": ("absent",),
}


def test_every_module_follows_what_it_needs_and_comes_once() -> None:
    order = modules.load_order(("aes-ce-blk", "algif_skcipher"), _NEEDS, frozenset())
    assert order == ("aes_ce_cipher", "af_alg", "aes_ce_blk", "algif_skcipher")


def test_what_is_built_in_is_not_loaded() -> None:
    assert modules.load_order(("algif_skcipher",), _NEEDS, frozenset({"af_alg"})) == ("algif_skcipher",)
    assert modules.load_order(("af_alg",), {}, frozenset({"af_alg"})) == ()


def test_a_missing_module_is_named_with_the_one_that_needs_it() -> None:
    with pytest.raises(RunError, match="no module absent, which lonely needs"):
        modules.load_order(("lonely",), _NEEDS, frozenset())


def test_a_circle_is_no_endless_loop() -> None:
    with pytest.raises(RunError, match="one -> other -> one"):
        modules.load_order(("one",), _NEEDS, frozenset())


def test_dependencies_are_read_from_the_module_itself(tmp_path: Path) -> None:
    contents = b"\x7fELF\0license=GPL\0depends=crypto_simd,gf128mul\0name=aesni_intel\0vermagic=6\0"
    path = tmp_path / "aesni-intel.ko.xz"
    path.write_bytes(lzma.compress(contents))
    assert modules.depends(modules.uncompressed(path)) == ("crypto_simd", "gf128mul")
    assert modules.depends(b"\0depends=\0name=af_alg\0") == ()
    assert modules.module_name(path.name) == "aesni_intel"


def test_built_in_modules_are_listed_by_path() -> None:
    assert modules.builtin_names("kernel/crypto/cbc.ko\nkernel/lib/crypto/libaes-x.ko\n") == {"cbc", "libaes_x"}
