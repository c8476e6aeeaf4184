"""The code of timed calls as the page embeds it, and which rows share it."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from itertools import pairwise
from operator import attrgetter
from typing import Any

from ciphermark.report import columnar
from ciphermark.rows.listing import SHARED, CodeListing
from ciphermark.rows.model import Row

MOST_CHARACTERS = 600_000
"""Most characters of all listings in the page; the rest are in ``listings.jsonl``."""

_EACH = 16
"""Listings deflated together: one after the other they are much alike, and together a third as long."""

_NAMES = tuple(field.name for field in fields(CodeListing) if field.name != "point")
_SHARED = attrgetter(*SHARED)
_ELSEWHERE = attrgetter(*(name for name in SHARED if name not in ("machine", "memory_latency")))


def embedded(rows: Sequence[Row], listings: Sequence[CodeListing]) -> dict[str, Any]:
    """``packed``: parts of so many listings ``each``; ``texts``, packed: what they index; ``of``: by row its listing or
    ``None``. A row of a machine without a listing has that of the same code elsewhere, which counts instructions
    alone."""
    numbers = {row.point: number for number, row in enumerate(rows)}
    known = [listing for listing in listings if listing.point in numbers]
    texts: dict[str, int] = {}
    parts: list[str] = []
    own: dict[Any, int] = {}
    plain: dict[Any, int] = {}
    room = MOST_CHARACTERS
    for first in range(0, len(known), _EACH):
        several = known[first : first + _EACH]
        part = columnar.packed([_part(listing, numbers[listing.point], texts) for listing in several])
        room -= len(part)
        if room < 0:
            break
        parts.append(part)
        for place, listing in enumerate(several, first):
            row = rows[numbers[listing.point]]
            own[_SHARED(row)] = place
            if row.machine is None:
                plain[_ELSEWHERE(row)] = place
    of = [own.get(_SHARED(row), plain.get(_ELSEWHERE(row))) if row.verified else None for row in rows]
    return {"each": _EACH, "packed": parts, "texts": columnar.packed(list(texts)), "of": columnar.numbers(of)}


def _part(listing: CodeListing, row: int, texts: dict[str, int]) -> dict[str, Any]:
    """The listing as recorded, but with its row's number, differences of addresses, and numbers for texts."""
    # Not `asdict` of it all, which copies every instruction's figures one by one.
    found = {name: getattr(listing, name) for name in _NAMES}
    found["functions"] = [asdict(function) for function in listing.functions]
    found["loop"] = asdict(listing.loop) if listing.loop is not None else None
    steps = [after - before for before, after in pairwise((0, *listing.addresses))]
    words = [texts.setdefault(text, len(texts)) for text in listing.texts]
    return {**found, "row": row, "addresses": steps, "texts": words}
