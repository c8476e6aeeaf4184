"""Exit statuses, from the constants that produce them."""

from __future__ import annotations

import inspect

from ciphermark import errors
from ciphermark.exit_codes import ExitCode

from .markdown import first_paragraph, table


def page() -> str:
    """Exit statuses, from the constants that produce them."""
    kinds: dict[int, list[str]] = {}
    for found in vars(errors).values():
        if inspect.isclass(found) and issubclass(found, errors.CiphermarkError) and found is not errors.CiphermarkError:
            kinds.setdefault(found.exit_code, []).append(first_paragraph(found))
    kinds.setdefault(ExitCode.FAILED, []).append(
        "`run`, `measure`: a point could not be measured though others were: its row says why."
    )
    kinds.setdefault(ExitCode.CONTRADICTED, []).append("`run --strict`: a published claim is contradicted.")
    kinds.setdefault(ExitCode.MISMATCH, []).append("`run`: a point failed, a control failed, or engines disagree.")
    lines = [("0", "All went well."), *((str(int(code)), " ".join(said)) for code, said in sorted(kinds.items()))]
    own = (
        ("the program's", "The program ended; 128 and the number of a signal that killed it."),
        *((str(code.value), f"{_sentence(code.meaning)}.") for code in _OF_SIM),
    )
    return "\n\n".join(
        [
            "# Exit codes",
            table(("status", "meaning"), lines),
            "130 means interrupted (Ctrl-C), 143 and 129 ended by SIGTERM or SIGHUP, 141 that the reader of a pipe "
            "left. "
            "For several studies `run` reports the highest.",
            "`measure --impls A,B` measures what it can: an implementation that cannot be read, does not compile, "
            "gives a wrong answer or cannot do what is asked has rows whose `verdict` and `note` say so, and the "
            "status is 4 if an answer is wrong, else 1. What `host` and `vm` cannot run on this machine is a row "
            "too, and no failure. Only if no row at all could be measured are there none: then one message says "
            "why of each, with 4 after a wrong answer, 1 after a build or a run that failed, and 2 if nothing "
            "named can be as asked. A mistake in the command itself (an unknown algorithm, operation, engine or "
            "option, an ISA or a size that cannot be) is 2, and nothing is measured.",
            "## `ciphermark sim`",
            table(("status", "meaning"), own),
        ]
    )


_OF_SIM = (ExitCode.FAULT, ExitCode.LIMIT, ExitCode.USAGE, ExitCode.ENGINE_MISSING)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
