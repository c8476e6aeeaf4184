"""Columns of a row, from the records and the table of metrics."""

from __future__ import annotations

from dataclasses import fields

from ciphermark import coordinates, metrics, model

from .annotations import attribute_docs, in_words, literals
from .markdown import table


def page() -> str:
    """The columns of a row, with what the table of metrics says of them."""
    said = {
        **attribute_docs(coordinates)["Coordinates"],
        **attribute_docs(metrics)["Measurements"],
        **attribute_docs(model)["Row"],
    }
    lines = []
    for column in fields(model.Row):
        metric = metrics.METRICS.get(column.name)
        meaning, known = (metric.meaning, metric.source.value) if metric else (said[column.name], "")
        lines.append((f"`{column.name}`", in_words(str(column.type)), meaning, known))
    return "\n\n".join(
        [
            "# Columns of a row",
            "`rows.csv`, `rows.jsonl`, `rows.parquet`, `--csv` and `--json` have these columns in this order. A "
            "metric that was not measured is empty in CSV and `null` in JSON; nothing is put in its place. "
            f"{', '.join(f'`{name}`' for name in model.JSON_ONLY[:-1])} and `{model.JSON_ONLY[-1]}` are in JSON only: "
            "tables, samples, and the name of the run that rows share.",
            table(("column", "type", "meaning", "who can know it"), lines),
            "`verdict` is one of " + ", ".join(f"`{word}`" for word in literals(model.Verdict)) + ": " + _VERDICTS,
        ]
    )


_VERDICTS = (
    "measured and verified; measured, and the audit or a comparison of engines found something; a known answer "
    "or an output was wrong; the combination cannot be; something else went wrong. `note` says what."
)
