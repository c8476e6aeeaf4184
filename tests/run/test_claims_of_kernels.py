"""Claims of bounds, drivers and offloading."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ciphermark.claims.crypto_drivers import executed_instructions
from ciphermark.claims.judge import Judgement, judge
from ciphermark.claims.kinds.bound import BoundClaim
from ciphermark.claims.kinds.driver import DriverClaim
from ciphermark.claims.kinds.offload import OffloadClaim
from ciphermark.claims.kinds.ratio import RatioClaim
from ciphermark.rows.model import Row
from ciphermark.rows.selection import Selector, pair, select

from .rows_for_tests import row

TEXTS = {"id": "c", "statement": "s", "citation": "c", "definition": "d"}
KERNEL = Selector(implementation=("aes/af-alg",))
SOFTWARE = Selector(implementation=("aes/armv8",))


def bound(published: float, *, core: str = "Cortex-A76", rounding: float = 0.0) -> Judgement:
    claim = BoundClaim(
        **TEXTS, published=published, algorithm="aes-128-cbc", core=core, clock_hz=2.4e9, rounding=rounding
    )
    return judge(claim, [])


@pytest.mark.parametrize(
    ("published", "rounding", "verdict"),
    [
        (2.1e9, 0.0, "contradicted"),
        (2.0e9, 0.05, "not testable"),
        (2.0e9, 0.0, "contradicted"),
        (1.9e9, 0.0, "not testable"),
    ],
)
def test_a_rate_above_the_bound(published: float, rounding: float, verdict: str) -> None:
    found = bound(published, rounding=rounding)
    assert found.verdict == verdict
    assert found.measured == "at most 1.92 GB/s"


def test_an_unknown_core_decides_nothing() -> None:
    assert bound(9e9, core="Z80").reason == "The latencies of Z80 are not known here."


def bound_to(driver: str) -> Row:
    return row(
        algorithm="aes-128-cbc", implementation="aes/af-alg", isa="aarch64", engine="vm", driver=driver,
        processor="QEMU's cortex-a76", system="Linux 6.12",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("driver", "verdict"),
    [("cbc-aes-ce", "contradicted"), ("aes-arm64-ce-cbc", "contradicted"), ("cbc-aes-arm64", "confirmed")],
)
def test_the_driver_decides(driver: str, verdict: str) -> None:
    found = judge(DriverClaim(**TEXTS, published="cbc-aes-arm64", where=KERNEL), [bound_to(driver)])
    assert (found.measured, found.verdict) == (driver, verdict)
    assert "(vm, QEMU's cortex-a76, Linux 6.12)" in found.reason


def test_without_a_driver_its_name_is_not_known() -> None:
    found = judge(DriverClaim(**TEXTS, published="x", untested="No kernel."), [row(engine="vm")])
    assert (found.verdict, found.reason) == ("not testable", "No kernel.")


def offload(rows: list[Row], cpu_s: float = 0.01, **given: str) -> Judgement:
    claim = OffloadClaim(
        **TEXTS, where=KERNEL, same_instructions=SOFTWARE, mean_bytes=150e6, rate=2e9, cpu_s=cpu_s, **given
    )
    return judge(claim, rows)


def timed(cpu: float, processor: str = "Cortex-A76") -> Row:
    """Of three processes whose samples are far apart, so that mean and median are too."""
    elapsed = ((1.0, 1.2), (1.0, 1.1), (1.0, 4.0))
    used = tuple(tuple(cpu * each for each in samples) for samples in elapsed)
    mean = sum(map(sum, elapsed)) / 6
    return row(
        engine="host", implementation="aes/af-alg", seconds=1.05, wall_s=mean, user_s=0.0, sys_s=cpu * mean,
        raw=elapsed, raw_cpu=used, processor=processor,
    )  # fmt: skip


def test_a_busy_processor_is_no_offload() -> None:
    found = offload([timed(0.97)])
    assert found.verdict == "contradicted"
    assert found.reason == "Measured here, the calling process works for 97.0 % of the elapsed time, in 1 point."


def test_a_share_is_of_one_statistic() -> None:
    """A mean of processor time over a median of elapsed time would be 150 %."""
    assert "works for 98.0 % to 100.0 % of the elapsed time, in 2 points." in offload([timed(0.98), timed(1.0)]).reason
    read_apart = replace(timed(1.0), raw_cpu=((1.008, 1.2096), (1.1, 1.1), (1.008, 4.032)))
    assert "works for 100.0 % of the elapsed time" in offload([read_apart]).reason
    found = offload([replace(timed(0.98), raw=None, raw_cpu=None)])
    assert "works for 98.0 % of the elapsed time, in 1 point." in found.reason


@pytest.mark.parametrize("shares", [(0.1,), (0.55, 0.8), (0.1, 0.95)])
def test_where_the_calling_process_is_idle_nothing_is_decided(shares: tuple[float, ...]) -> None:
    """Another thread may do the work: of the kernel, as cryptd's, or on another core."""
    found = offload([timed(share) for share in shares])
    assert found.verdict == "not testable"
    assert found.measured is not None
    ends = " to ".join(dict.fromkeys(f"{100 * share:.1f} %" for share in (shares[0], shares[-1])))
    assert found.measured.startswith(f"the calling process works for {ends} of the elapsed time")
    assert found.reason == (
        f"Not decided. Measured here, {found.measured}; who does the rest is unknown, since no row has the time of "
        "other threads."
    )


@pytest.mark.parametrize("driver", ["cbc-aes-ce", "cryptd(__cbc-aes-aesni)", "cbc(ecb(aes-generic))"])
def test_a_driver_that_executes_instructions_offloads_nothing(driver: str) -> None:
    found = offload([replace(timed(0.1), algorithm="aes-128-cbc", driver=driver)])
    assert found.verdict == "contradicted"
    assert f"The driver bound here, `{driver}`, executes " in found.reason
    assert "instructions of the processor" in found.reason


def test_the_sources_own_driver_can_contradict_it() -> None:
    found = offload([], driver="aes-arm64-ce")
    assert found.verdict == "contradicted"
    assert found.reason == (
        "The driver that the source names, `aes-arm64-ce`, executes AES instructions of the processor, on the calling "
        "core."
    )
    assert offload([], driver="cbc-aes-sun8i-ce").verdict == "not testable"


def test_another_machine_decides_nothing() -> None:
    there = replace(timed(0.99, "EPYC"), algorithm="aes-128-cbc", driver="cbc-aes-aesni")
    found = offload([there], processor="Cortex-A76")
    assert found.verdict == "not testable"
    assert found.measured is None
    assert "On this machine, which is not a Cortex-A76, the calling process works for 99.0 %" in found.reason


def test_the_sources_own_figures_can_contradict_it() -> None:
    found = offload([], cpu_s=0.1)
    assert found.verdict == "contradicted"
    assert found.reason == (
        "By the source's own figures: 150 MB at 2 GB/s take 75 ms, and the processor time is given as 100 ms: it was "
        "busy all the time."
    )


def test_an_emulated_machine_has_nothing_to_offload_to() -> None:
    kernel = row(engine="vm", implementation="aes/af-alg", isa="aarch64", size=4096, instructions=10240)
    software = row(engine="vm", implementation="aes/armv8", isa="aarch64+aes", size=4096, instructions=6963)
    other = row(engine="vm", implementation="aes/armv8", isa="riscv64", size=4096, instructions=1)
    found = offload([kernel, software, other])
    assert (found.verdict, found.measured) == ("not testable", None)
    assert "executes 2.5 instructions per byte" in found.reason
    assert "aes/armv8, with the same AES instructions, 1.7." in found.reason
    assert offload([kernel, software, other, timed(0.99)]).verdict == "contradicted"


def test_without_any_row_the_reason_says_so() -> None:
    assert offload([]).reason == "No verified row here uses the kernel's path."
    assert offload([], untested="No kernel.").reason == "No kernel."


@pytest.mark.parametrize(
    ("driver", "known"),
    [
        ("cbc-aes-ce", True), ("aes-ce", True), ("cbc-aes-neonbs", True), ("__cbc-aes-aesni", True),
        ("ctr-aes-vaes-avx512", True), ("cbc-aes-riscv64-zvkned", True), ("cbc(aes-ce)", True), ("cbc-aes-lib", True),
        ("cbc-aes-sun8i-ce", False), ("cbc-aes-caam", False), ("qat_aes_cbc", False), ("cryptd(rk-cbc-aes)", False),
    ],
)  # fmt: skip
def test_which_drivers_execute_instructions(driver: str, known: bool) -> None:
    assert (executed_instructions(driver) is not None) == known


def speedup(processor: str, untested: str | None = None, *, kernel: bool = True) -> Judgement:
    claim = RatioClaim(
        **TEXTS, metric="bytes_per_second", published=35.5, tolerance=4.5, processor="Cortex-A76", untested=untested,
        baseline=Selector(implementation=("aes/sbox",)), subject=KERNEL, control=SOFTWARE,
    )  # fmt: skip
    names = {"aes/sbox": 1e8, "aes/armv8": 9e8} | ({"aes/af-alg": 33e8} if kernel else {})
    rows = [
        row(engine="host", implementation=name, bytes_per_second=rate, processor=processor)
        for name, rate in names.items()
    ]
    return judge(claim, rows)


def test_on_the_claims_own_processor_it_is_judged() -> None:
    found = speedup("Cortex-A76")
    assert (found.measured, found.verdict) == ("33×", "confirmed")
    assert found.reason.endswith("For comparison, aes/armv8: 9× over 1 pair.")


def test_on_another_it_is_shown_and_not_judged() -> None:
    found = speedup("EPYC")
    assert (found.measured, found.verdict) == ("33×", "not testable")
    assert "this machine is a different one, EPYC." in found.reason
    assert "For comparison, aes/armv8: 9×" in found.reason


def test_the_control_stands_beside_what_cannot_be_tested() -> None:
    found = speedup("EPYC", "No AF_ALG.", kernel=False)
    assert found.reason == "No AF_ALG. For comparison, aes/armv8: 9× over 1 pair."


def test_features_of_native_code_are_the_implementations_own() -> None:
    """A pair is of one architecture; what else its ISAs name follows from which implementation it is."""
    rows = [
        row(engine="host", implementation="aes/sbox", isa="x86_64", bytes_per_second=1e8),
        row(engine="host", implementation="aes/sbox", isa="aarch64", bytes_per_second=1e8),
        row(engine="host", implementation="aes/aesni", isa="x86_64+aes+sse4_1", bytes_per_second=9e8),
    ]
    software, instructions = Selector(implementation=("aes/sbox",)), Selector(implementation=("aes/aesni",))
    (found,) = pair(rows, Selector(), software, instructions)
    assert (found.baseline.isa, found.subject.isa) == ("x86_64", "x86_64+aes+sse4_1")
    assert len(select(rows, Selector(architecture=("x86_64",)))) == 2
    riscv = [row(isa="rv32i", compiler="zig"), row(isa="rv32i_zbb", compiler="gcc")]
    assert pair(riscv, Selector(), Selector(compiler=("zig",)), Selector(compiler=("gcc",))) == []
