"""``index.html`` of a folder of results: every study's question, answer, figure, verdicts, date and versions."""

import base64
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ciphermark.report import palette
from ciphermark.report.inputs import Results
from ciphermark.report.opening.choice import Opening, Tally
from ciphermark.report.page import asset, environment, policy
from ciphermark.store import records
from ciphermark.store.atomic import write_atomically

NAME = "index.html"
SUMMARY = "opening.json"
_GENERATOR = '<meta name="generator" content="ciphermark">'


@dataclass(frozen=True, slots=True)
class Summary:
    """``opening.json``: what the index shows of a study."""

    id: str
    question: str
    sentence: str
    tallies: tuple[Tally, ...]
    measured: str
    when: str = ""
    """When it was measured, as the manifest says."""
    versions: str = ""


@dataclass(frozen=True, slots=True)
class _Entry:
    summary: Summary
    link: str
    figure: str
    """The page's first figure, as a data URL; empty if there is none."""


def write_summary(results: Results, opened: Opening, folder: Path) -> None:
    manifest = results.manifest
    found = Summary(
        id=results.study.id,
        question=opened.question,
        sentence=opened.text,
        tallies=opened.tallies,
        measured=opened.measured,
        when=str(manifest.get("generated", ""))[:10],
        versions=_versions(manifest),
    )
    records.write(folder / SUMMARY, Summary, found)


def _versions(manifest: dict[str, Any]) -> str:
    """Versions of ciphermark and of the compilers."""
    own = manifest.get("tool_version")
    compilers = manifest.get("compilers")
    named = [str(words) for words in compilers.values()] if isinstance(compilers, dict) else []
    return "; ".join([*([f"ciphermark {own}"] if own else []), *(re.sub(r" \(.*?\)", "", words) for words in named)])


def write(folder: Path) -> Path | None:
    """The index of the studies below ``folder``; ``None`` if there are none."""
    entries = [entry for entry in map(_entry, sorted(folder.iterdir())) if entry is not None]
    if not entries:
        return None
    style = palette.css() + asset("assets/report.css")
    page = (
        environment()
        .get_template("index.html.jinja")
        .render(entries=entries, policy=policy([], [style]), style=Markup(style))  # the package's own sheet
    )
    path = folder / NAME
    write_atomically(path, page.encode())
    return path


def is_ours(folder: Path) -> bool:
    """Whether there is an index that this module wrote, and may write again."""
    try:
        return _GENERATOR in (folder / NAME).read_text(encoding="utf-8")[:4000]
    except (OSError, UnicodeDecodeError):
        return False


def _entry(folder: Path) -> _Entry | None:
    if not (folder / "report.html").is_file() or not (folder / SUMMARY).is_file():
        return None
    summary = records.read(folder / SUMMARY, Summary)
    if summary is None:
        return None
    figure = folder / "figures" / "figure-1.svg"
    data = base64.b64encode(figure.read_bytes()).decode() if figure.is_file() else ""
    return _Entry(summary, f"{folder.name}/report.html", f"data:image/svg+xml;base64,{data}" if data else "")
