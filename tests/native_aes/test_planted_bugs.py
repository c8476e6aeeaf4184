"""The answers notice the mistakes that vectors of blocks invite: each is planted in a copy, and must be found."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from ciphermark.build import linux
from ciphermark.host import cpu
from ciphermark.host.verify import verify
from ciphermark.kernels import catalogue
from ciphermark.store import paths
from native_aes import answers

pytestmark = pytest.mark.usefixtures("own_cache")

AES = paths.kernels() / "aes"


@dataclass(frozen=True)
class Bug:
    what: str
    implementation: str
    file: str
    """Below kernels/aes."""
    right: str
    wrong: str
    noticed: str
    """In the report."""


BUGS = [
    Bug("carry out of the low half", "aesni", "vector_modes.h",
        "counters_from(counter->high + 1, low)", "counters_from(counter->high, low)", "carry of 2^64"),
    Bug("carry between blocks of a pass", "aesni", "vector_modes.h", "high += ++low == 0", "++low", "carry of 2^64"),
    Bug("carry in the counter left behind", "aesni", "vector_modes.h",
        "counter.high += counter.low < blocks;", "", "carry of 2^64"),
    Bug("carry between blocks of the last vector", "vaes512", "vector_modes.h",
        "take_counters(&x, 1, &unused)", "x = reversed_words(unused.next)", "carry of 2^64"),
    Bug("carry of 32 bits only", "aesni", "aesni/vector.h",
        "(8, 9, 10, 11, 12, 13, 14, 15,", "(12, 13, 14, 15, 8, 9, 10, 11,", "ctr"),
    Bug("ciphertext read after it was overwritten", "aesni", "vector_modes.h",
        "return earlier;\n}", "return load(in + VECTOR_BYTES * (n - 1));\n}", "in place"),
    Bug("blocks not moved up", "vaes512", "vaes512/vector.h",
        "6, 7, 8, 9, 10, 11, 12, 13)", "4, 5, 6, 7, 8, 9, 10, 11)", "cbc decrypt"),
    Bug("a byte too many written", "vaes512", "vaes512/vector.h", "(64 - bytes)", "(63 - bytes)", "outside"),
    Bug("second half of a vector forgotten", "vaes256", "vaes256/vector.h",
        "block = _mm256_extracti128_si256((__m256i)x, 1);", "", "ctr"),
    Bug("last iv lost", "aesni", "aesni/cbc_encrypt.c", "store(iv, x);", "", "cbc encrypt"),
    Bug("round constant after the eighth", "aesni", "vector_key_expansion.h", "0x1bu <<", "0x1du <<", "aes-128"),
]  # fmt: skip


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.what)
def test_is_noticed(bug: Bug, tmp_path: Path) -> None:
    original = catalogue.load_implementation(f"aes/{bug.implementation}")
    if linux.machine() != "x86_64" or cpu.missing(original.native["x86_64"].features, "x86_64"):
        pytest.skip(f"this processor cannot run {original.name}")
    for name in ("aesni", bug.implementation):
        shutil.copytree(AES / name, tmp_path / name, dirs_exist_ok=True)
    copy = tmp_path / bug.implementation
    place = tmp_path / bug.file if "/" in bug.file else copy / bug.file
    text = (AES / bug.file).read_text(encoding="utf-8")
    assert text.count(bug.right) == 1
    place.write_text(text.replace(bug.right, bug.wrong), encoding="utf-8")

    result = verify(catalogue.load_implementation(copy), vectors=answers.messages())
    assert result.failure is not None
    assert bug.noticed in result.failure
