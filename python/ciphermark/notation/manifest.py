"""Reading a TOML file into a pydantic model; errors name the file, the key and the nearest valid key."""

import re
import tomllib
import typing
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ciphermark.errors import UsageError, nearest

_MOST_BYTES = 8 << 20
_MOST_PROBLEMS = 20
"""Most problems that are reported for one file."""
_DEEP_KEY = re.compile(r"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){100}""")
"""A key of a hundred parts and more: for each, tomllib keeps all that came before it."""


class ManifestModel(BaseModel):
    """A table of a file: unknown keys are errors and records do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Model = TypeVar("Model", bound=BaseModel)


def load(path: Path, model: type[Model]) -> Model:
    """Read ``path`` into ``model``; raise :class:`UsageError` that says where and what to write instead."""
    text = _text(path)
    try:
        if _DEEP_KEY.search(text):
            raise RecursionError
        document = tomllib.loads(text)
    except RecursionError:
        raise UsageError(f"{path}: not valid TOML: nested too deeply", "No key of this file needs that.") from None
    except ValueError as error:
        # The TOML is wrong, or one of its numbers is too long for Python.
        raise UsageError(f"{path}: not valid TOML: {error}") from error
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise _explained(path, model, error) from error


def _text(path: Path) -> str:
    """The text of a regular file of a sane size: opening a pipe might wait for ever, and reading a device never end."""
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} is {'a folder' if path.is_dir() else 'not a regular file'}, not a TOML file")
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise UsageError(f"{path} is longer than {_MOST_BYTES >> 20} MiB, which no file of this kind is")
        return content.decode("utf-8")
    except FileNotFoundError as error:
        raise UsageError(f"{path}: no such file") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error


def _explained(path: Path, model: type[BaseModel], error: ValidationError) -> UsageError:
    lines: list[str] = []
    hints: list[str] = []
    problems = error.errors(include_url=False)
    # A list left empty by what is wrong with its items is no mistake of its own.
    holders = {problem["loc"][:end] for problem in problems for end in range(len(problem["loc"]))}
    problems = [problem for problem in problems if problem["loc"] not in holders]
    for problem in problems[:_MOST_PROBLEMS]:
        location = problem["loc"]
        key, hint = ".".join(map(str, location)), ""
        if problem["type"] == "extra_forbidden":
            lines.append(f"{path}: unknown key {key!r}")
            hint = nearest(str(location[-1]), _keys_at(model, location[:-1]))
        elif problem["type"] == "missing":
            lines.append(f"{path}: key {key!r} is missing")
        else:
            where = f"{path}: {key}" if key else str(path)
            lines.append(f"{where}: {problem['msg'].removeprefix('Value error, ')}")
        if hint and hint not in hints:
            hints.append(hint)
    if len(problems) > _MOST_PROBLEMS:
        lines.append(f"{path}: and {len(problems) - _MOST_PROBLEMS:,} more problems")
    return UsageError("\n".join(lines), "\n".join(hints))


def _keys_at(model: type[BaseModel], location: tuple[int | str, ...]) -> tuple[str, ...]:
    """The keys a table at ``location`` may have; empty where the place is not a table of known keys."""
    annotation: Any = model
    for part in location:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            field = annotation.model_fields.get(str(part))
            if field is None:
                return ()
            annotation = field.annotation
        else:
            # A mapping's or a sequence's values are all of the last type argument that is not `...`.
            arguments = [a for a in typing.get_args(annotation) if a is not ... and a is not type(None)]
            annotation = arguments[-1] if arguments else None
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return tuple(annotation.model_fields)
    return ()
