"""Wrong files where the command line takes a description, a study or a manifest: a short message at once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ciphermark
from ciphermark import build, toolchain
from ciphermark.errors import UsageError
from ciphermark.kernels import catalogue, descriptions
from ciphermark.notation import manifest
from ciphermark.rows.model import Target
from ciphermark.study.load import find as find_study
from ciphermark.study.load import load
from ciphermark.study.schema import Study

from .real import needs_everything

MOST_MESSAGE = 64 << 10
MOST_NAME = 10_000
MOST_MEMORY = 2 << 30
"""Of the whole address space; the interpreter and its libraries have a good part of it."""


def bounded(*arguments: object, folder: Path) -> "subprocess.CompletedProcess[bytes]":
    """The command within a bound on memory."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({MOST_MEMORY}, {MOST_MEMORY}))"
    code = f"{limit}; import sys; from ciphermark.__main__ import main; sys.exit(main())"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=120, check=False, cwd=folder)


def make_wrong(folder: Path, what: str) -> Path:
    path = folder / "wrong.core_desc"
    match what:
        case "zeros":
            path.write_bytes(bytes(20_000))
        case "program":
            path.write_bytes(Path(sys.executable).resolve().read_bytes()[: 3 << 20])
        case "garbage":
            path.write_text("#\n" * 100_000)
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "device":
            path.symlink_to("/dev/zero")
        case _:
            depth = 5_000
            path.write_text(
                "InstructionSet A { instructions { I { encoding: 32'd11; behavior: "
                f"{{ unsigned<8> x = {'(' * depth}1{')' * depth}; }} }} }} }}"
            )
    return path


WRONG = ["zeros", "program", "garbage", "pipe", "folder", "device", "deep"]
SAID = {
    "zeros": b"byte 0 is NUL",
    "program": b"is NUL",
    "garbage": b"more",
    "deep": b"deep",
    "pipe": b"regular file",
    "folder": b"a folder",
    "device": b"regular file",
}


TRIED = [*(("sim", what) for what in WRONG), *(("check", what) for what in WRONG), ("measure", "zeros"),
         ("measure", "pipe"), ("doc", "device")]  # fmt: skip


@needs_everything
@pytest.mark.parametrize(("command", "what"), TRIED)
def test_a_wrong_description(tmp_path: Path, command: str, what: str) -> None:
    path = make_wrong(tmp_path, what)
    program = build.build(catalogue.load_implementation("aes/ttable"), Target("rv64i", "lp64", "zig", "O2")).elf
    arguments = {
        "check": ["extension", "check", path],
        "doc": ["extension", "doc", path],
        "sim": ["sim", "--extension", path, program],
        "measure": ["measure", "aes-128-ecb", "--impl", "ttable", "--extension", path],
    }[command]
    done = bounded(*arguments, folder=tmp_path)
    assert done.returncode in {1, 2}
    said = done.stdout + done.stderr
    assert len(said) < MOST_MESSAGE
    assert b"Traceback" not in said
    # The engine reads what `sim` is given, in its own words.
    words = {"folder": b"directory", "pipe": b"not a regular", "device": b"not a regular"} if command == "sim" else {}
    assert words.get(what, SAID[what]) in b" ".join(said.replace(b"|", b" ").split())


@needs_everything
@pytest.mark.parametrize("what", ["zeros", "pipe", "device"])
def test_a_wrong_description_that_is_imported(tmp_path: Path, what: str) -> None:
    make_wrong(tmp_path, what)
    own = tmp_path / "own.core_desc"
    own.write_text('import "wrong.core_desc" InstructionSet B { }')
    done = bounded("extension", "check", own, folder=tmp_path)
    assert done.returncode == 1
    assert len(done.stdout) < MOST_MESSAGE
    assert b"wrong.core_desc" in done.stdout
    assert b"Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "what", ["deep", "dots", "table", "number", "pipe", "folder", "device", "zeros", "long", "many"]
)
def test_a_wrong_toml_file(tmp_path: Path, what: str) -> None:
    path = tmp_path / "wrong.toml"
    match what:
        case "deep":
            path.write_text(f"x = {'[' * 100_000}{']' * 100_000}")
        case "dots":
            path.write_text("a." * 100_000 + "a = 1")
        case "table":
            path.write_text(f"[{'a . ' * 100_000}a]")
        case "number":
            path.write_text(f"x = {'9' * 10_000}")
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "device":
            path.symlink_to("/dev/zero")
        case "zeros":
            path.write_bytes(bytes(1000))
        case "many":
            path.write_text("[[claims.ratio]]\n" * 100_000)
        case _:
            path.write_text("#" * (9 << 20))
    with pytest.raises(UsageError) as raised:
        manifest.load(path, Study)
    assert str(path) in raised.value.message
    assert len(raised.value.message) < MOST_MESSAGE


@pytest.mark.parametrize(
    "name",
    ["a" * 300, "aes/" + "a/" * 3000, "./" + "b" * 300, "~nobody-of-this-name/x", "a\0b", "/dev/null/x"],
    ids=["long", "deep", "long-path", "home", "nul", "below-a-file"],
)
def test_a_name_that_no_file_can_bear(tmp_path: Path, name: str) -> None:
    for read in (
        catalogue.load_implementation,
        find_study,
        toolchain.resolve,
        lambda it: descriptions.find(it, tmp_path),
    ):
        with pytest.raises(UsageError) as raised:
            read(name)
        assert len(raised.value.message) < MOST_NAME


def test_a_circle_of_links_in_a_names_place(tmp_path: Path) -> None:
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    with pytest.raises(UsageError, match="symbolic links"):
        catalogue.load_implementation(circle)


STUDY = """
id = "many"
title = "Many sizes"
question = "How many?"
[[matrix]]
implementations = ["aes/ttable"]
compilers = [{{ name = "zig", opts = ["O2"] }}]
algorithms = ["aes-128-ecb"]
operations = ["encrypt"]
sizes = {sizes}
"""


def test_300_000_sizes(tmp_path: Path) -> None:
    path = tmp_path / "many.toml"
    path.write_text(STUDY.format(sizes=[16 * size for size in range(1, 300_001)]))
    with pytest.raises(UsageError, match=r"more than 10,000 sizes"):
        load(path)


@needs_everything
@pytest.mark.parametrize("size", ["4G", "1024G"])
@pytest.mark.parametrize("engine", ["sim", "host"])
def test_a_size_that_no_job_can_hold(size: str, engine: str) -> None:
    with pytest.raises(UsageError, match="cannot be measured: the harness counts bytes in 32 bits"):
        ciphermark.measure("aes-128-ecb", implementations=["ttable"], sizes=size, engines=[engine])


MANIFEST = """
summary = "x"
family = "aes"
algorithms = ["aes-128-ecb"]
operations = ["encrypt"]
xlen = [64]
isa = {{ 64 = "rv64i" }}
sources = ["{sources}"]
constant_time = false
origin = "x"
licence = "x"
"""


@pytest.mark.parametrize("sources", ["../**", "../**/*.c", "../*/x.c", "../../**", "", "**.c", "\\u0000", "*", "../"])
def test_sources_that_are_elsewhere_or_nowhere(tmp_path: Path, sources: str) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.c").write_text("")
    (folder / "implementation.toml").write_text(MANIFEST.format(sources=sources))
    with pytest.raises(UsageError, match="sources: ") as raised:
        catalogue.load_implementation(folder)
    assert "implementation.toml" in raised.value.message


def test_sources_beside_the_folder_may_be_named(tmp_path: Path) -> None:
    folder, other = tmp_path / "own", tmp_path / "other"
    for each in (folder, other):
        each.mkdir()
        (each / "x.c").write_text("")
    (folder / "implementation.toml").write_text(MANIFEST.format(sources="../other/*.c"))
    assert catalogue.load_implementation(folder).sources == ((other / "x.c").resolve(),)
