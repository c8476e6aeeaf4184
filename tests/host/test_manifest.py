"""The tables of native code in an implementation's manifest."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ciphermark import build
from ciphermark import build as bare_metal
from ciphermark.build import linux
from ciphermark.errors import UsageError
from ciphermark.kernels import catalogue
from ciphermark.rows.model import Target
from host.conftest import CHACHA


def edited(folder: Path, old: str, new: str) -> Path:
    shutil.copytree(CHACHA, folder)
    manifest = folder / "implementation.toml"
    text = manifest.read_text()
    assert old in text
    manifest.write_text(text.replace(old, new, 1))
    return folder


def test_any_stands_for_every_architecture() -> None:
    found = catalogue.load_implementation(CHACHA)
    assert set(found.native) == {"x86_64", "aarch64", "riscv64"}
    assert not found.bare_metal
    assert found.xlen == ()
    assert found.sources == ()


def test_an_own_table_goes_before_any(tmp_path: Path) -> None:
    own = '[native.x86_64]\nsources = ["chacha.c"]\nfeatures = ["sse2", "avx2"]\n\n[native.any]'
    found = catalogue.load_implementation(edited(tmp_path / "own", "[native.any]", own))
    assert found.native["x86_64"].features == ("avx2", "sse2")
    assert found.native["aarch64"].features == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[native.any]", "[native.mips]", "native.mips"),
        ('sources = ["chacha.c"]', "sources = []", "native.any.sources"),
        ('sources = ["chacha.c"]', 'sources = ["none.c"]', "sources: 'none.c' matches no file"),
        ('sources = ["chacha.c"]', 'sources = ["chacha.c"]\nfeatures = ["AES NI"]', "native.any.features"),
        ('[native.any]\nsources = ["chacha.c"]\n', "", "RISC-V code needs xlen, isa and sources"),
        ("limits = []", "limits = []\nxlen = [64]", "RISC-V code needs xlen, isa and sources"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    folder = edited(tmp_path / "wrong", old, new)
    with pytest.raises(UsageError) as caught:
        catalogue.load_implementation(folder)
    assert message in caught.value.message
    assert str(folder) in caught.value.message


def test_simulators_refuse_it_by_name() -> None:
    native_only = catalogue.load_implementation(CHACHA)
    with pytest.raises(UsageError, match="is x86_64 and aarch64 and riscv64 code") as caught:
        bare_metal.build(native_only, Target("rv64i", "lp64", "zig", "O2"))
    assert "--engines host" in caught.value.hint


def test_native_builds_refuse_what_they_cannot_be() -> None:
    simulated = catalogue.load_implementation("aes/zkne32")
    with pytest.raises(UsageError, match="aes/zkne32 has no code for x86_64: it has only code for the simulators"):
        linux.target(simulated, "x86_64", "gnu")
    native_only = catalogue.load_implementation(CHACHA)
    with pytest.raises(UsageError, match="native code is built with zig, not with gcc"):
        build.build(native_only, Target("x86_64", "gnu", "gcc", "O2"))
    with pytest.raises(UsageError, match="-O3 is refused for zig"):
        build.build(native_only, Target("x86_64", "gnu", "zig", "O3"))
