"""A kernel ready to start: its image and modules, unpacked from a Debian package into the cache."""

import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path, PurePosixPath

from ciphermark.errors import CiphermarkError, EngineMissingError, RunError
from ciphermark.store import cache, downloads
from ciphermark.vm import modules, packages
from ciphermark.vm.machine import Machine
from ciphermark.vm.packages import Package

_FORMAT = "1"
_KIND = "kernels"
_IMAGE = "vmlinuz"
_BUILTIN = "modules.builtin"
_RECORD = "kernel.json"


@dataclass(frozen=True, slots=True)
class Kernel:
    release: str
    package: str
    """Name and version of the Debian package."""
    package_sha256: str
    image: Path
    modules: tuple[Path, ...]
    """What AF_ALG needs, in the order of loading."""
    troubles: tuple[str, ...]
    """What it needs and this kernel does not have, in words."""
    instead_of: Package | None = None
    """The pinned package that no mirror has any more, if this is merely the newest there is."""

    def described(self) -> str:
        """``Linux 6.12.95 (Debian linux-image-… 6.12.95-1~bpo12+1)``, and whether it is not the pinned one."""
        pin = f", instead of the pinned {self.instead_of.version}" if self.instead_of is not None else ""
        return f"Linux {self.release.partition('+')[0].partition('-')[0]} (Debian {self.package}{pin})"


def get(machine: Machine, wanted: str | None = None) -> Kernel:
    """The kernel that :func:`packages.find` chooses, downloaded once. Raises as that does."""
    package = packages.find(machine.debian, wanted, _unpacked)

    def make(folder: Path) -> None:
        downloads = folder / "downloads"
        downloads.mkdir()
        _unpack(package, packages.fetch(package, downloads), folder)
        shutil.rmtree(downloads)

    found = _read(cache.entry(_KIND, _key(package), make), machine.modules)
    return replace(found, instead_of=package.instead_of)


def is_here(machine: Machine, wanted: str | None = None) -> bool:
    """Whether :func:`get` needs no download."""
    with downloads.fetching(False):
        try:
            package = packages.find(machine.debian, wanted, _unpacked)
        except CiphermarkError:
            return False
    return package.file is not None or _unpacked(package)


def _unpacked(package: Package) -> bool:
    return cache.has(_KIND, _key(package))


def _key(package: Package) -> str:
    given = sha256(package.file.read_bytes()).hexdigest() if package.file is not None else package.sha256 or "apt"
    return cache.digest(_FORMAT, package.name, package.version, package.debian, given)


def _unpack(package: Package, file: Path, folder: Path) -> None:
    """The image and the modules for ciphers, flat: their names are unique."""
    builtin = ""
    with subprocess.Popen(
        ("dpkg-deb", "--fsys-tarfile", file), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        try:
            with tarfile.open(fileobj=process.stdout, mode="r|") as tar:
                for name, contents in _kept(tar):
                    if name == _BUILTIN:
                        builtin = contents.decode("ascii", errors="replace")
                    else:
                        (folder / name).write_bytes(contents)
        except tarfile.TarError:
            # dpkg-deb's status says it too.
            process.kill()
    if process.returncode or not (folder / _IMAGE).exists():
        raise EngineMissingError(f"engine vm: {file.name} has no kernel that can be read", f"Remove it: {file}.")
    found = sorted(path for path in folder.iterdir() if path.name.endswith(modules.SUFFIXES))
    record = {
        "release": package.release,
        "package": f"{package.name} {package.version}",
        "package_sha256": sha256(file.read_bytes()).hexdigest(),
        "needs": {modules.module_name(path.name): modules.depends(modules.uncompressed(path)) for path in found},
        "files": {modules.module_name(path.name): path.name for path in found},
        "builtin": sorted(modules.builtin_names(builtin)),
    }
    (folder / _RECORD).write_text(json.dumps(record))


def _kept(tar: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in tar:
        name = _flat_name(PurePosixPath(member.name))
        contents = tar.extractfile(member) if name and member.isfile() else None
        if contents is not None:
            yield name, contents.read()


def _flat_name(path: PurePosixPath) -> str:
    """The name a file is kept under; empty for everything else in the package."""
    if path.parent.name == "boot" and path.name.startswith("vmlinuz-"):
        return _IMAGE
    if path.name == _BUILTIN or ("crypto" in path.parts and path.name.endswith(modules.SUFFIXES)):
        return path.name
    return ""


def _read(folder: Path, wanted: tuple[str, ...]) -> Kernel:
    record = json.loads((folder / _RECORD).read_text())
    needs = {name: tuple(needed) for name, needed in record["needs"].items()}
    order: dict[str, None] = {}
    troubles: list[str] = []
    for module in wanted:
        try:
            order.update(dict.fromkeys(modules.load_order((module,), needs, frozenset(record["builtin"]))))
        except RunError as error:
            # Nothing but AF_ALG needs it.
            troubles.append(error.message)
    return Kernel(
        release=record["release"],
        package=record["package"],
        package_sha256=record["package_sha256"],
        image=folder / _IMAGE,
        modules=tuple(folder / record["files"][name] for name in order),
        troubles=tuple(troubles),
    )
