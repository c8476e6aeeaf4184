"""A word that no extension of a run has, and the installed descriptions that have it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ciphermark.store import paths

if TYPE_CHECKING:
    from ciphermark._engine import Fault


def hint(engine: Any, fault: "Fault", elf: bytes) -> str:
    """Which of the installed descriptions to add, if one describes the word of ``fault``; else empty."""
    if fault.word is None or fault.disassembly is not None:
        return ""
    xlen = engine.elf_info(elf).xlen
    found: dict[Path, str] = {}
    for path in sorted(paths.extensions().glob("*.core_desc")):
        text = engine.described_word(str(path), xlen, fault.word, fault.pc)
        if text is not None:
            found[path] = text
    if not found:
        return ""
    readings = ", ".join(f"`{text}` in {path.stem}" for path, text in found.items())
    return f"Installed descriptions have it: {readings}. Add the right one: --extensions {next(iter(found))}."
