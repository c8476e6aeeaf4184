"""The claims of a study: a table for each kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from pydantic import ModelWrapValidatorHandler, PrivateAttr, create_model, model_validator

from ciphermark.claims import kinds
from ciphermark.claims.claim import Claim
from ciphermark.errors import nearest
from ciphermark.notation.manifest import ManifestModel


class _Tables(ManifestModel):
    _order: tuple[str, ...] = PrivateAttr(default=())

    @model_validator(mode="wrap")
    @classmethod
    def _in_the_order_written(cls, data: Any, handler: ModelWrapValidatorHandler[_Tables]) -> _Tables:
        read = handler(data)
        if isinstance(data, dict):
            read._order = tuple(data)
        return read

    @model_validator(mode="after")
    def _ids_are_one_claim_s(self) -> _Tables:
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
        for kind in self._order or kinds.KINDS:
            yield from cast(tuple[Claim, ...], getattr(self, kind))


if TYPE_CHECKING:
    Claims = _Tables
else:
    Claims = create_model("Claims", __base__=_Tables, __doc__="The claims of a study, by kind.", **kinds.fields())
