"""Reading the harness's console: everything it can say, and everything that can happen to it on the way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark import console
from ciphermark.console import Counted, Difference, Failure, Phase
from ciphermark.errors import RunError
from ciphermark.job import Variant

GOOD = b"h 2 20 5\ne 3 5\nv 1a\nm 0 c62 d00 b0 6a09e667 1\nm 1 10000000000 0 0 0 ffffffff\nq 2\n"


def test_a_complete_run() -> None:
    transcript = console.parse(GOOD)
    assert transcript.complete
    assert (transcript.empty_instructions, transcript.empty_cycles) == (3, 5)
    assert transcript.vectors_passed == 26
    assert transcript.counted == [
        Counted(0xC62, 0xD00, 0xB0, (0x6A09E667, 1)),
        Counted(1 << 40, 0, 0, (0, 0xFFFFFFFF)),
    ]


def test_a_failure_shows_what_differs() -> None:
    transcript = console.parse(b"h 2 40 5\ne 3 5\nd 10 00ff 0100\nf 7 4 0\n")
    assert transcript.failure is not None
    assert transcript.failure.index == 7
    assert transcript.failure.variant is Variant.UNALIGNED
    assert transcript.failure.failure is Failure.OUTPUT
    assert transcript.failure.difference == Difference(16, b"\x00\xff", b"\x01\x00")
    assert not transcript.complete


def test_a_core_with_another_vlen() -> None:
    transcript = console.parse(b"h 2 40 5\nw 200 100\n")
    assert transcript.wrong_vlen == (512, 256)
    assert not transcript.complete


def test_every_failure_has_words() -> None:
    assert len({failure.words for failure in Failure}) == len(Failure)


@pytest.mark.parametrize("said", [b"", b"h 2 20 5\n", b"h 2 20 5\ne 3 5\nv 3\n"])
def test_a_trap_can_come_at_any_time(said: bytes) -> None:
    transcript = console.parse(said + b"t 2 80001d00 60755513 1 3\n")
    assert transcript.trap == console.Trap(2, 0x80001D00, 0x60755513, Phase.VECTORS, 3)


@given(st.integers(0, len(GOOD) - 1))
def test_every_truncation_is_noticed(length: int) -> None:
    with pytest.raises(RunError, match="cannot be read"):
        console.parse(GOOD[:length])


@pytest.mark.parametrize(
    "garbled",
    [
        GOOD.replace(b"h 2", b"h 3"),
        GOOD.replace(b"m 1", b"m 3"),
        GOOD.replace(b"q 2", b"q 3"),
        GOOD.replace(b"e 3 5\n", b""),
        GOOD.replace(b"v 1a", b"v 1g"),
        GOOD.replace(b"v 1a", b"v"),
        GOOD.replace(b"v 1a", b"Segmentation fault"),
        GOOD + b"q 2\n",
        b"h 2 20 5\ne 3 5\nf 1 3 0\n",
        b"h 2 20 5\ne 3 5\nf 1 1 63\n",
        b"\xff\xfe\n",
    ],
)
def test_nonsense_is_an_error_that_shows_it(garbled: bytes) -> None:
    with pytest.raises(RunError, match="cannot be read"):
        console.parse(garbled)


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_an_error_and_nothing_else(noise: bytes) -> None:
    with pytest.raises(RunError):
        console.parse(b"h 2 20 5\n" + noise.replace(b"t", b"x").replace(b"f", b"x").replace(b"q", b"x"))
