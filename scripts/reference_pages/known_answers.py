"""Known answers, counted in the vectors themselves."""

from __future__ import annotations

import tomllib
from collections import Counter

from ciphermark import paths, vectors

from .markdown import table


def page() -> str:
    """How many vectors of which source prove which operation."""
    lines = []
    for path in sorted(paths.vectors().glob("*.toml")):
        with path.open("rb") as file:
            source = tomllib.load(file)["source"]
        counts = Counter((vector.algorithm, vector.operation) for vector in vectors.read(path))
        lines += [
            (f"`vectors/{path.name}`", source, f"`{algorithm}`", f"`{operation}`", str(count))
            for (algorithm, operation), count in sorted(counts.items())
        ]
    return "\n\n".join(
        [
            "# Known answers",
            "Every one of an implementation's operations runs before anything of it is measured, in the same "
            "binary, on the same engine: as written, in place, unaligned, and unaligned in place, and for "
            "shorter lengths where a prefix of the input gives a prefix of the output. `block` and key expansion "
            "are shared by the modes of one key size.",
            table(("file", "source", "algorithm", "operation", "vectors"), lines),
        ]
    )
