"""Where the ``ziglang`` wheel put its executable."""

import importlib.util
import shutil
from pathlib import Path


def zig() -> Path | None:
    """The wheel's ``zig``, else one on PATH; started directly: ``python -m ziglang`` costs an interpreter."""
    spec = importlib.util.find_spec("ziglang")
    if spec is not None and spec.origin is not None:
        executable = Path(spec.origin).with_name("zig")
        if executable.is_file():
            return executable
    found = shutil.which("zig")
    return Path(found) if found else None
