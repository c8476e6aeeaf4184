"""Kanata log 0004 ("Kanata log format", Konata): a lane for each instruction, in order.

The stages are the model's: what an instruction waits for before it is issued, by cause, and ``Is``, the cycle in which
it is. An instruction that is issued in the cycle of another has a lane without a stage of its own.
"""

from __future__ import annotations

from ciphermark.rows.passage import ISSUE, Passage

_STAGE = "Is"


def text(passage: Passage, title: str) -> str:
    """The header, then commands, with those of one cycle together."""
    lines = ["Kanata\t0004", "C=\t0"]
    now = said = 0

    def at(cycle: int) -> None:
        nonlocal said
        if cycle > said:
            lines.append(f"C\t{cycle - said}")
            said = cycle

    for number, (place, spent) in enumerate(passage.steps):
        each = passage.places[place]
        at(now)
        lines += [f"I\t{number}\t{number}\t0", f"L\t{number}\t0\t{each.address:x}: {each.text}"]
        if number == 0:
            lines.append(f"L\t0\t1\t{title}")
        waits = [(cause, cycles) for cause, cycles in spent.items() if cause != ISSUE]
        for stage, cycles in [*waits, (ISSUE, spent.get(ISSUE, 0))]:
            if not cycles:
                continue
            name = _STAGE if stage == ISSUE else stage
            at(now)
            lines.append(f"S\t{number}\t0\t{name}")
            now += cycles
            at(now)
            lines.append(f"E\t{number}\t0\t{name}")
        lines.append(f"R\t{number}\t{number}\t0")
    return "\n".join(lines) + "\n"
