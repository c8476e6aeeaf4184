"""One self-contained ``report.html`` from a results folder, and what one pastes into a paper. :func:`write` does it
all."""

from dataclasses import replace
from pathlib import Path

from ciphermark.report import index
from ciphermark.report.figures import figures
from ciphermark.report.inputs import Results, read
from ciphermark.report.opening import samples, sets
from ciphermark.report.opening.choice import opening
from ciphermark.report.opening.shown import Shown
from ciphermark.report.page import render
from ciphermark.report.paper import write_figures, write_tables
from ciphermark.store.atomic import write_atomically
from ciphermark.store.records import InputError

__all__ = ["InputError", "write", "write_index"]

write_index = index.write


def write(results_dir: Path) -> Path:
    """Make ``report.html`` in ``results_dir`` and return its path. Beside it go ``table.md`` and ``table.tex`` (the
    main table), ``figures/figure-1.svg`` (what the page opens with) and, with ``vl-convert-python``, the other figures
    as ``*.svg`` and ``*.pdf``. The same input gives the same bytes, except for PDFs. Raises :class:`InputError` if the
    folder has no rows or a malformed file."""
    results = read(results_dir)
    opened = opening(results.study, results.rows, results.claims)
    first = 2 if opened.figure is not None else 1
    drawn, problems = figures(results.study, results.rows, first)
    stills = _stills(results, first + len(drawn))
    index.write_summary(results, opened, results_dir)
    path = results_dir / "report.html"
    write_atomically(path, render(results, opened, drawn, stills, problems).encode())
    write_tables(results, results_dir)
    write_figures([*([opened.figure] if opened.figure else []), *stills], drawn, results_dir / "figures")
    return path


def _stills(results: Results, first: int) -> list[Shown]:
    """Figures that are drawn already, numbered from ``first``."""
    study, rows = results.study, results.rows
    found = [samples.figure(study.headline, rows, study.machine), sets.figure(study.headline, rows)]
    return [
        replace(figure, id=f"figure-{number}")
        for number, figure in enumerate((each for each in found if each is not None), first)
    ]
