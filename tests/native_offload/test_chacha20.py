"""ChaCha20's native kernels against published answers and the portable one, on every architecture that runs here."""

from __future__ import annotations

import pytest

from ciphermark.build import linux
from ciphermark.host.verify import emulator_of, verify
from ciphermark.kernels import catalogue
from ciphermark.kernels.catalogue import Architecture, Implementation
from ciphermark.rows.model import Request
from everywhere import on_each, runnable
from native_offload.programs import Programs, execute

KERNELS = [
    one
    for one in catalogue.list_implementations()
    if one.family == "chacha20" and one.native and one.name != "chacha20/openssl"
]

EVERYWHERE = on_each(KERNELS)


@EVERYWHERE
def test_published_answers(implementation: Implementation, architecture: Architecture) -> None:
    requests = [Request("chacha20", "encrypt", size) for size in (64, 1000, 16384)]
    result = verify(implementation, runnable(implementation, architecture), requests=requests)
    assert result.failure is None
    assert result.vectors_passed > 0


@pytest.mark.parametrize("name", ["chacha20/avx2", "chacha20/avx512", "chacha20/neon"])
def test_every_length_alignment_and_wrap(name: str, programs: Programs) -> None:
    """All lengths up to some blocks, in place or not, with block numbers that wrap within a vector."""
    implementation = catalogue.load_implementation(name)
    (architecture,) = implementation.native
    wanted = runnable(implementation, architecture)
    emulator = () if wanted is None else emulator_of(linux.target(implementation, wanted, "musl"))
    ended = execute([*emulator, programs.chacha20(name, wanted)])
    assert ended.status == 0, ended.lines


def test_there_is_one_for_every_vector_unit() -> None:
    assert {one.name for one in KERNELS} >= {"chacha20/avx2", "chacha20/avx512", "chacha20/neon", "chacha20/reference"}
