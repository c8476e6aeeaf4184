"""What the pages are put together from."""

from __future__ import annotations

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


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    def cells(values: Sequence[str]) -> str:
        return "| " + " | ".join(value.replace("``", "`").replace("|", "\\|") for value in values) + " |"

    return "\n".join([cells(head), "|" + "---|" * len(head), *map(cells, lines)])
