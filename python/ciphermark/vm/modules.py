"""Kernel modules, and what each needs loaded before it. Debian packages have no ``modules.dep``, so dependencies are
read where ``depmod`` finds them: in every module's ``.modinfo`` section."""

import gzip
import lzma
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from ciphermark.errors import RunError

SUFFIXES = (".ko", ".ko.xz", ".ko.gz")

_DEPENDS = re.compile(rb"(?:\A|\0)depends=([^\0]*)\0")


def module_name(file_name: str) -> str:
    """``aes-ce-blk.ko.xz`` is ``aes_ce_blk``: the kernel makes no difference between the two signs."""
    return file_name.partition(".ko")[0].replace("-", "_")


def depends(module: bytes) -> tuple[str, ...]:
    """Names of the modules whose symbols an uncompressed module uses."""
    names = (name for match in _DEPENDS.findall(module) for name in match.split(b",") if name)
    return tuple(dict.fromkeys(name.decode("ascii", errors="replace").replace("-", "_") for name in names))


def load_order(wanted: Iterable[str], needs: Mapping[str, tuple[str, ...]], builtin: frozenset[str]) -> tuple[str, ...]:
    """``wanted`` and all they need, each once and after what it needs, without built-in ones. Raises :class:`RunError`
    naming a module that exists neither as a file nor in the kernel."""
    order: list[str] = []
    above: list[str] = []

    def add(name: str) -> None:
        if name in order or name in builtin:
            return
        if name in above:
            raise RunError(f"kernel modules need each other: {' -> '.join([*above, name])}")
        if name not in needs:
            by = f", which {above[-1]} needs" if above else ""
            raise RunError(
                f"the kernel has no module {name}{by}", "Name another kernel; older ones may have more of AF_ALG."
            )
        above.append(name)
        for needed in needs[name]:
            add(needed)
        above.pop()
        order.append(name)

    for name in wanted:
        add(name.replace("-", "_"))
    return tuple(order)


def builtin_names(listing: str) -> frozenset[str]:
    """Names in ``modules.builtin``, which has one path per line."""
    return frozenset(module_name(line.rpartition("/")[2]) for line in listing.splitlines() if line)


def uncompressed(path: Path) -> bytes:
    data = path.read_bytes()
    match path.suffix:
        case ".xz":
            return lzma.decompress(data)
        case ".gz":
            return gzip.decompress(data)
        case _:
            return data
