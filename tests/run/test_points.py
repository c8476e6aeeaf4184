import errno
import fcntl
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ciphermark.errors import CacheError
from ciphermark.rows.model import EngineCost, Measured, Request
from ciphermark.store.points import PointIdentity, PointStore, StoredPoint

REQUEST = Request("aes-128-ecb", "encrypt", 64)
POINT = StoredPoint(
    Measured(REQUEST, True, 12840, 3, None, 128, {"lbu": 12836, "xor": 4}, None),
    "fake 1", 12, "run", EngineCost(1.5, 1.0, 0.25, 4096),
)  # fmt: skip
IDENTITY = PointIdentity("e" * 64, "rv32i", None, "sim", "fake 1", "v" * 64, "d" * 64, REQUEST)
KEY = IDENTITY.key()


def test_what_is_put_is_got(tmp_path: Path) -> None:
    store = PointStore(tmp_path)
    assert store.get(KEY) is None
    store.put(KEY, POINT)
    assert store.get(KEY) == POINT
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [f"{KEY}.json"]


def test_opcodes_have_one_order_before_and_after(tmp_path: Path) -> None:
    store = PointStore(tmp_path)
    store.put(KEY, replace(POINT, measured=replace(POINT.measured, opcodes={"addi": 4, "xor": 4, "lbu": 12836})))
    found = store.get(KEY)
    assert found is not None and found.measured.opcodes is not None
    fresh = replace(POINT.measured, opcodes={"xor": 4, "addi": 4, "lbu": 12836})
    assert fresh.opcodes is not None
    assert list(fresh.opcodes) == list(found.measured.opcodes) == ["lbu", "addi", "xor"]


@pytest.mark.parametrize(
    "other",
    [
        replace(IDENTITY, elf_sha256="f" * 64),
        replace(IDENTITY, isa="rv32i_zbb"),
        replace(IDENTITY, vlen=128),
        replace(IDENTITY, engine="qemu"),
        replace(IDENTITY, engine_build="fake 2"),
        replace(IDENTITY, vectors_sha256="w" * 64),
        replace(IDENTITY, request=replace(REQUEST, size=128)),
        replace(IDENTITY, request=replace(REQUEST, operation="decrypt")),
    ],
)
def test_everything_that_determines_a_point_is_in_its_key(other: PointIdentity) -> None:
    assert other.key() != KEY


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_anywhere_is_found(tmp_path: Path, data: st.DataObject) -> None:
    store = PointStore(tmp_path)
    store.put(KEY, POINT)
    path = store.path(KEY)
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    assert store.get(KEY) in (None, POINT)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"payload": 1}', b"[" * 100_000])
def test_rubbish_is_absent(tmp_path: Path, content: bytes) -> None:
    store = PointStore(tmp_path)
    store.put(KEY, POINT)
    store.path(KEY).write_bytes(content)
    assert store.get(KEY) is None


def test_a_truncated_or_renamed_entry_is_absent(tmp_path: Path) -> None:
    store = PointStore(tmp_path)
    store.put(KEY, POINT)
    content = store.path(KEY).read_bytes()
    other = replace(IDENTITY, engine="qemu").key()
    store.path(other).parent.mkdir(parents=True, exist_ok=True)
    store.path(other).write_bytes(content)
    assert store.get(other) is None
    store.path(KEY).write_bytes(content[:-10])
    assert store.get(KEY) is None


def test_a_changed_figure_is_found(tmp_path: Path) -> None:
    store = PointStore(tmp_path)
    store.put(KEY, POINT)
    entry = json.loads(store.path(KEY).read_bytes())
    entry["payload"]["measured"]["instructions"] = 1
    store.path(KEY).write_text(json.dumps(entry))
    assert store.get(KEY) is None


@pytest.mark.parametrize("failing", ["write_bytes", "replace"])
def test_a_full_disk_is_one_clear_error_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    store = PointStore(tmp_path)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if failing == "write_bytes":
        monkeypatch.setattr(Path, "write_bytes", full)
    else:
        monkeypatch.setattr(os, "replace", full)
    with pytest.raises(CacheError) as raised:
        store.put(KEY, POINT)
    assert "no space left" in raised.value.message
    assert "kept" in raised.value.hint
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert store.get(KEY) is None


@pytest.mark.parametrize("kind", ["folder", "full folder", "pipe", "dangling link"])
def test_what_is_no_file_in_a_point_s_place(tmp_path: Path, kind: str) -> None:
    store = PointStore(tmp_path)
    place = store.path(KEY)
    place.parent.mkdir(parents=True)
    match kind:
        case "folder":
            place.mkdir()
        case "full folder":
            (place / "in" / "it").mkdir(parents=True)
        case "pipe":
            os.mkfifo(place)
        case _:
            place.symlink_to("nowhere")
    assert store.get(KEY) is None
    store.put(KEY, POINT)
    assert store.get(KEY) == POINT


def test_what_killed_processes_left_is_swept(tmp_path: Path) -> None:
    store = PointStore(tmp_path)
    place = store.path(KEY)
    place.parent.mkdir(parents=True)
    old, used, young = (place.with_name(f".{KEY}.json.{name}.part") for name in ("old", "used", "young"))
    for path in (old, used, young):
        path.write_bytes(b"half")
        if path != young:
            os.utime(path, (0, 0))
    with used.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        store.sweep()
    assert sorted(place.parent.iterdir()) == sorted([used, young])


def test_a_store_that_may_not_be_written_is_told_and_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = PointStore(tmp_path)
    store.put(KEY, POINT)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    why = store.keep({KEY: POINT})
    assert why is not None
    assert "Read-only file system" in why
    assert store.get(KEY) == POINT
