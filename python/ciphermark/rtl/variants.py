"""Variants of machines: one whose file is changed in a few keys, and named by these,
``gem5-two-level+l1d.size=4K+line=32``.

A key is its place in the file. In a name, ``memory.parts.`` before it is left out, and a key without a part
is that of every part that has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ciphermark.errors import UsageError, nearest
from ciphermark.notation.sizes import format_size, parse_sizes

_NAME = re.compile(r"(?P<base>.+?)(?P<settings>(?:\+[a-z][a-z0-9_.-]*=[A-Za-z0-9][A-Za-z0-9_. -]*)+)")
_PARTS = "memory.parts."
_EVERY = "*"
_WHOLE = ("memory", "memory_latency", "parameters")
"""Where a key's full place begins."""

Value = bool | int | str


def parsed(name: str) -> tuple[str, dict[str, str]]:
    """The machine that a variant is of, and what is changed in it; nothing, if it is no variant."""
    found = _NAME.fullmatch(name)
    if found is None:
        return name, {}
    settings = (each.split("=", 1) for each in found["settings"][1:].split("+"))
    return found["base"], dict(settings)


def named(base: str, settings: Mapping[str, object]) -> str:
    """The variant's name. Raises :class:`UsageError` for a value that none can have."""
    name = base + "".join(f"+{short(key)}={_text(value)}" for key, value in settings.items())
    if settings and parsed(name)[0] != base:
        raise UsageError(f"{name} is not a machine: a variant is called NAME+KEY=VALUE", "Try l1d.size=4K.")
    return name


def short(key: str) -> str:
    """A key as names have it."""
    rest = key.removeprefix(_PARTS)
    if rest == key or rest.partition(".")[0] in _WHOLE:
        return key
    return rest.removeprefix(f"{_EVERY}.")


def values(given: object) -> tuple[Value, ...]:
    """Values of a key: one, several, or a range of sizes that doubles, ``4K..64K``. Raises ``ValueError``."""
    every = given if isinstance(given, list | tuple) else [given]
    found: dict[Value, None] = {}
    for value in every:
        if not isinstance(value, bool | int | str):
            raise ValueError(f"{value!r} is not a value of a key: write a number, a string, or true or false")
        if isinstance(value, str) and ".." in value:
            found |= dict.fromkeys(map(format_size, parse_sizes(value)))
        else:
            found[value] = None
    if not found:
        raise ValueError("there is no value")
    return tuple(found)


def changed(name: str, document: dict[str, Any], settings: Mapping[str, str]) -> dict[str, Any]:
    """A machine's document with ``settings``, each of a key that it has. Raises :class:`UsageError` for another."""
    for key, text in settings.items():
        for table, last in _places(name, document, key):
            table[last] = _value(text)
    return document


def _places(name: str, document: dict[str, Any], key: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Tables of the document, and the key in each."""
    first, _, rest = key.partition(".")
    if first in _WHOLE:
        yield _place(name, document, key, key.split("."))
        return
    parts: dict[str, Any] = (document.get("memory") or {}).get("parts", {})
    if not parts:
        raise UsageError(f"{name}: {key}: its memory has no parts")
    if rest:
        yield _place(name, parts, key, key.split("."))
        return
    found = [part for part in parts.values() if key in part]
    if not found:
        known = {each for part in parts.values() for each in part}
        raise UsageError(f"{name}: no part has the key {key!r}", nearest(key, known))
    yield from ((part, key) for part in found)


def _place(name: str, table: dict[str, Any], key: str, path: list[str]) -> tuple[dict[str, Any], str]:
    for place, step in enumerate(path):
        # A machine's own fields are all there, whether its file has them or not.
        if step not in table:
            raise UsageError(f"{name}: there is no key {'.'.join(path[: place + 1])!r}", nearest(step, table))
        if place == len(path) - 1 and not isinstance(table[step], dict):
            return table, step
        if not isinstance(table[step], dict):
            break
        table = table[step]
    raise UsageError(f"{name}: {key} is not one value", f"Its keys are {', '.join(map(str, table))}.")


def _value(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isdigit() else text


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
