"""Kernels that would earn cycles they do not deserve by what only a core in RTL has: its mailbox, and calls on the same
data. What other kernels may not do, the harness sees there as everywhere."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import measuring
from build.conftest import TINY
from build.test_cheats import LONG, Cheat
from ciphermark import build as programs
from ciphermark import engines
from ciphermark.errors import CiphermarkError
from ciphermark.kernels import catalogue
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import HarnessReport, Target

from .conftest import needs

pytestmark = needs("ibex-rtl")

TARGET = Target("rv32i", "ilp32", "zig", "O2", machine="ibex-maxperf", memory_latency=1)
MAILBOX = "static volatile uint32_t *const mailbox = (volatile uint32_t *)0x60000000;\n"
KEPT = """\
static uint8_t input[592], output[592];
static int is_kept(const uint8_t *in) { for (int i = 0; i < 592; i++) if (in[i] != input[i]) return 0; return 1; }
"""
CHEATS = {
    "a line on the mailbox": Cheat(
        "digest is wrong", outside=MAILBOX,
        before='if (bytes == 592) for (const char *c = "o 0 2 00\\n"; *c; c++) mailbox[0] = *c;',
    ),
    "an end by the mailbox": Cheat(
        "before the end of the job", outside=MAILBOX, before="if (bytes == 592) mailbox[2] = 0;"
    ),
    "the result of the call before": Cheat(
        "different numbers of instructions", outside=KEPT,
        before="if (bytes == 592 && is_kept(in)) { for (int i = 0; i < 592; i++) out[i] = output[i]; return; }",
        after="if (bytes == 592) for (int i = 0; i < 592; i++) { input[i] = in[i]; output[i] = out[i]; }",
    ),
}  # fmt: skip


def changed(cheat: Cheat, folder: Path) -> Implementation:
    def change(old: str, new: str) -> Implementation:
        shutil.copytree(TINY, folder)
        source = folder / "cipher.c"
        source.write_text(source.read_text().replace(old, new, 1))
        return catalogue.load_implementation(folder)

    return cheat.into(change)


def reported(kernel: Implementation) -> HarnessReport:
    requests = [replace(LONG, state="warm")]
    return measuring.measure(engines.find("ibex-rtl"), kernel, programs.build(kernel, TARGET), TARGET, requests)


@pytest.mark.parametrize("name", CHEATS)
def test_no_cycles(name: str, tmp_path: Path) -> None:
    cheat = CHEATS[name]
    try:
        found = reported(changed(cheat, tmp_path / "changed"))
    except CiphermarkError as error:
        assert cheat.words in error.message
        return
    assert all(each.cycles is None and each.instructions is None for each in found.measured)
    said = [found.first_failure] if found.first_failure else [each.failure for each in found.measured]
    assert said
    assert all(cheat.words in (words or "") for words in said)


def test_the_honest_kernel_has_them(tmp_path: Path) -> None:
    found = reported(changed(Cheat(""), tmp_path / "changed"))
    assert all(each.verified and each.cycles for each in found.measured)
