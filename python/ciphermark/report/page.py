"""Assembling ``report.html``: one file, no requests, nothing executed that is not hashed in its policy."""

import base64
import hashlib
import json
import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup, escape

from ciphermark.analysis.disassembly import Column, Disassembly
from ciphermark.execution.hot_loops import HotLoop
from ciphermark.notation.numbers import plain
from ciphermark.report import (
    answer,
    cycles,
    listed,
    memories,
    numbers,
    palette,
    provenance,
    rowtable,
    secrets,
    selection,
)  # fmt: skip
from ciphermark.report import claims as claim_cards
from ciphermark.report.effects import effects
from ciphermark.report.figures import Figure
from ciphermark.report.figures import fits as fit_figures
from ciphermark.report.figures import tables as table_figures
from ciphermark.report.figures.model import FIELDS
from ciphermark.report.figures.theme import CONFIG, LOCALE
from ciphermark.report.headline import main_table
from ciphermark.report.inputs import Results
from ciphermark.report.opcodes import groups, histograms
from ciphermark.report.opening.choice import Opening
from ciphermark.report.opening.shown import Shown
from ciphermark.rows.listing import FunctionCost
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row
from ciphermark.rows.selection import grouped

_EXPLORER = ("table", "query", "state", "elements", "filters", "grid", "copy", "plot", "listing", "pins", "explore")
_OWN_SCRIPTS = (
    "numbers.js", "shown.js", "figures.js", "download.js", "claims.js", *(f"explore/{name}.js" for name in _EXPLORER),
    "manifest.js", "print.js",
)  # fmt: skip
_PRINTED_LINES = 60
"""Listings with more lines stay on the screen."""
_MOST_LINES = 40
"""Places that leak, of one implementation; more are in ``study.json``."""
_LONG_TEXT = 60
_LEVEL = re.compile(rf"(?<={numbers.HARD})-O\w+")
_SECOND_METRIC = "code_bytes"
"""Shown below the main table unless it is the main table."""


def render(results: Results, opened: Opening, drawn: list[Figure], stills: list[Shown], problems: list[str]) -> str:
    """The whole page. ``problems``: sentences on plots that could not be drawn."""
    study, rows = results.study, results.rows
    by_isa = answer.simulated(rows)
    found = effects(by_isa, study.headline, study.own_instructions)
    names = dict.fromkeys((study.headline.metric, _SECOND_METRIC))
    tables = [table for name in names if (table := main_table(by_isa, study.headline, name))]
    alike, absent = rowtable.alike(rows)
    manifest = provenance.sections(results.manifest) + provenance.cost_section(results.emulator_cost)
    scripts = [*_vendored(), *(asset(f"assets/{name}") for name in _OWN_SCRIPTS)]
    style = palette.css() + asset("assets/report.css") + asset("assets/explore.css")
    return (
        environment()
        .get_template("report.html.jinja")
        .render(
            study=study,
            rows=rows,
            claims=results.claims,
            cards=claim_cards.groups(results.claims, rows),
            answer=answer.paragraphs(
                rows, results.claims, found, cycles.sentences(by_isa, study.headline, study.own_instructions)
            ),
            effects=found,
            opening=opened,
            absences=answer.absences(study, rows),
            bounds=answer.bounds(study),
            tables=tables,
            alike=alike,
            absent=absent,
            figures=drawn,
            stills=stills,
            problems=problems,
            memories=memories.drawings(study.memories),
            hot=_hot(results),
            secrets=secrets.judged(rows, study.secrets),
            most_lines=_MOST_LINES,
            listings=[_Compared(item) for item in study.disassembly],
            groups=groups(rows, study.headline),
            histograms=histograms(rows, study.headline),
            exceptions=_exceptions(rows),
            flags=_flags(results),
            manifest=manifest,
            manifest_data=_json(provenance.packed(manifest)),
            colours=palette.variables(selection.values(rows, "isa")),
            figure_data=_json(_figure_data(drawn)),
            row_data=_json(
                {**rowtable.embedded(rows, study.headline), "listings": listed.embedded(rows, results.listings)}
            ),
            policy=policy(scripts, [style]),
            style=Markup(style),  # the package's own sheet; no input in it
            scripts=[Markup(script) for script in scripts],  # the package's own and vendored ones
            licences=asset("vendor/LICENSES.txt"),
            versions=", ".join(f"{s['package']} {s['version']}" for s in _scripts()),
        )
    )


def _hot(results: Results) -> list[tuple[HotLoop, Row, Sequence[FunctionCost]]]:
    """Each loop with its row and the functions of the row's call, where its code was kept."""
    of_point = {row.point: row for row in results.rows}
    functions = {listing.point: listing.functions for listing in results.listings}
    loops = results.study.hot_loops
    return [(each, of_point[each.point], functions.get(each.point, ())) for each in loops if each.point in of_point]


def _exceptions(rows: Sequence[Row]) -> list[tuple[Row, int]]:
    """Rows without figures: the first of each build and reason, with their number."""
    same = ("implementation", "isa", "abi", "compiler", "opt", "engine", "vlen", "verdict", "note")
    found = grouped((row for row in rows if row.verdict not in ("ok", "flagged")), *same)
    return [(alike[0], len(alike)) for alike in found.values()]


def _flags(results: Results) -> list[tuple[str, int]]:
    flagged = (row for row in results.rows if row.verdict == "flagged")
    counts = Counter(row.note or "flagged without a remark" for row in flagged)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


class _Compared:
    def __init__(self, item: Disassembly) -> None:
        self.title = item.title
        self.note = item.note
        self.columns = item.columns
        self._own = [
            _mnemonics(column).difference(*(_mnemonics(other) for other in item.columns if other is not column))
            for column in item.columns
        ]

    @property
    def long(self) -> bool:
        return max((len(column.lines) for column in self.columns), default=0) > _PRINTED_LINES

    def own(self, index: int) -> list[str]:
        """Mnemonics found in this listing alone; none when there is nothing to compare with."""
        return sorted(self._own[index]) if len(self.columns) > 1 else []

    @staticmethod
    def split(text: str) -> tuple[str, str]:
        """Mnemonic, and the rest with its leading space."""
        word = text.split(maxsplit=1)[0] if text.strip() else ""
        return word, text.lstrip()[len(word) :]


def _mnemonics(column: Column) -> set[str]:
    return {line.text.split()[0] for line in column.lines if line.bytes and line.text.strip()}


def _figure_data(drawn: list[Figure]) -> dict[str, Any]:
    return {
        "config": CONFIG,
        "locale": LOCALE,
        "fields": FIELDS,
        "figures": [
            {
                "id": figure.id,
                "title": figure.title,
                "decimals": figure.decimals,
                "step": figure.step,
                "heads": list(figure.heads),
                "series": figure.series,
                "scales": list(figure.scales),
                "relative": list(figure.relative),
                "compared": figure.compared,
                "of_bytes": figure.of_bytes,
                "legend": [
                    {"label": key.label, "shown": key.prefix + key.label, "values": list(key.values)}
                    for key in figure.legend
                ],
                "panels": [panel.chart for panel in figure.panels],
                "panel_titles": [panel.title for panel in figure.panels],
                "start": next(iter(figure.variants)),
                "variants": {
                    key: {
                        "words": variant.words,
                        "remarks": list(variant.remarks),
                        "params": variant.parameters(),
                        "data": [datum.packed() for datum in variant.data],
                    }
                    for key, variant in figure.variants.items()
                },
            }
            for figure in drawn
        ],
    }


def _json(value: Any) -> Markup:
    """JSON for a data block: no ``<`` in it, so that no text can end the block or open a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def policy(scripts: list[str], styles: list[str]) -> str:
    def hashes(texts: list[str]) -> str:
        digests = (hashlib.sha256(text.encode()).digest() for text in texts)
        return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)

    none = "'none'"
    return (
        f"default-src 'none'; script-src {hashes(scripts) or none}; style-src {hashes(styles)}; img-src data:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


@cache
def environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("ciphermark.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        parts=parts,
        number=numbers.number,
        size=numbers.size,
        prose=prose,
        foldable=foldable,
        plain=plain,
        described=selection.describe,
        svg=Markup,  # drawn by the package, which escapes what it writes
    )
    made.globals.update(
        metrics=METRICS,
        change_range=answer.change_range,
        factor=numbers.factor,
        compiler=selection.compiler,
        table_axis=table_figures.axis,
        table_cell=table_figures.cell,
        table_spread=table_figures.spread,
        fit_cells=fit_figures.line_cells,
        fit_words=fit_figures.words,
    )
    return made


def prose(text: str) -> Markup:
    """Escaped text with `` `code` `` set as code, and units on the line of their figures."""
    parts = str(text).split("`")
    if len(parts) % 2 == 0:
        return _whole(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else _whole(part) for index, part in enumerate(parts)
    )


def _whole(text: str) -> Markup:
    """Escaped; browsers end a line after the dash of ``-O2`` unless told not to."""
    return Markup(_LEVEL.sub(r'<span class="whole">\g<0></span>', str(escape(numbers.unbroken(text)))))


def parts(items: Sequence[str]) -> Sequence[str]:
    """A table of a claim item by item; few and short ones in a line."""
    text = "; ".join(items)
    return items if len(items) > 2 or len(text) > _LONG_TEXT else [text]


def foldable(name: str) -> Markup:
    """A name of several words, such as ``VectorPermutation``, that may break before the last where room is short."""
    return Markup("<wbr>").join(escape(word) for word in re.split(r"(?<=[a-z])(?=[A-Z][a-z]*\d*$)", name))


@cache
def _scripts() -> list[dict[str, str]]:
    found: list[dict[str, str]] = tomllib.loads(asset("vendor/scripts.toml"))["script"]
    return found


def _vendored() -> list[str]:
    """The vendored scripts without the pointer to their source maps, which a browser would ask for."""
    texts = (asset(f"vendor/{script['file']}") for script in _scripts())
    return ["\n".join(line for line in text.splitlines() if "sourceMappingURL" not in line) for text in texts]


@cache
def asset(path: str) -> str:
    return resources.files(__package__).joinpath(path).read_text(encoding="utf-8")
