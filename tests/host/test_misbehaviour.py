"""Kernels that hang, crash, eat memory, give up or answer wrongly: each has its message, the others their figures."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from ciphermark import engines
from ciphermark import host as native_host
from ciphermark.engines import Engine
from ciphermark.errors import RunError
from ciphermark.host import process
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import HarnessReport
from host.conftest import SHORT, Spoil, Unwatched, program


def one(engine: Engine, implementation: Implementation, *sizes: int, deadline_s: int = 30) -> HarnessReport:
    sampling = replace(SHORT, deadline_s=deadline_s)
    (report,) = engine.measure([program(implementation, *sizes)], sampling, Unwatched())
    assert isinstance(report, HarnessReport), report
    return report


def test_a_good_kernel(chacha: Implementation) -> None:
    found = native_host.verify(chacha)
    assert found.ok
    assert found.vectors_passed > 20
    assert found.described is None


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("", "if (bytes == 1) out[0] ^= 1;", "first 1 bytes: wrong output from byte 0: expected "),
        ("", "if (bytes > 64 && out == in) out[64] ^= 1;", "(in place): wrong output"),
        ("", "if ((uintptr_t)out & 1 && bytes) out[0] ^= 1;", "(unaligned): wrong output"),
        ("", "out[bytes] = 0;", "wrote outside its output"),
        ("", "if (out != in && bytes) ((uint8_t *)in)[0]++;", "changed its input"),
        ("", "((uint8_t *)key)[0]++;", "changed the key"),
        ("", "((uint8_t *)iv)[0]++;", "wrong final iv, counter or state"),
    ],
)
def test_a_wrong_answer_names_its_vector(spoiled: Spoil, before: str, after: str, says: str) -> None:
    found = native_host.verify(spoiled(before=before, after=after))
    assert not found.ok
    assert found.failure is not None
    assert found.failure.startswith("chacha20 encrypt, ")
    assert says in found.failure


def test_a_wrong_answer_leaves_no_figures(spoiled: Spoil, host: Engine) -> None:
    report = one(host, spoiled(after="if (bytes == 1) out[0] ^= 1;"), 64)
    assert report.first_failure is not None
    assert report.measured == ()


def test_a_size_no_vector_has_is_checked_too(spoiled: Spoil, host: Engine) -> None:
    report = one(host, spoiled(after="if (bytes == 4096) out[4095] ^= 1;"), 1024, 4096)
    good, bad = report.measured
    assert good.verified
    assert good.timing is not None
    assert not bad.verified
    assert bad.timing is None
    assert bad.failure == "chacha20 encrypt of 4096 bytes: the output differs from the independent library's"


def test_a_hang_ends_at_the_deadline(spoiled: Spoil) -> None:
    begin = time.monotonic()
    with pytest.raises(RunError, match=r"did not finish within 2 s \(verifying chacha20 encrypt, .*\)"):
        native_host.verify(spoiled(before="for (;;) ;"), deadline_s=2)
    assert time.monotonic() - begin < 30


def test_a_hang_that_ignores_signals_is_killed(spoiled: Spoil) -> None:
    ignoring = "sigset_t all; sigfillset(&all); sigprocmask(SIG_SETMASK, &all, NULL); for (;;) pause();"
    with pytest.raises(RunError, match="did not finish within 1 s"):
        native_host.verify(spoiled(before=ignoring, define="#include <signal.h>"), deadline_s=1)


def test_a_hang_at_one_size_leaves_the_others(spoiled: Spoil, host: Engine) -> None:
    report = one(host, spoiled(before="if (bytes == 4096) for (;;) ;"), 64, 4096, 1024, deadline_s=3)
    small, hanging, large = report.measured
    assert small.timing is not None
    assert large.timing is not None
    assert hanging.timing is None
    assert hanging.error is not None
    assert "did not finish within 3 s (measuring chacha20 encrypt of 4096 bytes)" in hanging.error


@pytest.mark.parametrize(
    ("code", "name", "hint"),
    [
        ("*(volatile char *)8 = 0;", "SIGSEGV at address 0x8", "memory"),
        ("abort();", "SIGABRT", ""),
        ("raise(SIGKILL);", "SIGKILL", "out of memory"),
        ("volatile char deep[1 << 24]; for (int i = 0; i < 1 << 24; i += 64) deep[i] = 1;", "SIGSEGV", "stack"),
        ("__builtin_trap();", "SIG", ""),
    ],
)
def test_a_signal_is_named(spoiled: Spoil, code: str, name: str, hint: str) -> None:
    with pytest.raises(RunError, match="was ended by SIG") as caught:
        native_host.verify(spoiled(before=code, define="#include <signal.h>"))
    assert name in caught.value.message
    assert "chacha20 encrypt" in caught.value.message or "verifying" in caught.value.message
    assert hint in caught.value.hint


def test_memory_is_limited(spoiled: Spoil) -> None:
    eater = """
        static char *volatile kept;
        while ((kept = malloc(1 << 26)))
            memset(kept, 1, 1 << 26);
        ciphermark_fail("no memory: %m");"""
    with pytest.raises(RunError, match="no memory: Cannot allocate memory"):
        native_host.verify(spoiled(before=eater), deadline_s=60)


def test_giving_up_has_a_reason(spoiled: Spoil, host: Engine) -> None:
    implementation = spoiled(before='if (bytes == 4096) ciphermark_fail("short send: %d of %d bytes", 5, 7);')
    good, bad = one(host, implementation, 64, 4096).measured
    assert good.timing is not None
    assert bad.error is not None
    assert "short send: 5 of 7 bytes" in bad.error


def test_what_cannot_run_here_says_so(spoiled: Spoil, host: Engine) -> None:
    implementation = spoiled(define='const char *ciphermark_unavailable(void) { return "no\\nlibrary; install it"; }')
    report = one(host, implementation, 64)
    assert report.unavailable == "no library; install it"
    assert report.measured == ()
    assert report.first_failure is None


def test_it_may_describe_itself(spoiled: Spoil, host: Engine) -> None:
    report = one(host, spoiled(define='const char *ciphermark_described(void) { return "driver 1"; }'), 64)
    assert report.described == "driver 1"


def test_a_console_that_is_spoiled_is_an_error(spoiled: Spoil, host: Engine) -> None:
    chatter = 'if (write(1, "hello\\n", 6) != 6) abort();'
    (report,) = host.measure([program(spoiled(before=chatter), 64)], SHORT, Unwatched())
    assert isinstance(report, RunError)
    assert "console cannot be read" in report.message


def test_endless_output_ends(spoiled: Spoil) -> None:
    with pytest.raises(RunError):
        native_host.verify(spoiled(before='for (;;) if (write(1, "x", 1) < 0) abort();'), deadline_s=2)


def test_one_bad_program_does_not_cost_the_others(spoiled: Spoil, chacha: Implementation, host: Engine) -> None:
    crashing = spoiled(before="abort();", name="crashing")
    wrong = spoiled(after="if (bytes) out[0] ^= 1;", name="wrong")
    watcher = Unwatched()
    reports = host.measure([program(crashing, 64), program(chacha, 64), program(wrong, 64)], SHORT, watcher)
    assert isinstance(reports[0], RunError)
    good, bad = reports[1:]
    assert isinstance(good, HarnessReport)
    assert good.measured[0].timing is not None
    assert isinstance(bad, HarnessReport)
    assert bad.first_failure is not None
    assert watcher.done == watcher.total


def test_what_a_program_started_does_not_outlive_it(spoiled: Spoil, tmp_path: Path) -> None:
    mark = tmp_path / "started"
    staying = f"""
        static int started;
        if (!started++) {{
            int child = fork();
            if (child == 0) {{
                sleep(120);
                _exit(0);
            }}
            char digits[12];
            int bytes = snprintf(digits, sizeof digits, "%d", child);
            if (write(creat("{mark}", 0600), digits, bytes) != bytes) abort();
        }}"""
    assert native_host.verify(spoiled(before=staying, define="#include <stdio.h>")).ok
    child = Path("/proc") / mark.read_text()
    begin = time.monotonic()
    while _runs(child):
        assert time.monotonic() - begin < 10, "it runs on"
        time.sleep(0.05)


def _runs(process: Path) -> bool:
    try:
        state = (process / "stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in {"X", "Z"}


def test_a_program_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be started: No such file"):
        process.run([str(tmp_path / "absent")], deadline_s=1)


def test_the_engine_is_known_by_name() -> None:
    assert engines.names(native=True)[0] == "host"
    assert "host" not in engines.names(native=False)
    assert engines.find("host").name == "host"
