"""The archive is what other readers of the format find in it."""

from __future__ import annotations

import shutil
import stat
import subprocess
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.vm.initramfs import File, archive

_NAMES = st.text("abcxyz.-_0", min_size=1, max_size=12).filter(lambda name: name not in {".", ".."})
_FILES = st.lists(
    st.builds(File, st.builds(PurePosixPath, st.just("files"), _NAMES, _NAMES), st.binary(max_size=40), st.booleans()),
    unique_by=lambda file: file.path,
    max_size=6,
)


def read(data: bytes) -> dict[str, tuple[int, bytes]]:
    """Mode and contents by name, read as the kernel's documentation describes the format."""
    found: dict[str, tuple[int, bytes]] = {}
    at = 0
    while True:
        assert at % 4 == 0
        assert data[at : at + 6] == b"070701"
        fields = [int(data[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        mode, size, name_bytes = fields[1], fields[6], fields[11]
        name = data[at + 110 : at + 110 + name_bytes]
        assert name.endswith(b"\0")
        at += -(-(110 + name_bytes) // 4) * 4
        if name == b"TRAILER!!!\0":
            assert at == len(data)
            return found
        found[name[:-1].decode()] = (mode, data[at : at + size])
        at += -(-size // 4) * 4


@given(_FILES)
def test_what_goes_in_comes_out(files: list[File]) -> None:
    found = read(archive(files))
    for file in files:
        mode, contents = found.pop(str(file.path))
        assert contents == file.contents
        assert stat.S_ISREG(mode)
        assert bool(mode & stat.S_IXUSR) == file.executable
    assert all(stat.S_ISDIR(mode) for mode, _ in found.values())
    assert set(found) == {str(parent) for file in files for parent in file.path.parents[:-1]}


def test_folders_come_before_what_is_in_them() -> None:
    names = list(read(archive([File(PurePosixPath("a/b/c"), b""), File(PurePosixPath("a/d"), b"")])))
    assert names == ["a", "a/b", "a/b/c", "a/d"]


def test_equal_files_give_equal_bytes() -> None:
    files = [File(PurePosixPath("init"), b"program", executable=True)]
    assert archive(files) == archive(files)


@pytest.mark.parametrize("program", ["cpio", "bsdtar"])
def test_other_programs_unpack_it(program: str, tmp_path: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    data = archive([File(PurePosixPath("lib/one"), b"1234567"), File(PurePosixPath("init"), b"\0", executable=True)])
    arguments = ("-i", "-d", "--quiet") if program == "cpio" else ("-x", "-f", "-")
    subprocess.run((program, *arguments), input=data, cwd=tmp_path, check=True)
    assert (tmp_path / "lib" / "one").read_bytes() == b"1234567"
    assert (tmp_path / "init").stat().st_mode & stat.S_IXUSR
