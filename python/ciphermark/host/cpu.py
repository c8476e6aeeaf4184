"""What this machine's processor is and can do, as the kernel tells it."""

import functools
import platform
import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from ciphermark.kernels.catalogue import Architecture

CPUINFO = Path("/proc/cpuinfo")


@functools.cache
def known() -> dict[str, Any]:
    """``processors.toml``: names and numbers of processors and of what they can do."""
    return tomllib.loads(resources.files(__package__).joinpath("processors.toml").read_text(encoding="utf-8"))


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
    """Those ``features`` (zig's names) that this machine's kernel does not report."""
    has = _announced(cpuinfo, architecture)
    names = known()["features"].get(architecture, {})
    return tuple(feature for feature in features if not set(names.get(feature, (feature,))) <= has)


def model(cpuinfo: str | None = None) -> str:
    """The processor's name, and on x86 its family and model, which virtual machines leave as they are."""
    fields = _fields(cpuinfo)
    if name := fields.get("model name"):
        numbers = [fields.get(key) for key in ("cpu family", "model", "stepping")]
        return f"{name} (family {numbers[0]}, model {numbers[1]}, stepping {numbers[2]})" if all(numbers) else name
    if "CPU implementer" in fields:
        return _arm_name(fields)
    return fields.get("uarch") or fields.get("Model") or platform.processor() or platform.machine()


def family(cpuinfo: str | None = None) -> tuple[str, int, int] | None:
    """Vendor, family and model of an x86 processor."""
    fields = _fields(cpuinfo)
    try:
        return fields["vendor_id"], int(fields["cpu family"]), int(fields["model"])
    except (KeyError, ValueError):
        return None


def arm_core(cpuinfo: str | None = None) -> str | None:
    """The name of an ARM processor's core, if its part is known here: ``Cortex-A76``."""
    found = _arm_part(_fields(cpuinfo))
    return found[2] if found is not None else None


def is_virtual(cpuinfo: str | None = None) -> bool:
    """Whether the processor says that it is a virtual machine's (x86 only)."""
    return "hypervisor" in _announced(cpuinfo, "x86_64")


def _arm_part(fields: Mapping[str, str]) -> tuple[int, int, str | None] | None:
    try:
        implementer, part = int(fields["CPU implementer"], 0), int(fields["CPU part"], 0)
    except (KeyError, ValueError):
        return None
    return implementer, part, known()["implementers"].get(f"{implementer:#x}", {}).get("parts", {}).get(f"{part:#x}")


def _arm_name(fields: Mapping[str, str]) -> str:
    found = _arm_part(fields)
    if found is None:
        return "ARM processor"
    implementer, part, name = found
    maker = known()["implementers"].get(f"{implementer:#x}", {}).get("name", f"implementer {implementer:#x}")
    return name or f"{maker} part {part:#x}"


def _announced(cpuinfo: str | None, architecture: str) -> set[str]:
    line = _fields(cpuinfo).get(known()["capabilities"][architecture], "")
    return _riscv_extensions(line) if architecture == "riscv64" else set(line.split())


def _riscv_extensions(isa: str) -> set[str]:
    """Single letters and names of ``rv64imafdc_zba_...``, and what bundles of them hold."""
    base, *names = isa.strip().lower().split("_")
    found = {*re.sub(r"^rv\d+", "", base), *names}
    if "g" in found:
        found |= set("imafd")
    while added := {part for bundle in found for part in known()["bundles"].get(bundle, ())} - found:
        found |= added
    return found


def _fields(cpuinfo: str | None) -> dict[str, str]:
    """Fields of a text or of this machine, each from the first processor that has it; :func:`stanza` has one alone."""
    fields: dict[str, str] = {}
    for line in (_read() if cpuinfo is None else cpuinfo).splitlines():
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
