"""Executed instructions by group: the instruction set of the description that declares each. Groups are finer than
extensions (``VectorLoad``) and have each instruction once, so that their counts add up to the row's instructions."""

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from ciphermark import embedded
from ciphermark.kernels import descriptions

UNKNOWN = "unknown"


def by_group(opcodes: Mapping[str, int] | None, described: Sequence[Path] = ()) -> dict[str, int] | None:
    """Counts by group, most executed first; ``described`` are CoreDSL files beside the built-in ones."""
    if opcodes is None:
        return None
    declared = {**_built_in(), **_own(tuple(described))}
    found: Counter[str] = Counter()
    for mnemonic, count in opcodes.items():
        found[declared.get(mnemonic, UNKNOWN)] += count
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


@functools.cache
def _built_in() -> Mapping[str, str]:
    declared: dict[str, str] = embedded.engine().instruction_sets()
    return declared


_own = functools.cache(descriptions.sets)
