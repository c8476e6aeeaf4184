"""How many bytes single functions have, in the binaries that were measured."""

from collections.abc import Mapping, Set

from ciphermark import embedded
from ciphermark.claims.builds import Build
from ciphermark.execution.tasks import Outcome, Task


def function_bytes(outcomes: Mapping[Task, Outcome], names: Set[str]) -> dict[Build, dict[str, int]]:
    """Bytes of the functions ``names`` in each build, as its ELF's symbols say; code they call is not in them."""
    found: dict[Build, dict[str, int]] = {}
    if not names:
        return found
    for task, outcome in outcomes.items():
        target = task.target
        build = Build(task.implementation, target.isa, target.compiler, target.opt)
        if outcome.artifact is not None and build not in found:
            symbols = embedded.engine().elf_info(outcome.artifact.elf.read_bytes()).symbols
            found[build] = {symbol.name: symbol.size for symbol in symbols if symbol.name in names and symbol.size}
    return found
