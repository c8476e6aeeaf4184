"""What starting costs: heavy packages are imported only by what needs them."""

import subprocess
import sys

import pytest

HEAVY = {"typer", "rich", "pydantic", "polars", "numpy", "jinja2"}


def imported(code: str) -> set[str]:
    """Top-level packages a fresh interpreter has imported after ``code``."""
    script = f"import sys\n{code}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_importing_the_package_is_cheap() -> None:
    assert not imported("import ciphermark") & HEAVY


def test_sim_starts_without_them() -> None:
    code = "import contextlib; from ciphermark.__main__ import main; sys.argv = ['ciphermark', 'sim', '--stats', '/']"
    slow = {"difflib", "inspect", "pathlib"}
    assert not imported(code + "\nwith contextlib.suppress(SystemExit): main()") & (HEAVY | slow)


@pytest.mark.parametrize("module", ["ciphermark.execution.study_run", "ciphermark.execution.measurement"])
def test_running_needs_neither_polars_nor_the_command_line(module: str) -> None:
    assert not imported(f"import {module}") & {"typer", "rich", "polars", "numpy", "jinja2"}


def test_the_api_is_all_there() -> None:
    import ciphermark

    for name in ciphermark.__all__:
        assert getattr(ciphermark, name) is not None
        assert name in dir(ciphermark)
    with pytest.raises(AttributeError, match="no attribute 'runn'"):
        _ = ciphermark.runn
