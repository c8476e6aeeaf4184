"""``ciphermark --version``: the version, and with ``--json`` everything that a result depends on."""

import json
import platform
from pathlib import Path
from typing import Any

from ciphermark import engines, toolchain
from ciphermark.kernels import catalogue
from ciphermark.rtl import machines
from ciphermark.store import cache, paths
from ciphermark.study import load
from ciphermark.version import version


def show(as_json: bool) -> None:
    if as_json:
        print(json.dumps(versions(), indent=2))
    else:
        print(f"ciphermark {version()}")


def versions() -> dict[str, Any]:
    """The package, the embedded engine's build, the compilers found, and the data that comes with the package.
    ``engine`` is ``None`` where it is not built."""
    engine = engines.find(engines.DEFAULT)
    is_built = engine.problem() is None
    return {
        "ciphermark": version(),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "engine": {"version": engine.version(), "identity": engine.identity()} if is_built else None,
        "compilers": [{"name": each.name, "version": each.version} for each in toolchain.installed()],
        "data": {
            "sha256": _digest(paths.data()),
            "implementations": len(catalogue.names()),
            "machines": len(machines.names()),
            "studies": len(load.builtin()),
        },
    }


def _digest(folder: Path) -> str:
    """Digest of the names and contents of all files below ``folder``."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return cache.digest(*(part for path in files for part in (str(path.relative_to(folder)), path.read_bytes())))
