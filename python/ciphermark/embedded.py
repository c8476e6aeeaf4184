"""The Rust module, imported when first needed, so that what does not need it works without it."""

import importlib
from typing import Any

from ciphermark.errors import EngineMissingError, UsageError


def engine() -> Any:
    """``ciphermark._engine`` (typed in ``_engine.pyi``); :class:`EngineMissingError` if it was not built."""
    try:
        return importlib.import_module("ciphermark._engine")
    except ImportError as error:
        raise EngineMissingError(
            f"the embedded engine is not built ({error})", "Run `make setup` in the source tree, or install the wheel."
        ) from error


def available() -> bool:
    try:
        engine()
    except EngineMissingError:
        return False
    return True


def parse_isa(isa: str) -> Any:
    """An ISA string as the engine reads it (``_engine.Isa``). Raises :class:`UsageError` for one it refuses."""
    native = engine()
    try:
        return native.parse_isa(isa)
    except native.EngineError as error:
        raise UsageError(str(error)) from error


def extensions(isa: str) -> frozenset[str]:
    """Every extension of an ISA string, implied ones too, lower case. Raises as :func:`parse_isa`."""
    return frozenset(parse_isa(isa).extensions)
