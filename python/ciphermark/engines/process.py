"""Running an emulator's process: a deadline, its console, and what it cost the host."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence

from ciphermark.engines.bare_metal import EngineRun
from ciphermark.errors import RunError
from ciphermark.rows.model import EngineCost
from ciphermark.store import scratch


def run_emulator(name: str, command: Sequence[str], elf: bytes, *, deadline_s: float) -> EngineRun:
    """Start ``command`` with the path of ``elf`` as its last argument and wait for it."""
    with scratch.started(name):
        return _run(name, command, elf, deadline_s)


def _run(name: str, command: Sequence[str], elf: bytes, deadline_s: float) -> EngineRun:
    with scratch.folder(scratch.temporary()) as folder, tempfile.TemporaryFile() as console:
        program = folder / "program.elf"
        program.write_bytes(elf)
        with tempfile.TemporaryFile() as errors:
            begin = time.monotonic()
            process = subprocess.Popen(
                [*command, str(program)], stdin=subprocess.DEVNULL, stdout=console, stderr=errors
            )
            late = threading.Event()

            def stop() -> None:
                late.set()
                process.kill()

            timer = threading.Timer(deadline_s, stop)
            timer.start()
            try:
                # wait4, not wait: only it tells this child's own use of the processor and memory.
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            except BaseException:
                process.kill()
                process.wait()
                raise
            finally:
                timer.cancel()
            wall_s = time.monotonic() - begin
            errors.seek(0)
            complaint = errors.read().decode(errors="replace").strip()
        console.seek(0)
        output = console.read()
    if late.is_set():
        raise RunError(f"{name} did not finish within {deadline_s:g} s", "Measure smaller sizes, or allow more time.")
    if not output:
        raise RunError(f"{name} wrote nothing and ended with status {process.returncode}", complaint)
    return EngineRun(
        console=output,
        exit_code=process.returncode,
        rois=None,
        cost=EngineCost(
            wall_s=wall_s,
            user_s=usage.ru_utime,
            sys_s=usage.ru_stime,
            max_rss_kib=usage.ru_maxrss if sys.platform != "darwin" else usage.ru_maxrss // 1024,
        ),
    )
