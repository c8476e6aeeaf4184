"""The kinds of claims, a file each: the table of a study file, how it is judged, and in what words.

A file put here is a kind: its class's ``kind`` is the name of the table.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from types import GenericAlias
from typing import Any

from ciphermark.claims.claim import Claim


def _found() -> dict[str, type[Claim]]:
    kinds: dict[str, type[Claim]] = {}
    for module in pkgutil.iter_modules(__path__):
        file = importlib.import_module(f"{__name__}.{module.name}")
        for _, member in inspect.getmembers(file, inspect.isclass):
            if issubclass(member, Claim) and member.__module__ == file.__name__:
                kinds[member.kind] = member
    return kinds


KINDS: dict[str, type[Claim]] = _found()
"""By the table's name, in the order of the files."""


def fields() -> dict[str, Any]:
    """A field for each kind, as pydantic makes models of them: any number of claims, none if the file has none."""
    return {kind: (GenericAlias(tuple, (model, ...)), ()) for kind, model in KINDS.items()}
