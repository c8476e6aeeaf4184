"""Native code that would earn a time it does not deserve, by mistake or on purpose; docs/trust.md has the list."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ciphermark.engines import Engine
from ciphermark.errors import CiphermarkError
from ciphermark.host import bounds
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import HarnessReport, Measured, Timing
from host.conftest import SHORT, Spoil, Unwatched, program

SIZE = 4096
OUTPUT = "the output differs from the independent library's"


def reported(engine: Engine, implementation: Implementation, size: int = SIZE) -> HarnessReport | CiphermarkError:
    (report,) = engine.measure([program(implementation, size)], SHORT, Unwatched())
    return report


def measured(engine: Engine, implementation: Implementation, size: int = SIZE) -> Measured | CiphermarkError:
    report = reported(engine, implementation, size)
    if isinstance(report, CiphermarkError):
        return report
    assert report.first_failure is None
    (only,) = report.measured
    return only


KEPT = "static uint8_t kept[2][4096]; static const uint8_t *of[2]; static int next;"

WRONG = {
    "two results kept by address": {
        "define": KEPT,
        "before": "if (bytes == 4096) for (int i = 0; i < 2; i++) if (of[i] == in) "
        "{ for (int j = 0; j < 4096; j++) out[j] = kept[i][j]; return; }",
        "after": "if (bytes == 4096) { for (int j = 0; j < 4096; j++) kept[next][j] = out[j]; "
        "of[next] = in; next ^= 1; }",
    },
    "no work after many calls": {
        "define": "static unsigned calls;",
        "before": "if (bytes == 4096 && ++calls > 40) return;",
    },
    "top bits that cancel in a sum": {
        "after": "if (bytes == 4096) for (int j = 256; j < 4096; j += 4) out[j + 3] ^= 0x80;"
    },
    "a mistake with a later sample's key": {
        "define": "static uint8_t first; static int seen;",
        "before": "if (bytes == 4096 && !seen) seen = 1, first = key[0];",
        "after": "if (bytes == 4096 && key[0] != first) out[100] ^= 1;",
    },
}


@pytest.mark.parametrize("name", WRONG)
def test_no_time(spoiled: Spoil, host: Engine, name: str) -> None:
    found = measured(host, spoiled(**WRONG[name]))
    assert isinstance(found, Measured)
    assert not found.verified
    assert found.timing is None
    assert OUTPUT in str(found.failure)


@pytest.mark.parametrize(
    ("after", "says"),
    [
        ("out[bytes + 40] = 1;", "wrote outside its output"),
        ("if (out != in) ((uint8_t *)in)[bytes - 1] ^= 1;", "changed its input"),
        ("if (out != in) ((uint8_t *)in)[-1] = 1;", "wrote outside its output"),
    ],
)
def test_manners_at_the_measured_size(spoiled: Spoil, host: Engine, after: str, says: str) -> None:
    found = reported(host, spoiled(after=f"if (bytes == 4096) {{ {after} }}"))
    assert isinstance(found, HarnessReport)
    assert not found.measured
    assert says in str(found.first_failure)


def test_no_call_has_the_data_of_the_one_before(spoiled: Spoil, host: Engine) -> None:
    """So that a result that is kept by content is never found."""
    keeping = spoiled(
        define="#include <string.h>\n#include <ciphermark_fail.h>\nstatic uint8_t of[4096]; static int any;",
        before='if (bytes == 4096 && in != out) { if (any && !memcmp(of, in, 4096)) ciphermark_fail("the same again"); '
        "memcpy(of, in, 4096); any = 1; }",
    )
    (keeping.folder / "ciphermark_fail.h").write_text(
        "void ciphermark_fail(const char *format, ...) __attribute__((noreturn));\n"
    )
    found = measured(host, keeping)
    assert isinstance(found, Measured), found
    assert found.verified, found
    assert found.timing is not None


def test_lines_of_its_own(spoiled: Spoil, host: Engine) -> None:
    printing = spoiled(
        define="#include <unistd.h>",
        before='if (bytes == 4096) { if (write(1, "s 0 1 1 1 1 0 0 - -\\n", 20) < 0) return; }',
    )
    found = measured(host, printing)
    said = str(found) if isinstance(found, CiphermarkError) else str(found.failure or found.error)
    assert "digest is wrong" in said or "cannot be read" in said


TIMING = Timing(
    seconds=((1e-6,) * 3,) * 3, wall_s=1e-6, waits_known=True, cpu_s=((1e-6,) * 3,) * 3, user_s=1e-6, sys_s=0.0,
    cycles=None, instructions=None, kernel_counted=False, calls=10, max_rss_kib=None, clock_hz=1e9,
    clocks_hz=(1e9,) * 3,
)  # fmt: skip
"""A call takes 1000 cycles."""


@pytest.mark.parametrize(
    ("algorithm", "operation", "size", "because"),
    [
        ("aes-128-ctr", "encrypt", 13600, "two 512-bit AES instructions"),
        ("aes-256-ecb", "decrypt", 9700, "two 512-bit AES instructions"),
        ("chacha20", "encrypt", 4500, "960 operations"),
        ("sha-256", "hash", 2200, "64 chained rounds"),
        ("sha-512", "hash", 3400, "80 chained rounds"),
        ("rot13", "encrypt", 68000, "64 bytes per cycle"),
        ("aes-128-cbc", "encrypt", 430, "latency bound"),
    ],
)
def test_a_rate_beyond_what_a_processor_can_do(algorithm: str, operation: str, size: int, because: str) -> None:
    latency = bounds.AesLatency("a core", 4, "a test")
    refused = bounds.impossible(algorithm, operation, size, TIMING, latency)
    assert refused is not None
    assert because in refused
    assert "cannot be" in refused
    assert bounds.impossible(algorithm, operation, size * 9 // 10, TIMING, latency) is None
    slower = replace(TIMING, clocks_hz=(), clock_hz=None)
    assert bounds.impossible(algorithm, operation, size, slower, latency) is None
