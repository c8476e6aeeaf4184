"""Any bytes are a transcript or a clear error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.errors import RunError
from ciphermark.harness import transcript
from ciphermark.harness.transcript import Scope, Transcript
from ciphermark.rows.model import Driver
from transcripts import NONCE, vouched

DIGEST = bytes(range(100, 116))
GOOD = vouched(
    f"""\
h 4 40 1
described OpenSSL 3.0.19, found at /usr/lib
driver cbc cbc-aes-ce 300
v 62
o 0 1 {DIGEST.hex()}
o 0 2 {NONCE.hex()}
c 2 0
k 186a0 6716
s 0 44 2eab5 2fb91 2fda0 0 0 1000 2000
p 0 100 0 {DIGEST.hex()}
s 0 44 2e99c 2ed18 2ee00 0 - - -
p 0 101 1 {NONCE.hex()}
n 0 44 1000 1000 1000 0 0 200 110
k 186a0 65a3
r 1d3c
a
r 2000
r -
q 1
""".encode()
)


def parse(console: bytes) -> Transcript:
    return transcript.parse(console, NONCE, whole=False)


def parsed(console: bytes) -> Transcript | None:
    """``None`` if it is refused, which must happen with a message and in no other way."""
    try:
        return parse(console)
    except RunError as error:
        assert error.message.startswith(("the harness's console cannot be read: ", "the console's digest is wrong"))
        return None


def test_a_whole_run() -> None:
    said = parse(GOOD)
    assert said.complete
    assert said.described == "OpenSSL 3.0.19, found at /usr/lib"
    assert said.drivers == [Driver("cbc", "cbc-aes-ce", 300)]
    assert said.vectors_passed == 0x62
    assert said.max_rss_kib == 0x2000
    request = said.requests[0]
    assert request.digests == {1: DIGEST, 2: NONCE}
    assert request.proofs == {256: (0, DIGEST), 257: (1, NONCE)}
    assert request.scope is Scope.USER_AND_KERNEL
    assert request.clock == [(100000, 0x6716), (100000, 0x65A3)]
    counted, uncounted = request.samples
    assert (counted.calls, counted.wall_ns, counted.waited_ns, counted.cycles) == (0x44, 0x2EAB5, 0, 0x1000)
    assert [sample.instructions for sample in request.empty] == [0x110]
    assert (uncounted.waited_ns, uncounted.cycles, uncounted.instructions) == (None, None, None)


@pytest.mark.parametrize(
    ("line", "field"),
    [(b"unavailable no libcrypto", "unavailable"), (b"error EPIPE", "error"), (b"described x", "described")],
)
def test_words(line: bytes, field: str) -> None:
    said = parse(b"h 4 40 1\n" + line + b"\n")
    assert getattr(said, field) == line.decode().partition(" ")[2]
    assert not said.complete


def test_a_killed_process_leaves_half_a_line() -> None:
    said = parse(GOOD[: GOOD.index(b"2eab5")])
    assert said.vectors_passed == 0x62
    assert said.requests[0].samples == []
    assert not said.complete


@pytest.mark.parametrize(
    ("console", "why"),
    [
        (b"h 1 40 1\n", "speaks version 1"),
        (b"x 1\n", "not a line"),
        (b"v\n", "not a line"),
        (b"v -\n", "missing"),
        (b"s 0 1 1 1 1 1 1 1 1\n", "0"),
        (b"o 0 1 00\ns 0 0 1 1 1 1 1 1 1\n", "without calls"),
        (b"o 0 30 00\n", "48"),
        (b"p 0 100 0 00\n", "0"),
        (b"o 0 1 0\n", "non-hexadecimal"),
        (b"c 1 0\n", "no request"),
        (b"o 0 1 00\nc 9 0\n", "9"),
        (b"f 0 3 0\n", "no variant 3"),
        (b"f 0 1 ff\n", "255"),
        (b"driver cbc\n", "names no driver"),
        (b"q 1 00\n", "0 requests"),
        (vouched(b"q 0\n") + b"v 1\n", "follows the end"),
        (b"d 0 abc 00\n", "abc"),
        ("v é\n".encode(), "not a line"),
    ],
)
def test_nonsense_is_refused(console: bytes, why: str) -> None:
    with pytest.raises(RunError) as caught:
        parse(console)
    assert why in str(caught.value)


@given(st.binary(max_size=400))
def test_any_bytes(console: bytes) -> None:
    parsed(console)


@given(st.integers(0, len(GOOD)), st.binary(max_size=12), st.integers(0, 30))
def test_any_damage(at: int, inserted: bytes, removed: int) -> None:
    parsed(GOOD[:at] + inserted + GOOD[at + removed :])


@given(st.lists(st.sampled_from(GOOD.splitlines(keepends=True)), max_size=30))
def test_any_order_of_lines(lines: list[bytes]) -> None:
    said = parsed(b"".join(lines))
    assert said is None or all(sample.calls for request in said.requests.values() for sample in request.samples)
