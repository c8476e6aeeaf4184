"""What `measure` says of implementations that could not be measured: each reason once."""

from dataclasses import replace

import pytest
from rich.console import Console

from ciphermark.cli import measure, output
from ciphermark.execution import provenance
from ciphermark.execution.results import Rows
from ciphermark.host import cpu
from ciphermark.rows.model import Row

from .rows_for_tests import row


def failed(isa: str, note: str, implementation: str = "./wrong") -> Row:
    return replace(row(implementation=implementation, isa=isa), verdict="error", note=note)


def test_a_reason_that_differs_by_its_command_line_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    rows = Rows(
        failed(isa, f"w.c:2: error: no 'x'\n$ zig cc -target {isa} -c w.c", name)
        for name in ("./wrong", "./other")
        for isa in ("rv32i", "rv64i")
    )
    assert measure._status(rows) == 1
    said = capsys.readouterr().err
    assert said.count("error: ./wrong at rv32i, rv64i (sim): w.c:2: error: no 'x'\n$ zig cc -target rv32i") == 1
    assert said.count("error: no 'x'") == 2


def test_different_reasons_are_all_said(capsys: pytest.CaptureFixture[str]) -> None:
    measure._status(Rows([failed("rv32i", "one"), failed("rv64i", "two")]))
    assert capsys.readouterr().err.splitlines() == [
        "error: ./wrong at rv32i (sim): one", "error: ./wrong at rv64i (sim): two",
    ]  # fmt: skip


def test_a_piped_table_is_as_wide_as_its_content(capsys: pytest.CaptureFixture[str]) -> None:
    long = "word " * 80
    output.print_records([{"name": "a", "text": "short"}], output.Format.TABLE)
    assert max(map(len, capsys.readouterr().out.splitlines())) < 20
    output.print_records([{"name": "a", "text": long}], output.Format.TABLE)
    assert any(long.strip() in line for line in capsys.readouterr().out.splitlines())
    assert isinstance(output.console(), Console)


def test_provenance_names_a_processor_of_arm(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n"
    monkeypatch.setattr(cpu, "_read", lambda: text)
    assert provenance._host()["cpu"] == "Cortex-A76"
