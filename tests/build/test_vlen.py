"""VLEN: the rule that decides it, who refuses what, and that one binary is measured at each as it should be."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import measuring
from ciphermark import build, engines
from ciphermark.engines.bare_metal import EngineRun
from ciphermark.engines.qemu import Qemu, cpu
from ciphermark.errors import RunError, UsageError
from ciphermark.kernels import catalogue
from ciphermark.kernels.catalogue import Implementation
from ciphermark.notation import isa, vlen
from ciphermark.rows.model import Measured, Request, Target
from measuring import of_bare_metal

pytestmark = pytest.mark.usefixtures("native")

Targets = Callable[..., Target]

VECTOR = Path(__file__).parent / "fixtures" / "vector"
KIB = Request("aes-128-ecb", "encrypt", 1024)


@pytest.fixture
def vector() -> Implementation:
    return catalogue.load_implementation(VECTOR)


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[str, str, str], Implementation]:
    """A copy of the vector kernel in which one text of one file, which must be there, is replaced."""

    def change(file: str, old: str, new: str) -> Implementation:
        folder = tmp_path / "changed"
        shutil.copytree(VECTOR, folder)
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new, 1))
        return catalogue.load_implementation(folder)

    return change


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("128", (128,)),
        ("128,256", (128, 256)),
        ("128..1024", (128, 256, 512, 1024)),
        ("32, 65536", (32, 65536)),
        ([128, "512..1024", 128], (128, 512, 1024)),
    ],
)
def test_what_may_be_written(said: str | list[str | int], means: tuple[int, ...]) -> None:
    assert vlen.parse_vlens(said) == means


@pytest.mark.parametrize(
    "said", ["100", "0", "16", "131072", "-128", "", "1e3", "128..", "256..128", "128bits", "²", []]
)
def test_what_may_not(said: str | list[str | int]) -> None:
    with pytest.raises(ValueError, match=r"VLEN|downwards"):
        vlen.parse_vlens(said)


@pytest.mark.parametrize(
    ("isa_name", "given", "is_"),
    [
        ("rv64gcv", None, 128),
        ("rv64gcv_zvl512b", None, 512),
        ("rv64gcv_zvl256b_zvl512b", None, 512),
        ("rv64gcv_zvl256b", 1024, 1024),
        ("rv32i_zve32x", None, 128),
        ("rv32i_zve32x_zvl64b", None, 64),
        ("rv64gc_zkn", None, None),
        ("rv64gc_zkn", 256, None),
    ],
)
def test_the_vlen_of_a_core(isa_name: str, given: int | None, is_: int | None) -> None:
    assert vlen.of_core(isa_name, given) == is_


def test_a_core_has_at_least_what_its_isa_says() -> None:
    for isa_name, least in (("rv64gcv", 128), ("rv64gcv_zvl256b", 256), ("rv64i_zve64x", 64), ("rv32i_zve32x", 32)):
        assert vlen.too_small(isa_name, least) is None
        if least > vlen.SMALLEST:
            assert vlen.too_small(isa_name, least // 2) == (
                f"VLEN {least // 2} is below zvl{least}b, which {isa_name} has"
            )


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("min_vlen = 128", "min_vlen = 100", "not a power of two"),
        ("min_vlen = 128", 'min_vlen = "wide"', "min_vlen"),
        ('["zve32x", "zvkned"]', '["zkne"]', "names no vector extension"),
    ],
)
def test_manifests_that_are_refused(
    changed: Callable[[str, str, str], Implementation], old: str, new: str, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        changed("implementation.toml", old, new)


def test_what_qemu_is_told() -> None:
    told = cpu(isa.parse("rv64gcv_zvkned_zvl128b"), 512).split(",")
    assert told[0] == "rv64i"
    assert {"v=true", "zvkned=true", "vlen=512", "rvv_ta_all_1s=true", "rvv_ma_all_1s=true"} <= set(told)
    assert not any(flag.startswith("zvl") for flag in told)
    assert not any(flag.startswith(("vlen", "rvv")) for flag in cpu(isa.parse("rv64gc_zkn")).split(","))


def test_what_spike_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "my-spike"
    fake.write_text('#!/bin/sh\necho "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setenv("CIPHERMARK_SPIKE", str(fake))
    console = (
        of_bare_metal(engines.find("spike")).run(b"", "rv64gcv_zvkned", deadline_s=10.0, vlen=4096).console.decode()
    )
    assert console.startswith("--isa=rv64imafdcv_zvkned_zicntr_zicsr_zihpm_zvl4096b ")


@pytest.mark.parametrize(("name", "most"), [("qemu", 1024), ("spike", 4096)])
def test_an_engine_refuses_more_than_it_has(name: str, most: int) -> None:
    with pytest.raises(UsageError, match=f"VLEN {2 * most}: {name} has vector registers of at most {most} bits"):
        of_bare_metal(engines.find(name)).run(b"", "rv64gcv", deadline_s=1.0, vlen=2 * most)


def count(engine: engines.Engine, vector: Implementation, wanted: Target) -> Measured:
    artifact = build.build(vector, wanted)
    report = measuring.measure(engine, vector, artifact, wanted, [KIB])
    assert report.first_failure is None
    (measured,) = report.measured
    assert measured.verified
    return measured


@pytest.mark.parametrize("xlen", [32, 64])
def test_one_binary_at_every_vlen(engine: engines.Engine, vector: Implementation, target: Targets, xlen: int) -> None:
    lengths = [bits for bits in (128, 256, 512, 1024, 4096, 65536) if not engine.cannot_have(bits)]
    targets = [target(vector.isa[xlen], vlen=bits) for bits in lengths]
    assert len({build.build(vector, wanted).sha256 for wanted in targets}) == 1
    found = [count(engine, vector, wanted).instructions for wanted in targets]
    # 26 outside the loop, 23 for each register of data, one more for a register that is not filled.
    assert found == [26 + 23 * max(1, 8192 // bits) + (bits > 8192) for bits in lengths]


def test_a_core_with_another_vlen_is_noticed(qemu: engines.Engine, vector: Implementation, target: Targets) -> None:
    class Narrow(Qemu):
        def run(
            self, elf: bytes, isa: str, *, deadline_s: float, vlen: int | None = None, descriptions: Sequence[Path] = ()
        ) -> EngineRun:
            assert vlen == 512
            return super().run(elf, isa, deadline_s=deadline_s, vlen=256, descriptions=descriptions)

    wanted = target(vector.isa[64], vlen=512)
    artifact = build.build(vector, wanted)
    with pytest.raises(RunError, match="ran on vector registers of 256 bits, not of 512"):
        measuring.measure(Narrow(), vector, artifact, wanted, [KIB])


def test_qemu_has_vectors_only_with_v(qemu: engines.Engine, vector: Implementation, target: Targets) -> None:
    with pytest.raises(UsageError, match="qemu has vectors only with V"):
        count(qemu, vector, target("rv64i_zve32x_zvkned", vlen=128))


def test_a_core_without_vectors_traps(engine: engines.Engine, vector: Implementation, target: Targets) -> None:
    artifact = build.build(vector, target(vector.isa[64], vlen=128))
    with pytest.raises(RunError, match="illegal instruction"):
        measuring.measure(engine, vector, artifact, target("rv64i"), [KIB])


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("cipher.S", "    .globl aes_128_ecb_encrypt ", "    vxor.vv v1, v1, v2\n    .globl aes_128_ecb_encrypt "),
        ("cipher.S", "    vsetivli zero, 16, e8, m1, ta, ma\n    vle8.v v1, (a1)", "    vle8.v v1, (a1)"),
        ("cipher.S", "    vaesz.vs v1, v10", "    vxor.vv v1, v1, v9\n    vaesz.vs v1, v10"),
    ],
    ids=["harmless", "takes vl and vtype for granted", "takes a register for zero"],
)
def test_nothing_is_left_in_vector_registers_for_the_next_call(
    qemu: engines.Engine,
    changed: Callable[[str, str, str], Implementation],
    target: Targets,
    request: pytest.FixtureRequest,
    file: str,
    old: str,
    new: str,
) -> None:
    implementation = changed(file, old, new)
    wanted = target(implementation.isa[64], vlen=256)
    artifact = build.build(implementation, wanted)
    report = measuring.measure(qemu, implementation, artifact, wanted, [KIB])
    assert (report.first_failure is None) == ("harmless" in request.node.name)
