"""SARIF 2.1.0, for tools that show findings beside the code (OASIS, "Static Analysis Results Interchange Format")."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ciphermark.rows.secrets import Checked, Finding, Where
from ciphermark.version import version

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

RULES = {
    "branch": "A secret decides a branch.",
    "jump-target": "A secret decides where a jump leads.",
    "load-address": "A secret decides what address is loaded from.",
    "store-address": "A secret decides what address is stored to.",
    "vector-length": "A secret decides how many elements a vector instruction works on.",
    "element-index": "A secret decides which element of a vector is read or written.",
    "system-call": "A secret is an argument of a system call.",
    "latency": "A secret is an operand of an instruction whose time depends on it.",
    "cycles": "The modelled cycles of a call depend on a secret.",
    "unlisted": "A secret is an operand of an instruction that neither Zkt nor Zvkt lists.",
}
"""What each kind of finding says."""


def log(checked: Sequence[Checked]) -> str:
    """The findings of several checks as one run of the tool."""
    rules = list(RULES)
    results = [_result(rules, each, finding) for each in checked for finding in each.findings]
    driver = {
        "name": "ciphermark secrets", "version": version(),
        "rules": [{"id": rule, "shortDescription": {"text": text}} for rule, text in RULES.items()],
    }  # fmt: skip
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _result(rules: Sequence[str], checked: Checked, finding: Finding) -> dict[str, Any]:
    row = checked.row
    by = "" if finding.kind == "cycles" else f", reached by {finding.secret}"
    text = f"{RULES[finding.kind]} {finding.where.text}{by}, in {row.implementation} for {row.isa}"
    steps = [{"location": _location(step)} for step in (*reversed(finding.way), finding.where)]
    return {
        "ruleId": finding.kind, "ruleIndex": rules.index(finding.kind),
        "level": "error" if finding.rank == "leak" else "warning",
        "message": {"text": f"{text} ({row.compiler} -{row.opt})"},
        "locations": [_location(finding.where)],
        "codeFlows": [{"threadFlows": [{"locations": steps}]}],
    }  # fmt: skip


def _location(where: Where) -> dict[str, Any]:
    location: dict[str, Any] = {
        "message": {"text": where.text or "an instruction"},
        "logicalLocations": [{"name": where.function or "?", "kind": "function"}],
    }
    physical: dict[str, Any] = {"address": {"absoluteAddress": where.address}}
    if where.line is not None:
        file, line = where.line
        path = Path(file)
        physical["artifactLocation"] = {"uri": path.as_uri() if path.is_absolute() else path.as_posix()}
        physical["region"] = {"startLine": max(line, 1)}
    location["physicalLocation"] = physical
    return location
