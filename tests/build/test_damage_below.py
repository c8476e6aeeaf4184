"""What the compiler keeps for itself: neither damage nor a lock in it reaches what we build."""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time
from pathlib import Path

import pytest

from ciphermark import build
from ciphermark.errors import BuildError
from ciphermark.kernels import catalogue
from ciphermark.rows.model import Target
from ciphermark.toolchain import children, resolve
from ciphermark.toolchain import compiler as compilers
from ciphermark.toolchain.zig_libraries import Libraries

TARGET = Target("rv64i", "lp64", "zig", "O2")


def sha256() -> str:
    return build.build(catalogue.load_implementation("aes/ttable"), TARGET).sha256


def forget_ours(cache: Path) -> None:
    for kind in ("programs", "harness"):
        if (cache / kind).exists():
            (cache / kind).rename(cache / f"{kind}-{len(list(cache.iterdir()))}")


def test_a_flipped_bit_in_the_compiler_s_objects_changes_nothing(empty_cache: Path) -> None:
    right = sha256()
    forget_ours(empty_cache)
    for path in (empty_cache / "zig").rglob("*.o"):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    assert sha256() == right


def test_a_lock_that_nobody_gives_back_blocks_nothing(empty_cache: Path) -> None:
    right = sha256()
    forget_ours(empty_cache)
    held = []
    try:
        for path in (empty_cache / "zig" / "h").glob("*"):
            held.append(os.open(path, os.O_RDWR))
            fcntl.flock(held[-1], fcntl.LOCK_EX)
        assert sha256() == right
    finally:
        for handle in held:
            os.close(handle)


def test_nothing_is_left_of_a_build(empty_cache: Path) -> None:
    sha256()
    assert not list((empty_cache / "scratch").iterdir())


class TestLibraries:
    @pytest.fixture
    def libraries(self, tmp_path: Path) -> Libraries:
        made = tmp_path / "zig" / "o" / "hash"
        made.mkdir(parents=True)
        (made / "libc.a").write_bytes(b"archive")
        found = Libraries(tmp_path / "zig")
        found.seal()
        return found

    def test_intact_ones_stay(self, libraries: Libraries) -> None:
        libraries.check()
        assert (libraries.folder / "o" / "hash" / "libc.a").read_bytes() == b"archive"

    @pytest.mark.parametrize("damage", ["flipped", "gone", "no seal", "seal garbled"])
    def test_damaged_ones_are_dropped(self, libraries: Libraries, damage: str) -> None:
        archive, seal = libraries.folder / "o" / "hash" / "libc.a", libraries.folder / "sealed.json"
        match damage:
            case "flipped":
                archive.write_bytes(b"archivf")
            case "gone":
                archive.unlink()
            case "no seal":
                seal.unlink()
            case _:
                seal.write_text("[1")
        libraries.check()
        assert not libraries.folder.exists()

    def test_all_who_share_them_see_the_same(self, libraries: Libraries, tmp_path: Path) -> None:
        shared = tmp_path / "link"
        shared.symlink_to(libraries.folder)
        (libraries.folder / "o" / "hash" / "libc.a").write_bytes(b"archivf")
        Libraries(shared).check()
        assert not libraries.folder.exists()

    def test_what_is_being_built_is_not_dropped(self, tmp_path: Path) -> None:
        folder = tmp_path / "zig"
        archive = folder / "o" / "libc.a"
        seen: list[bool] = []

        def second() -> None:
            with Libraries(folder).in_use():
                seen.append(archive.exists())

        other = threading.Thread(target=second)
        with Libraries(folder).in_use():
            archive.parent.mkdir(parents=True)
            archive.write_bytes(b"half an ar")
            other.start()
            other.join(0.2)
            archive.write_bytes(b"archive")
        other.join()
        assert seen == [True]

    def test_more_than_was_sealed_is_no_damage(self, libraries: Libraries) -> None:
        (libraries.folder / "o" / "new").write_bytes(b"")
        libraries.check()
        libraries.seal()
        assert len(json.loads((libraries.folder / "sealed.json").read_text())) == 2


def fake(folder: Path, script: str) -> Path:
    program = folder / "riscv64-fake-gcc"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def test_a_link_that_fails_is_tried_again_with_new_libraries(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    libraries = cache / "zig"
    (libraries / "o").mkdir(parents=True)
    (libraries / "o" / "libc.a").write_text("damaged")
    Libraries(libraries).seal()
    linker = fake(tmp_path, '! grep -q damaged "$ZIG_GLOBAL_CACHE_DIR/o/libc.a" 2>/dev/null')
    zig = resolve("zig")
    compilers.run(zig, [str(linker), "-o", "program"], cache, "link")
    assert not (libraries / "o").exists()
    with pytest.raises(BuildError):
        compilers.run(zig, [str(fake(tmp_path, "exit 1")), "-o", "program"], cache, "link")


def test_a_compiler_that_never_ends_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers, "DEADLINE_S", 0.3)
    # What it started holds its output open, as a driver's compiler proper does.
    endless = fake(tmp_path, "sleep 1000 & echo $! > child; wait")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BuildError, match=r"did not end within 0\.3 s"):
        compilers.run(resolve("zig"), [str(endless), "-c"], tmp_path / "cache", "compile")
    child = int((tmp_path / "child").read_text())
    status = Path(f"/proc/{child}/status")
    for _ in range(1000):
        if not status.exists() or "State:\tZ" in status.read_text():
            return
        time.sleep(0.01)
    pytest.fail(f"process {child} lives")


def test_a_compiler_that_does_not_say_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "ANSWER_S", 0.3)
    with pytest.raises(Exception, match="did not end within") as raised:
        resolve(str(fake(tmp_path, "sleep 1000")))
    assert type(raised.value).__name__ == "UsageError"
