"""What claims constant time executes only what Zkt and Zvkt list, but for exceptions that are explained."""

import pytest

import ciphermark
from ciphermark import embedded, toolchain
from ciphermark.analysis import data_independent
from ciphermark.kernels import catalogue

pytestmark = pytest.mark.skipif(
    not embedded.available() or "zig" not in {compiler.name for compiler in toolchain.installed()},
    reason="needs the embedded engine and zig",
)

CLAIMANTS = [one for one in catalogue.list_implementations() if one.constant_time and one.bare_metal]
PUBLIC = {"aes/zvkned": {"viota.m"}, "aes/zvkned-intrinsics": {"viota.m"}}
"""Numbers of blocks, from a mask that depends on the message's length alone."""


@pytest.mark.parametrize("implementation", CLAIMANTS, ids=lambda implementation: implementation.name)
def test_instructions_take_a_time_that_does_not_depend_on_data(implementation: catalogue.Implementation) -> None:
    operations = [
        operation for operation in ("encrypt", "decrypt", "block", "hash") if operation in implementation.operations
    ]
    executed: set[str] = set()
    for algorithm in implementation.algorithms:
        for row in ciphermark.measure(
            algorithm, implementations=[implementation.name], operations=operations[:1], sizes="256"
        ):
            assert row.verified
            executed.update(row.opcodes or {})
    assert executed
    assert set(data_independent.unlisted(executed)) == PUBLIC.get(implementation.name, set())


def test_an_instruction_on_neither_list_is_told() -> None:
    assert data_independent.unlisted(["add", "div", "lw", "beq", "vaesem.vs", "vrgather.vv", "vredxor.vs", "mine"]) == [
        "div",
        "vredxor.vs",
    ]
