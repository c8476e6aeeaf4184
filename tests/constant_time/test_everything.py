"""``everything.toml``, which judges every kernel of the repository: nothing has been added that it does not have."""

from __future__ import annotations

from pathlib import Path

from ciphermark.execution.planning import plan
from ciphermark.kernels import catalogue
from ciphermark.notation import isa


def test_every_kernel_for_risc_v_is_in_it_at_every_width() -> None:
    planned = plan(str(Path(__file__).with_name("everything.toml")))
    found = {(task.implementation, isa.parse(task.target.isa).xlen) for task in planned.tasks}
    kernels = map(catalogue.load_implementation, catalogue.names())
    assert found == {(kernel.name, xlen) for kernel in kernels for xlen in kernel.isa}
    vectors = {task.target.vlen for task in planned.tasks if task.implementation == "aes/zvkned"}
    assert vectors == {128, 256, 512, 1024}
