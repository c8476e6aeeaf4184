"""QEMU in system mode: machine ``spike``, one instruction per tick, so that ``instret`` is exact; in user mode it is
the host's clock. The CPU starts as bare ``rv32i`` or ``rv64i``, because ``rv32`` and ``rv64`` have M, C and Zbb from
the start."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from ciphermark.engines.bare_metal import BareMetal, EngineRun
from ciphermark.engines.process import run_emulator
from ciphermark.errors import EngineMissingError, RunError, UsageError
from ciphermark.notation import isa as isa_strings
from ciphermark.notation import vlen as vlens
from ciphermark.notation.isa import IsaString
from ciphermark.toolchain.children import first_line

_INSTALL = "apt install qemu-system-misc (qemu-system-riscv on newer Debian and Ubuntu)"
_LEAST = (9, 0)
"""The first version with the CPU models ``rv32i`` and ``rv64i``."""
_UPGRADE = "on Debian 12: apt install -t bookworm-backports qemu-system-misc"
_VERSION = re.compile(r"version (\d+)\.(\d+)[\w.]*")


class Qemu(BareMetal):
    name = "qemu"
    serves = "counts checked against an independent implementation, and the emulator's cost"
    largest_vlen = 1024

    def version(self) -> str:
        return first_line(_executable(64), "--version")

    def problem(self) -> str | None:
        missing = [name for name in map(_name, (32, 64)) if shutil.which(name) is None]
        if missing:
            return f"{' and '.join(missing)} not found: {_INSTALL}"
        return next(filter(None, map(_too_old, (32, 64))), None)

    def run(
        self, elf: bytes, isa: str, *, deadline_s: float, vlen: int | None = None, descriptions: Sequence[Path] = ()
    ) -> EngineRun:
        self.refuse(vlen, descriptions)
        wanted = isa_strings.parse(isa)
        if vlen is not None and "v" not in wanted.letters:
            # Without it mstatus.VS cannot be set, so that every vector instruction traps.
            raise UsageError(f"qemu has vectors only with V, and {isa} has parts of it", "Use --engines sim.")
        command = [
            _executable(wanted.xlen), "-M", "spike", "-cpu", cpu(wanted, vlen), "-icount", "shift=0",
            "-bios", "none", "-display", "none", "-monitor", "none", "-serial", "stdio", "-kernel",
        ]  # fmt: skip
        try:
            return run_emulator(self.name, command, elf, deadline_s=deadline_s)
        except RunError as error:
            if "Property" in error.hint and "not found" in error.hint:
                raise UsageError(
                    f"qemu cannot be {isa}: {error.hint}", "A newer QEMU may know the extension."
                ) from error
            raise


def cpu(wanted: IsaString, vlen: int | None = None) -> str:
    """The ``-cpu`` argument: the base, then each extension switched on. With ``vlen``, what the agnostic policies leave
    open is filled with ones."""
    wanted = wanted.adding(*isa_strings.HARNESS_NEEDS)
    properties = [letter for letter in wanted.letters if letter not in "ie"]
    properties += [name for name in wanted.names if not vlens.is_length(name)]
    flags = [f"{name}=true" for name in properties]
    if vlen is not None:
        flags += [f"vlen={vlen}", "rvv_ta_all_1s=true", "rvv_ma_all_1s=true"]
    elif named := vlens.named(wanted.names):
        flags.append(f"vlen={named}")
    return ",".join([f"rv{wanted.xlen}{wanted.letters[0]}", *flags])


def _name(xlen: int) -> str:
    return f"qemu-system-riscv{xlen}"


def _too_old(xlen: int) -> str | None:
    """Why an executable is too old to have bare CPU models; ``None`` if its version cannot be read."""
    said = first_line(_executable(xlen), "--version")
    found = _VERSION.search(said)
    if found is None or (int(found[1]), int(found[2])) >= _LEAST:
        return None
    least = ".".join(map(str, _LEAST))
    return (
        f"{_name(xlen)} is {found[0]}, which has no CPU model rv{xlen}i: version {least} or newer is needed; {_UPGRADE}"
    )


def _executable(xlen: int) -> str:
    found = shutil.which(_name(xlen))
    if found is None:
        raise EngineMissingError(f"engine qemu: {_name(xlen)} is not installed", f"Install it: {_INSTALL}.")
    return found
