"""Consoles as the harness writes them: with the digests that vouch for them."""

from __future__ import annotations

from ciphermark.harness.job import digest

NONCE = bytes(range(16))


def vouched(lines: bytes, nonce: bytes = NONCE) -> bytes:
    """``lines`` with a digest at the end of each ``a`` and each ``q``, as parent and child give them."""
    own: list[bytes] = []
    child: list[bytes] | None = None
    written: list[bytes] = []
    for line in lines.splitlines(keepends=True):
        kind = line.split()[0]
        child = [] if kind == b"c" else child
        told = own if child is None else child
        if kind in (b"a", b"q"):
            written.append(line.rstrip() + b" " + digest(nonce, b"".join(told)).hex().encode() + b"\n")
            child = None
        else:
            written.append(line)
            if len(kind) == 1:
                told.append(line)
    return b"".join(written)
