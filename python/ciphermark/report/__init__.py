"""One self-contained ``report.html`` from a results folder, and what one pastes into a paper. :func:`write` does it
all."""

from pathlib import Path

from ciphermark.report.figures import figures
from ciphermark.report.inputs import read
from ciphermark.report.page import render
from ciphermark.report.paper import write_figures, write_tables
from ciphermark.store.atomic import write_atomically
from ciphermark.store.records import InputError

__all__ = ["InputError", "write"]


def write(results_dir: Path) -> Path:
    """Make ``report.html`` in ``results_dir`` and return its path. Beside it go ``table.md`` and ``table.tex`` (the
    main table) and, with ``vl-convert-python``, ``figures/*.svg`` and ``*.pdf``. The same input gives the same bytes,
    except for PDFs. Raises :class:`InputError` if the folder has no rows or a malformed file."""
    results = read(results_dir)
    drawn, problems = figures(results.study, results.rows)
    path = results_dir / "report.html"
    write_atomically(path, render(results, drawn, problems).encode())
    write_tables(results, results_dir)
    write_figures(drawn, results_dir / "figures")
    return path
