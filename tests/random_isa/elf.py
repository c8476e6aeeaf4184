"""A bare-metal RISC-V ELF executable from bytes and symbols."""

from __future__ import annotations

import struct
from collections.abc import Mapping

BASE = 0x8000_0000
EM_RISCV = 243


def executable(xlen: int, image: bytes, symbols: Mapping[str, tuple[int, int]], *, compressed: bool) -> bytes:
    """One readable, writable and executable segment at ``BASE``, which is also the entry point.

    Args:
        xlen: 32 or 64; decides the ELF class.
        image: contents of the segment.
        symbols: addresses and sizes by name.
        compressed: sets EF_RISCV_RVC.
    """
    wide = xlen == 64
    header_size, program_size, section_size = (64, 56, 64) if wide else (52, 32, 40)
    image_offset = 0x1000

    names = b"\0" + b"".join(name.encode() + b"\0" for name in symbols)
    table = struct.pack("<IBBHQQ" if wide else "<IIIBBH", *[0] * 6)
    name_offset = 1
    for name, (address, size) in symbols.items():
        fields = (name_offset, 0x10, 0, 1, address, size) if wide else (name_offset, address, size, 0x10, 0, 1)
        table += struct.pack("<IBBHQQ" if wide else "<IIIBBH", *fields)
        name_offset += len(name) + 1
    section_names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"

    table_offset = _align(image_offset + len(image), 16)
    names_offset = table_offset + len(table)
    section_names_offset = names_offset + len(names)
    sections_offset = _align(section_names_offset + len(section_names), 16)

    word = "Q" if wide else "I"
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9)
    header = ident + struct.pack(
        f"<HHI{word}{word}{word}IHHHHHH",
        2, EM_RISCV, 1, BASE, header_size, sections_offset, int(compressed),
        header_size, program_size, 1, section_size, 5, 4,
    )  # fmt: skip
    if wide:
        segment = struct.pack("<IIQQQQQQ", 1, 7, image_offset, BASE, BASE, len(image), len(image), 0x1000)
    else:
        segment = struct.pack("<IIIIIIII", 1, image_offset, BASE, BASE, len(image), len(image), 7, 0x1000)

    def section(name: int, kind: int, flags: int, address: int, offset: int, size: int,
                link: int = 0, info: int = 0, entry: int = 0) -> bytes:  # fmt: skip
        return struct.pack(
            f"<II{word}{word}{word}{word}II{word}{word}",
            name, kind, flags, address, offset, size, link, info, 1, entry,
        )  # fmt: skip

    sections = (
        section(0, 0, 0, 0, 0, 0)
        + section(1, 1, 7, BASE, image_offset, len(image))
        + section(7, 2, 0, 0, table_offset, len(table), 3, 1, 24 if wide else 16)
        + section(15, 3, 0, 0, names_offset, len(names))
        + section(23, 3, 0, 0, section_names_offset, len(section_names))
    )

    out = bytearray(sections_offset + len(sections))
    for offset, content in (
        (0, header + segment),
        (image_offset, image),
        (table_offset, table),
        (names_offset, names),
        (section_names_offset, section_names),
        (sections_offset, sections),
    ):
        out[offset : offset + len(content)] = content
    return bytes(out)


def _align(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment
