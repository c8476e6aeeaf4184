"""A passage in the formats of other tools. Each format is a function in its own module, and a line here."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ciphermark.errors import UsageError
from ciphermark.exports import callgrind, chrome, folded, kanata
from ciphermark.rows.passage import Passage

Export = Callable[[Passage, str], str]
"""Turns a passage and its title into the text of a file."""

FORMATS: Mapping[str, Export] = {
    "callgrind": callgrind.text,
    "chrome": chrome.text,
    "folded": folded.text,
    "kanata": kanata.text,
}


def files(given: Sequence[str]) -> dict[str, Path]:
    """The file for each format, from ``FORMAT=FILE``. Raises :class:`UsageError` for anything else."""
    wanted = {}
    for each in given:
        name, equals, file = each.partition("=")
        if name not in FORMATS or not (equals and file):
            raise UsageError(f"--exports: {each!r} is not FORMAT=FILE", f"The formats are {', '.join(FORMATS)}.")
        wanted[name] = Path(file)
    return wanted
