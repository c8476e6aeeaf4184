from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermark.errors import UsageError
from ciphermark.execution.tasks import group
from ciphermark.study.expand import expand
from ciphermark.study.load import load
from ciphermark.study.requests import Law

from .conftest import SMALL


def test_points_in_order_each_once(small: Path) -> None:
    points = expand(load(small)).points
    assert len(points) == len(set(points)) == 2 * 2 * 11
    first = points[0]
    assert (first.implementation, first.target.isa, first.target.abi) == ("aes/sbox", "rv32i", "ilp32")
    assert [point.request.size for point in points[:11]] == [16 << i for i in range(11)]


def test_larger_sizes_rest_on_the_two_largest_measured_and_a_third(small: Path) -> None:
    by_size = {point.request.size: point.law for point in expand(load(small)).points}
    assert by_size[1024] is None
    assert by_size[2048] == by_size[16384] == Law(low=512, high=1024, check=256)


def test_one_run_serves_all_sizes(small: Path) -> None:
    tasks = group(expand(load(small)).points, cache=None)
    assert len(tasks) == 4
    assert all(len(task.requests) == 7 for task in tasks)


def test_what_cannot_be_is_skipped_and_listed(study_file: Callable[[str], Path]) -> None:
    text = SMALL.replace('["aes/sbox", "aes/fixslice"]', '["aes/zkne64"]')
    text = text.replace('["rv32i", "rv32i_zbb"]', '["rv32i_zkn", "rv64i", "rv64i_zkn"]')
    expansion = expand(load(study_file(text)))
    assert {point.target.isa for point in expansion.points} == {"rv64i_zkn"}
    reasons = {item.what: item.reason for item in expansion.skipped}
    assert "RV64" in reasons["aes/zkne64 at rv32i_zkn"]
    assert "Zkne, Zknd" in reasons["aes/zkne64 at rv64i"]
    assert all(item.count == 11 for item in expansion.skipped)


def test_a_compiler_that_may_be_absent_is_skipped(study_file: Callable[[str], Path]) -> None:
    absent = '{ name = "clang-0.1", opts = ["O2"], when_present = true }, { name = "zig", opts = ["O2"] }'
    expansion = expand(load(study_file(SMALL.replace('{ name = "zig", opts = ["O2"] }', absent))))
    assert len(expansion.points) == 44
    assert sum(item.count for item in expansion.skipped) == 44
    assert "not installed" in expansion.skipped[0].reason


def test_a_compiler_that_must_be_there_is_an_error(study_file: Callable[[str], Path]) -> None:
    with pytest.raises(UsageError, match="not installed"):
        expand(load(study_file(SMALL.replace('name = "zig"', 'name = "clang-0.1"'))))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"aes/sbox"', '"aes/sbx"', "aes/sbox"),
        ('"aes-128-ecb"', '"aes-128-ebc"', "aes-128-ecb"),
        ('operations = ["encrypt"]', 'operations = ["encrpyt"]', "encrypt"),
        ('sizes = "16..16K"', 'sizes = "8..1K"', "whole blocks"),
        ('"rv32i_zbb"', '"rv32i_zzz"', "zzz"),
        ('operations = ["encrypt"]', 'operations = ["encrypt"]\nmachines = "ibex-smal"', "ibex-small"),
    ],
)
def test_a_name_nobody_knows_is_a_mistake(study_file: Callable[[str], Path], old: str, new: str, says: str) -> None:
    path = study_file(SMALL.replace(old, new))
    with pytest.raises(UsageError) as raised:
        expand(load(path))
    assert says in str(raised.value)


def test_fixed_sizes_need_none(study_file: Callable[[str], Path]) -> None:
    text = SMALL.replace('operations = ["encrypt"]', 'operations = ["block", "expand-key"]')
    points = expand(load(study_file(text))).points
    assert {(p.request.operation, p.request.size) for p in points} == {("block", 16), ("expand-key", 16)}
    assert all(point.law is None for point in points)


def test_blocks_override_defaults(study_file: Callable[[str], Path]) -> None:
    text = SMALL.replace("[[matrix]]", '[defaults]\nengine = "qemu"\n[[matrix]]')
    assert {p.engine for p in expand(load(study_file(text))).points} == {"qemu"}
    text = text.replace("[[matrix]]", '[[matrix]]\nengine = "spike"')
    assert {p.engine for p in expand(load(study_file(text))).points} == {"spike"}
    assert {p.engine for p in expand(load(study_file(text)), ["sim", "qemu"]).points} == {"sim", "qemu"}


def test_architectures_are_no_isas_of_simulators(study_file: Callable[[str], Path]) -> None:
    expansion = expand(load(study_file(SMALL.replace('isas = ["rv32i", "rv32i_zbb"]', 'isas = ["x86_64"]'))))
    assert expansion.points == ()
    assert {item.reason for item in expansion.skipped} == {"the study names no RISC-V ISA"}
