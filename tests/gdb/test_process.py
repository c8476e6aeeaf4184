"""gdb at a Linux program: what its user sees and does."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from .session import build, debug, gdb_command, needs_engine, needs_gdb, serving

pytestmark = [needs_engine, needs_gdb]

SUM = "sum 10, ratio 5\n"


def test_break_step_print_and_go_on_to_the_end(process: Path) -> None:
    session = debug(process, "break main", "continue", "next", "next", "next", "info locals", "continue")
    assert "Breakpoint 1, main (argc=1, argv=0x" in session.transcript
    assert "for (int term = 1; term <= 4; term++)" in session.transcript
    assert "sum = 0" in session.transcript
    assert "[Inferior 1 (process 1) exited with code 07]" in session.transcript
    assert (session.status, session.output) == (7, SUM)


def test_a_call_is_seen_from_inside_and_finished(process: Path) -> None:
    session = debug(process, "break add", "continue", "continue", "backtrace", "finish", "print total", "kill")
    assert "#0  add (term=2, sum=1) at " in session.transcript
    assert "\n#1  0x" in session.transcript
    assert "in main (argc=1, argv=0x" in session.transcript
    assert "Value returned is $1 = 3" in session.transcript
    assert "$2 = 3" in session.transcript


def test_a_variable_is_watched(process: Path) -> None:
    session = debug(process, "watch total", "continue", "continue", "backtrace 1", "delete", "continue")
    assert "Hardware watchpoint 1: total" in session.transcript
    assert "Old value = 0\nNew value = 1\n" in session.transcript
    assert "Old value = 1\nNew value = 3\n" in session.transcript
    assert "add (term=2, sum=1)" in session.transcript
    assert session.status == 7


def test_reads_are_watched(process_64: Path) -> None:
    session = debug(process_64, "rwatch ratio", "continue", "awatch total", "kill")
    assert "Hardware read watchpoint 1: ratio" in session.transcript
    assert "Value = 0.5" in session.transcript
    assert "Hardware access (read/write) watchpoint 2: total" in session.transcript


def test_registers_are_read_and_written(process_64: Path) -> None:
    commands = (
        "set $a0 = 40",
        "print $a0 + 2",
        "set $ft0 = 1.5",
        "print $ft0.double",
        "set $fcsr = 0x23",
        "print $frm",
    )
    session = debug(process_64, "break add", "continue", *commands, "print $instret > 100", "print $misa", "kill")
    answers = [line for line in session.transcript.splitlines() if line.startswith("$")]
    # The machine's own registers are none of a process's.
    assert answers == ["$1 = 42", "$2 = 1.5", "$3 = 1", "$4 = 1", "$5 = void"]


def test_memory_is_read_and_written_even_where_the_guest_may_not(process: Path) -> None:
    commands = ("set var total = 100", "set var *(short *)$pc = 0", "x/1xh $pc", "print *(int *)0", "kill")
    session = debug(process, "break add", "continue", *commands)
    assert ":\t0x0000\n" in session.transcript
    assert "Cannot access memory at address 0x0" in session.transcript


def test_instructions_are_stepped_one_by_one_and_counted(process: Path) -> None:
    commands = ("monitor instructions", "stepi", "monitor instructions", "stepi 10", "monitor instructions")
    session = debug(process, "break main", "continue", *commands, "kill")
    first, second, third = (int(line) for line in session.transcript.splitlines() if line.isdigit())
    assert (second - first, third - second) == (1, 10)


def test_the_count_does_not_depend_on_gdb(process_64: Path) -> None:
    stepped = debug(
        process_64,
        "break exit",
        "break add",
        "continue",
        "step",
        "next",
        "delete 2",
        "continue",
        "monitor instructions",
        "kill",
    )
    straight = debug(process_64, "hbreak exit", "continue", "monitor instructions", "kill")
    counts = [[line for line in one.transcript.splitlines() if line.isdigit()] for one in (stepped, straight)]
    assert counts[0] == counts[1] != []


def test_a_step_over_a_system_call_ends_behind_it(process_64: Path) -> None:
    commands = ("break system_call", "continue", "x/i $pc", "stepi", "print $pc - (long)&system_call", "print $a0")
    session = debug(process_64, *commands, "kill")
    assert "\tecall" in session.transcript
    assert "$1 = (void (*)()) 0x4" in session.transcript
    assert "$2 = 100" in session.transcript


@pytest.mark.parametrize(
    ("end", "said", "status"),
    [
        ("fault", "received signal SIGSEGV, Segmentation fault.", 125),
        ("illegal", "received signal SIGILL, Illegal instruction.", 125),
        ("abort", "received signal SIGABRT, Aborted.", 134),
    ],
)
def test_a_dying_program_is_stopped_where_it_dies(process: Path, end: str, said: str, status: int) -> None:
    session = debug(process, "continue", "backtrace", "continue", arguments=(end,))
    assert said in session.transcript
    assert "main (argc=2" in session.transcript
    assert "Program terminated with signal SIG" in session.transcript
    assert session.status == status


def test_a_fault_may_be_mended(process_64: Path) -> None:
    session = debug(process_64, "continue", "set $pc = $pc + 4", "signal 0", arguments=("illegal",))
    assert "exited with code 07" in session.transcript
    assert session.status == 7


def test_control_c_interrupts_and_kill_ends(process_64: Path) -> None:
    with serving(process_64, ("loop",)) as server:
        command = gdb_command(server.port, process_64, ("continue", "print rounds > 0", "backtrace 1", "kill"))
        gdb = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert server.process.stdout is not None
        assert server.process.stdout.readline() == SUM
        time.sleep(0.5)
        os.kill(gdb.pid, signal.SIGINT)
        transcript, _ = gdb.communicate(timeout=60)
        status, _, errors = server.finish()
    assert "Program received signal SIGINT, Interrupt." in transcript
    assert "$1 = 1" in transcript
    assert "[Inferior 1 (process 1) killed]" in transcript
    assert (status, "killed by SIGKILL" in errors) == (137, True)


@pytest.mark.parametrize("farewell", ["detach", "disconnect", "quit"])
def test_a_program_left_alone_runs_to_its_end(process_64: Path, farewell: str) -> None:
    session = debug(process_64, "break add", "continue", farewell)
    assert (session.status, session.output) == (7, SUM)


def test_a_limit_of_instructions_holds(process_64: Path) -> None:
    session = debug(process_64, "continue", "continue", options=("--max-instructions", "500"))
    assert "received signal SIGXCPU" in session.transcript
    assert session.status == 124


def test_monitor_commands_explain_themselves(process_64: Path) -> None:
    session = debug(process_64, "monitor help", "monitor nonsense", "kill")
    assert session.transcript.count("monitor instructions   instructions retired so far") == 2
    assert "no such command" in session.transcript


def test_threads_are_listed_looked_at_and_stepped(folder: Path) -> None:
    program = build(folder, "threads.c", "riscv64-linux-musl")
    listed = ("info threads", "thread apply all backtrace 3")
    stepped = ("stepi", "next", "next", "print $_thread", "delete", "continue")
    session = debug(program, "break pass", "continue", "continue", *listed, *stepped)
    assert "  1    Thread 1.100 (runnable) " in session.transcript
    assert "* 3    Thread 1.102 (running) " in session.transcript
    assert "Thread 1 (Thread 1.100 (runnable)):\n#0  " in session.transcript
    assert "$1 = 3" in session.transcript
    assert (session.status, session.output) == (0, "33\n")
