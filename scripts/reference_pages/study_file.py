"""The study file, from the models that read it."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark.claims import schema as claims_schema
from ciphermark.study import schema as study_schema

from .annotations import attribute_docs, default_in_words, in_words, literals
from .markdown import first_paragraph, table


def page() -> str:
    """Every table of a study file, from the models that read it."""
    docs = {**attribute_docs(claims_schema), **attribute_docs(study_schema)}
    parts = [
        "# The study file",
        "TOML; an unknown key is an error that names the nearest known one. A *size* is bytes with an optional "
        '`K`, `M` or `G` (`K` is 1024); *sizes* are one, a list, or a range that doubles (`"16..1M"`); *VLENs*, bits '
        'of a vector register, are written alike (`"128..2048"`). A '
        "*selector* is a table of columns, each with one value or a list. [How to add a "
        "study](../howto/add-a-study.md).",
    ]
    tables: Sequence[tuple[str, str]] = (
        ("top level", "Study"),
        ("`[defaults]` and `[[matrix]]`", "Axes"),
        ("an element of `compilers`", "CompilerChoice"),
        ("`[sampling]`", "Sampling"),
        ("`[[controls.repeat]]`", "RepeatControl"),
        ("`[[controls.trap]]`", "TrapControl"),
        ("`[headline]`", "Headline"),
        ("`[[tables]]`", "Table"),
        ("an element of a table's `lines`", "TableLine"),
        ("`[[plots]]`", "Plot"),
        ("`[[fits]]`", "Fits"),
        ("`[[listings]]`", "Listing"),
        ("an element of a listing's `columns`", "ListingColumn"),
        ("a selector", "Selector"),
        ("every claim", "_Claim"),
        ("`[[claims.reduction]]` and `[[claims.ratio]]`", "ChangeClaim"),
        ("`[[claims.value]]`", "ValueClaim"),
        ("`[[claims.count]]`", "CountClaim"),
        ("`[[claims.below]]`", "BelowClaim"),
        ("`[[claims.spread]]`", "SpreadClaim"),
        ("`[[claims.least_vlen]]`", "LeastVlenClaim"),
        ("`[[claims.timing]]`", "TimingClaim"),
        ("`[[claims.bound]]`", "BoundClaim"),
        ("`[[claims.driver]]`", "DriverClaim"),
        ("`[[claims.offload]]`", "OffloadClaim"),
    )
    for title, name in tables:
        model = getattr(study_schema, name, None) or getattr(claims_schema, name)
        own = model.__annotations__
        lines = [
            (
                f"`{key}`",
                in_words(str(own[key])),
                "yes" if field.is_required() else "",
                default_in_words(field),
                docs.get(name, {}).get(key, ""),
            )
            for key, field in model.model_fields.items()
            if key in own
        ]
        parts += [
            f"## {title}",
            first_paragraph(model),
            table(("key", "type", "required", "default", "meaning"), lines),
        ]
    parts += [
        "## metrics a plot, headline or claim may name",
        ", ".join(f"`{m}`" for m in literals(claims_schema.Metric)),
    ]
    return "\n\n".join(part for part in parts if part)
