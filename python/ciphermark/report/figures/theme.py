"""The look shared by all charts. Colours are CSS variables; see :mod:`ciphermark.report.palette`."""

import json
from typing import Any

import jinja2

SANS = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"

SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")

SPOKEN = "datum.implementation + ', ' + datum.isa + ', ' + datum.key + ': ' + format(datum.value, ',.2~f')"
"""What a screen reader says of a mark."""

LOCALE = {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["", ""]}
"""d3-format locale, for the page and for exported figures."""

CONFIG: dict[str, Any] = {
    "background": None,
    "font": SANS,
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--muted)",
        "titleColor": "var(--ink)",
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelFontSize": 11,
        "domainColor": "var(--muted)",
        "tickColor": "var(--muted)",
        "gridColor": "var(--rule)",
        "gridOpacity": 0.8,
    },
    "text": {"color": "var(--ink)", "fontSize": 11},
}


_TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("ciphermark.report", "assets"), undefined=jinja2.StrictUndefined
)


def template(name: str, **values: Any) -> dict[str, Any]:
    text = _TEMPLATES.get_template(f"{name}.json.jinja").render(values, spoken=SPOKEN, mono=MONO)
    chart: dict[str, Any] = json.loads(text)
    return chart
