"""How much is measured where time is, and who is told of it."""

from dataclasses import dataclass

MEMORY_MIB = 512
"""Address space a program may take beyond its job and buffers."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How much is measured, and where. Engines whose figures are exact have no use for it."""

    processes: int = 7
    samples: int = 21
    """Samples in each process."""
    seed: int = 1
    """Seed of the order within each round."""
    cpu: int | None = None
    """The processor to measure on; ``None``: the idlest that this process may use."""
    budget_ms: int = 1000
    """After which a process begins no sample beyond the third."""
    deadline_s: int = 120
    """Seconds that one process may take."""
    memory_mib: int = MEMORY_MIB


COMPARED = 25
"""Processes where two builds are told apart by their times: the interval of their median leaves out the seven
fastest and the seven slowest rounds, so that a busy machine hides little."""
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
