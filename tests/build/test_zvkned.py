"""The Zvkned kernels at every VLEN: random messages whose lengths lie about their groups of registers, and counts.

The harness tries each message in place and at unaligned addresses too; what the agnostic policies leave open is ones.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

import measuring
from ciphermark import build, embedded, engines
from ciphermark.errors import UsageError
from ciphermark.kernels import catalogue
from ciphermark.kernels.catalogue import Implementation
from ciphermark.kernels.family import Algorithm, Operation
from ciphermark.rows.model import Request, Target, Vector

pytestmark = pytest.mark.usefixtures("native")

Targets = Callable[..., Target]

IMPLEMENTATIONS = [one.name for one in catalogue.list_implementations() if "zvkned" in one.requires]
VLENS = [128, 256, 512, 1024, 2048, 4096]
LARGEST = 65536


def lengths(block: int, vlen: int) -> set[int]:
    """Whole blocks: about one group of four registers, eight and sixteen, and some of each together."""
    register = vlen // 8
    edges = {registers * register + step * block for registers in (4, 8, 16) for step in (-1, 0, 1)}
    return {length // block * block for length in edges | {block, 29 * register}}


def counters(rng: random.Random) -> Iterator[bytes]:
    """Whose last byte, last word, last doubleword and all of which wrap soon, and one that is far from it."""
    for wrapping in (1, 4, 8, 15, 16):
        yield rng.randbytes(16 - wrapping) + b"\xff" * (wrapping - 1) + bytes([rng.randrange(128, 256)])
    yield bytes(16)


def messages(algorithm: Algorithm, operation: Operation, vlen: int) -> Iterator[Vector]:
    rng = random.Random(f"{algorithm.name} {operation.name} {vlen}")
    fixed = algorithm.fixed_size(operation.name)
    sizes = {fixed} if fixed else lengths(algorithm.block_bytes, vlen)
    if operation.sizes == "any":
        sizes = {size + rng.randrange(algorithm.block_bytes) for size in sizes}
    ivs = [b""]
    if operation.iv_after:
        ivs = list(counters(rng)) if operation.iv_after == "big-endian-counter" else [rng.randbytes(16)]
    reference = embedded.engine().reference_output
    for number, size in enumerate(sorted(sizes)):
        key, iv, data = rng.randbytes(algorithm.key_bytes), ivs[number % len(ivs)], rng.randbytes(size)
        expected = bytes(reference(algorithm.name, operation.name, key, iv, data))
        yield Vector(algorithm.name, operation.name, key, iv, data, expected, f"random message of {size} bytes")


def all_messages(implementation: Implementation, vlen: int) -> list[Vector]:
    calls = {operation.call: (algorithm, operation) for algorithm, operation in implementation.provided()}
    return [
        vector
        for algorithm, operation in calls.values()
        if operation.result == "out"
        for vector in messages(algorithm, operation, vlen)
    ]


@pytest.mark.parametrize("vlen", VLENS)
@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_random_messages(engine: engines.Engine, target: Targets, name: str, vlen: int) -> None:
    implementation = catalogue.load_implementation(name)
    wanted = target(implementation.default_isa, vlen=vlen)
    artifact = build.build(implementation, wanted)
    vectors = all_messages(implementation, vlen)
    try:
        report = measuring.measure(engine, implementation, artifact, wanted, [], vectors)
    except UsageError as error:
        if vlen <= 1024:
            raise
        pytest.skip(error.message)
    assert report.first_failure is None
    assert report.vectors_passed == len(vectors)


@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_known_answers_at_the_largest_vlen(sim: engines.Engine, target: Targets, name: str) -> None:
    implementation = catalogue.load_implementation(name)
    wanted = target(implementation.default_isa, vlen=LARGEST)
    report = measuring.measure(sim, implementation, build.build(implementation, wanted), wanted, [])
    assert report.first_failure is None
    assert report.vectors_passed > 0


def instructions(sim: engines.Engine, target: Targets, name: str, algorithm: str, vlen: int) -> dict[str, int | None]:
    """Of key expansion, and of either direction on 1 KiB."""
    implementation = catalogue.load_implementation(name)
    wanted = target(implementation.default_isa, vlen=vlen)
    requests = [
        Request(algorithm, "expand-key", 32), Request(algorithm, "encrypt", 1024), Request(algorithm, "decrypt", 1024),
    ]  # fmt: skip
    report = measuring.measure(sim, implementation, build.build(implementation, wanted), wanted, requests)
    assert report.first_failure is None
    assert all(measured.verified for measured in report.measured)
    return {measured.request.operation: measured.instructions for measured in report.measured}


@pytest.mark.parametrize(
    ("name", "algorithm", "published"),
    [
        ("aes/zvkned-m1", "aes-256-ecb", {"expand-key": 58, "encrypt": 775, "decrypt": 775}),
        ("rijndael256/zvkned-m1", "rijndael-256-ecb", {"expand-key": 123, "encrypt": 2059, "decrypt": 2059}),
    ],
)
def test_published_counts_less_their_call(
    sim: engines.Engine, target: Targets, name: str, algorithm: str, published: dict[str, int]
) -> None:
    """What was published contains `jal` and the moves of the arguments, two or four (rounded down, a mean of 100)."""
    calls = {"expand-key": (2, 3), "encrypt": (5,), "decrypt": (5,)}
    for operation, own in instructions(sim, target, name, algorithm, 256).items():
        assert own is not None
        assert published[operation] - own in calls[operation]


@pytest.mark.parametrize(
    ("name", "algorithm", "bound"),
    [("aes/zvkned", "aes-256-ecb", 150), ("rijndael256/zvkned", "rijndael-256-ecb", 700)],
)
def test_a_longer_vector_is_never_more_instructions(
    sim: engines.Engine, target: Targets, name: str, algorithm: str, bound: int
) -> None:
    counts = [instructions(sim, target, name, algorithm, vlen) for vlen in (256, 512, 1024, 2048)]
    for operation in ("encrypt", "decrypt"):
        series = [count[operation] or 0 for count in counts]
        assert 0 < series[0] <= bound
        assert series[1] <= series[0]
        assert series == sorted(series, reverse=True)
        assert series[2] < series[1]
