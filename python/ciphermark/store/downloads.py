"""Whether this process may download what is not here, and measure on what takes minutes where others take seconds."""

from collections.abc import Iterator
from contextlib import contextmanager

_allowed = True
_patient = True


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


@contextmanager
def patience(given: bool) -> Iterator[None]:
    """Whether cores in RTL may be built and run during the block, for the whole process."""
    global _patient  # noqa: PLW0603
    before, _patient = _patient, given
    try:
        yield
    finally:
        _patient = before


def is_patient() -> bool:
    return _patient
