"""Finding and reading study files."""

from pathlib import Path

from ciphermark.errors import UsageError, nearest
from ciphermark.notation import manifest
from ciphermark.store import paths
from ciphermark.study.schema import Study


def builtin() -> dict[str, Path]:
    """The studies the package carries, by id."""
    return {path.stem: path for path in sorted((paths.data() / "studies").glob("*.toml"))}


def find(name_or_path: str | Path) -> Path:
    """The file of a study named by id or by path. Raises :class:`UsageError` with the nearest id."""
    known = builtin()
    if isinstance(name_or_path, str) and name_or_path in known:
        return known[name_or_path]
    path = paths.named(name_or_path)
    if path.suffix == ".toml" or path.is_file():
        return path
    raise UsageError(f"unknown study {str(name_or_path)!r}: neither a name nor a .toml file", nearest(path.name, known))


def load(path: Path) -> Study:
    """The study in ``path``. Raises :class:`UsageError` naming file, key and what to write instead."""
    study = manifest.load(path, Study)
    if study.id != path.stem:
        raise UsageError(f"{path}: id is {study.id!r}, the file is called {path.stem!r}", "Make them the same.")
    return study
