"""Peers that are not gdb, and users who ask for what cannot be."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from .session import Server, connect, needs_engine, serving

pytestmark = needs_engine


def framed(body: bytes) -> bytes:
    return b"$" + body + b"#" + f"{sum(body) % 256:02x}".encode()


def answer(server: Server, sent: bytes) -> bytes:
    """What the server says before it ends the connection."""
    received = b""
    with connect(server) as peer:
        peer.sendall(sent)
        # What it has not read when it leaves resets the connection.
        with suppress(ConnectionResetError):
            while more := peer.recv(1 << 16):
                received += more
    return received


@pytest.mark.parametrize(
    "sent",
    [
        b"$g#00",
        b"$" + b"A" * 100_000,
        b"-",
        framed(b"vCont;s"),
        framed(b"vCont;x:zz"),
        framed(b"vCont;c:1;t"),
        framed(b"p ffff"),
        framed(b"qRcmd,zz"),
    ],
)
def test_a_peer_that_breaks_the_protocol_is_left_and_the_program_runs_on(process_64: Path, sent: bytes) -> None:
    with serving(process_64) as server:
        answer(server, sent)
        status, _, errors = server.finish()
    assert status == 7
    assert "the connection to gdb has ended" in errors
    assert errors.endswith("the program runs on\n")
    assert "panicked" not in errors


def test_odd_requests_are_answered(process_64: Path) -> None:
    odd = (
        b"m0,ffffffff",
        b"mffffffffffffffff,8",
        b"pffff",
        b"p1062",
        b"Z0,0,2",
        b"Z2,0,0",
        b"P20=00",
        b"nonsense",
        b"D",
    )
    with serving(process_64) as server:
        received = answer(server, b"".join(framed(body) for body in odd))
        status, _, errors = server.finish()
    assert received.endswith(framed(b"OK"))
    assert (status, errors) == (7, "")


def test_a_peer_that_goes_away_leaves_the_program_to_itself(process_64: Path) -> None:
    with serving(process_64) as server:
        connect(server).close()
        status, _, errors = server.finish()
    assert status == 7
    assert "the connection to gdb has ended" in errors


def sim(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ciphermark", "sim", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_what_cannot_be_is_refused(process_64: Path) -> None:
    ran = sim("--gdb", "65536", str(process_64))
    assert (ran.returncode, "not a port" in ran.stderr) == (2, True)
    ran = sim("--gdb", "0", "--stats", str(process_64))
    assert (ran.returncode, "neither traced nor counted" in ran.stderr) == (2, True)


def test_a_port_that_is_taken_is_named(process_64: Path) -> None:
    with serving(process_64) as server:
        ran = sim("--gdb", str(server.port), str(process_64))
    assert ran.returncode == 2
    assert f"cannot listen on port {server.port} of 127.0.0.1" in ran.stderr


def test_nobody_need_come(process_64: Path) -> None:
    ran = sim("--gdb", "0", "--max-seconds", "0.3", str(process_64))
    assert ran.returncode == 124
