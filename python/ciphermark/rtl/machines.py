"""Machines: a core in one configuration, with its memory. Each is a file: ``machines/NAME.toml``, or a user's own; or
one of these with some of its keys changed."""

import functools
import hashlib
import json
from typing import Literal, Self

from pydantic import Field, ValidationError

from ciphermark import embedded
from ciphermark.errors import UsageError, nearest
from ciphermark.notation.manifest import ManifestModel, load
from ciphermark.rtl.memory import MOST_HARTS, MemorySystem, Parameters
from ciphermark.rtl.memory import Modelled as ModelledMemory
from ciphermark.rtl.variants import changed, parsed
from ciphermark.store import paths

MOST_LATENCY = 1000
"""Cycles."""

Modelled = tuple[str, int, dict[str, bool | int | str], ModelledMemory | None]
"""Core, memory latency in cycles, parameters, and the memory if it is built from parts."""

CoreName = Literal["ibex", "cva6", "rocket", "wally", "in-order", "gem5-timing"]


class Evidence(ManifestModel):
    """How far modelled cycles were from those of what is modelled."""

    reference: str = Field(min_length=1)
    """The RTL, or the simulator, and its version."""
    of: Literal["RTL", "gem5"] = "RTL"
    """What the reference is."""
    programs: str = Field(pattern=r".+, (cold|warm)$")
    """What was compared, and in which state of caches and predictors: ``9 benchmarks, warm``."""
    mean: float = Field(ge=0)
    """Mean of the absolute relative errors."""
    worst: float = Field(ge=0)
    date: str = Field(pattern=r"^\d{4}-\d\d-\d\d$")

    def __str__(self) -> str:
        if not self.worst:
            return f"equal to {self.of} on {self.programs}"
        return (
            f"{100 * self.mean:.2g} % off {self.of} on average, {100 * self.worst:.2g} % at worst, on {self.programs}"
        )


class Machine(ManifestModel):
    """A core's configuration, and the memory it has unless another is asked for."""

    name: str = ""
    """The file's."""
    core: CoreName
    summary: str = Field(min_length=1)
    source: str = ""
    """Where its parameters are from."""
    memory_latency: int = Field(default=1, ge=1, le=MOST_LATENCY)
    """Cycles from a memory request to its response; meaningless if the memory is built from parts."""
    memory: MemorySystem | None = None
    """Caches, crossbars and DRAM, instead of those that the core has by itself."""
    parameters: Parameters = Field(default_factory=dict)
    """Parameters of the core, which decides what they may be."""
    evidence: list[Evidence] = Field(default_factory=list)
    """Evidence for the model of its cycles."""

    def modelled(self, memory_latency: int | None = None) -> Modelled:
        """The machine in the form that the engine accepts."""
        parts = self._parts()
        return self.core, memory_latency or self.memory_latency, self.parameters, parts

    def with_harts(self, harts: int) -> Self:
        """The same with this many harts. Raises :class:`UsageError` if its core has one."""
        # Other cores can have a memory that is built from parts, below their own caches, which one hart has.
        if self.core != "gem5-timing" or self.memory is None:
            raise UsageError(
                f"{self.name} has one hart",
                "Only machines with gem5's core can have several: use --machine gem5-two-level, for instance.",
            )
        if not 1 <= harts <= MOST_HARTS:
            raise UsageError(f"{self.name}: {harts} is not a number of harts from 1 to {MOST_HARTS}")
        return self.model_copy(update={"memory": self.memory.model_copy(update={"harts": harts})})

    def _parts(self) -> ModelledMemory | None:
        """The parts of its memory. Raises :class:`UsageError` that names its file."""
        try:
            return self.memory.modelled() if self.memory is not None else None
        except UsageError as error:
            raise UsageError(f"{self.name}: {error.message}", error.hint) from None

    @property
    def latency(self) -> int | None:
        """Memory latency in cycles; ``None`` if the memory is built from parts, whose latency varies."""
        return self.memory_latency if self.memory is None else None

    def unmodelled(self) -> str | None:
        """Why no model has its cycles; ``None`` if one does."""
        why: str | None = embedded.engine().unmodelled(self.modelled())
        return why

    @property
    def determined(self) -> str:
        """Its name, and a digest of everything except the memory latency that its cycles depend on."""
        # Machines without such a memory are determined as they were before there were any.
        parts = self._parts()
        determines = json.dumps([self.core, self.parameters, *([parts] if parts else [])], sort_keys=True)
        return f"{self.name} {hashlib.sha256(determines.encode()).hexdigest()[:16]}"

    @property
    def accuracy(self) -> str:
        """Accuracy of modelled cycles, in words."""
        return "; ".join(map(str, self.evidence)) or "unvalidated"

    def error(self, state: str) -> float | None:
        """How far modelled cycles of programs in that state are from the RTL's on average, relative; of several figures
        the largest, and ``None`` if there is none."""
        return max((each.mean for each in self.evidence if each.programs.endswith(state)), default=None)


def identity(name: str) -> str:
    """What a result on a machine depends on besides the latency of its memory. An engine may have machines that have no
    file: their names."""
    return machine(name).determined if is_own(name) or name in names() else name


def core(name: str) -> str:
    """The core of a built-in machine and of its variants; of another, the machine itself."""
    base, _ = parsed(name)
    return _builtin(base).core if base in names() else name


def is_own(name: str) -> bool:
    """Whether a user who says ``name`` means a machine of their own: a file, or a variant."""
    base, settings = parsed(name)
    return bool(settings) or base.endswith(".toml")


def machine(name: str) -> Machine:
    """The machine called ``name``, or in that file, or a variant of one of these. Raises :class:`UsageError` if there
    is none."""
    base, settings = parsed(name)
    found = load(paths.named(base), Machine) if base.endswith(".toml") else _builtin(base)
    if not is_own(name):
        return found
    # What was compared with a reference is another machine.
    own: dict[str, object] = {"name": name, "evidence": []}
    if not settings:
        return found.model_copy(update=own)
    document = changed(name, found.model_dump(), settings) | own
    try:
        return Machine.model_validate(document)
    except ValidationError as error:
        (first, *_) = error.errors(include_url=False)
        place = ".".join(map(str, first["loc"]))
        raise UsageError(f"{name}: {place}: {first['msg'].removeprefix('Value error, ')}") from None


@functools.cache
def _builtin(name: str) -> Machine:
    if name not in names():
        raise UsageError(f"unknown machine {name!r}", f"{nearest(name, names())} A file of your own ends with .toml.")
    return load(paths.machines() / f"{name}.toml", Machine).model_copy(update={"name": name})


@functools.cache
def names(core: CoreName | None = None) -> tuple[str, ...]:
    """Names of all machines, or of those with ``core``, in alphabetical order."""
    every = sorted(path.stem for path in paths.machines().glob("*.toml"))
    return tuple(
        name for name in every if core is None or load(paths.machines() / f"{name}.toml", Machine).core == core
    )
