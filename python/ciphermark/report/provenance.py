"""The manifest as sections of tables, whatever its keys: nothing of it is left out."""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ciphermark.report import columnar

_LONG = 12
"""Tables with more rows start closed."""
_LARGE = 50_000
"""Characters of a table that is closed and long enough to be deflated: commands of hundreds of compilations."""


@dataclass(frozen=True, slots=True)
class Section:
    """One key of the manifest: pairs (no header) or a table."""

    title: str
    header: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]

    @property
    def long(self) -> bool:
        return len(self.lines) > _LONG

    @property
    def packed(self) -> bool:
        """Whether the page holds it deflated and makes the table when it is opened."""
        return self.long and bool(self.header) and sum(len(cell) for line in self.lines for cell in line) > _LARGE


def cost_section(table: Sequence[Sequence[str]]) -> list[Section]:
    """The emulator's own cost, if there is any: a table of its own, so that none takes it for the guest's."""
    if len(table) < 2:
        return []
    return [Section("The emulator's own cost on this host", tuple(table[0]), tuple(map(tuple, table[1:])))]


def packed(found: Sequence[Section]) -> dict[str, str]:
    """The lines of large tables by their section's number."""
    return {str(number): columnar.packed(section.lines) for number, section in enumerate(found) if section.packed}


def sections(manifest: Mapping[str, Any]) -> list[Section]:
    """Single values first, as one table of pairs; then a section for every list or table."""
    pairs = []
    rest = []
    for key, value in manifest.items():
        if value is None or value == "":
            continue
        if _plain(value):
            pairs.append((_label(key), _text(value)))
        elif value:
            rest.append(_section(_label(key), value))
    return ([Section("Run", (), tuple(pairs))] if pairs else []) + rest


def _section(title: str, value: Mapping[str, Any] | Sequence[Any]) -> Section:
    if isinstance(value, Mapping):
        if value and all(isinstance(inner, Mapping) for inner in value.values()):
            return _table(title, [{"name": name, **inner} for name, inner in value.items()])
        return Section(title, (), tuple((str(key), _text(inner)) for key, inner in value.items()))
    if all(isinstance(inner, Mapping) for inner in value):
        return _table(title, value)
    return Section(title, (), tuple(("", _text(inner)) for inner in value))


def _table(title: str, records: Sequence[Mapping[str, Any]]) -> Section:
    keys = list(dict.fromkeys(key for record in records for key in record))
    lines = tuple(tuple(_text(record.get(key)) for key in keys) for record in records)
    return Section(title, tuple(_label(key) for key in keys), lines)


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, bool))


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)) and all(_plain(inner) for inner in value):
        return "\n".join(_shortened([_text(inner) for inner in value]))
    if isinstance(value, (list, tuple, Mapping)):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return str(value)


_SAME = 40
"""Characters in which a line has to begin like the one before, so that they are not said again."""


def _shortened(lines: Sequence[str]) -> list[str]:
    """Lines in whose place an ellipsis stands for the words with which the line before begins as well: a compiler's
    commands differ in little."""
    found = list(lines[:1])
    for before, line in itertools.pairwise(lines):
        alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(before, line, strict=False))
        same = line.rfind(" ", 0, len(list(alike)))
        found.append(f"\N{HORIZONTAL ELLIPSIS}{line[same:]}" if same >= _SAME else line)
    return found


def _label(key: str) -> str:
    return key.replace("_", " ").capitalize()
