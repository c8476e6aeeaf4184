"""The kernel packages that ``kernels.toml`` pins, from the machine's Debian mirrors. apt gets a state and cache of its
own below ciphermark's cache and the other architecture's name; mirrors, proxies, keys and the verification of
signatures are the machine's. So no foreign architecture has to be added, and nobody needs to be root."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import resources
from pathlib import Path
from string import Template

from ciphermark.errors import EngineMissingError, RunError, UsageError
from ciphermark.store import downloads, paths, scratch

_REFRESH_S = 7 * 24 * 3600.0
_AGAIN_S = 3600.0
"""Where the lists lack the pinned kernel: it may be newer than they are."""
_PROGRAMS = {"apt-get": "apt", "apt-cache": "apt", "dpkg-deb": "dpkg"}
# Not linux-image-6.12-cloud-arm64, which is empty and stands for the newest of a series.
_NAME = re.compile(r"linux-image-(?P<release>\d+\.\d+\.\d+[\w.+~-]*-cloud-(?:arm64|amd64))")
_SHOWN = 8

PINNED = Path(__file__).with_name("kernels.toml")

FETCHES = "`ciphermark run --fetch` downloads them"
"""What mends the lack of kernels where nothing may be downloaded unasked."""


@dataclass(frozen=True, slots=True)
class Package:
    name: str
    """``linux-image-6.12.95+deb12-cloud-arm64``."""
    version: str
    debian: str
    """Debian's name of the architecture."""
    file: Path | None = None
    """The package itself where the user has put one; ``None`` for one that apt fetches."""
    sha256: str | None = None
    instead_of: Package | None = None
    """The pinned one, which no mirror has any more, if this is merely the newest there is."""

    @property
    def release(self) -> str:
        """What ``uname -r`` says: ``6.12.95+deb12-cloud-arm64``."""
        match = _NAME.fullmatch(self.name)
        return match["release"] if match else self.name


def folder() -> Path:
    """Where packages may be put by hand; they come before apt's."""
    return paths.cache() / "vm" / "packages"


def missing_programs() -> str | None:
    """What of Debian's own tools is not here; ``None`` if nothing is."""
    missing = {package: None for program, package in _PROGRAMS.items() if shutil.which(program) is None}
    return f"not found: {', '.join(missing)}; kernels come as Debian packages" if missing else None


def pinned(debian: str) -> Package:
    """The kernel that counts are made on."""
    return Package(debian=debian, **tomllib.loads(PINNED.read_text(encoding="utf-8"))[debian])


def find(debian: str, wanted: str | None, is_here: Callable[[Package], bool] = lambda package: False) -> Package:
    """The kernel to use: one put here by hand, else the pinned one, else the newest that apt has. Its release begins
    with ``wanted``. If ``is_here`` says that the pinned one is unpacked already, no mirror is asked. Raises
    :class:`EngineMissingError` if apt offers none, :class:`UsageError` if none is as ``wanted``."""
    problem = missing_programs()
    if problem is not None:
        raise EngineMissingError(f"engine vm: {problem}", "Use a Debian machine, or a container of one.")
    by_hand = newest(_by_hand(debian), wanted)
    if by_hand is not None:
        return by_hand
    pin, apt = pinned(debian), _Apt(debian)
    usable = _fits(pin.release, wanted)
    if usable and is_here(pin):
        return pin
    complaint = apt.refresh(_REFRESH_S)
    if usable and not apt.offers(pin):
        complaint = apt.refresh(_AGAIN_S)
    if usable and apt.offers(pin):
        return pin
    found = apt.newest(wanted)
    if found is None and wanted is not None:
        complaint = apt.refresh(0.0)
        found = apt.newest(wanted)
    if found is not None:
        return replace(found, instead_of=pin if usable else None)
    pattern = f"linux-image-{wanted or ''}*-cloud-{debian}"
    releases = apt.releases()
    if wanted is not None and releases:
        raise UsageError(f"no package {pattern}", f"The newest are {', '.join(releases[-_SHOWN:])}.")
    raise EngineMissingError(
        f"engine vm: the apt sources of this machine offer no package {pattern}",
        f"{complaint}\nPut such a package (from a Debian mirror, pool/main/l/linux-signed-{debian}) "
        f"into {folder()}.".strip(),
    )


def fetch(package: Package, into: Path) -> Path:
    """The package's file, in the folder ``into``, verified by apt and against its pin. Raises
    :class:`EngineMissingError` with apt's words if it cannot be had."""
    if package.file is not None:
        return package.file
    if not downloads.may_fetch():
        raise EngineMissingError(f"engine vm: {package.name} is not downloaded", f"{FETCHES}.")
    apt = _Apt(package.debian)
    with apt.locked():
        done = apt.run("apt-get", "download", f"{package.name}={package.version}", where=into)
    found = sorted(into.glob("*.deb"))
    if done.returncode or not found:
        raise EngineMissingError(
            f"engine vm: {package.name} {package.version} cannot be downloaded: {_complaint(done)}",
            f"Go online, or put the package into {folder()}; if the mirror has replaced it, remove {apt.root}.",
        )
    if package.sha256 not in (None, sha256(found[0].read_bytes()).hexdigest()):
        raise EngineMissingError(
            f"engine vm: {package.name} {package.version} is not the pinned file: its SHA-256 differs",
            f"Put the right one into {folder()}.",
        )
    return found[0]


def newest(packages: Iterable[Package], wanted: str | None) -> Package | None:
    fitting = [package for package in packages if _fits(package.release, wanted)]
    return max(fitting, key=lambda package: _order(package.release), default=None)


def configuration(root: Path, debian: str) -> str:
    """An apt.conf, to be read after the machine's own. Raises :class:`UsageError` if apt's syntax cannot express
    ``root``."""
    if set('"\\\n;') & set(str(root)):
        raise UsageError(
            f"apt cannot use the folder {root}",
            f"Set {paths.CACHE_VARIABLE} to one without quotes, backslashes and semicolons.",
        )
    template = Template(resources.files(__package__).joinpath("apt.conf").read_text(encoding="utf-8"))
    return template.substitute(debian=debian, root=root)


@dataclass(frozen=True)
class _Apt:
    debian: str

    @property
    def root(self) -> Path:
        return paths.cache() / "vm" / "apt" / self.debian

    def locked(self) -> AbstractContextManager[None]:
        """apt refuses a second user of its lists instead of waiting."""
        return scratch.one_at_a_time(self.root / "lock")

    def refresh(self, older_than_s: float) -> str:
        """Fetch the lists of packages if they are old; what apt complained of, and then old lists stay in use."""
        if not downloads.may_fetch():
            return ""
        stamp = self.root / "refreshed"
        with self.locked():
            if stamp.exists() and time.time() - stamp.stat().st_mtime < older_than_s:
                return ""
            for name in ("state/lists/partial", "cache/archives/partial"):
                (self.root / name).mkdir(parents=True, exist_ok=True)
            (self.root / "status").touch()
            (self.root / "apt.conf").write_text(configuration(self.root, self.debian))
            done = self.run("apt-get", "update")
            complaint = _complaint(done)
            if not complaint:
                stamp.touch()
            return complaint

    def releases(self) -> tuple[str, ...]:
        """Releases of all kernels in the lists, oldest first."""
        if not (self.root / "apt.conf").exists():
            return ()
        names = self.run("apt-cache", "pkgnames", "linux-image-").stdout.split()
        found = {match["release"] for name in names if (match := _NAME.fullmatch(name))}
        return tuple(sorted(found, key=_order))

    def offers(self, pin: Package) -> bool:
        """Whether some mirror has exactly this file."""
        if not (self.root / "apt.conf").exists():
            return False
        shown = self.run("apt-cache", "show", f"{pin.name}={pin.version}").stdout
        return f"SHA256: {pin.sha256}" in shown.splitlines()

    def newest(self, wanted: str | None) -> Package | None:
        for release in reversed([release for release in self.releases() if _fits(release, wanted)]):
            name = f"linux-image-{release}"
            shown = self.run("apt-cache", "show", "--no-all-versions", name).stdout
            version = re.search(r"^Version: (\S+)$", shown, re.MULTILINE)
            if version is not None:
                return Package(name, version[1], self.debian)
        return None

    def run(self, program: str, *arguments: str, where: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = (program, f"--config-file={self.root / 'apt.conf'}", "--quiet", *arguments)
        return _run(command, where)


def _by_hand(debian: str) -> Iterator[Package]:
    for path in sorted(folder().glob("*.deb")):
        done = _run(("dpkg-deb", "--show", "--showformat=${Package} ${Version} ${Architecture}", str(path)))
        name, _, rest = done.stdout.partition(" ")
        version, _, architecture = rest.partition(" ")
        if done.returncode == 0 and architecture == debian and _NAME.fullmatch(name):
            yield Package(name, version, debian, path)


def _run(command: Sequence[str], where: Path | None = None) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, cwd=where, stdin=subprocess.DEVNULL, capture_output=True, check=False, text=True, errors="replace",
            env={**os.environ, "LC_ALL": "C"},
        )  # fmt: skip
    except OSError as error:
        raise RunError(f"{command[0]} cannot be started: {error.strerror}") from error


def _complaint(done: subprocess.CompletedProcess[str]) -> str:
    """apt's errors and warnings, in its own words; it exits with 0 if it used old lists instead."""
    lines = [line for line in done.stderr.splitlines() if line.startswith(("E:", "W: Failed to fetch", "Err:"))]
    return "\n".join(lines) or (f"{done.args[0]} ended with status {done.returncode}" if done.returncode else "")


def _fits(release: str, wanted: str | None) -> bool:
    """Whether it begins with ``wanted`` in whole numbers: 6.12.95 does not begin with 6.12.9."""
    rest = release.removeprefix(wanted or "")
    return release.startswith(wanted or "") and not (wanted and wanted[-1].isdecimal() and rest[:1].isdecimal())


def _order(release: str) -> tuple[int, ...]:
    """``6.12.95+deb12-cloud-arm64`` before ``6.12.117+…``."""
    return tuple(int(number) for number in re.findall(r"\d+", release.partition("-cloud-")[0]))
