"""The harness under every engine: what it accepts, what it refuses and how, and that it counts exactly."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import measuring
from ciphermark import build, engines
from ciphermark.engines.bare_metal import EngineRun
from ciphermark.engines.sim import Sim
from ciphermark.errors import MismatchError, RunError, UsageError
from ciphermark.harness import answers
from ciphermark.kernels import catalogue
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import Measured, Request, Target, Vector

from .conftest import built

pytestmark = pytest.mark.usefixtures("native")

Targets = Callable[..., Target]
Change = Callable[[str, str], Implementation]
Engine = engines.Engine

FILL_THE_STACK = "volatile uint8_t big[65530]; for (unsigned i = 0; i < sizeof big; i++) big[i] = 1; "

VLENS = (128, 256, 512, 1024, 2048, 4096)
"""At each of them every implementation that needs vectors must hold its vectors, in one binary."""

BLOCK = Request("aes-128-ecb", "block", 16)


def run(engine: Engine, implementation: Implementation, target: Target, *requests: Request) -> tuple[Measured, ...]:
    artifact = build.build(implementation, target)
    report = measuring.measure(engine, implementation, artifact, target, requests)
    assert report.first_failure is None
    assert report.vectors_passed > 5
    return report.measured


def first_failure(engine: Engine, implementation: Implementation, target: Target) -> str:
    artifact = build.build(implementation, target)
    report = measuring.measure(engine, implementation, artifact, target, [BLOCK])
    assert report.measured == ()
    assert report.first_failure is not None
    return report.first_failure


@pytest.mark.parametrize("isa", ["rv32i", "rv64i", "rv32imc_zbb", "rv64i_zkn"])
def test_a_right_kernel_is_verified_and_measured(
    engine: Engine, tiny: Implementation, target: Targets, compiler: str, isa: str
) -> None:
    sizes = (0, 16, 32, 48)
    requests = [Request("aes-128-ecb", "encrypt", size) for size in sizes]
    measured = run(engine, tiny, target(isa, compiler), BLOCK, Request("aes-128-ecb", "expand-key", 16), *requests)
    assert all(m.verified and m.failure is None for m in measured)
    assert all(m.call_instructions == 2 for m in measured)
    assert all(m.cycles is None for m in measured)
    counts = [m.instructions for m in measured[2:]]
    assert counts[0] is not None
    assert 1 <= counts[0] < 30
    assert all(count is not None for count in counts)
    assert all(m.stack_bytes is not None and 32 <= m.stack_bytes < 1024 for m in measured[3:])


def test_counts_do_not_depend_on_what_else_the_job_holds(engine: Engine, tiny: Implementation, target: Targets) -> None:
    other = Request("aes-128-ecb", "encrypt", 4096)
    alone = run(engine, tiny, target("rv32i"), BLOCK)[0]
    among = run(engine, tiny, target("rv32i"), other, BLOCK, other, BLOCK)
    assert [among[1], among[3]] == [alone, alone]
    assert among[0] == among[2]


def test_what_running_cost_is_the_emulators(qemu: Engine, tiny: Implementation, target: Targets) -> None:
    artifact = build.build(tiny, target("rv32i"))
    report = measuring.measure(qemu, tiny, artifact, target("rv32i"), [BLOCK])
    assert report.cost is not None
    assert report.cost.wall_s > 0
    assert report.cost.max_rss_kib > 1000
    assert "QEMU" in report.engine_version


@pytest.mark.parametrize("isa", ["rv32i", "rv64i"])
def test_a_one_bit_error_is_refused_with_the_vector(
    engine: Engine, changed_tiny: Change, target: Targets, compiler: str, isa: str
) -> None:
    failure = first_failure(engine, changed_tiny("return s ^ 0x63;", "return s ^ 0x62;"), target(isa, compiler))
    assert failure.startswith("aes-128-ecb block, FIPS 197 B: wrong output from byte 0: expected 3925841d02dc09fb")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("memmove(out, state, 16);", "memmove(out, state, 16); out[16] = 1;", "wrote outside its output"),
        ("memmove(out, state, 16);", "memmove(out, state, 16); out[-1] = 1;", "wrote outside its output"),
        ("memcpy(state, in, 16);", "memcpy(state, in, 16); ((uint8_t *)in)[3] = 0;", "changed its input"),
        ("memcpy(w, key, 16);", "memcpy(w, key, 16); ((uint8_t *)key)[0] = 9;", "changed the key"),
        ("memcpy(w, key, 16);", 'memcpy(w, key, 16); __asm__ volatile("li s5, 1");', "a saved register"),
        ("memcpy(w, key, 16);", 'memcpy(w, key, 16); __asm__ volatile("li tp, 1");', "a saved register"),
    ],
)
def test_bad_manners_are_refused(
    engine: Engine, changed_tiny: Change, target: Targets, old: str, new: str, words: str
) -> None:
    assert words in first_failure(engine, changed_tiny(old, new), target("rv32i"))


def test_a_stack_that_overflows_is_named(engine: Engine, changed_tiny: Change, target: Targets) -> None:
    """By the trap, since no memory is below it."""
    deep = changed_tiny("memcpy(state, in, 16);", FILL_THE_STACK + "memcpy(state, in, 16);")
    artifact = build.build(deep, target("rv32i"))
    with pytest.raises(RunError, match="overflowed its stack of 64 KiB"):
        measuring.measure(engine, deep, artifact, target("rv32i"), [BLOCK])


def test_in_place_is_part_of_every_vector(engine: Engine, changed_tiny: Change, target: Targets) -> None:
    in_two_steps = changed_tiny("memmove(out, state, 16);", "memmove(out, state, 16); out[5] ^= in[5] ^ in[5];")
    run(engine, in_two_steps, target("rv32i"), BLOCK)


def test_reading_the_input_after_writing_the_output(engine: Engine, changed_tiny: Change, target: Targets) -> None:
    late = changed_tiny(
        "    memmove(out, state, 16);",
        "    uint8_t before = in[0]; memmove(out, state, 16);    out[0] ^= before ^ ((volatile const uint8_t *)in)[0];",
    )
    assert "(in place): wrong output" in first_failure(engine, late, target("rv32i"))


def test_a_trap_is_reported_with_what_was_under_way(engine: Engine, changed_tiny: Change, target: Targets) -> None:
    traps = changed_tiny("memcpy(state, in, 16);", 'memcpy(state, in, 16); __asm__ volatile(".word 0xffffffff");')
    artifact = build.build(traps, target("rv32i"))
    with pytest.raises(RunError, match="illegal instruction at 0x8") as caught:
        measuring.measure(engine, traps, artifact, target("rv32i"), [BLOCK])
    assert "while verifying aes-128-ecb block, FIPS 197 B" in caught.value.message


def test_an_extension_the_core_lacks_traps(engine: Engine, target: Targets) -> None:
    kernel = catalogue.load_implementation("aes/zkne64")
    artifact = build.build(kernel, target("rv64i_zkn"))
    with pytest.raises(RunError, match="illegal instruction"):
        measuring.measure(engine, kernel, artifact, target("rv64i"), [BLOCK])


def test_a_kernel_that_never_returns_meets_the_deadline(engine: Engine, changed_tiny: Change, target: Targets) -> None:
    stuck = changed_tiny("memcpy(state, in, 16);", 'memcpy(state, in, 16); for (;;) __asm__ volatile("");')
    artifact = build.build(stuck, target("rv32i"))
    with pytest.raises(RunError, match="did not finish within 1 s"):
        measuring.measure(engine, stuck, artifact, target("rv32i"), [BLOCK], deadline_s=1.0)


def test_counts_hold_when_the_counters_low_half_overflows(
    engine: Engine, tiny: Implementation, changed_tiny: Change, target: Targets
) -> None:
    """The expansion of the key sets the counter so that the timed call carries into its high half."""
    carries = changed_tiny(
        "memcpy(w, key, 16);",
        'memcpy(w, key, 16); __asm__ volatile("li t0, -30000\\n .word 0xb8201073, 0xb0229073" ::: "t0");',
    )
    request = Request("aes-128-ecb", "encrypt", 256)
    right, carried = (run(engine, kernel, target("rv32i"), request)[0].instructions for kernel in (tiny, carries))
    assert right is not None
    assert carried is not None
    # How many a kernel of this family takes depends on its data, by a few in a thousand.
    assert abs(right - carried) < right // 100


def test_requests_that_are_not_offered(engine: Engine, tiny: Implementation, target: Targets) -> None:
    artifact = build.build(tiny, target("rv32i"))
    for request, message in [
        (Request("aes-128-ecb", "decrypt", 16), "does not offer aes-128-ecb decrypt"),
        (Request("aes-128-ecb", "encrypt", 17), "whole blocks of 16"),
        (Request("aes-128-ecb", "block", 32), "takes 16 bytes"),
    ]:
        with pytest.raises(UsageError, match=message):
            measuring.measure(engine, tiny, artifact, target("rv32i"), [request])


def test_what_no_vector_covers_is_not_verified(engine: Engine, tiny: Implementation, target: Targets) -> None:
    artifact = build.build(tiny, target("rv32i"))
    given = [vector for vector in answers.vectors_of(tiny) if vector.operation == "encrypt"]
    report = measuring.measure(engine, tiny, artifact, target("rv32i"), [BLOCK], given)
    [measured] = report.measured
    assert not measured.verified
    assert measured.instructions is None
    assert measured.failure is not None
    assert "no known answer for aes-128-ecb block" in measured.failure


def test_a_vector_of_another_algorithm_is_refused(engine: Engine, tiny: Implementation, target: Targets) -> None:
    artifact = build.build(tiny, target("rv32i"))
    foreign = Vector("aes-256-ecb", "block", bytes(32), b"", bytes(16), bytes(16), "a test")
    with pytest.raises(UsageError, match="does not offer aes-256-ecb block"):
        measuring.measure(engine, tiny, artifact, target("rv32i"), [BLOCK], [foreign])


def test_known_answers_cover_every_length_a_mode_allows(tiny: Implementation) -> None:
    lengths = {len(vector.data) for vector in answers.vectors_of(tiny) if vector.operation == "encrypt"}
    assert lengths == {0, 16, 32, 48, 64, 560}


def test_limits_of_an_implementation_narrow_its_vectors() -> None:
    everything = catalogue.load_implementation("aes/sbox")
    ctr = [v for v in answers.vectors_of(everything) if v.algorithm == "aes-128-ctr"]
    assert any(len(vector.data) % 16 for vector in ctr)
    whole = replace(everything, limits=("whole_blocks",))
    assert not [vector for vector in answers.vectors_of(whole) if len(vector.data) % 16]


def test_opcodes_are_the_bodys_and_add_up(sim: Engine, tiny: Implementation, target: Targets) -> None:
    empty, block, expansion = run(
        sim,
        tiny,
        target("rv32i"),
        Request("aes-128-ecb", "encrypt", 0),
        BLOCK,
        Request("aes-128-ecb", "expand-key", 16),
    )
    for measured in (empty, block, expansion):
        assert measured.opcodes is not None
        assert sum(measured.opcodes.values()) == measured.instructions
        assert not any(name.startswith("csr") for name in measured.opcodes)
        assert measured.opcodes["jalr"] >= 1


def test_an_engine_that_contradicts_its_own_counter(sim: Engine, tiny: Implementation, target: Targets) -> None:
    class Miscounting(Sim):
        def run(
            self, elf: bytes, isa: str, *, deadline_s: float, vlen: int | None = None, descriptions: Sequence[Path] = ()
        ) -> EngineRun:
            honest = super().run(elf, isa, deadline_s=deadline_s, vlen=vlen, descriptions=descriptions)
            assert honest.rois is not None
            return replace(honest, rois=(*honest.rois[:-1], replace(honest.rois[-1], instructions=1)))

    artifact = build.build(tiny, target("rv32i"))
    with pytest.raises(MismatchError, match="its own counter says"):
        measuring.measure(Miscounting(), tiny, artifact, target("rv32i"), [BLOCK])


def test_a_block_that_needs_aligned_data_may_say_so(engine: Engine, changed_tiny: Change, target: Targets) -> None:
    particular = changed_tiny(
        "uint8_t state[16], rows[16];", "uint8_t state[16], rows[16]; if (((uintptr_t)in | (uintptr_t)out) & 3) return;"
    )
    artifact = build.build(particular, target("rv32i"))
    blocks = [vector for vector in answers.vectors_of(particular) if vector.operation == "block"]
    for limited, fails in ((particular, True), (replace(particular, limits=("aligned_block",)), False)):
        report = measuring.measure(engine, limited, artifact, target("rv32i"), [], blocks)
        assert (report.first_failure is not None) == fails


@pytest.mark.parametrize("name", [one.name for one in catalogue.list_implementations() if one.bare_metal])
def test_every_implementation_holds_its_vectors(engine: Engine, target: Targets, compiler: str, name: str) -> None:
    implementation = catalogue.load_implementation(name)
    for xlen, bits in itertools.product(implementation.xlen, VLENS if implementation.vector else (None,)):
        if engine.cannot_have(bits):
            continue
        wanted = target(implementation.isa[xlen], compiler, vlen=bits)
        artifact = built(implementation, wanted)
        if implementation.descriptions and engine.name != "sim":
            with pytest.raises(UsageError, match="core_desc"):
                measuring.measure(engine, implementation, artifact, wanted, [])
            continue
        report = measuring.measure(engine, implementation, artifact, wanted, [])
        assert report.first_failure is None
        assert report.vectors_passed == len(answers.vectors_of(implementation))
