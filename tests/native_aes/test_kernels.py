"""Every native AES kernel of this package gives the answers of an independent library, on every architecture.

On another machine than this the same code runs under QEMU's user mode.
"""

from __future__ import annotations

import pytest

from ciphermark import kernels
from ciphermark.build import linux
from ciphermark.errors import EngineMissingError
from ciphermark.host import cpu
from ciphermark.host.verify import emulator_of, verify
from ciphermark.kernels import Architecture, Implementation
from ciphermark.model import Request
from native_aes import answers

pytestmark = pytest.mark.usefixtures("own_cache")

ELSEWHERE = ("aes/openssl", "aes/af-alg")
"""Whose code is a library's or the kernel's, with tests of their own."""

KERNELS = [
    one
    for one in kernels.list_implementations()
    if one.family == "aes" and one.native and not one.name.startswith(ELSEWHERE)
]


def runnable(implementation: Implementation, architecture: Architecture) -> Architecture | None:
    """What to build for; ``None`` means this machine. Skips where nothing can run it."""
    features = implementation.native[architecture].features
    if architecture == linux.machine():
        if missing := cpu.missing(features, architecture):
            pytest.skip(f"this processor lacks {', '.join(missing)}")
        return None
    if any(feature.startswith("avx512") for feature in features):
        pytest.skip("QEMU emulates no AVX-512")
    try:
        emulator_of(linux.target(implementation, architecture, "musl"))
    except EngineMissingError as error:
        pytest.skip(error.message)
    return architecture


EVERYWHERE = pytest.mark.parametrize(
    ("implementation", "architecture"),
    [
        pytest.param(one, architecture, id=f"{one.name}-{architecture}")
        for one in KERNELS
        for architecture in one.native
    ],
)


@EVERYWHERE
def test_messages(implementation: Implementation, architecture: Architecture) -> None:
    messages = answers.messages()
    result = verify(implementation, runnable(implementation, architecture), vectors=messages)
    assert result.failure is None
    assert result.vectors_passed == len(messages)


@EVERYWHERE
def test_published_answers(implementation: Implementation, architecture: Architecture) -> None:
    """The NIST and FIPS examples of ``vectors/``, and measured sizes of which the output's digest is compared."""
    requests = [
        Request(algorithm.name, operation.name, 16384)
        for algorithm, operation in implementation.provided()
        if operation.sizes in {"any", "whole-blocks"}
    ]
    result = verify(implementation, runnable(implementation, architecture), requests=requests)
    assert result.failure is None
    assert result.vectors_passed > 0


@EVERYWHERE
def test_cavp(implementation: Implementation, architecture: Architecture) -> None:
    """All that NIST published for AES in ECB and CBC."""
    vectors = pytest.importorskip("build.test_cavp", exc_type=ImportError).vectors_of("aes")
    result = verify(implementation, runnable(implementation, architecture), vectors=vectors)
    assert result.failure is None
    assert result.vectors_passed == len(vectors) > 3500


def test_every_kernel_is_complete() -> None:
    """All three key sizes in all three modes, so that any two can be compared in anything."""
    for implementation in KERNELS:
        offered = {(algorithm.name, operation.name) for algorithm, operation in implementation.provided()}
        assert len(offered) == 9 * 6, implementation.name
