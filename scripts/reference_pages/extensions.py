"""Extensions that are built, from the engine."""

from __future__ import annotations

from ciphermark import native

from .markdown import table


def page() -> str:
    """Built extensions with their instructions."""
    engine = native.engine()
    provided: dict[str, list[str]] = {}
    for mnemonic, names in engine.instruction_extensions().items():
        for name in names:
            provided.setdefault(name, []).append(mnemonic)
    lines = [
        (f"`{name}`", summary, str(count), ", ".join(f"`{mnemonic}`" for mnemonic in sorted(provided.get(name, ()))))
        for name, summary, count in engine.builtin_extensions()
    ]
    return "\n\n".join(
        [
            "# Extensions that are built",
            "Each is described once, in `isa/*.core_desc`. The count covers both XLENs and what the extension "
            "implies. Ratified extensions not listed are refused by name in ISA strings, except `zve32f`, `zve64f` "
            "and `zve64d`, the vector unit's floating point, which `v` holds too: a program that has such "
            "instructions but does not reach them runs; reaching one is the fault `not implemented`. An extension "
            "without mnemonics of its own consists of those it implies.",
            table(("name", "what it is", "instructions", "mnemonics"), lines),
        ]
    )
