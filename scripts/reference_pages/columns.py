"""Columns of a row, from the record and the metrics' own file."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path

from ciphermark import model, report

from .annotations import attribute_docs, in_words, literals
from .markdown import table


def page() -> str:
    """The columns of a row, with what the metrics' own file says of them."""
    with (Path(report.__file__).parent / "metrics.toml").open("rb") as file:
        metrics = {entry["name"]: entry for entry in tomllib.load(file)["metric"]}
    said = {**attribute_docs(model)["Target"], **attribute_docs(model)["Measured"], **attribute_docs(model)["Row"]}
    lines = []
    for column in fields(model.Row):
        metric = metrics.get(column.name)
        meaning = metric["meaning"] if metric else said.get(column.name) or _COLUMNS[column.name]
        known = metric["known_by"] if metric else ""
        lines.append((f"`{column.name}`", in_words(str(column.type)), meaning, known))
    return "\n\n".join(
        [
            "# Columns of a row",
            "`rows.csv`, `rows.jsonl`, `rows.parquet`, `--csv` and `--json` have these columns in this order. A "
            "metric that was not measured is empty in CSV and `null` in JSON; nothing is put in its place. "
            f"{', '.join(f'`{name}`' for name in model.JSON_ONLY[:-1])} and `{model.JSON_ONLY[-1]}` are in JSON only: "
            "tables, samples, and the name of the run that rows share. Engines that `ciphermark list engines` does "
            "not show (gem5, rocket-rtl) are planned, not built.",
            table(("column", "type", "meaning", "who can know it"), lines),
            "`verdict` is one of " + ", ".join(f"`{word}`" for word in literals(model.Verdict)) + ": " + _VERDICTS,
        ]
    )


_COLUMNS = {
    "study": "Id of the study; empty from `measure`.",
    "algorithm": "Cipher, key size and mode as one name: `aes-128-ctr`.",
    "operation": "What was timed: `encrypt`, `block`, `expand-key`, …",
    "implementation": "`aes/ttable`, or a folder as the user wrote it.",
    "engine": "What executed it.",
    "machine": "Timing model; none is built yet.",
    "size": "Bytes of input: of the message, the block, or the key.",
    "harts": "Hardware threads.",
    "state": "Of caches; only with a timing model.",
    "verdict": "`ok` or what went wrong; see below.",
    "note": "What the audit saw, or why there is no figure.",
}
"""Columns that name a point rather than measure it."""

_VERDICTS = (
    "measured and verified; measured, and the audit or a comparison of engines found something; a known answer "
    "or an output was wrong; the combination cannot be; something else went wrong. `note` says what."
)
