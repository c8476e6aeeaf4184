"""A passage in the formats of other tools. A format is a function in a module of its own, and its line here."""

from collections.abc import Callable, Mapping

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
