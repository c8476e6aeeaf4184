"""What this machine's processor is and can do, as the kernel tells it."""

from __future__ import annotations

import functools
import platform
import re
from collections.abc import Sequence
from pathlib import Path

from ciphermark.kernels import Architecture

CPUINFO = Path("/proc/cpuinfo")

_FLAG_LINES = {"x86_64": "flags", "aarch64": "Features", "riscv64": "isa"}

_KERNEL_NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "x86_64": {
        "sse3": ("pni",),
        "pclmul": ("pclmulqdq",),
        "bmi": ("bmi1",),
        "lzcnt": ("abm",),
        "sha": ("sha_ni",),
        "evex512": (),
        "avx512vbmi2": ("avx512_vbmi2",),
        "avx512vnni": ("avx512_vnni",),
        "avx512bitalg": ("avx512_bitalg",),
        "avx512vpopcntdq": ("avx512_vpopcntdq",),
        "rdrnd": ("rdrand",),
        "sahf": ("lahf_lm",),
        "cx16": ("cx16",),
    },
    "aarch64": {
        "neon": ("asimd",),
        "crc": ("crc32",),
        "lse": ("atomics",),
        "sha2": ("sha1", "sha2"),
        "sha3": ("sha3", "sha512"),
        "crypto": ("aes", "sha1", "sha2"),
        "aes": ("aes", "pmull"),
        "dotprod": ("asimddp",),
    },
}
"""LLVM's features whose name in /proc/cpuinfo is another: all of these must be there."""

_IMPLEMENTERS = {0x41: "ARM", 0x51: "Qualcomm", 0x61: "Apple", 0xC0: "Ampere", 0x48: "HiSilicon", 0x46: "Fujitsu"}
_ARM_PARTS = {
    (0x41, 0xD03): "Cortex-A53", (0x41, 0xD05): "Cortex-A55", (0x41, 0xD08): "Cortex-A72", (0x41, 0xD0B): "Cortex-A76",
    (0x41, 0xD0C): "Neoverse N1", (0x41, 0xD40): "Neoverse V1", (0x41, 0xD49): "Neoverse N2",
    (0x41, 0xD4F): "Neoverse V2",
}  # fmt: skip

_RISCV_BUNDLES = {
    "zk": ("zkn", "zkr", "zkt"),
    "zkn": ("zbkb", "zbkc", "zbkx", "zkne", "zknd", "zknh"),
    "zks": ("zbkb", "zbkc", "zbkx", "zksed", "zksh"),
    "zvkn": ("zvkned", "zvknhb", "zvkb", "zvkt"),
    "zvknc": ("zvkn", "zvbc"),
    "zvkng": ("zvkn", "zvkg"),
    "zvbb": ("zvkb",),
    "v": ("zve64d", "zve64x", "zve32x"),
}


def stanza(number: int, cpuinfo: str | None = None) -> str:
    """What the kernel tells of one processor and of all; where cores differ, each has another name and part."""
    text = _read() if cpuinfo is None else cpuinfo
    blocks = [block for block in re.split(r"\n\s*\n", text) if block.strip()]
    owners = [re.search(r"^processor\s*:\s*(\d+)\s*$", block, re.MULTILINE) for block in blocks]
    own = [block for block, owner in zip(blocks, owners, strict=True) if owner is not None and int(owner[1]) == number]
    of_all = [block for block, owner in zip(blocks, owners, strict=True) if owner is None]
    return "\n\n".join([*own, *of_all]) if own else text


def models(cpuinfo: str | None = None) -> str:
    """The names of all processors, each once: ``Cortex-A55 and Cortex-A76``."""
    text = _read() if cpuinfo is None else cpuinfo
    numbers = re.findall(r"^processor\s*:\s*(\d+)\s*$", text, re.MULTILINE)
    return " and ".join(dict.fromkeys(model(stanza(int(number), text)) for number in numbers)) or model(text)


def missing(features: Sequence[str], architecture: Architecture, cpuinfo: str | None = None) -> tuple[str, ...]:
    """Of ``features`` (LLVM's names) those that this machine's kernel does not announce."""
    has = _announced(_read() if cpuinfo is None else cpuinfo, architecture)
    names = _KERNEL_NAMES.get(architecture, {})
    return tuple(feature for feature in features if not set(names.get(feature, (feature,))) <= has)


def model(cpuinfo: str | None = None) -> str:
    """The processor's name, and on x86 its family and model, which virtual machines leave as they are."""
    fields = _fields(_read() if cpuinfo is None else cpuinfo)
    if name := fields.get("model name"):
        numbers = [fields.get(key) for key in ("cpu family", "model", "stepping")]
        return f"{name} (family {numbers[0]}, model {numbers[1]}, stepping {numbers[2]})" if all(numbers) else name
    if "CPU implementer" in fields:
        return _arm_name(fields)
    return fields.get("uarch") or fields.get("Model") or platform.processor() or platform.machine()


def family(cpuinfo: str | None = None) -> tuple[str, int, int] | None:
    """Vendor, family and model of an x86 processor."""
    fields = _fields(_read() if cpuinfo is None else cpuinfo)
    try:
        return fields["vendor_id"], int(fields["cpu family"]), int(fields["model"])
    except (KeyError, ValueError):
        return None


def arm_core(cpuinfo: str | None = None) -> str | None:
    """The name of an ARM processor's core, if its part is known here: ``Cortex-A76``."""
    part = _arm_part(_fields(_read() if cpuinfo is None else cpuinfo))
    return _ARM_PARTS.get(part) if part is not None else None


def is_virtual(cpuinfo: str | None = None) -> bool:
    """Whether the processor says that it is a virtual machine's (x86 only)."""
    return "hypervisor" in _announced(_read() if cpuinfo is None else cpuinfo, "x86_64")


def _arm_part(fields: dict[str, str]) -> tuple[int, int] | None:
    """Implementer and part."""
    try:
        return int(fields["CPU implementer"], 0), int(fields["CPU part"], 0)
    except (KeyError, ValueError):
        return None


def _arm_name(fields: dict[str, str]) -> str:
    found = _arm_part(fields)
    if found is None:
        return "ARM processor"
    implementer, part = found
    name = _ARM_PARTS.get(found)
    return name or f"{_IMPLEMENTERS.get(implementer, f'implementer {implementer:#x}')} part {part:#x}"


def _announced(cpuinfo: str, architecture: str) -> set[str]:
    line = _fields(cpuinfo).get(_FLAG_LINES[architecture], "")
    return _riscv_extensions(line) if architecture == "riscv64" else set(line.split())


def _riscv_extensions(isa: str) -> set[str]:
    """Single letters and names of ``rv64imafdc_zba_...``, and what bundles of them hold."""
    base, *names = isa.strip().lower().split("_")
    found = {*re.sub(r"^rv\d+", "", base), *names}
    if "g" in found:
        found |= set("imafd")
    while added := {part for bundle in found for part in _RISCV_BUNDLES.get(bundle, ())} - found:
        found |= added
    return found


def _fields(cpuinfo: str) -> dict[str, str]:
    """Of the first processor that has each: of one alone in its :func:`stanza`."""
    fields: dict[str, str] = {}
    for line in cpuinfo.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            fields.setdefault(key.strip(), value.strip())
    return fields


@functools.cache
def _read() -> str:
    try:
        return CPUINFO.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
