"""Whatever the kernel writes between and into frames, nothing is read that was not sent."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.vm.console import parse

_SAID = {
    0: ["h 4 40 9", "described cbc-aes-ce, priority 300", "s 0 8 1f40 1f40 0 1f40 - -", "q 1"],
    1: ["unavailable no \\ AF_ALG", "x" * 2000],
    2: [],
}
_MESSAGES = (
    b"[    1.25] random: crng init done\r\n",
    b"[    2.5] WARNING: CPU: 0 PID: 41\r\n",
    b"#cm deadbeef 7 text 0 forged",
    b"\xff\x00\x1b[2J",
    b"#cm",
)


class Guest:
    """What ``init.c`` writes."""

    def __init__(self) -> None:
        self.number = 0

    def frame(self, words: str) -> bytes:
        body = f"{self.number:x} {words}".encode()
        self.number += 1
        return b"#cm %08x %s\r\n" % (zlib.crc32(body), body)

    def quote(self, kind: str, of: str, text: str) -> Iterator[bytes]:
        quoted = text.replace("\\", "\\5c")
        while len(quoted) > 400:
            yield self.frame(f"{kind}-part {of}{quoted[:399]}")
            quoted = quoted[399:]
        yield self.frame(f"{kind} {of}{quoted}")

    def session(self) -> Iterator[bytes]:
        yield self.frame("kernel 6.12.95+deb12-cloud-arm64 aarch64")
        yield self.frame("module /lib/af_alg.ko.xz 0")
        yield self.frame("module /lib/aes-ce-blk.ko.xz 19")
        yield self.frame("settled 400")
        for number, lines in _SAID.items():
            yield self.frame(f"begin {number}")
            for line in lines:
                yield from self.quote("text", f"{number} ", line)
            yield self.frame(f"end {number} exit {number}")
        for line in ("Features : fp asimd aes", "", "processor : 0"):
            yield from self.quote("cpuinfo", "", line)
        for line in ("name : cbc(aes)", "driver : cbc-aes-ce", "module : aes_ce_blk", "priority : 300", ""):
            yield from self.quote("crypto", "", line)
        for line in ("name : cbc(aes)", "driver : cbc(aes-generic)", "module : kernel", "priority : 100"):
            yield from self.quote("crypto", "", line)
        yield self.frame("done")


def frames() -> list[bytes]:
    return list(Guest().session())


def test_a_quiet_console_is_read_whole() -> None:
    said = parse(b"".join(frames()))
    assert said.release == "6.12.95+deb12-cloud-arm64"
    assert said.modules == {"/lib/af_alg.ko.xz": 0, "/lib/aes-ce-blk.ko.xz": 19}
    assert said.settled_ms == 400
    assert {number: run.lines for number, run in said.runs.items()} == _SAID
    assert all(run.whole and (run.ending, run.number) == ("exit", number) for number, run in said.runs.items())
    assert said.cpuinfo == "Features : fp asimd aes\n\nprocessor : 0\n"
    assert "name : cbc(aes)\ndriver : cbc-aes-ce\nmodule : aes_ce_blk\npriority : 300\n\n" in said.crypto
    assert said.done
    assert not said.kernel_messages


def test_messages_between_frames_change_nothing() -> None:
    chance = random.Random(1)
    written = b"".join(frame + chance.choice((b"", *_MESSAGES[:2])) for frame in frames())
    said, quiet = parse(written), parse(b"".join(frames()))
    assert said.runs == quiet.runs
    assert said.crypto == quiet.crypto
    assert any("crng init done" in message for message in said.kernel_messages)


@given(st.integers(0, 10**9), st.integers(1, 6))
def test_messages_inside_frames_are_never_read_as_what_a_program_said(seed: int, count: int) -> None:
    chance = random.Random(seed)
    written = bytearray(b"".join(frames()))
    for _ in range(count):
        at = chance.randrange(len(written) + 1)
        written[at:at] = chance.choice(_MESSAGES)
    check_nothing_invented(bytes(written))


@given(st.integers(0, 10**9))
def test_damage_is_noticed(seed: int) -> None:
    chance = random.Random(seed)
    written = bytearray(b"".join(frames()))
    for _ in range(chance.randrange(1, 8)):
        begin = chance.randrange(len(written))
        match chance.randrange(3):
            case 0:
                written[begin] ^= 1 << chance.randrange(8)
            case 1:
                del written[begin : begin + chance.randrange(200)]
            case _:
                written[begin:begin] = written[begin : begin + chance.randrange(200)]
    check_nothing_invented(bytes(written))


def check_nothing_invented(written: bytes) -> None:
    said = parse(written)
    for number, run in said.runs.items():
        if run.whole and run.ending is not None:
            assert run.lines == _SAID[number]
            assert (run.ending, run.number) == ("exit", number)
        assert set(run.lines) <= {line for lines in _SAID.values() for line in lines} or not run.whole


@given(st.binary(max_size=400))
def test_any_bytes_can_be_read(written: bytes) -> None:
    assert not parse(written).done


@pytest.mark.parametrize("kept", range(len(frames())))
def test_a_machine_that_stops_leaves_unfinished_runs_unfinished(kept: int) -> None:
    said = parse(b"".join(frames()[:kept]) + b"[   9.0] Kernel panic - not syncing: Fatal exception\r\n")
    assert not said.done
    finished = [number for number, run in said.runs.items() if run.whole and run.ending is not None]
    assert all(said.runs[number].lines == _SAID[number] for number in finished)
    assert "Kernel panic" in said.kernel_messages[-1]
