"""Native code in the report: rates beside their bound, fitted costs, what a machine lacks; nothing told by ISA."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ciphermark import report
from ciphermark.analysis.break_even import Crossing
from ciphermark.analysis.costs import Line
from ciphermark.analysis.fits import Fitted
from ciphermark.analysis.pivot import Pivot
from ciphermark.analysis.timing import RateBound
from ciphermark.execution.study_record import StudyRecord
from ciphermark.report.answer import absences, simulated
from ciphermark.report.figures import figures, fits, lines
from ciphermark.report.figures.model import Datum
from ciphermark.rows.model import Row
from ciphermark.study.expand import Skipped
from ciphermark.study.shown import Plot
from report import synthetic
from report.test_report_browser import opened, wider_than_the_window

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MIB = 1 << 20
THIN = "\N{NARROW NO-BREAK SPACE}"
BOUND = RateBound(algorithm="aes-128-cbc", operation="encrypt", bytes_per_second=1.92e9, words="20 cycles a block")
PLOT = Plot(kind="by-technique", metric="bytes_per_second", each="total_bytes", title="Throughput")
COSTS: dict[str, Any] = {
    "title": "Time of a call",
    "metric": "seconds",
    "caption": None,
    "lines": tuple(
        Line(name, "x86_64", fixed, per_byte, 0.01, points)
        for name, fixed, per_byte, points in (
            ("aes/sbox", 0.0, 1e-8, ((16, 1.6e-7), (4096, 4.1e-5), (65536, 6.6e-4))),
            ("aes/aesni", 1e-8, 7e-10, ((16, 2.1e-8), (4096, 2.9e-6), (65536, 4.6e-5))),
            ("aes/af-alg", 3e-6, 9e-10, ((16, 3e-6), (4096, 6.7e-6), (65536, 6.2e-5))),
        )
    ),
    "crossings": (
        Crossing(2, 0, "from", 16, 65536, "above", "below", 329.7),
        Crossing(2, 1, "never", 16, 65536, "above", "above"),
    ),
}


def rows() -> list[Row]:
    template = replace(
        synthetic.rows((1024,), (("zig", "O2"),))[0], algorithm="aes-128-cbc", operation="encrypt", isa="x86_64",
        abi="gnu", engine="host", instructions=None, instructions_per_byte=None, opcodes=None, verdict="ok", note=None,
    )  # fmt: skip
    return [
        replace(
            template, implementation=name, size=size, total_bytes=total, seconds=total / rate, bytes_per_second=rate,
            user_s=total / rate, sys_s=0.0, point=f"{name} {size} {total}",
        )
        for name, rate in (("aes/sbox", 8.7e7), ("aes/aesni", 1.52e9))
        for total in (8 * MIB, 64 * MIB)
        for size in (4096, 65536, MIB)
    ]  # fmt: skip


def absent() -> Row:
    return replace(
        rows()[0], implementation="aes/af-alg", verified=False, verdict="unsupported", note="no AF_ALG\nhere",
        seconds=None, bytes_per_second=None, user_s=None, sys_s=None,
    )  # fmt: skip


def study(**more: Any) -> StudyRecord:
    return StudyRecord(**{"id": "s", "plots": (PLOT,), "bounds": (BOUND,), "fits": (Fitted(**COSTS),), **more})


def test_a_figure_for_every_total_with_the_bound_in_it() -> None:
    drawn, problems = figures(study(fits=()), rows())
    assert problems == []
    assert [figure.id for figure in drawn] == ["figure-1", "figure-2"]
    assert [figure.title for figure in drawn] == [f"Throughput, messages of {size}{THIN}MiB" for size in (8, 64)]
    for figure in drawn:
        header, body = figure.table()
        assert header[2:] == [f"4{THIN}KiB", f"64{THIN}KiB", f"1{THIN}MiB"]
        assert [line[0] for line in body] == ["aes/sbox", "aes/aesni", "latency bound"]
        assert body[1][2:] == ["1,520"] * 3
        assert body[2][2:] == ["1,920"] * 3
        assert [key.shape for key in figure.legend] == ["circle", "square", "stroke"]


def test_figures_are_numbered_without_gaps_whatever_was_not_measured() -> None:
    absent_ones = [Plot(kind="by-technique", where={"engine": "vm"}, title=f"Guest {n}") for n in (1, 2)]
    drawn, problems = figures(study(plots=(absent_ones[0], PLOT, absent_ones[1])), rows())
    assert [figure.id for figure in drawn] == ["figure-1", "figure-2", "figure-3"]
    assert problems == [f"Not drawn: “Guest {n}”, which has no measured rows to show." for n in (1, 2)]


def test_a_description_says_nothing_of_the_bound_that_nobody_measured() -> None:
    first, _ = figures(study(fits=()), rows())[0]
    assert "6 points, from 87 (aes/sbox, x86_64) to 1,520 (aes/aesni, x86_64)" in first.description


def test_a_figure_of_counts_has_no_bound() -> None:
    counted = [replace(row, instructions_per_byte=2.5, engine="vm") for row in rows()]
    plot = PLOT.model_copy(update={"metric": "instructions_per_byte"})
    for figure in figures(study(plots=(plot,), fits=()), counted)[0]:
        assert "latency bound" not in [line[0] for line in figure.table()[1]]


def test_crossings_are_told_in_words() -> None:
    assert fits.words(Fitted(**COSTS)) == (
        f"af-alg takes less time than sbox from 330{THIN}B on.",
        f"af-alg takes more time than aesni at every size from 16{THIN}B to 64{THIN}KiB; no break-even within these.",
    )


NEVER: dict[str, Any] = {
    "subject": 2, "baseline": 1, "first": 16, "last": 65536, "at_first": "same", "at_last": "same",
}  # fmt: skip


def said(**crossing: object) -> str:
    measured = Crossing(**{**NEVER, **crossing})
    (sentence,) = fits.words(Fitted(**{**COSTS, "crossings": (measured,)}))
    return sentence.replace(THIN, " ")


@pytest.mark.parametrize(
    ("crossing", "words"),
    [
        (
            {"wins": "from", "size": 329.7, "low": 301.2, "high": 350.0, "confidence": 0.9375},
            "af-alg takes less time than aesni from 330 B on (302 B to 350 B, 93 % interval).",
        ),
        (
            {"wins": "up to", "size": 329.7, "low": 301.2, "high": 350.0},
            "af-alg takes less time than aesni up to 330 B (302 B to 350 B).",
        ),
        (
            {"wins": "from", "size": 329.7, "low": 329.6, "high": 329.8},
            "af-alg takes less time than aesni from 330 B on.",
        ),
        (
            {"wins": "from", "low": 16.0, "high": 65536.0},
            "af-alg takes less time than aesni from a size between 16 B and 64 KiB on.",
        ),
        (
            {"wins": "always"},
            "af-alg takes less time than aesni at every size from 16 B to 64 KiB; no break-even within these.",
        ),
        (
            {"wins": "never"},
            "af-alg takes more time than aesni at every size from 16 B to 64 KiB; no break-even within these.",
        ),
        ({"wins": "unclear"}, "af-alg and aesni show no difference above the noise, at 16 B or 64 KiB."),
        (
            {"wins": "unclear", "at_first": "above"},
            "af-alg takes more time than aesni at 16 B; at 64 KiB this run shows no difference.",
        ),
        (
            {"wins": "unclear", "at_last": "below"},
            "af-alg takes less time than aesni at 64 KiB; at 16 B this run shows no difference.",
        ),
        (
            {"wins": "unclear", "at_first": "below", "at_last": "below"},
            "af-alg takes less time than aesni at 16 B and at 64 KiB, but not at every size between.",
        ),
    ],
)
def test_a_break_even_is_said_with_its_interval_and_its_range(crossing: dict[str, Any], words: str) -> None:
    assert said(**crossing) == words


def test_measured_points_are_the_table_and_lines_are_fitted() -> None:
    (figure,) = fits.figures([Fitted(**COSTS)], {})
    assert figure.table()[1][0] == ["aes/sbox", "x86_64", "0.16", "41.00", "660.00"]
    assert [datum.mark for datum in figure.start.data if datum.mark] == ["1"]


def test_rings_that_would_cover_each_other_are_one() -> None:
    near = [Crossing(2, 0, "from", 16, 65536, "above", "below", size) for size in (300.0, 330.0, 4000.0)]
    (figure,) = fits.figures([Fitted(**{**COSTS, "crossings": near})], {})
    assert [datum.mark for datum in figure.start.data if datum.mark] == ["1\N{EN DASH}2", "3"]


def test_names_beside_lines_stay_in_the_chart() -> None:
    low = [Datum(0, name, "", "k", value, 16, note=name) for name, value in (("a", 1.0), ("b", 1.01), ("c", 1.02))]
    high = Datum(0, "d", "", "k", 100.0, 16, note="d")
    moved = lines.apart([*low, high])
    least, most = lines.bounds(moved)
    heights = {
        datum.implementation: lines.HEIGHT * (1 - math.log((datum.value or 0) / least) / math.log(most / least))
        + datum.shift
        for datum in moved
    }
    assert moved[3].shift == 0
    assert heights["a"] < lines.HEIGHT
    assert heights["a"] - heights["b"] == pytest.approx(13, abs=0.2)
    assert heights["b"] - heights["c"] == pytest.approx(13, abs=0.2)


def test_nothing_native_is_told_by_isa() -> None:
    assert simulated(rows()) == []


def test_what_is_absent_is_said_once_for_each_reason() -> None:
    skipped = Skipped(what="aes/sbox on vm", reason="engine vm cannot be used: no qemu", count=1, absent="engine")
    twice = [absent(), replace(absent(), size=65536), replace(absent(), implementation="aes/af-alg-stream")]
    assert absences(StudyRecord(id="s", skipped=(skipped, skipped)), twice) == [
        "Not measured by `host`: `aes/af-alg`, `aes/af-alg-stream`: no AF_ALG here.",
        "Left out: engine vm cannot be used: no qemu.",
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    document = study(
        comparisons=("encrypt 1M: aesni is 17x sbox",),
        tables=(
            Pivot(
                "Throughput", metric="bytes_per_second", columns=("4 KiB",), figure=True,
                lines=(("sbox", ((8.7e7, 8.8e7),)), ("`af-alg`", (None,))), spreads=(((8.5e7, 9.1e7),), (None,)),
            ),
            Pivot("Guest instructions", figure=True, lines=(("sbox", ()),)),
        ),
        machine=("Times by host: a CPU, load 2.80 on 2 CPUs.",),
    )  # fmt: skip
    # A name that no line of a phone has room for.
    lacking = replace(absent(), note="this kernel has no AF_ALG (CONFIG_CRYPTO_USER_API_SKCIPHER_OR_ITS_MODULE)")
    folder = synthetic.write(tmp_path, [*rows(), lacking], study=document, claims=[], manifest={})
    report.write(folder)
    return folder / "report.html"


def test_the_page(path: Path) -> None:
    text = path.read_text()
    assert "What each ISA does" not in text
    assert "Upper bound on this machine, aes-128-cbc encrypt: 20 cycles a block." in text
    assert "<li>encrypt 1M: aesni is 17x sbox</li>" in text
    assert '<td class="num">87 to 88<small>85\N{EN DASH}91</small></td>' in text
    assert "Small: the interval of the median" in text
    assert "Times by host: a CPU, load 2.80 on 2 CPUs." in text
    guest = text.split("<h3>Guest instructions</h3>")[1]
    assert guest.lstrip().startswith('<p class="note">None of this was measured here.</p>')
    assert re.search(r'<th scope="row" class="impl">af-alg</th><td class="num">3.?000.0 ns</td>', text)
    assert (path.parent / "table.md").read_text().splitlines() == [
        "Throughput. Throughput (MB/s).", "", "|  | 4 KiB |", "| :-- | --: |", "| sbox | 87 to 88 |", "| af-alg | – |",
    ]  # fmt: skip
    assert "sbox & 87 to 88 \\\\" in (path.parent / "table.tex").read_text()


def test_points_of_one_reason_are_one_line(path: Path, tmp_path: Path) -> None:
    assert "no such" not in path.read_text()
    folder = synthetic.write(
        tmp_path / "many", [absent(), replace(absent(), size=65536)], study={}, claims=[], manifest={}
    )
    report.write(folder)
    assert "2 points" in (folder / "report.html").read_text()


def test_in_a_browser(lettered: Browser, path: Path) -> None:
    for width in (1280, 360):
        with opened(lettered, path, viewport={"width": width, "height": 900}) as page:
            drawn = page.evaluate("document.querySelectorAll('.chart svg .mark-symbol path').length")
            assert drawn >= 9
            assert page.locator("#figure-5 .remarks li").count() == 2
            assert wider_than_the_window(page, (width, 320)) == []


def test_a_rate_carries_the_interval_of_its_time() -> None:
    row = replace(rows()[0], size=4096, total_bytes=None, seconds=2e-6, seconds_low=1e-6, seconds_high=4e-6)
    timed = lines.point(0, row, "bytes_per_second", "")
    assert (timed.low, timed.high) == (4096 / 4e-6 / 1e6, 4096 / 1e-6 / 1e6)
    low, high = lines.bounds([timed])
    assert low < 4096 / 4e-6 / 1e6
    assert high > 4096 / 1e-6 / 1e6
    counted = lines.point(0, replace(row, seconds_low=None), "bytes_per_second", "")
    assert counted.low is counted.high is None


@pytest.mark.parametrize("crossings", [COSTS["crossings"], COSTS["crossings"][1:]])
def test_rings_have_a_layer_only_where_lines_cross(crossings: tuple[Crossing, ...]) -> None:
    drawn, _ = figures(study(plots=(), fits=(Fitted(**{**COSTS, "crossings": crossings}),)), rows())
    (panel,) = drawn[-1].panels
    filtered = [step for layer in panel.chart["layer"] for step in layer.get("transform", [])]
    assert ({"filter": "datum.mark"} in filtered) == any(each.size is not None for each in crossings)
