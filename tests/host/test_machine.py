"""What is read of the machine: features, conditions, bounds."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from ciphermark.build import linux
from ciphermark.host import bounds, conditions, cpu
from ciphermark.kernels.catalogue import Architecture, Implementation

EPYC = """\
vendor_id	: AuthenticAMD
cpu family	: 26
model		: 2
model name	: AMD EPYC
stepping	: 1
flags		: fpu sse2 pni ssse3 sse4_1 sse4_2 aes avx avx2 bmi1 bmi2 abm pclmulqdq hypervisor vaes avx512f

model name	: another
"""
XEON = "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\nmodel name\t: Xeon\nflags\t\t: aes\n"
PI = """\
Features	: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics
CPU implementer	: 0x41
CPU part	: 0xd0b
"""
_CORE = """\
processor	: {number}
Features	: fp asimd aes pmull
CPU implementer	: 0x41
CPU part	: {part}
"""
ROCK = "\n".join(
    [_CORE.format(number=number, part="0xd05" if number < 4 else "0xd0b") for number in range(8)]
    + ["Hardware	: Rockchip RK3588\n"]
)
"""Four Cortex-A55 and four Cortex-A76."""
BOARD = "isa\t\t: rv64imafdcv_zicsr_zba_zkn_zvl256b\nuarch\t\t: spacemit,x60\n"


@pytest.mark.parametrize(
    ("architecture", "cpuinfo", "features", "missing"),
    [
        ("x86_64", EPYC, ("aes", "sse4_1", "sse3", "bmi", "lzcnt", "pclmul"), ()),
        ("x86_64", EPYC, ("aes", "gfni", "avx512bw"), ("gfni", "avx512bw")),
        ("x86_64", EPYC, ("evex512",), ()),
        ("x86_64", "", ("aes",), ("aes",)),
        ("aarch64", PI, ("aes", "neon", "crc", "lse", "crypto"), ()),
        ("aarch64", PI, ("sha3", "sve"), ("sha3", "sve")),
        ("riscv64", BOARD, ("zkne", "zknd", "v", "zba", "c", "zve64x"), ()),
        ("riscv64", BOARD, ("zvkned",), ("zvkned",)),
    ],
)
def test_features(
    architecture: Architecture, cpuinfo: str, features: tuple[str, ...], missing: tuple[str, ...]
) -> None:
    assert cpu.missing(features, architecture, cpuinfo) == missing


def test_models() -> None:
    assert cpu.model(EPYC) == "AMD EPYC (family 26, model 2, stepping 1)"
    assert cpu.model(PI) == "Cortex-A76"
    assert cpu.model(PI.replace("0xd0b", "0xfff")) == "ARM part 0xfff"
    assert cpu.model(BOARD) == "spacemit,x60"
    assert cpu.model("")
    assert cpu.is_virtual(EPYC)
    assert not cpu.is_virtual(XEON)


def test_each_of_unlike_cores_is_known_by_its_own_number() -> None:
    assert [cpu.model(cpu.stanza(number, ROCK)) for number in (0, 3, 4, 7)] == [
        "Cortex-A55", "Cortex-A55", "Cortex-A76", "Cortex-A76",
    ]  # fmt: skip
    assert cpu.models(ROCK) == "Cortex-A55 and Cortex-A76"
    assert cpu.models(PI) == "Cortex-A76"
    assert cpu.models(EPYC) == cpu.model(EPYC)
    assert bounds.latency(cpu.stanza(0, ROCK)) is None
    fast = bounds.latency(cpu.stanza(4, ROCK))
    assert fast is not None
    assert fast.core == "Cortex-A76"
    assert "Hardware" in cpu.stanza(4, ROCK)
    assert cpu.stanza(99, ROCK) == ROCK


def test_conditions_are_those_of_the_processor_that_is_measured_on(machine: Path) -> None:
    (machine / "proc/cpuinfo").write_text(ROCK)
    (machine / "sys/devices/system/cpu/online").write_text("0-3,4-7\n")
    fast = machine / "sys/devices/system/cpu/cpu4/cpufreq/scaling_governor"
    fast.parent.mkdir(parents=True)
    fast.write_text("performance\n")
    slow, found = (conditions.read(number, machine) for number in (0, 4))
    assert (slow.cpu_model, slow.governor) == ("Cortex-A55", "powersave")
    assert (found.cpu_model, found.governor) == ("Cortex-A76", "performance")
    assert found.said().startswith("Cortex-A76, ")


def test_load_is_of_all_processors_that_are_online(machine: Path) -> None:
    """Whatever few of them this process may use."""
    (machine / "sys/devices/system/cpu/online").write_text("0-6,8\n")
    found = conditions.read(0, machine)
    assert found.cpus == 8
    assert "load 1.75 on 8 CPUs" in found.said()
    assert not any("other processes run" in warned.what for warned in found.warnings())


def test_bounds() -> None:
    zen, a76 = bounds.latency(EPYC), bounds.latency(PI)
    assert zen is not None
    assert a76 is not None
    bound = bounds.cbc_encrypt("aes-128-cbc", "encrypt", 3.67e9, zen)
    assert bound is not None
    assert bound.cycles_per_block == 40
    assert bound.bytes_per_second == pytest.approx(1.468e9, rel=1e-3)
    longest = bounds.cbc_encrypt("aes-256-cbc", "encrypt", 2.4e9, a76)
    assert longest is not None
    assert longest.cycles_per_block == 28
    assert bounds.share(bound, 64 / bound.bytes_per_second, 64) == pytest.approx(1)
    assert "40 cycles per block (Zen 5) at 3.67 GHz are 1.468 GB/s" in bounds.in_words(bound)


@pytest.mark.parametrize(
    ("algorithm", "operation", "clock", "known"),
    [
        ("aes-128-cbc", "decrypt", 3e9, True),
        ("aes-128-ctr", "encrypt", 3e9, True),
        ("rijndael-256-ecb", "encrypt", 3e9, True),
        ("aes-128-cbc", "encrypt", None, True),
        ("aes-128-cbc", "encrypt", 3e9, False),
    ],
)
def test_no_bound_where_none_is_known(algorithm: str, operation: str, clock: float | None, known: bool) -> None:
    aes = bounds.latency(EPYC) if known else None
    assert bounds.cbc_encrypt(algorithm, operation, clock, aes) is None


def test_unknown_cores_have_no_latency() -> None:
    assert bounds.latency("") is None
    assert bounds.latency(BOARD) is None
    assert bounds.latency(XEON.replace("106", "9999")) is None
    assert bounds.latency(XEON) is not None


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A machine with everything that makes figures worse."""
    files = {
        "proc/loadavg": "1.75 1.0 1.0 2/300 4242\n",
        "proc/stat": "cpu 1 2 3 4 5 6 7 88 0 0\ncpu0 10 0 0 100 5 0 0 30 0 0\ncpu1 10 0 0 300 6 0 0 58 0 0\n",
        "sys/devices/system/cpu/online": "0-1\n",
        "proc/sys/kernel/random/boot_id": "b00t\n",
        "proc/sys/kernel/perf_event_paranoid": "2\n",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
        "sys/devices/system/cpu/intel_pstate/no_turbo": "0\n",
        "sys/devices/system/cpu/smt/active": "1\n",
        "sys/hypervisor/type": "xen\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_everything_is_recorded_and_warned_about(machine: Path) -> None:
    found = conditions.read(0, machine)
    said = found.said()
    for part in ("governor powersave", "turbo on", "SMT on", "load 1.75 on 2 CPUs", "virtual machine (xen)"):
        assert part in said
    assert found.boot == "b00t"
    warnings = found.warnings()
    assert len(warnings) == 5
    assert all(warned.what and warned.remedy for warned in warnings)


def test_a_machine_that_tells_nothing(tmp_path: Path) -> None:
    found = conditions.read(0, tmp_path)
    assert (found.governor, found.turbo, found.smt, found.load, found.perf_paranoid) == (None,) * 5
    assert "no frequency governor visible" in found.said()
    assert conditions.idle_ticks(tmp_path) == {}
    assert conditions.stolen_ticks(0, tmp_path) is None
    assert found.cpus == os.cpu_count()


def test_a_quiet_machine_needs_no_warning(machine: Path) -> None:
    found = conditions.read(0, machine)
    quiet = replace(found, governor="performance", turbo=False, smt=False, load=0.01, virtual=None)
    assert quiet.warnings() == []


@pytest.mark.parametrize(
    ("refused", "says"),
    [
        ("EACCES", "kernel.perf_event_paranoid is 2; sysctl kernel.perf_event_paranoid=1 grants them"),
        ("EPERM", "kernel.perf_event_paranoid=1"),
        ("ENOENT", "perf_event_open says ENOENT: this virtual machine has no counters"),
        ("EOPNOTSUPP", "this virtual machine has no counters"),
        ("ENOSYS", "CONFIG_PERF_EVENTS"),
        ("EMFILE", "perf_event_open says EMFILE"),
        (None, "shared with other users"),
    ],
)
def test_the_error_says_why_there_are_no_counters(machine: Path, refused: str | None, says: str) -> None:
    found = conditions.read(0, machine)
    assert says in conditions.counters_denied(refused, found)
    bare = conditions.counters_denied(refused, replace(found, virtual=None))
    assert "virtual machine" not in bare


def test_the_idlest_processor(machine: Path) -> None:
    ticks = conditions.idle_ticks(machine)
    assert ticks == {0: 105, 1: 306}
    assert [conditions.stolen_ticks(number, machine) for number in (0, 1, 2)] == [30, 58, None]
    later = {0: ticks[0] + 20, 1: ticks[1] + 5}
    assert conditions.least_loaded([0, 1], ticks, later) == 0
    assert conditions.least_loaded([1], ticks, later) == 1
    assert conditions.least_loaded([0, 1], {}, {}) == 1


def test_targets(chacha: Implementation) -> None:
    table = chacha.native["aarch64"]
    featured = replace(chacha, native={"aarch64": replace(table, features=("aes", "neon"))})
    assert linux.target(featured, "aarch64", "musl").isa == "aarch64+aes+neon"
    assert linux.target(chacha, "x86_64", "gnu").isa == "x86_64"
