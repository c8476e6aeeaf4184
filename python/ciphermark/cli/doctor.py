"""``ciphermark doctor``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from ciphermark.cli import messages, output
from ciphermark.cli.options import JsonFlag
from ciphermark.exit_codes import ExitCode

if TYPE_CHECKING:
    from ciphermark.doctor import Finding

STATUSES = {ExitCode.OK: "the defaults work", ExitCode.ENGINE_MISSING: "engine sim or every compiler is missing"}


def doctor(json_lines: JsonFlag = False) -> None:
    """Show what is installed and what is missing.

    If something is missing it prints the command that installs it, and what does not work without it.

    Example:

      ciphermark doctor --json
    """
    from ciphermark.doctor import examine, healthy

    with messages.exit_codes():
        findings = examine()
        if json_lines:
            output.print_records([asdict(finding) for finding in findings], output.Format.JSON)
        else:
            _print(findings)
        if not healthy(findings):
            raise SystemExit(ExitCode.ENGINE_MISSING)


def _print(findings: Sequence[Finding]) -> None:
    """A line for each; below them, in full, what each that is missing needs: a table would break both into columns."""
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
