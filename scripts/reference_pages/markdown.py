"""What the pages are put together from."""

import inspect
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any


def first_paragraph(documented: Any) -> str:
    """A class's own docstring, not its base's."""
    text = documented.__dict__.get("__doc__") or ""
    return " ".join(inspect.cleandoc(text).split("\n\n")[0].replace("``", "`").split())


def fenced(text: str) -> str:
    return f"```text\n{textwrap.dedent(text).strip()}\n```"


def cell(text: str) -> str:
    """Text of the code as a cell of a table has it."""
    return text.replace("``", "`").replace("|", "\\|")


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    def of(values: Sequence[str]) -> str:
        return f"| {' | '.join(map(cell, values))} |"

    return "\n".join([of(head), "|" + "---|" * len(head), *map(of, lines)])
