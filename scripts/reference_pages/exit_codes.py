"""Exit statuses, from the constants that produce them."""

from __future__ import annotations

import inspect

from ciphermark import errors
from ciphermark.cli import run as run_command
from ciphermark.cli import sim as sim_command

from .markdown import first_paragraph, table


def page() -> str:
    """Exit statuses, from the constants that produce them."""
    kinds: dict[int, list[str]] = {}
    for found in vars(errors).values():
        if inspect.isclass(found) and issubclass(found, errors.CiphermarkError) and found is not errors.CiphermarkError:
            kinds.setdefault(found.exit_code, []).append(first_paragraph(found))
    kinds.setdefault(run_command.FAILED, []).append("`run`: a point could not be measured.")
    kinds.setdefault(run_command.CONTRADICTED, []).append("`run --strict`: a published claim is contradicted.")
    kinds.setdefault(run_command.MISMATCH, []).append("`run`: a point failed, a control failed, or engines disagree.")
    lines = [("0", "All went well."), *((str(code), " ".join(said)) for code, said in sorted(kinds.items()))]
    own = (
        ("the guest's", "The program ended."),
        (str(sim_command.FAULT), "The guest faulted: an illegal instruction, an access to memory it does not have."),
        (str(sim_command.LIMIT), "A limit was reached: `--max-instructions` or `--max-seconds`."),
        (str(sim_command.USAGE), "Usage, or a file that cannot be run."),
        (str(sim_command.ENGINE_MISSING), "The embedded engine is not built."),
    )
    return "\n\n".join(
        [
            "# Exit codes",
            table(("status", "meaning"), lines),
            "130 means interrupted (Ctrl-C), 143 and 129 ended by SIGTERM or SIGHUP, 141 that the reader of a pipe "
            "left. "
            "Of several studies `run` reports the highest.",
            "## `ciphermark sim`",
            table(("status", "meaning"), own),
        ]
    )
