"""Rewriting an ELF's last PT_LOAD segment, which is how a job gets into a linked program. The new contents are
appended, so no other offset changes. The engine reads ELFs in general."""

import struct
from dataclasses import dataclass

from ciphermark.errors import RunError

_PT_LOAD = 1
_PAGE = 0x1000


@dataclass(frozen=True, slots=True)
class _Layout:
    """The fields that rewriting needs, by ELF class."""

    file_header: str
    """The header from ``e_entry`` at 24 on: e_entry, e_phoff, e_shoff, e_flags, e_ehsize, e_phentsize, e_phnum."""
    segment: str
    fields: tuple[str, ...]


_ELF32 = _Layout("<IIIIHHH", "<IIIIIIII", ("type", "offset", "vaddr", "paddr", "filesz", "memsz", "flags", "align"))
_ELF64 = _Layout("<QQQIHHH", "<IIQQQQQQ", ("type", "flags", "offset", "vaddr", "paddr", "filesz", "memsz", "align"))


def last_segment(elf: bytes) -> tuple[int, bytes]:
    """Address and contents of the PT_LOAD segment with the highest address."""
    layout = _layout(elf)
    _, segment = _find_last(elf, layout)
    return segment["vaddr"], elf[segment["offset"] : segment["offset"] + segment["filesz"]]


def with_last_segment(elf: bytes, contents: bytes) -> bytes:
    """``elf`` with ``contents`` for its last segment; :class:`RunError` if it is not a program."""
    layout = _layout(elf)
    at, segment = _find_last(elf, layout)
    offset = -(-len(elf) // _PAGE) * _PAGE
    segment |= {"offset": offset, "filesz": len(contents), "memsz": len(contents)}
    header = struct.pack(layout.segment, *(segment[field] for field in layout.fields))
    program = elf[:at] + header + elf[at + len(header) :]
    return program.ljust(offset, b"\0") + contents


def _layout(elf: bytes) -> _Layout:
    if elf[:4] != b"\x7fELF" or len(elf) < 64 or elf[5] != 1 or elf[4] not in (1, 2):
        raise RunError("not a little-endian ELF; the build cache may be damaged")
    return _ELF32 if elf[4] == 1 else _ELF64


def _find_last(elf: bytes, layout: _Layout) -> tuple[int, dict[str, int]]:
    _, table, _, _, _, size, count = struct.unpack_from(layout.file_header, elf, 24)
    found: list[tuple[int, dict[str, int]]] = []
    for at in (table + size * i for i in range(count)):
        if at + struct.calcsize(layout.segment) > len(elf):
            raise RunError("the program's ELF is truncated")
        segment = dict(zip(layout.fields, struct.unpack_from(layout.segment, elf, at), strict=True))
        if segment["offset"] + segment["filesz"] > len(elf):
            raise RunError("the program's ELF is truncated")
        if segment["type"] == _PT_LOAD:
            found.append((at, segment))
    if not found:
        raise RunError("the program's ELF has no segment to load")
    return max(found, key=lambda item: item[1]["vaddr"])
