"""Every command of the tutorial and of the how-to pages that is marked ``run`` prints what the page shows."""

import json
import platform
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermark import embedded, engines, toolchain
from ciphermark.host import cpu
from ciphermark.kernels import family
from ciphermark.store import paths

from .shell_session import agrees, blocks, commands, readers_environment, replay, write

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if any(block.is_run for block in blocks(page))]

needs_everything = pytest.mark.skipif(
    not embedded.available() or "zig" not in {compiler.name for compiler in toolchain.installed()},
    reason="needs the embedded engine and zig",
)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory, furnished: Callable[[Path], Path]) -> dict[str, str]:
    """With a cache that all pages share."""
    cache = furnished(tmp_path_factory.mktemp("cache"))
    return {
        **readers_environment(tmp_path_factory.mktemp("bin")),
        "CIPHERMARK_CACHE": str(cache),
        # A reader's own zig does not take turns with ours, so it must not write into what ours seals or drops.
        "ZIG_GLOBAL_CACHE_DIR": str(tmp_path_factory.mktemp("zig")),
    }


@needs_everything
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    """Readers of other pages have what the tutorial made."""
    for block in blocks(DOCS / "tutorial.md"):
        write(block, tmp_path)
    for block in blocks(page):
        write(block, tmp_path)
        if block.is_run and all(engines.find(name).problem() is None for name in block.needs):
            asked = commands(block)
            for command, printed in zip(asked, replay(asked, tmp_path, environment), strict=True):
                assert agrees(command.expected, printed), (
                    f"$ {command.line}\n{printed}\n-- expected:\n{command.expected}"
                )


def test_there_are_pages_to_check() -> None:
    assert DOCS / "tutorial.md" in PAGES


def written(page: str, folder: Path) -> Path:
    for block in blocks(DOCS / "howto" / page):
        write(block, folder)
    return folder


def test_the_family_that_a_page_writes_can_be_read(tmp_path: Path) -> None:
    read = family.read(written("add-an-algorithm-family.md", tmp_path) / "kernels" / "sm4")
    assert set(read.algorithms["sm4-ecb"].operations) == {"expand-key", "block", "encrypt"}


_ONE_BLOCK = """
#include <stdio.h>
#include "sm4.h"

int main(void)
{{
    _Alignas(64) uint8_t schedule[128];
    uint8_t key[] = {{{key}}}, data[] = {{{data}}}, alone[16], first[16];

    sm4_expand_key(schedule, key);
    sm4_block(alone, data, schedule);
    sm4_ecb_encrypt(first, data, sizeof first, schedule);
    for (int i = 0; i < 32; i++)
        printf("%02x", i < 16 ? alone[i] : first[i - 16]);
}}
"""


@needs_everything
def test_the_kernel_that_a_page_writes_passes_the_known_answer_of_that_page(tmp_path: Path) -> None:
    written("add-an-algorithm-family.md", tmp_path)
    vector, whole = tomllib.loads((tmp_path / "vectors" / "gb-t-32907.toml").read_text())["vector"]
    given = {name: ", ".join(map(str, bytes.fromhex(vector[name]))) for name in ("key", "data")}
    (tmp_path / "main.c").write_text(_ONE_BLOCK.format(**given))
    sources = [str(tmp_path / "main.c"), str(tmp_path / "kernels" / "sm4" / "reference" / "sm4.c")]
    program = tmp_path / "sm4"
    include = str(tmp_path / "kernels" / "sm4")
    zig = toolchain.resolve("zig")
    command = [*zig.command, "-Wall", "-Wextra", "-Werror", "-I", include, *sources, "-o", str(program)]
    with zig.environment(command, paths.cache()) as variables:
        subprocess.run(command, env=variables, check=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert printed == 2 * vector["expected"] == whole["expected"]


@needs_everything
@pytest.mark.skipif(
    platform.machine() != "x86_64" or bool(cpu.missing(("aes",), "x86_64")), reason="needs an x86-64 with AES-NI"
)
def test_the_native_kernel_that_a_page_writes_can_be_measured(tmp_path: Path, environment: dict[str, str]) -> None:
    written("add-a-native-implementation.md", tmp_path)
    asked = "ciphermark measure aes-128-ecb --impls ./aesni-mine --engines host --sizes 16,1K --json"
    done = subprocess.run(asked.split(), cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["verdict"] for row in rows] == ["ok", "ok"], done.stderr
