"""ChaCha20's native kernels against published answers and the portable one, on every architecture that runs here."""

from __future__ import annotations

import pytest

from ciphermark import kernels
from ciphermark.build import linux
from ciphermark.errors import EngineMissingError
from ciphermark.host.verify import emulator_of, verify
from ciphermark.kernels import Architecture, Implementation
from ciphermark.model import Request
from native_offload.programs import Programs, execute, skip_if_lacking

KERNELS = [
    one
    for one in kernels.list_implementations()
    if one.family == "chacha20" and one.native and one.name != "chacha20/openssl"
]

EVERYWHERE = pytest.mark.parametrize(
    ("implementation", "architecture"),
    [
        pytest.param(one, architecture, id=f"{one.name}-{architecture}")
        for one in KERNELS
        for architecture in one.native
    ],
)


def runnable(implementation: Implementation, architecture: Architecture) -> Architecture | None:
    """What to build for; ``None`` means this machine. Skips where nothing can run it."""
    if architecture == linux.machine():
        skip_if_lacking(implementation)
        return None
    if any(feature.startswith("avx512") for feature in implementation.native[architecture].features):
        pytest.skip("QEMU emulates no AVX-512")
    try:
        emulator_of(linux.target(implementation, architecture, "musl"))
    except EngineMissingError as error:
        pytest.skip(error.message)
    return architecture


@EVERYWHERE
def test_published_answers(implementation: Implementation, architecture: Architecture) -> None:
    requests = [Request("chacha20", "encrypt", size) for size in (64, 1000, 16384)]
    result = verify(implementation, runnable(implementation, architecture), requests=requests)
    assert result.failure is None
    assert result.vectors_passed > 0


@pytest.mark.parametrize("name", ["chacha20/avx2", "chacha20/avx512", "chacha20/neon"])
def test_every_length_alignment_and_wrap(name: str, programs: Programs) -> None:
    """All lengths up to some blocks, in place or not, with block numbers that wrap within a vector."""
    implementation = kernels.load_implementation(name)
    (architecture,) = implementation.native
    wanted = runnable(implementation, architecture)
    emulator = () if wanted is None else emulator_of(linux.target(implementation, wanted, "musl"))
    ended = execute([*emulator, programs.chacha20(name, wanted)])
    assert ended.status == 0, ended.lines


def test_there_is_one_for_every_vector_unit() -> None:
    assert {one.name for one in KERNELS} >= {"chacha20/avx2", "chacha20/avx512", "chacha20/neon", "chacha20/reference"}
