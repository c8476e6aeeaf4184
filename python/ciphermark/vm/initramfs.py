"""The file system a kernel starts with, a ``newc`` cpio archive (Linux, driver-api/early-userspace/buffer-format), and
its first process."""

import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from ciphermark import toolchain
from ciphermark.store import cache, paths
from ciphermark.toolchain.compiler import run, shown
from ciphermark.vm.machine import Machine

_MAGIC = b"070701"
_END = "TRAILER!!!"


@dataclass(frozen=True, slots=True)
class File:
    path: PurePosixPath
    """From the root, without a leading slash."""
    contents: bytes
    executable: bool = False


def archive(files: Iterable[File]) -> bytes:
    """``files`` and the folders above them, in the order given; equal arguments give equal bytes."""
    members: list[tuple[str, int, bytes]] = []
    folders: set[PurePosixPath] = set()
    for file in files:
        for folder in reversed(file.path.parents[:-1]):
            if folder not in folders:
                folders.add(folder)
                members.append((str(folder), stat.S_IFDIR | 0o755, b""))
        members.append((str(file.path), stat.S_IFREG | (0o755 if file.executable else 0o644), file.contents))
    members.append((_END, 0, b""))
    return b"".join(_member(number, *member) for number, member in enumerate(members, start=1))


def _member(inode: int, name: str, mode: int, contents: bytes) -> bytes:
    encoded = name.encode() + b"\0"
    links = 2 if stat.S_ISDIR(mode) else 1
    # ino, mode, uid, gid, nlink, mtime, filesize, devmajor, devminor, rdevmajor, rdevminor, namesize, check
    fields = (inode, mode, 0, 0, links, 0, len(contents), 0, 0, 0, 0, len(encoded), 0)
    header = _MAGIC + b"".join(b"%08x" % number for number in fields) + encoded
    return _aligned(header) + _aligned(contents)


def _aligned(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


_PROGRAM = "init"
_FLAGS = ("-std=gnu11", "-O2", "-g0", "-fno-sanitize=all", "-Wall", "-Wextra", "-Werror", "-static", "-s")


def first_process(machine: Machine) -> bytes:
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
