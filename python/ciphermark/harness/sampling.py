"""How much is measured where time is, and who is told of it."""

from dataclasses import dataclass

MEMORY_MIB = 512
"""Address space a program may take beyond its job and buffers."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How much is measured, and where. Engines whose figures are exact have no use for it."""

    processes: int = 7
    samples: int = 21
    """In each process."""
    seed: int = 1
    """Of the order in each round."""
    cpu: int | None = None
    """To measure on; ``None`` takes the idlest that is allowed."""
    budget_ms: int = 1000
    """After which a process begins no sample beyond the third."""
    deadline_s: int = 120
    """Of one process."""
    memory_mib: int = MEMORY_MIB


QUICK = Sampling(processes=5, samples=7, budget_ms=200)


class Progress:
    """Told how far a run has come; this one tells nobody."""

    def phase(self, text: str) -> None:
        """What is done now."""

    def steps(self, total: int) -> None:
        """A run on this machine begins, of this many processes."""

    def step(self, text: str) -> None:
        """One of them has ended."""


DEFAULT = Sampling()
UNWATCHED = Progress()
