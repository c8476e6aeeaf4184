"""From an implementation and a target to a program, once for everything that determines it."""

from ciphermark.build import bare_metal, linux, programs
from ciphermark.build.recipe import Recipe, read_artifact
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import Artifact, Target
from ciphermark.store import cache

__all__ = ["build", "key", "programs"]


def key(implementation: Implementation, target: Target) -> str:
    """What :func:`build` names the program by: a digest of compiler, flags, sources and harness. Raises
    :class:`UsageError` for an impossible target."""
    return _recipe(implementation, target).key()


def build(implementation: Implementation, target: Target, *, lines: bool = False) -> Artifact:
    """Compile and link ``implementation`` for ``target``, or find it in the cache; ``lines``: the same code with the
    lines of its source, for bare metal. Raises :class:`UsageError` for an impossible target, :class:`BuildError` with
    the compiler's message, :class:`CacheError` if the disk is full."""
    recipe = bare_metal.recipe(implementation, target, lines=True) if lines else _recipe(implementation, target)
    return read_artifact(cache.entry(recipe.place, recipe.key(), recipe.make))


def _recipe(implementation: Implementation, target: Target) -> Recipe:
    return linux.recipe(implementation, target) if target.native else bare_metal.recipe(implementation, target)
