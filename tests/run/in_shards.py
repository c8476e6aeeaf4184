"""Shards of a study as processes in the fake world, each with a cache of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from ciphermark.store import pack_file
from ciphermark.store.pack_file import Header, Pack

FIVE = """
id = "five"
title = "Five"
question = "Does it add up?"

[[matrix]]
implementations = ["aes/sbox", "aes/fixslice", "aes/ttable"]
isas = ["rv32i", "rv32i_zbb", "rv64i", "rv64i_zbb"]
compilers = [{ name = "zig", opts = ["O2", "Os"] }]
algorithms = ["aes-128-ecb"]
operations = ["encrypt", "decrypt"]
sizes = "16..4K"
measure_up_to = "1K"

[[controls.repeat]]
id = "twice"
"""
"""24 builds."""

RUN = """
import sys
from pathlib import Path
from run.fake_world import World, WorldEngine, install, with_instructions
revision, more, delay = sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
world = World(Path(sys.argv[1]), delay=delay, engines={"sim": WorldEngine(revision=revision)})
if more:
    world.edit = lambda engine, measured: with_instructions(measured, measured.instructions + more)
install(world)
sys.argv = ["ciphermark", *sys.argv[5:]]
from ciphermark.__main__ import main
main()
"""


def start(
    folder: Path, cache: str, *arguments: object, revision: str = "fake 1", more: int = 0, delay: float = 0.0
) -> subprocess.Popen[str]:
    """``ciphermark`` with ``arguments`` in ``folder``, where cache ``cache`` is."""
    tests = str(Path(__file__).parents[1])
    path = os.pathsep.join([tests, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(folder / "elves"), revision, str(more), str(delay), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path, "CIPHERMARK_CACHE": str(folder / cache)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
    )  # fmt: skip


def done(process: subprocess.Popen[str], status: int = 0) -> tuple[str, str]:
    """What it printed."""
    output, errors = process.communicate(timeout=120)
    assert process.returncode == status, (process.returncode, output, errors)
    return output, errors


def pack(folder: Path, study: Path, number: int, of: int, name: str | None = None, **how: object) -> Path:
    """The pack of one shard, measured in a cache of its own."""
    place = folder / (name or f"{number}-of-{of}.pack")
    arguments = ("run", study, "--shard", f"{number}/{of}", "--pack", place, "--quiet")
    done(start(folder, f"cache of {place.name}", *arguments, **how))  # type: ignore[arg-type]
    return place


def rewritten(place: Path, header: Header | None = None, points: list[bytes] | None = None) -> Path:
    """The same pack with another header, or other points."""
    with Pack(place) as found:
        lines = list(found.points()) if points is None else points
        head = header or found.header
    pack_file.write(place, head, lines, ())
    return place


def equal_files(one: Path, two: Path) -> bool:
    return all((one / name).read_bytes() == (two / name).read_bytes() for name in ("rows.csv", "rows.jsonl"))


def with_header(place: Path, **changes: Any) -> Path:
    with Pack(place) as found:
        header = found.header
    return rewritten(place, header=replace(header, **changes))


def members(place: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(place) as found:
        return {name: found.read(name) for name in found.namelist()}
