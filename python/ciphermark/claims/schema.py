"""Published numbers by message size, as claims write them."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from ciphermark.sizes import parse_size


def _by_size(value: object) -> object:
    return {parse_size(key): number for key, number in value.items()} if isinstance(value, dict) else value


def _counts(value: object) -> object:
    return _by_size(value) if isinstance(value, dict) else {None: value}


SizeTable = Annotated[dict[int, Annotated[float, Field(gt=0)]], BeforeValidator(_by_size)]
"""Message size in bytes -> published number; the file writes sizes as ``"64K"``."""
Differences = Annotated[dict[int, float], BeforeValidator(_by_size), Field(min_length=1)]
"""Message size in bytes -> published difference, a fraction of either sign."""
Counts = Annotated[dict[int | None, Annotated[int, Field(gt=0)]], BeforeValidator(_counts), Field(min_length=1)]
"""Message size in bytes -> published count, or one count of whatever size, under ``None``."""
