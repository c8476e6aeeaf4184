from hypothesis import given
from hypothesis import strategies as st

from ciphermark.analysis.extrapolation import extrapolate
from ciphermark.rows.model import Row

from .rows_for_tests import row


def measured(size: int, instructions: int | None, **more: object) -> Row:
    return row(size=size, instructions=instructions, call_instructions=3, stack_bytes=64, point=str(size), **more)


@given(fixed=st.integers(0, 10_000), per_block=st.integers(1, 10_000), blocks=st.integers(1025, 1 << 30))
def test_a_linear_cost_is_extrapolated_exactly(fixed: int, per_block: int, blocks: int) -> None:
    def at(size: int) -> Row:
        return measured(size, fixed + per_block * size // 16)

    found = extrapolate(16 * blocks, at(4096), at(16384), at(1024))
    assert found.instructions == fixed + per_block * blocks
    assert found.verdict == "ok"
    assert found.verified
    assert found.samples == 0


def test_the_row_says_where_it_comes_from() -> None:
    found = extrapolate(1 << 20, measured(2048, 2048), measured(4096, 4096), measured(1024, 1024))
    assert "extrapolated from 2K and 4K" in found.provenance
    assert found.note is not None
    assert "extrapolated from 2K and 4K, exact at 1K" in found.note
    assert found.instructions_per_byte == 1
    assert found.stack_bytes == 64
    assert found.opcodes is None


def test_one_instruction_off_the_line_refuses_the_row() -> None:
    found = extrapolate(1 << 20, measured(2048, 2048), measured(4096, 4096), measured(1024, 1025))
    assert found.instructions is None
    assert found.instructions_per_byte is None
    assert not found.verified
    assert found.verdict == "unsupported"
    assert found.note is not None
    assert "1024 predicted, 1025 measured" in found.note


def test_a_line_through_no_whole_number_refuses_the_row() -> None:
    found = extrapolate(1000, measured(300, 10), measured(600, 21), measured(150, 5))
    assert found.instructions is None
    assert found.note is not None
    assert "a fraction predicted" in found.note


def test_another_call_overhead_refuses_the_row() -> None:
    check = row(size=1024, instructions=1024, call_instructions=4, stack_bytes=64)
    assert extrapolate(1 << 20, measured(2048, 2048), measured(4096, 4096), check).instructions is None


def test_a_failed_measurement_is_not_extrapolated() -> None:
    failed = row(size=4096, instructions=None, verified=False, verdict="failed", note="F.1.1 byte 3")
    found = extrapolate(1 << 20, measured(2048, 2048), failed, measured(1024, 1024))
    assert (found.verdict, found.verified, found.instructions, found.note) == ("failed", False, None, "F.1.1 byte 3")


def test_a_flag_is_inherited() -> None:
    high = measured(4096, 4096, verdict="flagged", note="no Zbb instruction executed")
    found = extrapolate(1 << 20, measured(2048, 2048), high, measured(1024, 1024))
    assert found.verdict == "flagged"
    assert found.note is not None
    assert found.note.endswith("at 4K: no Zbb instruction executed")
