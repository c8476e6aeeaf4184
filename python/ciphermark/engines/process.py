"""Running an emulator's process: a deadline, its console, and what it cost the host."""

from collections.abc import Sequence

from ciphermark.engines.bare_metal import EngineRun
from ciphermark.errors import RunError
from ciphermark.host.process import child
from ciphermark.store import scratch


def run_emulator(name: str, command: Sequence[str], elf: bytes, *, deadline_s: float) -> EngineRun:
    """Start ``command`` with the path of ``elf`` as its last argument and wait for it."""
    with scratch.started(name), scratch.folder(scratch.temporary()) as folder:
        program = folder / "program.elf"
        program.write_bytes(elf)
        with child([*command, str(program)]) as started:
            ended = started.ended(deadline_s)
    if ended.late:
        raise RunError(f"{name} did not finish within {deadline_s:g} s", "Measure smaller sizes, or allow more time.")
    if not ended.console:
        raise RunError(f"{name} wrote nothing and ended with status {ended.status}", ended.complaint)
    return EngineRun(ended.console, ended.status, rois=None, cost=ended.cost)
