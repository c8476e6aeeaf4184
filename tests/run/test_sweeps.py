"""Studies that say ranges, sets of flags and samples instead of lists."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import ciphermark
from ciphermark import build
from ciphermark.errors import UsageError
from ciphermark.execution.study_run import run_study
from ciphermark.kernels import catalogue
from ciphermark.notation.ranges import parse_numbers
from ciphermark.study.expand import Point, bare_metal_target, expand
from ciphermark.study.load import load
from ciphermark.study.sample import Sample

from .fake_world import World
from .real import needs_everything

WIDE = """
id = "wide"
title = "Wide"
question = "Which of many?"

[[matrix]]
implementations = ["aes/sbox", "aes/fixslice", "aes/ttable"]
isas = ["rv32i", "rv32i_zbb", "rv64i", "rv64i_zbb"]
compilers = [{ name = "zig", opts = ["O2", "Os"], flags = ["", "-funroll-loops", "-fno-inline -funroll-loops"] }]
algorithms = ["aes-128-ecb", "aes-128-cbc"]
operations = ["encrypt", "decrypt"]
sizes = "16..4K"
"""
"""3 implementations, 4 ISAs, 6 levels, 2 algorithms, 2 operations, 9 sizes: 2592 points."""


def points(path: Path, *engines: str) -> tuple[Point, ...]:
    return expand(load(path), engines).points


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (7, (7,)), ("7", (7,)), ("1..64", (1, 2, 4, 8, 16, 32, 64)), ("10..50 step 10", (10, 20, 30, 40, 50)),
        ([1, "3..12", 3], (1, 3, 6, 12)), ("0..4 step 2,9", (0, 2, 4, 9)), ("5..5", (5,)),
    ],
)  # fmt: skip
def test_ranges_of_numbers(text: str | int | list[str | int], numbers: tuple[int, ...]) -> None:
    assert parse_numbers(text) == numbers


@pytest.mark.parametrize(
    "text",
    ["", "64..1", "1..60", "0..8", "1..9 step 0", "1..9 step 3", "a", "1...4", "-1", "1..999999999 step 1", "1.5"],
)
def test_ranges_that_cannot_be(text: str) -> None:
    with pytest.raises(ValueError, match=r"range|number"):
        parse_numbers(text)


def test_latencies_and_vlens_are_ranges(study_file: Callable[[str], Path], world: World) -> None:
    del world
    text = WIDE.replace("operations", 'vlen = "128..65536"\nmemory_latency = "1..16"\noperations')
    (block,) = load(study_file(text)).blocks()
    assert block.vlen == tuple(128 << step for step in range(10))
    assert block.memory_latency == (1, 2, 4, 8, 16)


def test_flags_multiply_levels_and_are_in_the_rows(study_file: Callable[[str], Path], world: World) -> None:
    del world
    path = study_file(WIDE)
    assert len(points(path)) == 2592
    levels = {point.target.opt for point in points(path)}
    assert levels == {
        " ".join(filter(None, each))
        for each in itertools.product(("O2", "Os"), ("", "-funroll-loops", "-fno-inline -funroll-loops"))
    }


@pytest.mark.parametrize(
    "flags",
    ["-march=rv64gc", "-o x", "-flto", "-fplugin=x.so", "-fsanitize=address", "-g", "x", "-fpic", "-Wl,-x", "-O3"],
)
def test_flags_that_change_more_than_code_are_refused(study_file: Callable[[str], Path], flags: str) -> None:
    with pytest.raises(UsageError, match="is not a flag that a study may add"):
        load(study_file(WIDE.replace("-funroll-loops", flags)))


@needs_everything
def test_flags_reach_the_compiler(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(shared_cache))
    loaded = catalogue.load_implementation("aes/sbox")
    plain, unrolled = (
        build.build(loaded, bare_metal_target("rv32i", "zig", opt)) for opt in ("O2", "O2 -funroll-loops -fno-inline")
    )
    assert plain.sha256 != unrolled.sha256
    assert any("-O2 -funroll-loops -fno-inline " in command for command in unrolled.commands)
    (row,) = ciphermark.measure("aes-128-ecb", implementations=["aes/sbox"], sizes="64", isas=["rv32i"],
                                opts=["O2 -funroll-loops"])  # fmt: skip
    assert row.verdict == "ok"
    assert row.opt == "O2 -funroll-loops"


def test_a_sample_is_the_same_everywhere(study_file: Callable[[str], Path], world: World) -> None:
    del world
    every = points(study_file(WIDE))
    sampled = points(study_file(WIDE + "sample = 100\n"))
    assert len(sampled) == 100
    assert set(sampled) <= set(every)
    assert list(sampled) == [point for point in every if point in set(sampled)]
    assert points(study_file(WIDE + "sample = 100\nseed = 1\n")) == sampled
    other = points(study_file(WIDE + "sample = 100\nseed = 2\n"))
    assert len(set(other) & set(sampled)) < 20
    assert set(points(study_file(WIDE + "sample = 200\n"))) > set(sampled)
    for axis in ("implementation", "request", "target"):
        assert len({getattr(point, axis) for point in sampled}) > 2


def test_one_more_combination_replaces_at_most_its_own_number(study_file: Callable[[str], Path], world: World) -> None:
    """A machine that lacks a compiler measures almost the same sample."""
    del world
    sampled = points(study_file(WIDE + "sample = 100\n"))
    fewer = points(study_file(WIDE.replace(', "aes/ttable"', "") + "sample = 100\n"))
    assert set(fewer) >= {point for point in sampled if point.implementation != "aes/ttable"}


def test_every_engine_measures_the_same_sample(study_file: Callable[[str], Path], world: World, tmp_path: Path) -> None:
    world.engines["qemu"] = type(world.engines["sim"])("qemu")
    path = study_file(WIDE + "sample = 20\n")
    both = points(path, "sim", "qemu")
    assert len(both) == 40
    assert {point.identity() for point in both if point.engine == "sim"} == {
        point.identity() for point in both if point.engine == "qemu"
    }
    done = run_study(path, results=tmp_path / "results")
    assert len(done.rows) == 20
    (left_out,) = done.manifest["skipped"]
    assert left_out == {"what": "matrix block 1", "reason": "it is not in the sample of 20, seed 1", "count": 2572}


def test_a_sample_that_is_larger_than_all_is_all(study_file: Callable[[str], Path], world: World) -> None:
    del world
    assert points(study_file(WIDE + "sample = 5000\n")) == points(study_file(WIDE))


def test_a_sample_has_no_sizes_to_extrapolate_from(study_file: Callable[[str], Path]) -> None:
    with pytest.raises(UsageError, match="both `sample` and `measure_up_to`"):
        load(study_file(WIDE + 'sample = 5\nmeasure_up_to = "1K"\n'))


def test_order_does_not_matter_to_a_sample() -> None:
    names = [f"point {number}" for number in range(10_000)]
    shuffled = random.Random(3).sample(names, len(names))
    first, second = Sample[str](50, 7), Sample[str](50, 7)
    for one, two in zip(names, shuffled, strict=True):
        first.offer(one, one)
        second.offer(two, two)
    assert sorted(first.items()) == sorted(second.items())
    assert (len(list(first.items())), first.left_out) == (50, 9950)
