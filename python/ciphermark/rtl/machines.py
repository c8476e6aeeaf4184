"""Machines: a core in one configuration, with its memory. Each is a file ``machines/NAME.toml``."""

import functools
from typing import Literal

from pydantic import Field

from ciphermark.errors import UsageError, nearest
from ciphermark.notation.manifest import ManifestModel, load
from ciphermark.store import paths

MOST_LATENCY = 1000
"""Cycles."""

CoreName = Literal["ibex", "cva6", "rocket"]


class Machine(ManifestModel):
    """A core's configuration, and the memory it has unless another is asked for."""

    name: str = ""
    """The file's."""
    core: CoreName
    summary: str = Field(min_length=1)
    memory_latency: int = Field(ge=1, le=MOST_LATENCY)
    """Cycles from a request to the memory until its answer."""
    parameters: dict[str, bool | int | str] = Field(default_factory=dict)
    """Of the core; what they may be is the core's to say."""


@functools.cache
def machine(name: str) -> Machine:
    """The machine called ``name``. Raises :class:`UsageError` if there is none."""
    if name not in names():
        raise UsageError(f"unknown machine {name!r}", nearest(name, names()))
    return load(paths.machines() / f"{name}.toml", Machine).model_copy(update={"name": name})


@functools.cache
def names(core: CoreName | None = None) -> tuple[str, ...]:
    """Of all machines, or of those with ``core``, in alphabetical order."""
    every = sorted(path.stem for path in paths.machines().glob("*.toml"))
    return tuple(
        name for name in every if core is None or load(paths.machines() / f"{name}.toml", Machine).core == core
    )
