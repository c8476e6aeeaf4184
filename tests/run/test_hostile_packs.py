"""Packs made to do harm: names and links out of the cache, bombs, sizes and records that lie."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ciphermark.errors import UsageError
from ciphermark.execution.merging import merge

from .in_shards import members, with_header


def put(place: Path, contents: dict[str, bytes], **of_last: Any) -> Path:
    """A zip file of ``contents``; ``of_last`` changes how the last member is described."""
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in contents.items():
            member = zipfile.ZipInfo(name)
            member.compress_type = zipfile.ZIP_DEFLATED
            if name == list(contents)[-1]:
                for key, value in of_last.items():
                    setattr(member, key, value)
            made.writestr(member, content)
    return place


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


KEY = "0" * 64


@pytest.mark.parametrize(
    "name",
    [
        "../x", "/etc/x", "programs/../../x", f"programs/programs/{KEY}/../x",
        f"programs/native-programs/{KEY}/program.elf",
        f"programs/programs/{KEY}/program.elf/x", f"programs/programs/{KEY[1:]}/program.elf", "points/x.json", "x",
        f"programs/programs/{KEY}/contents.json", "programs\\x", "points.jsonl/", f"programs/harness/{KEY}/program.elf",
        "\x00", f"programs/programs/{KEY}/program.elf\n",
    ],
)  # fmt: skip
def test_names_that_packs_do_not_have_refuse_the_pack(packs: list[Path], tmp_path: Path, name: str) -> None:
    """Paths out of the cache, and programs that this machine itself would execute."""
    before = everything(tmp_path)
    put(packs[0], members(packs[0]) | {name: b"evil"})
    with pytest.raises(UsageError, match=r"1\.pack: (refused|it is not a pack)"):
        merge(packs)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFBLK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFDIR])
def test_links_and_devices_refuse_the_pack(packs: list[Path], tmp_path: Path, kind: int) -> None:
    before = everything(tmp_path)
    name = f"programs/programs/{KEY}/program.elf"
    put(packs[0], members(packs[0]) | {name: b"/etc/passwd"}, external_attr=(kind | 0o777) << 16, create_system=3)
    with pytest.raises(UsageError, match="is not a regular file"):
        merge(packs)
    assert everything(tmp_path) == before


def test_a_name_twice_refuses_the_pack(packs: list[Path]) -> None:
    with zipfile.ZipFile(packs[0], "a") as pack, pytest.warns(UserWarning, match="Duplicate name"):
        pack.writestr("points.jsonl", b"")
    with pytest.raises(UsageError, match="twice"):
        merge(packs)


def test_no_pack_names_a_fifo_or_a_folder(packs: list[Path], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for place, said in (
        (tmp_path, f"{tmp_path} is a folder"),
        (pipe, f"{pipe} is not a regular file"),
        (tmp_path / "nowhere", f"{tmp_path}/nowhere: No such file or directory"),
    ):
        with pytest.raises(UsageError) as refused:
            merge([*packs, place])
        assert refused.value.message == said


BOMB = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
from pathlib import Path
from ciphermark.errors import UsageError
from ciphermark.execution.merging import merge
try:
    print(merge([Path(sys.argv[1])]).damaged)
except UsageError as refused:
    print(refused.message)
"""


@pytest.mark.parametrize("member", ["points.jsonl", "pack.json", f"programs/programs/{KEY}/program.elf"])
def test_bombs_do_not_fill_memory(packs: list[Path], member: str) -> None:
    """A member of 600 MiB of zeros, in 600 KiB: refused by its size, or, as lines, by the length of a line."""
    with_header(packs[0], stamp={})
    with zipfile.ZipFile(packs[0]) as old:
        kept = {name: old.read(name) for name in old.namelist() if name != member}
    with zipfile.ZipFile(packs[0], "w", zipfile.ZIP_DEFLATED) as pack:
        for name, content in kept.items():
            pack.writestr(name, content)
        with pack.open(member, "w") as file:
            for _ in range(600):
                file.write(bytes(1 << 20))
    assert packs[0].stat().st_size < 1 << 20
    done = subprocess.run(
        [sys.executable, "-c", BOMB, str(packs[0])], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "1" if member == "points.jsonl" else "has more than" in done.stdout


def test_a_size_that_lies_is_damage(packs: list[Path]) -> None:
    """The list says 4 bytes, and more are packed: no more than said is read."""
    name = f"programs/programs/{KEY}/program.elf"
    put(packs[0], members(packs[0]) | {f"programs/programs/{KEY}/artifact.json": b"{}", name: bytes(10_000)})
    content = packs[0].read_bytes()
    size = (10_000).to_bytes(4, "little")
    place = content.rindex(size)
    packs[0].write_bytes(content[:place] + (4).to_bytes(4, "little") + content[place + 4 :])
    assert merge(packs).damaged == 1


def test_a_program_that_is_not_what_its_record_says_is_skipped(packs: list[Path], cache: Path) -> None:
    folder = f"programs/programs/{KEY}"
    record = {
        "sha256": hashlib.sha256(b"other").hexdigest(), "compiler_version": "x", "commands": [],
        "sizes": {"code_bytes": 1, "rodata_bytes": 0, "data_bytes": 0, "bss_bytes": 0, "static_instructions": None},
    }  # fmt: skip

    def packed(said: dict[str, Any]) -> dict[str, bytes]:
        return {f"{folder}/artifact.json": json.dumps(said).encode(), f"{folder}/program.elf": b"elf"}

    wrong: list[dict[str, Any]] = [
        record, {**record, "sizes": {}}, {**record, "more": 1}, {**record, "commands": [1]}, {},
    ]  # fmt: skip
    for each in wrong:
        put(packs[0], members(packs[0]) | packed(each))
        assert merge(packs).damaged == 1
    assert not (cache / "programs").exists()
    right = {**record, "sha256": hashlib.sha256(b"elf").hexdigest()}
    put(packs[0], members(packs[0]) | packed(right))
    assert merge(packs).programs == 1
    (program,) = (cache / "programs").rglob("program.elf")
    assert not program.stat().st_mode & 0o111
