"""``ciphermark doctor``: what is installed, what is missing, how to install it, and what its absence disables."""

from __future__ import annotations

import importlib.util
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import metadata

from ciphermark import engines, toolchain
from ciphermark.cli import messages, output
from ciphermark.cli.options import JsonFlag
from ciphermark.errors import CiphermarkError
from ciphermark.exit_codes import ExitCode
from ciphermark.notation import numbers
from ciphermark.rtl import tools
from ciphermark.store import cache_space, paths
from ciphermark.version import version

STATUSES = {ExitCode.OK: "engine sim and a compiler are installed", ExitCode.ENGINE_MISSING: "one of them is missing"}

_COMPILERS = {
    "zig": "building native code, whole programs, and kernels unless --compilers names another compiler",
    "gcc": "the gcc points of studies and --compilers gcc",
    "clang": "the clang points of studies and --compilers clang; zig, which is a clang, does not need it",
}
"""Compilers a study or a default names, and what their absence disables."""

_TOOLS = {
    "verilator": "testing datapaths (make test-rtl)",
    "yosys": "ciphermark area, proofs of datapaths (make test-rtl)",
}
"""Tools for hardware, and what their absence disables."""

_PACKAGES = {"polars": "rows.parquet and .to_polars()"}


def doctor(json_lines: JsonFlag = False) -> None:
    """Show what is installed and what is missing.

    It says how to install each missing part, and what does not work without it.

    Example:

      ciphermark doctor --json
    """
    with messages.exit_codes():
        findings = examine()
        if json_lines:
            output.print_records([asdict(finding) for finding in findings], output.Format.JSON)
        else:
            _print(findings)
        if not healthy(findings):
            raise SystemExit(ExitCode.ENGINE_MISSING)


def _print(findings: Sequence[Finding]) -> None:
    """A line for each, and below them in full what is missing: a table would break both into columns."""
    widths = [max(len(text) for text in column) for column in zip(*((f.kind, f.name) for f in findings), strict=True)]
    for finding in findings:
        status = "ok" if finding.usable else "missing"
        kind, name = finding.kind.ljust(widths[0]), finding.name.ljust(widths[1])
        print(f"{status:7}  {kind}  {name}  {finding.version or ''}".rstrip())
    for finding in findings:
        if not finding.usable:
            print(f"\n{finding.name}: {finding.problem}")
            if finding.disables:
                print(f"without it: {finding.disables}")


@dataclass(frozen=True, slots=True)
class Finding:
    kind: str
    """``engine``, ``compiler``, ``tool``, ``package``, ``python``, ``cache``."""
    name: str
    usable: bool
    version: str | None = None
    problem: str | None = None
    """What is missing and the command that installs it."""
    disables: str | None = None


def examine() -> list[Finding]:
    """Everything looked for, the interpreter first. Never raises: a broken part is a finding."""
    return [
        Finding("ciphermark", "ciphermark", True, version()),
        Finding("python", platform.python_implementation(), True, platform.python_version()),
        *map(_engine, engines.all_names()),
        *_compilers(),
        *map(_tool, _TOOLS),
        *map(_package, _PACKAGES),
        _cache(),
    ]


def healthy(findings: list[Finding]) -> bool:
    """Whether there are the default engine and some compiler."""
    usable = [finding for finding in findings if finding.usable]
    return any(f.kind == "engine" and f.name == engines.DEFAULT for f in usable) and any(
        f.kind == "compiler" for f in usable
    )


def _engine(name: str) -> Finding:
    engine = engines.find(name)
    disables = engine.serves if name == engines.DEFAULT else f"--engines {name}: {engine.serves}"
    try:
        problem = engine.problem()
        said = engine.version() if problem is None else None
    except CiphermarkError as error:
        problem, said = str(error), None
    return Finding("engine", name, problem is None, said, problem, disables if problem is not None else None)


def _compilers() -> list[Finding]:
    found = [Finding("compiler", c.name, True, c.version) for c in toolchain.installed()]
    for name, disables in _COMPILERS.items():
        try:
            toolchain.resolve(name)
        except CiphermarkError as error:
            found.append(Finding("compiler", name, False, None, f"{error.message}. {error.hint}".strip(), disables))
    return found


def _tool(name: str) -> Finding:
    try:
        return Finding("tool", name, True, tools.find(name).version(), None, None)
    except CiphermarkError as error:
        return Finding("tool", name, False, None, f"{error.message}. {error.hint}".strip(), _TOOLS[name])


def _package(name: str) -> Finding:
    if importlib.util.find_spec(name) is None:
        return Finding("package", name, False, None, f"not installed. pip install {name}", _PACKAGES[name])
    return Finding("package", name, True, metadata.version(name))


def _cache() -> Finding:
    place = paths.cache()
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot be made: {error.strerror}. Set {paths.CACHE_VARIABLE} to a folder you may write to."
        return Finding("cache", str(place), False, None, problem, "building and resuming")
    try:
        taken = numbers.in_bytes(cache_space.size(cache_space.items()))
        said = f"{taken}, {cache_space.bound_in_words()} ({cache_space.LIMIT_VARIABLE})"
    except (CiphermarkError, OSError) as error:
        return Finding("cache", str(place), False, None, str(error).replace("\n", ". "), "measuring")
    return Finding("cache", str(place), True, said)
