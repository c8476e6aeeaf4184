"""What ``make wheel`` made: what is inside, and that an environment with nothing else measures."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
PYTHON_OF_AARCH64 = ROOT / "target" / "aarch64"
"""Debian's, unpacked; ``.ci/run`` fetches it."""
MACHINE_OF_ELF = {"x86_64": 62, "aarch64": 183}
"""``e_machine``, at byte 18 of an ELF header."""

STUDY = """
id = "small"
title = "Small"
question = "Does a wheel suffice?"

[[matrix]]
implementations = ["aes/sbox", "aes/zkne64"]
isas = ["rv64i", "rv64i_zkn"]
compilers = [{ name = "zig", opts = ["O2"] }]
algorithms = ["aes-128-ecb"]
operations = ["encrypt"]
sizes = [64, 1024]
engine = "sim"

[[claims.reduction]]
id = "fewer"
statement = "Zkn saves instructions."
citation = "this test"
definition = "executed instructions of 1 KiB"
metric = "instructions"
baseline = { implementation = "aes/sbox", size = "1K" }
subject = { implementation = "aes/zkne64", size = "1K" }
published = 0.98
tolerance = 0.02
"""

LOOP = """
.globl _start
_start:
    li t0, 300000
    li a0, 0
1:  xor a0, a0, t0
    slli t1, a0, 3
    add a0, a0, t1
    addi t0, t0, -1
    bnez t0, 1b
    li a0, 7
    li a7, 93
    ecall
"""
"""Long enough to be compiled."""


def wheel(architecture: str) -> Path:
    found = list(DIST.glob(f"*_{architecture}.whl"))
    assert len(found) == 1, f"`make wheel` makes one wheel for {architecture}: {found}"
    return found[0]


def tracked(folder: str) -> set[str]:
    """Files of the tree that git knows, relative to the tree, links followed to none."""
    listed = subprocess.run(
        ["git", "ls-files", "-s", folder], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    lines = (line.split("\t", 1) for line in listed.splitlines())
    return {name for mode, name in lines if not mode.startswith("120000")}


@pytest.mark.parametrize("architecture", MACHINE_OF_ELF)
def test_the_package_is_inside_and_nothing_else(architecture: str) -> None:
    place = wheel(architecture)
    assert place.name.split("-", 2)[2] == f"cp311-abi3-manylinux_2_28_{architecture}.whl"
    with zipfile.ZipFile(place) as archive:
        names = set(archive.namelist())
        (library,) = (name for name in names if name.endswith(".so"))
        header = archive.read(library)[:20]
    assert header[:4] == b"\x7fELF"
    assert int.from_bytes(header[18:20], "little") == MACHINE_OF_ELF[architecture]
    expected = {name.removeprefix("python/") for name in tracked("python/ciphermark")}
    assert {name for name in names if ".dist-info/" not in name} == expected | {library}
    assert {name.rpartition("/")[2] for name in names if "/licenses/" in name} >= {"LICENSE-APACHE", "LICENSE-MIT"}


def test_the_source_distribution_has_all_that_a_build_reads() -> None:
    (place,) = DIST.glob("*.tar.gz")
    with tarfile.open(place) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    sources = {name for name in tracked("crates") if "/tests/" not in name and "/benches/" not in name}
    needed = {*tracked("python/ciphermark"), *sources, "Cargo.lock", "Cargo.toml", "pyproject.toml", "README.md"}
    assert needed - names == set()


def others() -> list[str]:
    """This Python, and newer ones that pyenv or the system has."""
    found = {sys.executable}
    for minor in (12, 13, 14):
        name = f"python3.{minor}"
        installed = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/{name}"))
        found |= {str(installed[-1])} if installed else {path for path in [shutil.which(name)] if path and _runs(path)}
    return sorted(found)


def _runs(python: str) -> bool:
    """pyenv leaves commands for versions that it does not have."""
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("python", others(), ids=lambda path: Path(path).name)
def test_an_environment_of_the_wheel_alone_runs_a_study(tmp_path: Path, python: str) -> None:
    """With an empty home, and nothing on PATH but the system's programs."""
    environment = tmp_path / "environment"
    subprocess.run([python, "-m", "venv", str(environment)], check=True)
    own = environment / "bin"
    installed = subprocess.run(
        [own / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel(os.uname().machine)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "No matching distribution" in installed.stderr or "Connection" in installed.stderr:
        pytest.skip(f"what the wheel depends on cannot be installed here: {installed.stderr.strip().splitlines()[-1]}")
    assert installed.returncode == 0, installed.stderr
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "small.toml").write_text(STUDY)

    def ran(*arguments: str) -> str:
        done = subprocess.run(
            [own / "ciphermark", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False,
            env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    said = json.loads(ran("--version", "--json"))
    assert said["engine"] is not None
    assert "zig" in {compiler["name"] for compiler in said["compilers"]}
    measured = ran("measure", "aes-128-ecb", "--impls", "aes/sbox", "--sizes", "64", "--json").splitlines()
    assert {json.loads(line)["verdict"] for line in measured} == {"ok"}
    assert re.search(r"confirmed: Zkn saves instructions", ran("run", "small.toml"))
    assert (tmp_path / "results" / "small" / "report.html").stat().st_size > 100_000
    assert not list(environment.rglob("numpy")), "the core install needs no numpy"


@pytest.mark.skipif(shutil.which("qemu-aarch64") is None, reason="qemu-aarch64 is not installed")
@pytest.mark.skipif(not (PYTHON_OF_AARCH64 / "usr/bin/python3.11").exists(), reason="there is no Python for AArch64")
def test_the_wheel_for_aarch64_simulates_there(tmp_path: Path) -> None:
    """Compiled code as well: the counts of both tiers are those of this machine."""
    site = tmp_path / "site"
    subprocess.run(
        [
            sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", site,
            "--platform", "manylinux_2_28_aarch64", "--platform", "manylinux_2_17_aarch64",
            "--platform", "manylinux2014_aarch64", "--python-version", "3.11", "--only-binary", ":all:",
            wheel("aarch64"),
        ],
        check=True,
    )  # fmt: skip
    source, program = tmp_path / "loop.S", tmp_path / "loop.elf"
    source.write_text(LOOP)
    zig = subprocess.run(
        [
            sys.executable, "-m", "ziglang", "cc", "-target", "riscv64-linux-musl", "-nostdlib", "-static",
            str(source), "-o", str(program),
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert zig.returncode == 0, zig.stderr
    emulator = ["qemu-aarch64", "-L", str(PYTHON_OF_AARCH64), "-E", f"PYTHONPATH={site}"]
    python = str(PYTHON_OF_AARCH64 / "usr" / "bin" / "python3.11")
    for tier in ([], ["--no-jit"]):
        arguments = ["-m", "ciphermark", "sim", *tier, "--stats", str(program)]
        there = subprocess.run([*emulator, python, *arguments], capture_output=True, text=True, check=False)
        here = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
        assert there.returncode == here.returncode == 7, (there.stderr, here.stderr)
        assert counted(there.stderr + there.stdout) == counted(here.stderr + here.stdout)


def counted(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("instructions")]
