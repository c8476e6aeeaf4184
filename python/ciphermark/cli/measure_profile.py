"""What ``ciphermark measure --profile`` and ``--folded`` say: where the instructions and cycles of each row went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ciphermark import engines
from ciphermark.analysis.passage import Stack, by_function
from ciphermark.cli import messages, output, profile
from ciphermark.cli.explain import title_of
from ciphermark.errors import CiphermarkError, UsageError
from ciphermark.execution.explanation import followed
from ciphermark.exports import folded as stacks
from ciphermark.rows.model import Row


def require(names: Sequence[str]) -> None:
    """Raise :class:`UsageError` if none of these engines can follow a call."""
    if all(engines.find(name).most_steps is None for name in names):
        which = f"engine{'s' if len(names) > 1 else ''} {' and '.join(names)}"
        raise UsageError(f"{which} cannot follow calls, which --profile and --folded need", "Use --engines sim.")


def write(rows: Sequence[Row], extensions: Sequence[str | Path], *, shown: bool, folded: Path | None) -> None:
    """A table of functions for each row on stderr if ``shown``; one file of stacks, each below its row's title. A row
    whose call cannot be followed is named with the reason. Raises :class:`OutputError` if the file cannot be
    written."""
    able = [row for row in rows if row.verified and engines.find(row.engine).most_steps is not None]
    weights: Counter[Stack] = Counter()
    for row in able:
        try:
            passage = followed(row, extensions)
        except CiphermarkError as error:
            messages.note(f"note: {title_of(row)}: {error.message}")
            continue
        if shown:
            counts = {name: cost.cycles for name, cost in by_function(passage).items()}
            messages.note("\n".join([f"{title_of(row)}, {passage.unit}:", *profile.table(counts)]))
        weights.update(stacks.of_passage(passage, (title_of(row),)))
    if folded is not None:
        output.write_file(folded, stacks.lines(weights))
