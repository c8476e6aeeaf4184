"""Columns of rows as the page embeds them: each in the shortest of a few forms, of which none loses a digit. What is
long and looked at on demand is compressed."""

import base64
import json
import zlib
from collections.abc import Sequence
from itertools import groupby
from typing import Any

Number = int | float | None

_FEW = 4
"""A number that is repeated so often on average is worth a table of its own."""


def texts(cells: Sequence[str | None]) -> dict[str, Any]:
    """``words``: each text once; ``index``, or ``runs``: which one each row has, see :func:`_indices`."""
    index = {word: place for place, word in enumerate(dict.fromkeys(cells))}
    return {"words": list(index), **_indices([index[cell] for cell in cells])}


def numbers(cells: Sequence[Number]) -> dict[str, Any]:
    """``same``: the figure of all rows; or ``numbers``, each once, with ``index`` or ``runs``; or ``each`` row's."""
    distinct = dict.fromkeys(cells)
    if len(distinct) <= 1:
        return {"same": next(iter(distinct), None)}
    index = {number: place for place, number in enumerate(distinct)}
    places = _indices([index[cell] for cell in cells])
    if len(distinct) * _FEW <= len(cells) or len(places.get("runs", cells)) * _FEW <= len(cells):
        return {"numbers": list(distinct), **places}
    return {"each": list(cells)}


def quotients(cells: Sequence[Number], over: Sequence[Number], under: Sequence[Number]) -> dict[str, Any] | None:
    """``index`` or ``runs`` of 1 where the figure is exactly the quotient of two others, as the page computes it, and 0
    where there is none; ``None`` if that is not all there is."""
    for cell, above, below in zip(cells, over, under, strict=True):
        if cell is not None and (above is None or not below or cell != above / below):
            return None
    return _indices([int(cell is not None) for cell in cells])


def _indices(places: Sequence[int]) -> dict[str, list[int]]:
    """``runs`` alternates a place and how many rows in a row have it; ``index`` has one for each row; without either
    each row has the place of its number."""
    if all(place == row for row, place in enumerate(places)):
        return {}
    runs = [number for place, alike in groupby(places) for number in (place, sum(1 for _ in alike))]
    return {"runs": runs} if len(runs) < len(places) else {"index": list(places)}


def packed(value: Any) -> str:
    """JSON, deflated, in base64."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def unpacked(text: str) -> Any:
    """What :func:`packed` was given."""
    return json.loads(zlib.decompress(base64.b64decode(text)))
