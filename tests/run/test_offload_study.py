"""The study of the kernel's AF_ALG: on a machine that has it, on one that does not, without emulators."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ciphermark import embedded, toolchain
from ciphermark.cli.app import app
from ciphermark.execution.results import Results
from ciphermark.execution.study_run import run_study
from ciphermark.notation.sizes import KIB, MB, MIB
from ciphermark.report import write
from ciphermark.rows.metrics import METRICS
from ciphermark.study.expand import expand
from ciphermark.study.load import find, load

from .fake_native import NO_AF_ALG, Fake, Machines, install

pytestmark = pytest.mark.skipif(not embedded.available(), reason="the Rust module is not built")

STUDY = "aes-kernel-offload"
KERNEL = ("aes/af-alg", "aes/af-alg-stream", "aes/af-alg-vmsplice")


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machines:
    return install(tmp_path / "elves", monkeypatch.setattr)


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Results]:
    return lambda **options: run_study(STUDY, results=tmp_path / "results", **options)


def of_study(host: Fake) -> int:
    """Runs of many programs: not those of the control."""
    return sum(len(set(names)) > 1 for names in host.runs)


def claims(found: Results) -> dict[str, tuple[str, str]]:
    return {claim.id: (claim.verdict, claim.reason) for claim in found.claims}


def test_totals_are_short_unless_asked_in_full(machines: Machines) -> None:
    del machines
    study = load(find(STUDY))
    short, full = (expand(each).points for each in (study, study.full()))
    assert {point.request.total for point in short} == {None, 8 * MIB}
    assert {point.request.total for point in full} == {None, 64 * MIB, 128 * MIB, 256 * MIB}
    sizes = {point.request.size for point in full if point.request.total is not None}
    assert sizes == {4096, 16384, 65536, 262144, MIB}


def test_all_of_it_where_everything_is_there(machines: Machines, run: Callable[..., Results]) -> None:
    found = run()
    assert {row.verdict for row in found.rows} == {"ok"}
    assert machines.host.runs[1:] == [("aes/sbox",) * 3], "the study, and its control"
    assert len(machines.vm.runs) == 2
    assert [control.passed for control in found.controls] == [True] * 3
    verdicts = claims(found)
    assert verdicts["speedup"][0] == "not testable"
    assert verdicts["speedup"][1].startswith("The claim is about the benchmark's C program")
    assert "Measured here: " in verdicts["speedup"][1]
    assert "For comparison, aes/aesni: 17.6× to 17.7× over 5 pairs" in verdicts["speedup"][1]
    assert verdicts["cpu-time"][0] == "not testable"
    assert verdicts["peak"][0] == "contradicted"
    assert "20 cycles per block (Cortex-A76) at 2.40 GHz are 1.920 GB/s" in verdicts["peak"][1]
    assert verdicts["sustained"][0] == "not testable"
    assert verdicts["at-64-kib"][0] == "not testable"
    assert verdicts["at-64-kib"][1].endswith("99.0 % of that. Only that machine can show whether it was reached.")
    assert verdicts["driver"][0] == "contradicted"
    assert "`cbc-aes-ce`" in verdicts["driver"][1]
    assert {row.driver for row in found.rows if row.implementation in KERNEL} == {"cbc-aes-ce"}
    assert {row.driver for row in found.rows if row.implementation not in KERNEL} == {None}
    assert verdicts["offloaded"][0] == "contradicted"
    assert "`aes-arm64-ce`, executes AES instructions of the processor" in verdicts["offloaded"][1]
    assert "works for 100.0 % of the elapsed time" in verdicts["offloaded"][1]
    assert "aes/armv8, with the same AES instructions, 1.7" in verdicts["offloaded"][1]


def test_what_the_source_says_is_held_against_its_own_table(machines: Machines, run: Callable[..., Results]) -> None:
    del machines
    verdicts = claims(run())
    assert verdicts["factor-in-the-text"][0] == "contradicted"
    assert "64 KB: 1,900 ÷ 60 = 31.67, published 35 to 40" in verdicts["factor-in-the-text"][1]
    assert verdicts["factors-in-the-table"][0] == "confirmed"
    assert verdicts["stabilizes"][0] == "contradicted"
    assert "AF_ALG: 2,100 ÷ 1,900 = 1.105, published 1" in verdicts["stabilizes"][1]
    assert verdicts["utilisation"][0] == "contradicted"
    assert verdicts["software-rate"][0] == "not testable"
    assert "The claim is about the benchmark's C program" in verdicts["software-rate"][1]


@pytest.mark.parametrize(("full", "says"), [(False, "One total was measured"), (True, "comparisons of throughput")])
def test_totals_are_compared_where_several_were_measured(
    machines: Machines, run: Callable[..., Results], full: bool, says: str
) -> None:
    del machines
    verdict, reason = claims(run(full=full))["equal-across-totals"]
    assert says in reason
    assert verdict == "not testable" or full


def test_openssl_stands_beside_the_kernel(machines: Machines, run: Callable[..., Results]) -> None:
    machines.host.af_alg = False
    verdict, reason = claims(run())["openssl"]
    assert (verdict, "AF_ALG and OpenSSL were not both measured" in reason) == ("not testable", True)


def test_a_second_run_measures_nothing(machines: Machines, run: Callable[..., Results]) -> None:
    first, again = run(), run()
    assert again.manifest["points_measured_now"] == 0
    assert (of_study(machines.host), len(machines.vm.runs)) == (1, 2)
    machine = [(row.driver, row.processor, row.system, row.cpu) for row in first.rows]
    assert [(row.driver, row.processor, row.system, row.cpu) for row in again.rows] == machine
    assert [row.seconds for row in again.rows] == [row.seconds for row in first.rows]


def test_without_af_alg_all_else_is_answered(machines: Machines, run: Callable[..., Results]) -> None:
    machines.host.af_alg = False
    found = run()
    kernel = [row for row in found.rows if row.engine == "host" and row.implementation in KERNEL]
    assert {(row.verdict, row.note) for row in kernel} == {("unsupported", f"it cannot run here: {NO_AF_ALG}")}
    assert all(row.verdict == "ok" for row in found.rows if row not in kernel)
    verdicts = claims(found)
    assert verdicts["speedup"][0] == verdicts["cpu-time"][0] == "not testable"
    assert verdicts["speedup"][1].startswith("AF_ALG was not measured on this machine")
    assert verdicts["offloaded"][0] == verdicts["driver"][0] == "contradicted"
    page = write(found.directory).read_text()
    assert f"it cannot run here: {NO_AF_ALG}" in page
    assert "Average processor time per message" in page


def test_without_an_emulator_its_rows_are_left_out(machines: Machines, run: Callable[..., Results]) -> None:
    machines.vm.missing = "qemu-system-aarch64 not found"
    found = run()
    assert {row.engine for row in found.rows} == {"host"}
    assert "note: engine vm was left out: qemu-system-aarch64 not found" in found.manifest["remarks"]
    assert claims(found)["driver"][0] == "not testable"
    assert "Left out: engine vm cannot be used: qemu-system-aarch64 not found." in write(found.directory).read_text()


def test_without_a_kernel_for_the_emulator_its_rows_say_so(machines: Machines, run: Callable[..., Results]) -> None:
    machines.vm.lost = "no kernel package can be had"
    found = run()
    emulated = {(row.verdict, row.note) for row in found.rows if row.engine == "vm"}
    assert emulated == {("unsupported", "no kernel package can be had")}
    assert all(row.verdict == "ok" for row in found.rows if row.engine == "host")


def test_boots_that_disagree_are_status_4(machines: Machines, tmp_path: Path) -> None:
    machines.vm.disagrees = "two identical machines behaved differently"
    done = CliRunner().invoke(app, ["run", STUDY, "--json", "--results", str(tmp_path / "results")])
    assert done.exit_code == 4
    assert "two identical machines behaved differently" in done.stderr


def test_emulated_points_are_of_one_session_or_measured_again(machines: Machines, run: Callable[..., Results]) -> None:
    """What a kernel executes for a program depends on what ran before: points of two sessions do not compare."""
    del machines
    first = run()
    stored = [row for row in first.rows if row.engine == "vm" and row.isa == "aarch64"]
    lost = tmp_points(stored[0].point)
    lost.unlink()
    again = run()
    runs = {(row.isa.split("+")[0], row.run) for row in again.rows if row.engine == "vm"}
    assert runs == {("aarch64", "run 3"), ("x86_64", "run 2")}


def test_an_interrupted_run_keeps_the_architecture_that_was_done(
    machines: Machines, run: Callable[..., Results]
) -> None:
    machines.vm.interrupted_at = 2
    with pytest.raises(KeyboardInterrupt):
        run()
    again = run()
    assert {row.verdict for row in again.rows} == {"ok"}
    runs = {(row.isa.split("+")[0], row.run) for row in again.rows if row.engine == "vm"}
    assert runs == {("aarch64", "run 1"), ("x86_64", "run 3")}
    assert of_study(machines.host) == 1


def test_a_machine_without_a_kernel_costs_its_own_rows_alone(machines: Machines, run: Callable[..., Results]) -> None:
    machines.vm.lost_architecture = "aarch64"
    rows = [row for row in run().rows if row.engine == "vm"]
    assert {row.verdict for row in rows if row.isa.startswith("x86_64")} == {"ok"}
    assert {(row.verdict, row.note) for row in rows if row.isa.startswith("aarch64")} == {("error", "no aarch64")}


def tmp_points(key: str) -> Path:
    return Path(os.environ["CIPHERMARK_CACHE"]) / "points" / key[:2] / f"{key}.json"


def test_results_have_the_columns_of_the_source(machines: Machines, run: Callable[..., Results]) -> None:
    del machines
    found = run()
    with (found.directory / "results.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert list(lines[0]) == ["impl", "total_mib", "chunk_kib", "elapsed_s", "throughput_mb_s", "user_us", "sys_us"]
    assert len(lines) == 7 * 5
    first = next(line for line in lines if line["impl"] == "aes/sbox" and line["chunk_kib"] == "1024")
    assert (first["total_mib"], first["throughput_mb_s"]) == ("8", "86.783")
    assert float(first["elapsed_s"]) * float(first["throughput_mb_s"]) * MB == pytest.approx(8 * MIB, rel=1e-4)


def test_a_folder_of_results_has_one_megabyte(machines: Machines, run: Callable[..., Results]) -> None:
    """The report's rate of a row is that of ``results.csv``."""
    del machines
    found = run()
    with (found.directory / "results.csv").open(newline="") as file:
        lines = {(line["impl"], line["chunk_kib"]): float(line["throughput_mb_s"]) for line in csv.DictReader(file)}
    shown = METRICS["bytes_per_second"]
    assert shown.unit == "MB/s"
    for row in found.rows:
        if row.total_bytes is not None and row.bytes_per_second is not None:
            rate = lines[row.implementation, f"{row.size / KIB:g}"]
            assert rate == pytest.approx(shown.shown(row.bytes_per_second), abs=1e-3)


def test_the_page_shows_a_figure_a_total_and_where_lines_cross(machines: Machines, run: Callable[..., Results]) -> None:
    del machines
    page = write(run(full=True).directory).read_text()
    for total in (64, 128, 256):
        assert f"Throughput by chunk size, messages of {total}\N{NARROW NO-BREAK SPACE}MiB" in page
    page = page.replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "af-alg takes fewer instructions than sbox from 70 B on (67 B to 74 B)." in page
    assert "af-alg takes less time than sbox from 283 B on." in page
    assert "af-alg takes more time than aesni at every size from 16 B to 1 MiB; no break-even within these." in page


SMALL = """
id = "small-offload"
title = "Offload"
question = "Is it there?"

[sampling]
processes = 3
samples = 3
budget_ms = 20

[defaults]
algorithms = ["aes-128-cbc"]
operations = ["encrypt"]
compilers = [{ name = "zig", opts = ["O2"] }]

[[matrix]]
engine = "host"
implementations = ["aes/sbox", "aes/af-alg"]
sizes = ["4K"]
totals = ["64K"]

[[matrix]]
engine = "vm"
when_present = true
implementations = ["aes/sbox", "aes/af-alg"]
sizes = ["4K"]
"""


@pytest.mark.skipif(
    "zig" not in {compiler.name for compiler in toolchain.installed()} or sys.platform != "linux",
    reason="builds native code for Linux with zig",
)
def test_a_machine_with_nothing_of_it_exits_with_0_and_says_so(tmp_path: Path, shared_cache: Path) -> None:
    """For true: no emulator on PATH, and a driver asked for that no kernel has."""
    study = tmp_path / "small-offload.toml"
    study.write_text(SMALL)
    environment = {
        **os.environ, "PATH": str(tmp_path), "CIPHERMARK_AF_ALG_DRIVER": "cbc-of-nobody",
        "PYTHONPATH": str(Path(toolchain.__file__).parents[2]), "CIPHERMARK_CACHE": str(shared_cache),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "ciphermark", "run", str(study), "--results", str(tmp_path / "results")],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "engine vm was left out: qemu-system-aarch64 and qemu-system-x86_64 not found" in done.stderr
    assert "aes/af-alg" in done.stderr
    assert "it cannot run here" in done.stderr
    page = (tmp_path / "results/small-offload/report.html").read_text()
    assert "it cannot run here" in page
    assert "Left out: engine vm cannot be used" in page


def test_times_stand_with_their_spread_and_the_machine_s_load(machines: Machines, run: Callable[..., Results]) -> None:
    found = run()
    throughput, processor, guest = found.tables
    row = next(row for row in found.rows if row.implementation == "aes/sbox" and row.total_bytes and row.size == 4096)
    assert row.seconds_low is not None and row.seconds_high is not None and row.total_bytes is not None
    assert row.seconds_low < row.seconds_high
    assert throughput.spreads[0][0] == (row.total_bytes / row.seconds_high, row.total_bytes / row.seconds_low)
    (cell,), (spread,) = processor.lines[0][1], processor.spreads[0]
    assert cell is not None and spread is not None
    assert spread[0] == pytest.approx(cell[0]), "of the fake's processes the first is the fastest, and its sum is that"
    assert spread[1] == pytest.approx(1.004 * cell[0])
    assert guest.spreads == (), "counts have none"
    page = write(found.directory).read_text(encoding="utf-8")
    assert "Times by host: Cortex-A76, Linux 6.12." in page
    assert "of a measurement&#39;s wall time, which its time leaves out." in page


def test_without_emulators_no_table_and_no_figure_is_empty(machines: Machines, run: Callable[..., Results]) -> None:
    machines.vm.missing = "no emulator"
    found = run()
    assert found.tables[2].empty
    page = write(found.directory).read_text(encoding="utf-8")
    assert "None of this was measured here." in page
    assert "AArch64: kernel" not in page
    # The opening's, two of the study, the fit, and the samples: none of what could not be counted.
    assert re.findall(r"Figure (\d)\. ", page) == ["1", "2", "3", "4", "5"]
    assert re.findall(r'<figure id="figure-(\d)"', page) == ["1", "2", "3", "4", "5"]
