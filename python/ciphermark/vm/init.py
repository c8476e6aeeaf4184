"""The guest's first process, built once per machine."""

from ciphermark import toolchain
from ciphermark.store import cache, paths
from ciphermark.toolchain.compiler import run, shown
from ciphermark.vm.machine import Machine

_PROGRAM = "init"
_FLAGS = ("-std=gnu11", "-O2", "-g0", "-fno-sanitize=all", "-Wall", "-Wextra", "-Werror", "-static", "-s")


def program(machine: Machine) -> bytes:
    """``kernels/harness/native/init.c`` as a static program; :class:`BuildError` if the compiler refuses."""
    source = paths.harness() / "native" / "init.c"
    compiler = toolchain.resolve("zig")
    flags = ("-target", f"{machine.architecture}-linux-musl", *_FLAGS)
    place = cache.entry(
        "vm-init",
        cache.digest(compiler.version, *flags, source.read_bytes()),
        lambda folder: run(
            compiler,
            command := (*compiler.command, *flags, "-o", str(folder / _PROGRAM), str(source)),
            paths.cache(),
            shown(command, {paths.data(): "", folder: ""}),
        ),
    )
    return (place / _PROGRAM).read_bytes()
