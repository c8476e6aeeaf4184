"""Strings that break out of a page that forgets to escape, for every field that comes from outside."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ciphermark.rows.model import Row
from report import synthetic

TEXT = (
    "</script><script>window.broken=1</script><img src=x onerror='window.broken=1'>"
    '"><svg onload="window.broken=1">&lt;<!--`\u2028{{ 7*7 }}${broken}'
)


def rows() -> list[Row]:
    """Rows whose every text carries :data:`TEXT`."""
    return [
        replace(
            row,
            implementation=row.implementation + TEXT,
            isa=row.isa + TEXT,
            compiler=row.compiler + TEXT,
            algorithm=row.algorithm + TEXT,
            note=TEXT,
            provenance=TEXT,
            point=f"{TEXT}{number}",
            opcodes={TEXT: 3, "xor": 2},
        )
        for number, row in enumerate(synthetic.rows((16, 1024), (("zig", "O2"),)))
    ]


def results(folder: Path) -> Path:
    """A results folder whose rows, claims, study and manifest all carry :data:`TEXT`."""
    found = rows()
    found += [replace(row, verified=False, verdict="failed", instructions=None) for row in found[:3]]
    claim = dict.fromkeys(("id", "claim", "measured", "definition", "reason"), TEXT)
    line = {"address": TEXT, "bytes": TEXT, "text": TEXT}
    study: dict[str, Any] = {
        "id": TEXT,
        "title": TEXT,
        "question": TEXT,
        "answer": TEXT,
        "background": [TEXT],
        "notes": [TEXT],
        "plots": [{"kind": "by-isa", "title": TEXT, "caption": TEXT}, {"kind": "by-size"}, {"kind": "code-size"}],
        "disassembly": [{"title": TEXT, "note": TEXT, "columns": [{"label": TEXT, "lines": [line]}, {"label": "b"}]}],
        "controls": [{"name": TEXT, "expected": TEXT, "outcome": TEXT, "passed": False}],
        "skipped": [{"what": TEXT, "reason": TEXT, "count": 1}],
    }
    return synthetic.write(
        folder,
        found,
        study=study,
        claims=[
            {
                **claim,
                "published": [TEXT],
                "citation": {"work": TEXT, "url": "javascript:window.broken=1"},
                "evidence": [TEXT],
            }
        ],
        manifest={"tool_version": TEXT, TEXT: {TEXT: TEXT}, "elfs": [{TEXT: TEXT}]},
    )
