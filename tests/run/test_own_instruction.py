"""An instruction nobody has built in: ten lines and a kernel in a folder, measured with no change anywhere else."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ciphermark.cli.app import app
from ciphermark.kernels import descriptions

from .real import needs_everything

pytestmark = needs_everything

DESCRIPTION = """\
import "Rotate.core_desc"
InstructionSet XXorRol extends Rotate {
    instructions {
        XORROL {
            encoding: 2'b00 :: n[4:0] :: rs2[4:0] :: rs1[4:0] :: 3'b000 :: rd[4:0] :: 7'b0101011;
            assembly: "{name(rd)}, {name(rs1)}, {name(rs2)}, {n}";
            behavior: X[rd] = (unsigned<XLEN>)(signed)rol32((unsigned<32>)(X[rs1] ^ X[rs2]), n);
        }
    }
}
"""

KERNEL = """\
#include "chacha20.h"
#include "xorrol.h"

static inline void quarter_round(unsigned long x[16], int a, int b, int c, int d)
{
    x[a] += x[b];
    x[d] = xorrol(x[d], x[a], 16);
    x[c] += x[d];
    x[b] = xorrol(x[b], x[c], 12);
    x[a] += x[b];
    x[d] = xorrol(x[d], x[a], 8);
    x[c] += x[d];
    x[b] = xorrol(x[b], x[c], 7);
}

void chacha20_block(uint32_t out[16], const uint32_t in[16])
{
    unsigned long x[16];

    for (int i = 0; i < 16; i++)
        x[i] = in[i];
    for (int round = 0; round < 20; round += 2) {
        quarter_round(x, 0, 4, 8, 12);
        quarter_round(x, 1, 5, 9, 13);
        quarter_round(x, 2, 6, 10, 14);
        quarter_round(x, 3, 7, 11, 15);
        quarter_round(x, 0, 5, 10, 15);
        quarter_round(x, 1, 6, 11, 12);
        quarter_round(x, 2, 7, 8, 13);
        quarter_round(x, 3, 4, 9, 14);
    }
    for (int i = 0; i < 16; i++)
        out[i] = x[i] + in[i];
}
"""

MANIFEST = """\
summary = "one block with rotations fused"
family = "chacha20"
algorithms = ["chacha20"]
operations = ["block"]
xlen = [32, 64]
isa = { 32 = "rv32i", 64 = "rv64i" }
sources = ["block.c"]
constant_time = true
origin = "RFC 8439"
licence = "CC0-1.0"
limits = ["aligned_block"]
"""


@pytest.fixture(autouse=True)
def cache(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the place of an empty one: the harness is built once."""
    monkeypatch.setenv("CIPHERMARK_CACHE", str(built))


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "block.c").write_text(KERNEL)
    (folder / "implementation.toml").write_text(MANIFEST)
    return folder


@pytest.fixture
def description(tmp_path: Path) -> Path:
    path = tmp_path / "xorrol.core_desc"
    path.write_text(DESCRIPTION)
    return path


@pytest.fixture
def measure() -> Callable[..., Result]:
    return lambda *arguments: CliRunner().invoke(
        app, ["measure", "chacha20", "--operation", "block", *map(str, arguments)]
    )


def test_ten_lines_and_a_kernel_are_measured(mine: Path, description: Path, measure: Callable[..., Result]) -> None:
    assert len(DESCRIPTION.splitlines()) <= 10
    done = measure("--impl", f"{mine},chacha20/zbb", "--isa", "rv64i_zbb", "--extension", description, "--json")
    assert done.exit_code == 0, done.stderr
    own, zbb = (json.loads(line) for line in done.stdout.splitlines())
    assert own["verified"]
    assert own["verdict"] == "ok"
    assert own["opcodes"]["xorrol"] == 320
    assert own["instructions"] < zbb["instructions"]
    assert "with XXorRol of xorrol.core_desc" in own["provenance"]
    assert zbb["verdict"] == "ok"
    assert "no Xxorrol instruction executed" in zbb["note"]


def test_the_manifest_says_the_same(mine: Path, description: Path, measure: Callable[..., Result]) -> None:
    given = json.loads(measure("--impl", mine, "--isa", "rv64i", "--extension", description, "--json").stdout)
    manifest = mine / "implementation.toml"
    manifest.write_text(manifest.read_text() + 'descriptions = ["xorrol.core_desc"]\n')
    (mine / description.name).write_text(DESCRIPTION)
    named = json.loads(measure("--impl", mine, "--isa", "rv64i", "--json").stdout)
    assert named["instructions"] == given["instructions"]
    assert "with XXorRol of xorrol.core_desc" in named["provenance"]


def test_what_the_package_carries_goes_by_name(measure: Callable[..., Result]) -> None:
    done = measure("--impl", "chacha20/reference", "--isa", "rv64i", "--extension", "chacha-v4", "--json")
    assert "XChaChaV4" in json.loads(done.stdout)["provenance"]


def test_another_meaning_is_a_wrong_answer(mine: Path, description: Path, measure: Callable[..., Result]) -> None:
    description.write_text(DESCRIPTION.replace("rol32", "ror32"))
    done = measure("--impl", mine, "--isa", "rv64i", "--extension", description)
    assert done.exit_code == 4
    assert "RFC 8439" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("(unsigned<32>)(X[rs1] ^ X[rs2])", "(X[rs1] ^ X[rs2])", "bits could be lost"),
        ("rs2[4:0]", "rs2[4:1]", "31"),
        ("Rotate.core_desc", "Rotation.core_desc", "Rotation.core_desc"),
    ],
)
def test_a_description_with_a_mistake(
    mine: Path, description: Path, measure: Callable[..., Result], old: str, new: str, says: str
) -> None:
    description.write_text(DESCRIPTION.replace(old, new))
    done = measure("--impl", mine, "--isa", "rv64i", "--extension", description)
    assert done.exit_code == 2
    assert says in done.stderr
    assert description.name in done.stderr


def test_a_file_that_is_not_there(mine: Path, measure: Callable[..., Result]) -> None:
    done = measure("--impl", mine, "--extension", "nowhere.core_desc")
    assert done.exit_code == 2
    assert "nowhere.core_desc" in done.stderr


def test_two_extensions_with_one_encoding_are_refused_naming_both(
    mine: Path, description: Path, tmp_path: Path, measure: Callable[..., Result]
) -> None:
    other = tmp_path / "other.core_desc"
    other.write_text(DESCRIPTION.replace("XXorRol", "XOther").replace("XORROL", "OTHER"))
    done = measure("--impl", mine, "--isa", "rv64i", "--extension", description, "--extension", other)
    assert done.exit_code == 2
    assert "`XORROL` of XXorRol" in done.stderr
    assert "`OTHER` of XOther" in done.stderr


def test_two_files_of_one_name_are_refused(
    mine: Path, description: Path, tmp_path: Path, measure: Callable[..., Result]
) -> None:
    (tmp_path / "again").mkdir()
    other = tmp_path / "again" / description.name
    other.write_text(DESCRIPTION)
    done = measure("--impl", mine, "--extension", description, "--extension", other)
    assert done.exit_code == 2
    assert "would both become the header xorrol.h" in done.stderr


def test_an_engine_that_cannot_know_it_refuses(mine: Path, description: Path, measure: Callable[..., Result]) -> None:
    done = measure("--impl", mine, "--isa", "rv64i", "--extension", description, "--engine", "qemu")
    assert done.exit_code in {2, 5}


def test_what_a_description_means_follows_its_imports_wherever_it_lies(tmp_path: Path) -> None:
    def written(folder: str, imported: str = DESCRIPTION) -> str:
        place = tmp_path / folder / "parts"
        place.mkdir(parents=True, exist_ok=True)
        (place / "part.core_desc").write_text(imported)
        whole = place.parent / "whole.core_desc"
        whole.write_text('import "parts/part.core_desc"\nInstructionSet XWhole extends XXorRol { }\n')
        return descriptions.digest([whole])

    first = written("here")
    (tmp_path / "here" / "beside.core_desc").write_text("InstructionSet XBeside { }")
    assert written("here") == first == written("there")
    assert written("here", DESCRIPTION.replace("3'b000", "3'b001")) != first
