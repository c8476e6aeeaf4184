"""``ciphermark doctor``."""

from __future__ import annotations

from dataclasses import asdict

from ciphermark.cli import messages, output
from ciphermark.cli.options import JsonFlag

ENGINE_MISSING = 5


def doctor(json_lines: JsonFlag = False) -> None:
    """Show what is installed, what is missing, what installs it and what its absence disables.

    Exit status 5 if the defaults cannot work: engine sim and one compiler.

    Example:

      ciphermark doctor --json
    """
    from ciphermark.doctor import examine, healthy

    with messages.exit_codes():
        findings = examine()
        if json_lines:
            output.print_records([asdict(finding) for finding in findings], output.Format.JSON)
        else:
            output.print_records(
                [
                    {
                        "": "ok" if finding.usable else "missing",
                        "what": finding.kind,
                        "name": finding.name,
                        "version, or what installs it": finding.version if finding.usable else finding.problem,
                        "without it": finding.disables or "",
                    }
                    for finding in findings
                ],
                output.Format.TABLE,
            )
        if not healthy(findings):
            raise SystemExit(ENGINE_MISSING)
