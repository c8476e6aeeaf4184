"""What the source says of a class's attributes: the strings below them, and their types in words."""

import ast
import inspect
import re
from types import ModuleType
from typing import Any


def attribute_docs(module: ModuleType) -> dict[str, dict[str, str]]:
    """The strings below attributes: class, then attribute, then text."""
    found: dict[str, dict[str, str]] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if not isinstance(node, ast.ClassDef):
            continue
        docs = found.setdefault(node.name, {})
        for attribute, following in zip(node.body, node.body[1:], strict=False):
            if (
                isinstance(attribute, ast.AnnAssign)
                and isinstance(attribute.target, ast.Name)
                and isinstance(following, ast.Expr)
                and isinstance(following.value, ast.Constant)
            ):
                docs[attribute.target.id] = " ".join(inspect.cleandoc(str(following.value.value)).split())
    return found


_TYPES = (
    (r"\bstr\b", "string"),
    (r"\bSlug\b", "slug"),
    (r"\bint\b", "integer"),
    (r"\bfloat\b", "number"),
    (r"\b(SizeTable|Differences)\b", "table of size to number"),
    (r"\bSizes\b", "sizes"),
    (r"\bSize\b", "size"),
    (r"\bVlens\b", "VLENs"),
    (r"\bCounts\b", "count, or table of size to count"),
    (r"\bNames\b", "string or list"),
    (r"\bNumbers\b", "integers"),
    (r"\bState\b", "`cold` or `warm`"),
    (r"\bVaried\b", "list or range"),
    (r"\bSelector\b", "selector"),
    (r"\bMetricName\b", "metric"),
    (r"\bbool\b", "true or false"),
    (r"\bVerdict\b", "see below"),
    (r"\b(Axes|CompilerChoice|Controls|Headline|Plot|Table|TableLine|Listing|ListingColumn|Claims)\b", "table"),
    (r"\b(Toolchain|Sum|Quotient|Sampling|Fits|Programs|Secrets)\b", "table"),
    (r"\b(Answer|Number|Drawing|Part|Mark)\b", "table"),
    (r"Annotated\[Citation, .*\]", "string"),
    (r"\bCitation\b", "table"),
    (r"\bOpt\b", "`O0` … `O3`, `Os`, `Oz`, `Og`"),
)


def in_words(annotation: str) -> str:
    """A Python annotation in the words of a TOML file."""
    text = annotation.removesuffix(" | None")
    text = re.sub(r"tuple\[tuple\[(\w+), \.\.\.\], \.\.\.\]", r"list of lists of \1", text)
    text = re.sub(r"tuple\[(.+), \.\.\.\]", r"list of \1", text)
    text = re.sub(r"dict\[(\w+), dict\[(\w+), (\w+)\]\]", r"table of \1 to table of \2 to \3", text)
    text = re.sub(r"dict\[(.+), (\w+)\]", r"table of \1 to \2", text)
    text = re.sub(r"Literal\[([^\]]+)\]", _choices, text)
    for pattern, word in _TYPES:
        text = re.sub(pattern, word, text)
    return text.replace("tuple[number, number] | number", "number, or the least and the greatest")


def _choices(match: re.Match[str]) -> str:
    return " or ".join(f"`{word.strip(chr(39) + chr(34) + ' ')}`" for word in match[1].split(","))


def default_in_words(field: Any) -> str:
    value = field.default
    if field.is_required() or value in ((), None, "") or not isinstance(value, int | float | str):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
