"""The machines there are: what QEMU emulates, what Debian calls it, and which of the kernel's modules it needs."""

from dataclasses import dataclass

from ciphermark.errors import UsageError, nearest
from ciphermark.kernels.catalogue import Architecture


@dataclass(frozen=True, slots=True)
class Machine:
    architecture: Architecture
    """Name in the ISA string of native code: ``aarch64``."""
    debian: str
    """Name in Debian's packages: ``arm64``."""
    emulator: str
    package: str
    board: str
    cpu: str
    serial: str
    """The kernel's name of the first serial port."""
    modules: tuple[str, ...]
    """What AF_ALG and the CPU's AES instructions need; their dependencies follow from the modules themselves."""

    def command(self) -> tuple[str, ...]:
        """The emulator, its board and CPU, one instruction a nanosecond. Seed and date are fixed, because the kernel
        derives stack offsets, addresses and hash seeds from them."""
        return (
            self.emulator, "-M", self.board, "-cpu", self.cpu, "-accel", "tcg,thread=single", "-smp", "1",
            "-m", "512", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-monitor", "none",
            "-nic", "none", "-serial", "stdio", "-seed", "1", "-icount", "shift=0,sleep=off",
            "-rtc", "base=2025-01-01,clock=vm",
        )  # fmt: skip

    def kernel_arguments(self) -> str:
        return f"console={self.serial} panic=-1 quiet"


_ALL: dict[Architecture, Machine] = {
    found.architecture: found
    for found in (
        Machine(
            architecture="aarch64", debian="arm64", emulator="qemu-system-aarch64", package="qemu-system-arm",
            board="virt", cpu="cortex-a76", serial="ttyAMA0", modules=("algif_skcipher", "aes-ce-blk"),
        ),
        Machine(
            architecture="x86_64", debian="amd64", emulator="qemu-system-x86_64", package="qemu-system-x86",
            board="q35", cpu="max", serial="ttyS0", modules=("algif_skcipher", "aesni-intel"),
        ),
    )
}  # fmt: skip


def architectures() -> tuple[Architecture, ...]:
    return tuple(_ALL)


def of(architecture: str) -> Machine:
    """The machine of ``architecture``; :class:`UsageError` if there is none."""
    found = {str(name): machine for name, machine in _ALL.items()}.get(architecture)
    if found is None:
        raise UsageError(f"engine vm has no machine of architecture {architecture!r}", nearest(architecture, _ALL))
    return found
