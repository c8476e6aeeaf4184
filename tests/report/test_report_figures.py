"""Figures, main table and palette as data."""

from __future__ import annotations

import itertools

import pytest

from ciphermark.execution.study_record import StudyRecord
from ciphermark.report import numbers, palette, selection
from ciphermark.report.effects import effects
from ciphermark.report.figures import Figure, figures
from ciphermark.report.headline import main_table
from ciphermark.rows.model import Row
from ciphermark.study.headline import Headline
from ciphermark.study.shown import Plot
from report import synthetic

ROWS = synthetic.rows((16, 1024, 65536, 1 << 20), (("zig", "O2"), ("zig", "Os")))
HEADLINE = Headline(where={"algorithm": "aes-128-ecb", "size": 65536})


def one(kind: str, **more: object) -> Figure:
    drawn, problems = figures(
        StudyRecord(id="s", plots=(Plot.model_validate({"kind": kind, **more}),), headline=HEADLINE), ROWS
    )
    assert problems == []
    return drawn[0]


def test_bars_show_every_isa_of_every_implementation_once() -> None:
    bars = [datum for datum in one("by-isa").start.data if datum.value is not None]
    expected = {
        (row.implementation, row.isa): row.instructions_per_byte
        for row in ROWS
        if (row.algorithm, row.operation, row.size, row.opt) == ("aes-128-ecb", "encrypt", 65536, "O2")
    }
    assert {(bar.implementation, bar.isa): bar.value for bar in bars} == expected
    assert len(bars) == len(expected)


def test_the_reader_may_choose_operation_and_compiler() -> None:
    figure = one("by-isa")
    labels = {selector.name: selector.options for selector in figure.selectors}
    assert labels["build"] == ("zig -O2", "zig -Os")
    assert labels["work"][0] == "aes-128-ecb encrypt"
    assert "aes-128-ecb expand-key" in labels["work"]
    assert len(figure.variants) == len(labels["build"]) * len(labels["work"])
    assert figure.variants["0,1"].words == "aes-128-ecb encrypt, 64\u202fKiB, zig\u00a0-Os, sim"


def test_a_line_needs_two_sizes_and_marks_what_was_not_executed() -> None:
    figure = one("by-size")
    work = next(selector for selector in figure.selectors if selector.name == "work")
    assert all("expand-key" not in option and "ctr" not in option for option in work.options)
    hollow = {datum.row for datum in figure.start.data if datum.hollow}
    assert hollow == {1 << 20}
    assert "extrapolated" in figure.caption


def test_code_size_stacks_to_the_sum_and_depends_on_the_build_alone() -> None:
    figure = one("code-size")
    assert [selector.name for selector in figure.selectors] == ["build"]
    row = next(r for r in ROWS if (r.implementation, r.isa, r.opt) == ("aes/ttable", "rv32i", "O2"))
    parts = [d for d in figure.start.data if (d.implementation, d.isa) == ("aes/ttable", "rv32i")]
    assert [part.value for part in parts] == [row.code_bytes, row.rodata_bytes, row.data_bytes]
    assert [part.start for part in parts] == [0, row.code_bytes, (row.code_bytes or 0) + (row.rodata_bytes or 0)]


def test_a_description_of_stacked_bars_is_of_the_whole() -> None:
    figure = one("code-size")
    whole = {
        (row.implementation, row.isa): (row.code_bytes or 0) + (row.rodata_bytes or 0) + (row.data_bytes or 0)
        for row in ROWS
        if row.opt == "O2"
    }
    assert f"{len(whole)} bars, from {min(whole.values()):,} (" in figure.description
    assert f" to {max(whole.values()):,} (" in figure.description


def test_the_data_table_has_the_figures_values() -> None:
    header, body = one("by-size").table()
    assert header == ["Implementation", "ISA", *(numbers.size(n) for n in (16, 1024, 65536, 1 << 20))]
    assert len(body) == len({(row.implementation, row.isa) for row in ROWS})


def test_a_plot_without_rows_is_said_not_raised() -> None:
    plots = [Plot(kind="by-isa", metric="cycles"), Plot(kind="by-isa")]
    drawn, problems = figures(StudyRecord(id="s", plots=tuple(plots), headline=HEADLINE), ROWS)
    assert [figure.id for figure in drawn] == ["figure-1"], "no gaps"
    (problem,) = problems
    assert "no measured rows" in problem


def test_logarithmic_ticks_are_round_numbers_in_bounds() -> None:
    variant = one("by-size").start
    low, high = variant.bounds
    assert variant.ticks()
    assert all(low <= tick <= high for tick in variant.ticks())
    assert {str(float(tick)).strip("0.")[0] for tick in variant.ticks()} <= {"1", "2", "5"}


def test_the_main_table_compares_with_the_same_implementation_on_the_baseline() -> None:
    main = main_table(ROWS, HEADLINE)
    assert main is not None
    table = main.tables[0]
    assert (table.xlen, table.baseline) == (32, "rv32i")
    cells = {name: dict(zip(table.isas, cells, strict=True)) for name, cells in table.lines}
    assert cells["aes/ttable"]["rv32i_zbb"].change == f"{numbers.MINUS}14.0\u202f%"
    assert cells["aes/sbox"]["rv32i_zbb"].change == "0\u202f%"
    assert cells["aes/sbox"]["rv32i_zbb"].idle
    assert not cells["aes/ttable"]["rv32i_zbb"].idle
    assert cells["aes/zkne32"]["rv32i"].value is None
    assert cells["aes/zkne32"]["rv32i_zkn"].best


def test_an_unverified_row_is_never_a_figure() -> None:
    broken = synthetic.failing(ROWS)
    main = main_table(broken, HEADLINE)
    assert main is not None
    failed = [c for table in main.tables for name, cells in table.lines if name == "aes/ttable" for c in cells]
    assert failed and all(cell.value is None and cell.text == "failed" for cell in failed)
    found = effects(broken, HEADLINE)
    assert found is not None
    assert all(effect.best.implementation != "aes/ttable" for _, rows in found.xlens for effect in rows)


def test_effects_count_pairs_and_those_that_used_the_extension() -> None:
    found = effects(ROWS, HEADLINE)
    assert found is not None
    zbb = next(effect for width, rows in found.xlens for effect in rows if effect.isa == "rv32i_zbb")
    assert (len(zbb.changes), zbb.judged, zbb.used) == (6, 6, 4)
    assert zbb.changes == tuple(sorted(zbb.changes))


def test_metrics_that_were_not_measured_give_no_table() -> None:
    assert main_table(ROWS, Headline(metric="cycles")) is None
    assert main_table([], HEADLINE) is None


def test_one_family_one_colour_and_different_families_different_ones() -> None:
    isas = [*selection.values(ROWS, "isa"), "rv32imc", "rv64imc", "rv64gcv_zvkned"]
    colours = palette.variables(isas)
    for isa, other in itertools.combinations(isas, 2):
        same = palette.family(isa) == palette.family(other)
        assert (colours[isa] == colours[other]) is same, (isa, other)
    assert all(name.removeprefix("--") in palette.LIGHT for name in colours.values())


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
def test_colours_stand_out_from_the_paper(scheme: dict[str, str]) -> None:
    """WCAG 2.2: 4.5 for text, 3 for parts of a figure."""

    def contrast(name: str) -> float:
        light, dark = sorted((_luminance(scheme[name]), _luminance(scheme["paper"])), reverse=True)
        return (light + 0.05) / (dark + 0.05)

    assert contrast("ink") >= 7
    assert contrast("muted") >= 4.5
    assert all(contrast(name) >= 3 for name in scheme if name.startswith("isa-"))


def test_numbers_as_printed() -> None:
    assert numbers.number(12500994) == "12,500,994"
    assert numbers.number(None) == numbers.ABSENT
    assert numbers.percent(-0.0003) == f"{numbers.MINUS}0.030\u202f%"
    assert numbers.percent(0) == "0\u202f%"
    assert [numbers.size(n) for n in (16, 1000, 1024, 1 << 20)] == [
        "16\u202fB", "1,000\u202fB", "1\u202fKiB", "1\u202fMiB",
    ]  # fmt: skip


def test_axes_settle_to_the_usual_choice_where_nothing_is_said() -> None:
    chosen = selection.settle(ROWS, {}, "instructions")
    assert {k: chosen[k] for k in ("algorithm", "operation", "size", "compiler", "opt", "engine")} == {
        "algorithm": "aes-128-ecb", "operation": "encrypt", "size": 1 << 20, "compiler": "zig", "opt": "O2",
        "engine": "sim",
    }  # fmt: skip
    assert all(isinstance(row, Row) for row in selection.where(ROWS, chosen))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("77.8 % of 4 KiB in 3 ns", "77.8~% of 4~KiB in 3~ns"),
        ("2 GB/s, 5 MB/s, 1 B", "2~GB/s, 5~MB/s, 1~B"),
        ("gcc -O3, aes/x zig -Os", "gcc_-O3, aes/x zig_-Os"),
        ("16 Blocks, 7 sizes, 3 says", "16 Blocks, 7 sizes, 3 says"),
    ],
)
def test_figures_and_units_do_not_part(text: str, shown: str) -> None:
    assert numbers.unbroken(text) == shown.replace("~", numbers.THIN).replace("_", numbers.HARD)
