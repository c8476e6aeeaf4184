"""This machine's state: governor, turbo, SMT, load, virtualisation, other guests. Provenance records it; what makes
figures worse is warned about, with what to try."""

import os
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermark.host import cpu

BUSY = 0.25
"""Share of the machine's processors that others may use before a warning."""


@dataclass(frozen=True, slots=True)
class Warned:
    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Conditions:
    """The machine as it was when a run began, and the one of its processors that is measured on."""

    cpu_model: str
    """Model of that processor: big and little cores differ."""
    kernel: str
    boot: str
    """The kernel's id of this boot: the same machine started again is another one."""
    cpus: int
    """Online, whether or not this process may use them."""
    governor: str | None
    """Frequency governor of that processor: ``performance``, ``powersave``, ...; ``None`` where there is none."""
    turbo: bool | None
    smt: bool | None
    """Whether two threads share a core."""
    load: float | None
    """Runnable processes of the last minute, on all processors."""
    virtual: str | None
    """What virtualises this machine, as far as it tells."""
    perf_paranoid: int | None

    def said(self) -> str:
        parts = [f"{self.cpu_model}", f"{self.kernel}"]
        parts.append(f"governor {self.governor}" if self.governor else "no frequency governor visible")
        if self.turbo is not None:
            parts.append(f"turbo {'on' if self.turbo else 'off'}")
        if self.smt is not None:
            parts.append(f"SMT {'on' if self.smt else 'off'}")
        if self.load is not None:
            parts.append(f"load {self.load:.2f} on {self.cpus} CPUs")
        parts.append(f"virtual machine ({self.virtual})" if self.virtual else "not virtual as far as known")
        return ", ".join(parts)

    def warnings(self) -> list[Warned]:
        """What makes figures unfit for publication."""
        load = self.load or 0.0
        suspects = (
            (
                self.governor not in (None, "performance"),
                f"the frequency governor is {self.governor}",
                "cpupower frequency-set -g performance",
            ),
            (
                self.turbo,
                "turbo is on: the clock depends on temperature and neighbours",
                "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or 0 > .../cpufreq/boost",
            ),
            (
                self.smt,
                "two threads share a core (SMT)",
                "echo off > /sys/devices/system/cpu/smt/control, or idle siblings",
            ),
            (
                load > BUSY * self.cpus,
                f"other processes run (load {load:.1f} on {self.cpus} CPUs)",
                "stop them, or keep them off one CPU and name it with --cpu",
            ),
            (
                self.virtual,
                f"this is a virtual machine ({self.virtual}): its neighbours are not seen",
                "measure on the bare machine, or trust only differences above the noise floor",
            ),
        )
        return [Warned(what, remedy) for suspect, what, remedy in suspects if suspect]


def read(number: int, root: Path = Path("/")) -> Conditions:
    """The conditions now, for measuring on processor ``number``. ``root`` is where ``proc`` and ``sys`` lie."""
    system = root / "sys/devices/system/cpu"
    return Conditions(
        cpu_model=cpu.model(cpu.stanza(number, _text(root / "proc/cpuinfo") or "")),
        kernel=f"{platform.system()} {platform.release()}",
        boot=boot(root),
        cpus=_online(system),
        governor=_text(system / f"cpu{number}/cpufreq/scaling_governor"),
        turbo=_turbo(system),
        smt=_flag(system / "smt/active"),
        load=_load(root),
        virtual=_virtual(root),
        perf_paranoid=_number(root / "proc/sys/kernel/perf_event_paranoid"),
    )


def boot(root: Path = Path("/")) -> str:
    return _text(root / "proc/sys/kernel/random/boot_id") or "unknown"


def counters_denied(refused: str | None, conditions: Conditions) -> str:
    """Why there are no cycles, by the error of perf_event_open, and what might give them."""
    if refused is None:
        return "cycle counters were shared with other users, so they are not reported"
    said = f"cycle counters are not granted: perf_event_open says {refused}"
    if refused in ("EACCES", "EPERM"):
        return (
            f"{said}, and kernel.perf_event_paranoid is {conditions.perf_paranoid}; sysctl "
            "kernel.perf_event_paranoid=1 grants them, unless a container or security module forbids the call"
        )
    if refused in ("ENOENT", "EOPNOTSUPP", "ENODEV", "ENXIO"):
        whose = "this virtual machine" if conditions.virtual else "this processor"
        return f"{said}: {whose} has no counters that the kernel knows; measure on another machine"
    if refused == "ENOSYS":
        return f"{said}: this kernel has none (CONFIG_PERF_EVENTS), or a container hides them"
    return f"{said}; see perf_event_open(2)"


def least_loaded(allowed: Sequence[int], before: dict[int, int], after: dict[int, int]) -> int:
    """The CPU of ``allowed`` that idled most between two readings; of equals the last, since interrupts tend to go to
    the first."""
    return max(allowed, key=lambda number: (after.get(number, 0) - before.get(number, 0), number))


def idle_ticks(root: Path = Path("/")) -> dict[int, int]:
    """Ticks every CPU has been idle since boot."""
    found = {}
    for line in (_text(root / "proc/stat") or "").splitlines():
        name, *numbers = line.split()
        if name.startswith("cpu") and name[3:].isdigit() and len(numbers) >= 5:
            found[int(name[3:])] = int(numbers[3]) + int(numbers[4])
    return found


def stolen_ticks(number: int, root: Path = Path("/")) -> int | None:
    """Ticks that other guests took from processor ``number`` of this virtual machine since boot."""
    for line in (_text(root / "proc/stat") or "").splitlines():
        name, *numbers = line.split()
        if name == f"cpu{number}" and len(numbers) > 7:
            return int(numbers[7])
    return None


def _online(system: Path) -> int:
    """Number of processors, from ``0-3,6``: the load is that of all of them."""
    ranges = re.findall(r"(\d+)(?:-(\d+))?", _text(system / "online") or "")
    return sum(int(last or first) - int(first) + 1 for first, last in ranges) or os.cpu_count() or 1


def _turbo(system: Path) -> bool | None:
    off = _flag(system / "intel_pstate/no_turbo")
    return not off if off is not None else _flag(system / "cpufreq/boost")


def _load(root: Path) -> float | None:
    text = _text(root / "proc/loadavg")
    return float(text.split()[0]) if text else None


def _virtual(root: Path) -> str | None:
    product = _text(root / "sys/class/dmi/id/product_name")
    hypervisor = _text(root / "sys/hypervisor/type")
    if hypervisor:
        return hypervisor
    if cpu.is_virtual():
        vendor = _text(root / "sys/class/dmi/id/sys_vendor")
        return " ".join(part for part in (vendor, product) if part) or "the processor says so"
    return product if product and any(name in product for name in ("KVM", "QEMU", "VirtualBox", "VMware")) else None


def _flag(path: Path) -> bool | None:
    text = _text(path)
    return text == "1" if text in ("0", "1") else None


def _number(path: Path) -> int | None:
    try:
        return int(_text(path) or "")
    except ValueError:
        return None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
