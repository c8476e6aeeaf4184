"""A passage in the formats of other tools. A format is a function in a module of its own, and its line here."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ciphermark.errors import UsageError
from ciphermark.exports import callgrind, chrome, folded, kanata
from ciphermark.rows.passage import Passage

Export = Callable[[Passage, str], str]
"""The text of a file, of a passage with a title."""

FORMATS: Mapping[str, Export] = {
    "callgrind": callgrind.text,
    "chrome": chrome.text,
    "folded": folded.text,
    "kanata": kanata.text,
}


def files(given: Sequence[str]) -> dict[str, Path]:
    """By format the file that ``FORMAT=FILE`` names. Raises :class:`UsageError` at what is not of that form."""
    wanted = {}
    for each in given:
        name, equals, file = each.partition("=")
        if name not in FORMATS or not (equals and file):
            raise UsageError(f"--exports: {each!r} is not FORMAT=FILE", f"The formats are {', '.join(FORMATS)}.")
        wanted[name] = Path(file)
    return wanted
