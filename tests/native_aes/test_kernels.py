"""Every native AES kernel of this package gives the answers of an independent library, on every architecture.

On another machine than this the same code runs under QEMU's user mode.
"""

from __future__ import annotations

import pytest

from ciphermark.host.verify import verify
from ciphermark.kernels import catalogue
from ciphermark.kernels.catalogue import Architecture, Implementation
from everywhere import large, on_each, runnable
from native_aes import answers

pytestmark = pytest.mark.usefixtures("own_cache")

ELSEWHERE = ("aes/openssl", "aes/af-alg")
"""Whose code is a library's or the kernel's, with tests of their own."""

KERNELS = [
    one
    for one in catalogue.list_implementations()
    if one.family == "aes" and one.native and not one.name.startswith(ELSEWHERE)
]


EVERYWHERE = on_each(KERNELS)


@EVERYWHERE
def test_messages(implementation: Implementation, architecture: Architecture) -> None:
    messages = answers.messages()
    result = verify(implementation, runnable(implementation, architecture), vectors=messages)
    assert result.failure is None
    assert result.vectors_passed == len(messages)


@EVERYWHERE
def test_published_answers(implementation: Implementation, architecture: Architecture) -> None:
    """The NIST and FIPS examples of ``vectors/``, and measured sizes of which the output's digest is compared."""
    result = verify(implementation, runnable(implementation, architecture), requests=large(implementation))
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
