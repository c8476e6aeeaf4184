"""`ciphermark measure --engine host`, whole."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import get_args

import pytest
from typer.testing import CliRunner, Result

from ciphermark.analysis.comparison import compare_rows
from ciphermark.analysis.timing import own_share
from ciphermark.build import linux
from ciphermark.cli.app import app
from ciphermark.engines import Engine
from ciphermark.execution.measurement import measure
from ciphermark.execution.remarks import of_times
from ciphermark.host import cpu
from ciphermark.kernels.catalogue import Architecture, Implementation
from ciphermark.rows.model import COLUMNS
from host.conftest import CHACHA, SHORT, Spoil
from run.rows_for_tests import row as row_of

FEW = ["--processes", "3", "--samples", "3"]

Command = Callable[..., Result]


@pytest.fixture
def command(host: Engine) -> Command:
    del host
    runner = CliRunner()
    return lambda *words: runner.invoke(app, ["measure", *map(str, words)], catch_exceptions=False)


def test_json_keeps_the_samples(command: Command) -> None:
    done = command("chacha20", "--engine", "host", "--impl", CHACHA, "--sizes", "64,4K", "--json", *FEW)
    assert done.exit_code == 0, done.stderr
    small, large = (json.loads(line) for line in done.stdout.splitlines())
    assert small["seconds"] < large["seconds"]
    assert large["bytes_per_second"] == pytest.approx(4096 / large["seconds"])
    assert large["seconds_low"] <= large["seconds"] <= large["seconds_high"]
    assert large["seconds_confidence"] == 0.75
    assert large["samples"] == sum(map(len, large["raw"]))
    assert len(large["raw"]) == len(large["raw_cpu"]) == 3
    assert small["run"] == large["run"]
    assert (large["verdict"], large["verified"], large["total_bytes"]) == ("ok", True, None)
    assert (large["vlen"], large["call_instructions"]) == (None, None)
    assert large["user_s"] + large["sys_s"] > 0
    assert "known answers passed" in large["provenance"]


def test_csv_has_the_columns_and_no_samples(command: Command) -> None:
    done = command("chacha20", "--engine", "host", "--impl", CHACHA, "--sizes", "64", "--csv", *FEW)
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert tuple(row) == COLUMNS
    assert float(row["seconds"]) > 0
    assert row["seconds_mad"] != ""


def test_the_table_has_times_and_says_what_is_faster(command: Command, spoiled: Spoil) -> None:
    slow = spoiled(before="for (volatile int i = 0; i < 20000; i++) ;", name="slow")
    both = f"{CHACHA},{slow.folder}"
    done = command("chacha20", "--engine", "host", "--impl", both, "--sizes", "64,1K", "--processes", 5, "--samples", 3)
    assert done.exit_code == 0, done.stderr
    for heading in ("median", "93 % interval", "GB/s", "CPU time"):
        assert heading in done.stdout
    assert "encrypt 1K: " in done.stdout
    assert "x " in done.stdout
    assert "noise floor" in done.stdout


def test_totals(command: Command) -> None:
    done = command(
        "chacha20", "--engine", "host", "--impl", CHACHA, "--sizes", "4K,64K", "--total", "256K", "--json", *FEW
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["size"], row["total_bytes"]) for row in rows] == [(4096, 1 << 18), (65536, 1 << 18)]
    assert rows[0]["bytes_per_second"] == pytest.approx((1 << 18) / rows[0]["seconds"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--total", "100", "--sizes", "64"], "not a whole number of chunks"),
        (["--isa", "rv64i"], "'rv64i' is not an ISA"),
        (["--cpu", "4095"], "CPU 4095 is not one this process may use"),
        (["--engine", "hots"], "Did you mean 'host'?"),
        (["--compiler", "gcc"], "built with zig, not with gcc"),
        (["--vlen", "256"], "Leave --vlens out, or use --engines sim."),
        (["--extension", "nothing.core_desc"], "Leave --extensions out, or use --engines sim."),
        (["--opt", "O9"], "O9"),
    ],
)
def test_mistakes_are_usage_errors(command: Command, words: list[str], says: str) -> None:
    done = command("chacha20", "--engine", "host", "--impl", CHACHA, *words)
    assert done.exit_code == 2
    assert says in done.stderr


def test_an_architecture_that_is_not_here(command: Command) -> None:
    other = next(name for name in get_args(Architecture) if name != linux.machine())
    done = command("chacha20", "--engine", "host", "--impl", CHACHA, "--isa", other)
    assert done.exit_code == 2
    assert f"no machine of {other} here" in done.stderr
    assert f"or name {linux.machine()}" in done.stderr


def test_simulators_have_no_totals_and_no_native_code(command: Command) -> None:
    assert "engine sim has no totals" in command("aes-128-ecb", "--impl", "sbox", "--total", "1M").stderr
    done = command("chacha20", "--impl", CHACHA)
    assert done.exit_code == 2
    assert "with --engines host or vm" in done.stderr


def test_a_wrong_answer_is_status_4_and_names_its_vector(command: Command, spoiled: Spoil) -> None:
    wrong = spoiled(after="if (bytes == 1) out[0] ^= 1;", name="wrong")
    both = f"{CHACHA},{wrong.folder}"
    done = command("chacha20", "--engine", "host", "--impl", both, "--sizes", "64", "--json", *FEW)
    assert done.exit_code == 4
    assert "chacha20 encrypt, " in done.stderr
    assert "expected" in done.stderr
    good, bad = (json.loads(line) for line in done.stdout.splitlines())
    assert good["verdict"] == "ok"
    assert (bad["verdict"], bad["seconds"], bad["raw"]) == ("failed", None, None)


def test_a_crash_is_status_1_and_keeps_the_others(command: Command, spoiled: Spoil) -> None:
    crashing = spoiled(before="if (bytes == 1024) abort();", name="crashing")
    done = command("chacha20", "--engine", "host", "--impl", crashing.folder, "--sizes", "64,1K", "--json", *FEW)
    assert done.exit_code == 1
    assert "SIGABRT" in done.stderr
    good, bad = (json.loads(line) for line in done.stdout.splitlines())
    assert (good["verdict"], bad["verdict"]) == ("ok", "error")


def test_what_the_processor_lacks_is_a_row_and_no_error(
    command: Command, spoiled: Spoil, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu, "missing", lambda features, architecture: ("warp-drive",))
    done = command("chacha20", "--engine", "host", "--impl", CHACHA, "--sizes", "64", "--json", *FEW)
    assert done.exit_code == 0
    row = json.loads(done.stdout)
    assert row["verdict"] == "unsupported"
    assert row["note"] == "this CPU lacks warp-drive"


def test_an_implementation_without_native_code_is_a_row_when_named(command: Command) -> None:
    done = command("aes-128-ecb", "--engine", "host", "--impl", "zkne32", "--sizes", "64", "--json", *FEW)
    row = json.loads(done.stdout)
    assert row["implementation"] == "aes/zkne32"
    assert row["verdict"] == "unsupported"
    assert "has no code for" in row["note"]


def test_the_simulator_is_as_ever(command: Command) -> None:
    done = command("aes-128-ecb", "--impl", "sbox", "--isa", "rv64i", "--sizes", "64", "--json")
    row = json.loads(done.stdout)
    assert row["instructions"] > 0
    assert (row["seconds"], row["raw"], row["run"]) == (None, None, None)


def test_rows_of_different_runs_are_not_compared(host: Engine) -> None:
    del host
    runs = [
        measure("chacha20", implementations=[CHACHA], sizes="64", engines=["host"], sampling=SHORT) for _ in range(2)
    ]
    assert compare_rows([row for rows in runs for row in rows]) == []


def test_a_call_as_short_as_the_harnesss_own_is_told(command: Command) -> None:
    words = (
        "aes-128-ecb",
        "--engine",
        "host",
        "--impl",
        "sbox",
        "--operation",
        "block",
        "--sizes",
        "16",
        "--json",
        *FEW,
    )
    long = json.loads(command(*words).stdout)
    assert 0 < long["call_s"] < long["seconds"] / 10
    assert long["note"] is None
    rows = [
        row_of(call_s=1.5e-9, seconds=2.3e-9, raw=((2.3e-9,),)),
        row_of(call_s=1.5e-9, seconds=2.3e-6, size=4096, raw=((2.3e-6,),)),
    ]
    assert [round(own_share(row), 2) for row in rows] == [0.65, 0.0]
    assert own_share(row_of(call_s=1e-9, seconds=1e-6, size=16, total_bytes=1600)) == pytest.approx(0.1)
    assert any("up to 65% of a call's time is the harness's loop" in remark for remark in of_times(rows))
    assert not any("harness" in remark for remark in of_times(rows[1:]))


def test_remarks_say_what_no_counter_told(chacha: Implementation) -> None:
    rows = measure("chacha20", implementations=[chacha.folder], sizes="64", engines=["host"], sampling=SHORT)
    assert rows[0].cycles is not None or any("not granted" in remark for remark in rows.remarks)
