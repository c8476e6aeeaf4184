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
    return "".join(json.dumps(adapter(Row).dump_python(row), ensure_ascii=False) + "\n" for row in rows)


def read_rows(path: Path) -> tuple[Row, ...]:
    """The rows of a ``rows.jsonl``. Raises :class:`InputError`, also if there is no such file."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file", "Run the study first: ciphermark run STUDY.") from None
    return tuple(_read(f"{path}:{number}", line, Row) for number, line in enumerate(lines, start=1) if line.strip())


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
