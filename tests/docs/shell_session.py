"""Reading a page's fenced blocks, and replaying its console sessions.

A block ```` ```console run ```` holds commands after ``$ `` and what they print, both streams together. A line
``...`` stands for any lines, ``...`` within a line for any text. ``needs=qemu`` after ``run`` names an engine
without which the block is left out. A block whose first word is followed by a path (```` ```c mine/x.c ````) is a
file that the reader makes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermark.store import paths

_FENCE = re.compile(r"^```(?P<info>[^\n`]+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_END = "-- end of command --"


@dataclass(frozen=True)
class Block:
    language: str
    words: tuple[str, ...]
    body: str

    @property
    def file(self) -> str | None:
        """The file it holds, if any."""
        return self.words[0] if self.words and self.language != "console" else None

    @property
    def is_run(self) -> bool:
        return self.language == "console" and "run" in self.words

    @property
    def needs(self) -> tuple[str, ...]:
        return tuple(word.removeprefix("needs=") for word in self.words if word.startswith("needs="))


@dataclass(frozen=True)
class Command:
    line: str
    expected: str


def blocks(page: Path) -> list[Block]:
    found = []
    for match in _FENCE.finditer(page.read_text(encoding="utf-8")):
        language, *words = match["info"].split()
        found.append(Block(language, tuple(words), match["body"]))
    return found


def write(block: Block, folder: Path) -> None:
    """Make the file it holds, if any."""
    if block.file is not None:
        target = folder / block.file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.body)


def readers_environment(folder: Path) -> dict[str, str]:
    """Variables of a session with ``ciphermark`` and ``python`` on PATH, which are put into ``folder``."""
    for name, arguments in (("ciphermark", "-m ciphermark"), ("python", "")):
        shim = folder / name
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        shim.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(paths.data().parents[1]),
        "NO_COLOR": "1",
    }


def commands(block: Block) -> list[Command]:
    """What a console block does; a command goes on in lines that start with ``> ``."""
    found: list[tuple[str, list[str]]] = []
    for line in block.body.splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line.removeprefix('> ')}", [])
        else:
            assert found, f"output before any command: {line}"
            found[-1][1].append(line)
    return [Command(line, "\n".join(expected).strip()) for line, expected in found]


def replay(asked: Sequence[Command], folder: Path, environment: dict[str, str]) -> list[str]:
    """What each command of one bash session prints; ``$?`` is the one before's."""
    script = "".join(f"{command.line}\n{{ s=$?; echo '{_END}'; (exit $s); }}\n" for command in asked)
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1\n{script}"],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    printed = done.stdout.split(f"{_END}\n")
    assert len(printed) == len(asked) + 1, done.stdout
    return [text.strip() for text in printed[:-1]]


def agrees(expected: str, actual: str) -> bool:
    """Line by line, whatever the widths of spaces and rules: those depend on the terminal."""
    pattern = ""
    for line in map(_squeezed, expected.splitlines()):
        if line == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += r"[^\n]*".join(map(re.escape, line.split("..."))) + r"\n"
    return re.fullmatch(pattern, "".join(f"{_squeezed(line)}\n" for line in actual.splitlines())) is not None


def _squeezed(line: str) -> str:
    return re.sub(r"([━─])\1+", r"\1", re.sub(r"\s+", " ", line)).strip()
