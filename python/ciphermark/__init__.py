"""ciphermark: what an instruction-set extension does for a symmetric cipher, verified and reproducible.
``ciphermark.run("aes-bitmanip").rows`` runs a study, ``ciphermark.measure`` measures one algorithm, and
``ciphermark.compare`` says which rows of two results differ. What they return shows itself in a notebook, draws
(``.plot("size", "instructions_per_byte", "isa")``), and becomes a data frame. Names are imported when first used."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ciphermark.errors import CiphermarkError
    from ciphermark.execution.differences import Differences, compare
    from ciphermark.execution.measurement import measure
    from ciphermark.execution.results import Results, Rows
    from ciphermark.execution.study_run import run_study as run
    from ciphermark.rows.model import Row

__all__ = ["CiphermarkError", "Differences", "Results", "Row", "Rows", "compare", "measure", "run"]

_WHERE = {
    "CiphermarkError": ("ciphermark.errors", "CiphermarkError"),
    "Differences": ("ciphermark.execution.differences", "Differences"),
    "Results": ("ciphermark.execution.results", "Results"),
    "Row": ("ciphermark.rows.model", "Row"),
    "Rows": ("ciphermark.execution.results", "Rows"),
    "compare": ("ciphermark.execution.differences", "compare"),
    "measure": ("ciphermark.execution.measurement", "measure"),
    "run": ("ciphermark.execution.study_run", "run_study"),
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ciphermark.version import version

        return version()
    if name not in _WHERE:
        raise AttributeError(f"module 'ciphermark' has no attribute {name!r}")
    module, attribute = _WHERE[name]
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *_WHERE])
