"""``ciphermark doctor``."""

from dataclasses import asdict

from ciphermark.cli import messages, output
from ciphermark.cli.options import JsonFlag
from ciphermark.exit_codes import ExitCode

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
            raise SystemExit(ExitCode.ENGINE_MISSING)
