"""A study's claims, by kind. A file here is a kind, its table, judgement and wording: ``count.py`` is
``[[claims.count]]``."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Self, cast

from pydantic import ModelWrapValidatorHandler, PrivateAttr, create_model, model_validator

from ciphermark.claims.claim import Claim
from ciphermark.errors import nearest
from ciphermark.notation.manifest import ManifestModel


def _found() -> dict[str, type[Claim]]:
    kinds: dict[str, type[Claim]] = {}
    for module in pkgutil.iter_modules(__path__):
        file = importlib.import_module(f"{__name__}.{module.name}")
        for _, member in inspect.getmembers(file, inspect.isclass):
            if issubclass(member, Claim) and member.__module__ == file.__name__:
                kinds[module.name] = member
    return kinds


KINDS: dict[str, type[Claim]] = _found()
"""Kinds by the table's name, in the order of the files."""


class _Tables(ManifestModel):
    _order: tuple[str, ...] = PrivateAttr(default=())

    @model_validator(mode="wrap")
    @classmethod
    def _in_the_order_written(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        read = handler(data)
        if isinstance(data, dict):
            read._order = tuple(data)
        return read

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        ids = [claim.id for claim in self.all()]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ValueError(f"several claims have the id {', '.join(twice)}")
        for claim in self.all():
            for name in claim.refers_to():
                if name not in ids:
                    raise ValueError(f"claim {claim.id} refers to {name!r}, which is not a claim. {nearest(name, ids)}")
        return self

    def all(self) -> Iterator[Claim]:
        """Every claim; kinds in the order in which the file begins them."""
        for kind in self._order or KINDS:
            yield from cast(tuple[Claim, ...], getattr(self, kind))


if TYPE_CHECKING:
    Claims = _Tables
else:
    _TABLES = {kind: (GenericAlias(tuple, (model, ...)), ()) for kind, model in KINDS.items()}
    Claims = create_model("Claims", __base__=_Tables, __doc__="The claims of a study, by kind.", **_TABLES)
