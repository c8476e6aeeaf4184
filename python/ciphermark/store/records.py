"""Records as JSON. Each says the version of its form; one of another version is not read: the run is repeated, from the
cache."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from ciphermark.errors import CiphermarkError
from ciphermark.rows.model import SCHEMA, Row
from ciphermark.store.atomic import write_atomically

T = TypeVar("T")


class InputError(CiphermarkError):
    """A file of a results folder cannot be read; the message names file, line and mistake."""


def write(path: Path, kind: type[T], record: T) -> None:
    """A record of ``kind`` as a JSON file that people can read."""
    found = {"schema": SCHEMA, **adapter(kind).dump_python(record, mode="json")}
    write_atomically(path, (json.dumps(found, ensure_ascii=False, indent=1) + "\n").encode())


def read(path: Path, kind: type[T]) -> T | None:
    """The record in ``path``; ``None`` where there is no such file. Raises :class:`InputError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    return _read(str(path), text, kind)


def rows_to_lines(rows: Iterable[Row]) -> str:
    """One JSON object a line, with its version; what was not measured is ``null``."""
    return to_lines(Row, rows)


def to_lines(kind: type[T], found: Iterable[T]) -> str:
    """Records of ``kind``, one JSON object a line, each with its version."""
    dump = adapter(kind).dump_python
    # A row has its version itself, in its place among the columns.
    return "".join(
        json.dumps(whole if "schema" in (whole := dump(each)) else {"schema": SCHEMA, **whole}, ensure_ascii=False)
        + "\n"
        for each in found
    )


def read_rows(path: Path) -> tuple[Row, ...]:
    """The rows of a ``rows.jsonl``. Raises :class:`InputError`, also if there is no such file."""
    found = read_lines(path, Row)
    if found is None:
        raise InputError(f"{path}: no such file", "Run the study first: ciphermark run STUDY.")
    return found


def read_lines(path: Path, kind: type[T]) -> tuple[T, ...] | None:
    """The records of a file that :func:`to_lines` wrote; ``None`` where there is no such file. Raises
    :class:`InputError`."""
    try:
        return lines(str(path), path.read_text(encoding="utf-8"), kind)
    except FileNotFoundError:
        return None


def lines(where: str, text: str, kind: type[T]) -> tuple[T, ...]:
    """The records of such a text. Raises :class:`InputError`, which names ``where`` and the line."""
    return tuple(
        _read(f"{where}:{number}", line, kind) for number, line in enumerate(text.split("\n"), 1) if line.strip()
    )


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


def adapter(kind: type[T]) -> TypeAdapter[T]:
    """Made once for each kind, which takes a while."""
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def _read(where: str, text: str, kind: type[T]) -> T:
    try:
        found: Any = json.loads(text)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    version = found.get("schema") if isinstance(found, dict) else None
    if version != SCHEMA:
        said = f"its version is {version}" if version is not None else "it does not say its version"
        raise InputError(
            f"{where}: written by another version of ciphermark: {said}, this one reads {SCHEMA}",
            "Run the study again: ciphermark run STUDY. Finished measurements are cached, so this is quick.",
        )
    try:
        return adapter(kind).validate_python(found)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{where}: {at}: {first['msg']}" if at else f"{where}: {first['msg']}") from None
