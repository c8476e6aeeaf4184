"""What one pastes into a paper: the main table in Markdown and LaTeX, the figures as SVG and PDF."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ciphermark.analysis.pivot import Pivot
from ciphermark.notation.numbers import plain
from ciphermark.report import palette
from ciphermark.report.answer import simulated
from ciphermark.report.figures import Figure, tables
from ciphermark.report.figures.model import FIELDS
from ciphermark.report.figures.theme import CONFIG, LOCALE
from ciphermark.report.headline import Cell, Main, main_table
from ciphermark.report.inputs import Results
from ciphermark.report.opening.shown import Shown
from ciphermark.rows.metrics import METRICS
from ciphermark.store.atomic import write_atomically

_VEGA_LITE = "6.4"
"""The version of the scripts in the page, so that both draw alike."""
_PANEL_WIDTH = 330


def write_tables(results: Results, folder: Path) -> None:
    """``table.md`` and ``table.tex``: the main table, or for native code the study's own first one; neither without
    figures."""
    main = main_table(simulated(results.rows), results.study.headline)
    own = next((table for table in results.study.tables if not table.empty), None)
    if main is not None:
        forms = markdown(main), latex(main)
    elif own is not None:
        forms = _pipes(*_own(own, _md)), f"{_BOOKTABS}\n{_tabular(*_own(own, _tex))}\n"
    else:
        return
    for name, text in zip(("table.md", "table.tex"), forms, strict=True):
        write_atomically(folder / name, text.encode())


def _own(table: Pivot, escaped: Callable[[str], str]) -> tuple[str, list[str], list[list[str]]]:
    said = f"{escaped(plain(table.title))}. {escaped(tables.axis(table))}."
    lines = [
        [escaped(plain(label)), *(escaped(tables.cell(span, table)) for span in cells)] for label, cells in table.lines
    ]
    return said, ["", *map(escaped, table.columns)], lines


_BOOKTABS = "% Needs \\usepackage{booktabs}."


def _pipes(said: str, head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    every = [head, [":--", *("--:" for _ in head[1:])], *lines]
    return f"{said}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in every)


def _tabular(said: str, head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [" & ".join(line) + " \\\\" for line in (head, *lines)]
    begin = f"% {said}\n\\begin{{tabular}}{{l{'r' * len(head[1:])}}}"
    return "\n".join([begin, "\\toprule", rows[0], "\\midrule", *rows[1:], "\\bottomrule", "\\end{tabular}"])


def markdown(main: Main) -> str:
    """A pipe table an XLEN."""
    parts = [
        _pipes(
            _md(_caption(main, table.xlen)),
            ["Implementation", *map(_md, table.isas)],
            [[_md(name), *(_md(_with_change(cell)) for cell in cells)] for name, cells in table.lines],
        )
        for table in main.tables
    ]
    return "\n".join(parts) + _flags(main, _md)


def latex(main: Main) -> str:
    """A ``booktabs`` tabular an XLEN."""
    parts = [
        _tabular(
            _tex(_caption(main, table.xlen)),
            ["Implementation", *map(_typewriter, table.isas)],
            [[_typewriter(name), *map(_marked, cells)] for name, cells in table.lines],
        )
        for table in main.tables
    ]
    return "\n\n".join([_BOOKTABS, *parts]) + "\n" + _flags(main, lambda text: f"% {_tex(text)}")


def _typewriter(text: str) -> str:
    return f"\\texttt{{{_tex(text)}}}"


def _marked(cell: Cell) -> str:
    figure = f"\\textbf{{{_tex(cell.text)}}}" if cell.best else _tex(cell.text)
    return figure + ("$^{\\dagger}$" if cell.flagged else "$^{\\ddagger}$" if cell.idle else "")


def _caption(main: Main, xlen: int) -> str:
    width = f"RV{xlen}: " if xlen else ""
    return f"{width}{METRICS[main.metric].title}. {main.words}."


def _with_change(cell: Cell) -> str:
    return (
        cell.text + (" †" if cell.flagged else " ‡" if cell.idle else "") + (f" ({cell.change})" if cell.change else "")
    )


def _flags(main: Main, escape: Any) -> str:
    notes = [f"† flagged: {note}" for note in main.notes]
    if main.idle:
        notes.append("‡ the timed region executed no mnemonic that the baseline's build does not")
    return "".join(f"\n{escape(note)}\n" for note in notes)


def _md(text: str) -> str:
    escaped = re.sub(r"([\\|`*<>\[\]])", r"\\\1", text)
    return " ".join(escaped.split("\n"))


_TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\^{}", "~": r"\~{}", "\n": " ", "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{NO-BREAK SPACE}": "~",
    "\N{MINUS SIGN}": "$-$", "\N{EN DASH}": "--", "†": r"\textdagger{}", "‡": r"\textdaggerdbl{}",
}  # fmt: skip


def _tex(text: str) -> str:
    return "".join(_TEX.get(character, character) for character in text)


def write_figures(stills: Sequence[Shown], figures: Sequence[Figure], folder: Path) -> list[Path]:
    """What is drawn already, the page's first figure as ``figure-1.svg``; with vl-convert every other as it opens,
    ``<id>.svg`` and ``<id>.pdf``. All in light colours; those of an older run are removed."""
    for old in (*folder.glob("figure-*.svg"), *folder.glob("figure-*.pdf")):
        old.unlink()
    written = []
    for still in stills:
        written.append(folder / f"{still.id}.svg")
        write_atomically(written[-1], still.alone.encode())
    try:
        import vl_convert
    except ImportError:
        return written
    for figure in figures:
        chart = standalone(figure)
        options: dict[str, Any] = {"vl_version": _VEGA_LITE, "format_locale": LOCALE, "allowed_base_urls": []}
        drawn = vl_convert.vegalite_to_svg(chart, **options)
        for suffix, content in (("svg", drawn.encode()), ("pdf", vl_convert.svg_to_pdf(drawn))):
            path = folder / f"{figure.id}.{suffix}"
            write_atomically(path, content)
            written.append(path)
    return written


def _with_legend(chart: dict[str, Any]) -> dict[str, Any]:
    """The chart with its own legend: bars name their ISA, lines do not."""
    legend = {"orient": "bottom", "title": None, "columns": 3, "labelColor": "var(--ink)"}
    layers = []
    for layer in chart["layer"]:
        encoding = dict(layer["encoding"])
        for channel in ("color", "shape"):
            if channel in encoding:
                encoding[channel] = {**encoding[channel], "legend": legend}
        layers.append({**layer, "encoding": encoding})
    return {**chart, "layer": layers}


def standalone(figure: Figure) -> dict[str, Any]:
    """A figure as one Vega-Lite chart that needs neither page nor style sheet."""
    variant = figure.start
    panels = []
    for index, panel in enumerate(figure.panels):
        rows = [dict(zip(FIELDS, d.packed(), strict=True)) for d in variant.data if d.panel == index]
        if any(row["value"] is not None for row in rows):
            height = {"height": figure.step * len({row["row"] for row in rows})} if figure.step else {}
            panels.append(
                {
                    "title": panel.title,
                    "width": _PANEL_WIDTH,
                    "data": {"values": rows},
                    **(_with_legend(panel.chart) if any(key.shape for key in figure.legend) else panel.chart),
                    **height,
                }
            )
    whole = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": figure.description,
        "config": {**CONFIG, "font": "Helvetica, Arial, sans-serif", "background": "white"},
        "params": variant.parameters(),
        "hconcat": panels,
        "spacing": 36,
        "resolve": {"scale": dict.fromkeys(("color", "fill", "shape", "opacity"), "independent")},
    }
    resolved: dict[str, Any] = palette.resolve(whole)
    return resolved
