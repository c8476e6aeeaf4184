"""Reading the harness's console: everything it can say, and everything that can happen to it on the way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.errors import RunError
from ciphermark.harness import transcript as console
from ciphermark.harness.job import Variant
from ciphermark.harness.transcript import Counted, Difference, Failure, Phase
from transcripts import NONCE, vouched

DIGEST = bytes(range(16, 32))
SAID = f"""\
h 4 20 5
e 3 5
v 1a
o 0 1 {DIGEST.hex()}
o 0 8 {NONCE.hex()}
m 0 c62 d00 b0 {DIGEST.hex()}
o 1 1 {DIGEST.hex()}
m 1 10000000000 0 0 {NONCE.hex()}
q 2
""".encode()
GOOD = vouched(SAID)


def parse(said: bytes) -> console.Transcript:
    return console.parse(said, NONCE, whole=True)


def test_a_complete_run() -> None:
    transcript = parse(GOOD)
    assert transcript.complete
    assert transcript.empty == (3, 5)
    assert transcript.vectors_passed == 26
    assert transcript.counted == [Counted(0xC62, 0xD00, 0xB0, DIGEST), Counted(1 << 40, 0, 0, NONCE)]
    plain, unaligned_in_place = Variant.PLAIN, Variant.UNALIGNED_IN_PLACE
    untimed = {index: said.digests for index, said in transcript.requests.items()}
    assert untimed == {0: {plain: DIGEST, unaligned_in_place: NONCE}, 1: {plain: DIGEST}}


def test_timed_calls_on_the_same_data() -> None:
    digest = DIGEST.hex()
    said = f"h 4 20 5\ne 3 5\nv 1\nl 0 9 40\nl 0 9 20\nm 0 9 1f 0 {digest}\nm 1 8 8 0 {digest}\nq 2\n"
    first, second = parse(vouched(said.encode())).counted
    assert first.before == ((9, 0x40), (9, 0x20))
    assert (first.cycles, second.before) == (0x1F, ())
    with pytest.raises(RunError, match="where 0 was due"):
        parse(vouched(said.replace("l 0 9 20", "l 1 9 20").encode()))


def test_a_console_that_somebody_else_wrote_to() -> None:
    """The harness's last line is of what it said itself."""
    forged = GOOD.replace(b"m 0 c62", b"m 0 1")
    with pytest.raises(RunError, match="digest is wrong"):
        parse(forged)
    with pytest.raises(RunError, match="digest is wrong"):
        console.parse(GOOD, DIGEST, whole=True)
    assert parse(GOOD.replace(b"\n", b"\r\n")).complete


def test_a_failure_shows_what_differs() -> None:
    transcript = parse(b"h 4 40 5\ne 3 5\nd 10 00ff 0100\nf 7 4 0\n")
    assert transcript.failure is not None
    assert transcript.failure.index == 7
    assert transcript.failure.variant is Variant.UNALIGNED
    assert transcript.failure.failure is Failure.OUTPUT
    assert transcript.failure.difference == Difference(16, b"\x00\xff", b"\x01\x00")
    assert not transcript.complete


def test_a_core_with_another_vlen() -> None:
    transcript = parse(b"h 4 40 5\nw 200 100\n")
    assert transcript.wrong_vlen == (512, 256)
    assert not transcript.complete


def test_every_failure_has_words() -> None:
    assert len({failure.words for failure in Failure}) == len(Failure)


@pytest.mark.parametrize("said", [b"", b"h 4 20 5\n", b"h 4 20 5\ne 3 5\nv 3\n"])
def test_a_trap_can_come_at_any_time(said: bytes) -> None:
    transcript = parse(said + b"t 2 80001d00 60755513 1 3\n")
    assert transcript.trap == console.Trap(2, 0x80001D00, 0x60755513, Phase.VECTORS, 3)


@given(st.integers(0, len(GOOD) - 1))
def test_every_truncation_is_noticed(length: int) -> None:
    with pytest.raises(RunError, match="cannot be read"):
        parse(GOOD[:length])


@pytest.mark.parametrize(
    "garbled",
    [
        GOOD.replace(b"h 4", b"h 3"),
        GOOD.replace(b"m 1", b"m 3"),
        GOOD.replace(b"q 2", b"q 3"),
        GOOD.replace(b"o 1 1", b"o 1 30"),
        GOOD.replace(b"o 0 1", b"o 0 1 1"),
        GOOD.replace(b"e 3 5\n", b""),
        GOOD.replace(b"v 1a", b"v 1g"),
        GOOD.replace(b"v 1a", b"v"),
        GOOD.replace(b"v 1a", b"Segmentation fault"),
        GOOD + GOOD[-36:],
        b"h 4 20 5\ne 3 5\nf 1 3 0\n",
        b"h 4 20 5\ne 3 5\nf 1 1 63\n",
        b"\xff\xfe\n",
    ],
)
def test_nonsense_is_an_error_that_shows_it(garbled: bytes) -> None:
    with pytest.raises(RunError, match="cannot be read"):
        parse(garbled)


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_an_error_and_nothing_else(noise: bytes) -> None:
    with pytest.raises(RunError):
        parse(b"h 4 20 5\n" + noise.replace(b"t", b"x").replace(b"f", b"x").replace(b"q", b"x"))
