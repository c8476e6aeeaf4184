"""Try random files until the time is over, or one file again."""

from __future__ import annotations

import os
import random
import resource
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .kinds import KINDS, ROOT, Kind

SECONDS = 120
PROCESSES = 2
MOST_FINDINGS = 5
_PATIENCE_S = 60
"""For one file; it is what a user would not wait for."""
_MEMORY = 4 << 30
"""Of address space."""
_GUEST = 66 << 30

KEPT = ROOT / "target" / "fuzz"


def kind_called(name: str) -> Kind:
    return next(kind for kind in KINDS if kind.name == name)


def attempt(kind: Kind, content: bytes) -> None:
    """Within bounds: a file that takes longer ends this process by SIGALRM."""
    bound_memory(kind)
    signal.alarm(_PATIENCE_S)
    with tempfile.TemporaryDirectory(prefix="ciphermark-fuzz-") as folder:
        kind.attempt(content, Path(folder))
    signal.alarm(0)


def bound_memory(kind: Kind) -> None:
    """A guest reserves an address space of 64 GiB, of which it may use little; nothing else has use for as much."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY + _GUEST if kind.has_guests else _MEMORY, most))


def work(seed: str, first: int, until: float, place: Path) -> None:
    """Every ``PROCESSES``th file from ``first`` on; the one at work lies in ``place``."""
    number = first
    while time.monotonic() < until:
        kind = KINDS[number // PROCESSES % len(KINDS)]
        content = kind.case(random.Random(f"{seed} {number}"))
        place.write_bytes(f"{kind.name} {number}\n".encode() + content)
        attempt(kind, content)
        number += PROCESSES
    place.write_bytes(f"done {number}\n".encode())


def search(seed: str, seconds: float) -> int:
    """The number of findings, each told and kept."""
    print(f"fuzzing for {seconds:g} s with CIPHERMARK_FUZZ_SEED={seed}", flush=True)
    for kind in KINDS:
        # Built here, once, and not in each process.
        kind.corpus()
    until = time.monotonic() + seconds
    findings = tried = 0
    with tempfile.TemporaryDirectory(prefix="ciphermark-fuzz-") as folder:
        starts = list(range(PROCESSES))
        places = [Path(folder) / str(index) for index in range(PROCESSES)]
        running = [start(seed, starts[index], until, places[index]) for index in range(PROCESSES)]
        while running:
            for index, process in enumerate(running):
                if process is None or process.poll() is None:
                    continue
                running[index] = None
                head, _, content = places[index].read_bytes().partition(b"\n")
                name, _, number = head.decode().partition(" ")
                if name == "done":
                    tried += int(number) // PROCESSES
                    continue
                findings += 1
                keep(seed, name, int(number), content, process.returncode)
                if findings < MOST_FINDINGS and time.monotonic() < until:
                    running[index] = start(seed, int(number) + PROCESSES, until, places[index])
            if not any(running):
                break
            time.sleep(0.1)
    print(f"{findings} findings; {tried} files tried to the end of it")
    return findings


def start(seed: str, first: int, until: float, place: Path) -> subprocess.Popen[bytes] | None:
    command = [sys.executable, "-m", "fuzz", "--work", seed, str(first), repr(until - time.monotonic()), str(place)]
    place.write_bytes(b"starting 0\n")
    return subprocess.Popen(command)


def keep(seed: str, name: str, number: int, content: bytes, status: int) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / f"{name}-{seed}-{number}"
    path.write_bytes(content)
    how = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
    print(f"FOUND: {name} number {number} of seed {seed} ended with {how}: {path}", flush=True)
    print(f"  again: PYTHONPATH=tests {sys.executable} -m fuzz {name} {path}", flush=True)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--work"]:
        seed, first, seconds, place = arguments[1:]
        work(seed, int(first), time.monotonic() + float(seconds), Path(place))
        return 0
    if arguments:
        name, path = arguments
        attempt(kind_called(name), Path(path).read_bytes())
        print("no finding")
        return 0
    if KEPT.exists():
        shutil.rmtree(KEPT)
    seed = os.environ.get("CIPHERMARK_FUZZ_SEED") or secrets.token_hex(6)
    return 1 if search(seed, float(os.environ.get("CIPHERMARK_FUZZ_SECONDS", SECONDS))) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
