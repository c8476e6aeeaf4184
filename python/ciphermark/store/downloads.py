"""Whether this process may download what is not here."""

from collections.abc import Iterator
from contextlib import contextmanager

_allowed = True


@contextmanager
def fetching(allowed: bool) -> Iterator[None]:
    """Whether anything may be downloaded during the block, for the whole process."""
    global _allowed  # noqa: PLW0603
    before, _allowed = _allowed, allowed
    try:
        yield
    finally:
        _allowed = before


def may_fetch() -> bool:
    return _allowed
