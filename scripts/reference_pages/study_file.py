"""The study file, from the models that read it."""

import inspect
import sys
from collections.abc import Iterator
from typing import get_args

from pydantic import BaseModel

from ciphermark.claims import change, claim, kinds
from ciphermark.rows import metrics, selection
from ciphermark.study import headline
from ciphermark.study import schema as study_schema
from ciphermark.study import shown as study_shown

from .annotations import attribute_docs, default_in_words, in_words
from .markdown import first_paragraph, table

_TABLES: tuple[tuple[str, type[BaseModel]], ...] = (
    ("top level", study_schema.Study),
    ("`[defaults]` and `[[matrix]]`", study_schema.Axes),
    ("an element of `compilers`", study_schema.CompilerChoice),
    ("`[[programs]]`", study_schema.Programs),
    ("`[secrets]`", study_schema.Secrets),
    ("`[sampling]`", study_schema.Sampling),
    ("`[[controls.repeat]]`", study_schema.RepeatControl),
    ("`[[controls.trap]]`", study_schema.TrapControl),
    ("`[[controls.timed]]`", study_schema.TimedControl),
    ("`[headline]`", headline.Headline),
    ("`[[headline.answers]]`", headline.Answer),
    ("an element of an answer's `numbers`", headline.Number),
    ("an answer's `figure`", headline.Drawing),
    ("an element of a figure's `parts`", headline.Part),
    ("an element of a figure's `lines` or `marks`", headline.Mark),
    ("`[[tables]]`", study_shown.Table),
    ("an element of a table's `lines`", study_shown.TableLine),
    ("`[[plots]]`", study_shown.Plot),
    ("`[[fits]]`", study_shown.Fits),
    ("`[[listings]]`", study_shown.Listing),
    ("an element of a listing's `columns`", study_shown.ListingColumn),
    ("a selector", selection.Selector),
    ("`[sources.NAME]`", claim.Citation),
    ("every claim", claim.Claim),
    ("a claim's `compiled_with`", claim.Toolchain),
    ("`[[claims.reduction]]` and `[[claims.ratio]]`", change.ChangeClaim),
)


def page() -> str:
    """Every table of a study file, from the models that read it."""
    parts = [
        "# The study file",
        "A study file is TOML; an unknown key is an error that names the nearest known one. A *size* is a number of "
        "bytes with an optional `K`, `M` or `G` (`K` is 1024); *sizes* are one size, a list, or a range that doubles "
        '(`"16..1M"`). *VLENs*, in bits of a vector register, are written in the same way (`"128..2048"`). A '
        "*selector* is a table of columns, each with one value or a list. *Integers* are one integer, a list, or a "
        'range (`"1..64"` doubles, `"10..50 step 10"` adds). See [how to add a study](../howto/add-a-study.md).',
    ]
    for title, model in (*_TABLES, *_kinds()):
        docs = attribute_docs(sys.modules[model.__module__]).get(model.__name__, {})
        own = model.__annotations__
        lines = [
            (
                f"`{key}`",
                in_words(str(own[key])),
                "yes" if field.is_required() else "",
                default_in_words(field),
                docs.get(key, ""),
            )
            for key, field in model.model_fields.items()
            if key in own
        ]
        parts += [
            f"## {title}",
            first_paragraph(model),
            table(("key", "type", "required", "default", "meaning"), lines) if lines else "",
        ]
    parts += [
        "## metrics that a plot, headline or claim may name",
        ", ".join(f"`{m}`" for m in get_args(metrics.MetricName)),
    ]
    return "\n\n".join(part for part in parts if part)


def _kinds() -> Iterator[tuple[str, type[BaseModel]]]:
    """Every kind of claim, each followed by its own tables."""
    for kind, model in kinds.KINDS.items():
        if issubclass(model, change.ChangeClaim):
            continue
        yield f"`[[claims.{kind}]]`", model
        for name, part in inspect.getmembers(inspect.getmodule(model), inspect.isclass):
            if part.__module__ == model.__module__ and part is not model and issubclass(part, BaseModel):
                yield f"an element of `{name.lower()}s`", part
