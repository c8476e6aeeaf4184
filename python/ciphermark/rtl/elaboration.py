"""Rocket's Verilog, from its generator on Maven Central and our Scala: made once for each configuration."""

import shutil
from pathlib import Path

from ciphermark.errors import EngineMissingError
from ciphermark.rtl import tools
from ciphermark.rtl.simulator import Alone, Say
from ciphermark.store import cache, downloads, paths

FILES = ("top.v", "plusarg_reader.v")
"""What is read of what the generator writes: `SCIE*.v`, for example, are its examples."""
FETCHES = "`ciphermark run --fetch` downloads it"
_DOWNLOAD = "Rocket's generator from Maven Central, about 45 MB"
_FORMAT = "1"
"""Raise it when an entry of the cache, or how one is made, changes."""
_GENERATOR, _VERILOG = "rocket-generator", "rocket-verilog"
# Of a run of half a minute, the second compiler's work is not paid back.
_JAVA = ("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xss16M", "-Xmx2G")


def problem(configurations: tuple[str, ...]) -> str | None:
    """What is missing to have the Verilog of all ``configurations``, and the command that installs it."""
    if _are_here(configurations):
        return None
    packages = {"java": "default-jre-headless", "mvn": "maven"}
    if cache.has(_GENERATOR, _generator_key()):
        del packages["mvn"]
    missing = [program for program in packages if shutil.which(program) is None]
    if missing:
        install = " ".join(packages[program] for program in missing)
        return f"{' and '.join(missing)} not found: apt install --no-install-recommends {install}"
    absent = to_download(configurations) is not None
    return f"its generator is not here; {FETCHES}" if absent and not downloads.may_fetch() else None


def to_download(configurations: tuple[str, ...]) -> str | None:
    """What would be downloaded for the Verilog of all ``configurations``, in words; ``None`` if nothing."""
    here = _are_here(configurations) or cache.has(_GENERATOR, _generator_key())
    return None if here else _DOWNLOAD


def _are_here(configurations: tuple[str, ...]) -> bool:
    return all(cache.has(_VERILOG, _verilog_key(each)) for each in configurations)


def decided_by(configuration: str) -> str:
    """A digest of all that determines a configuration's Verilog."""
    return _verilog_key(configuration)


def verilog(configuration: str, say: Say) -> list[Path]:
    """The Verilog of a configuration, a class in our Scala, its top module ``top``.

    Raises :class:`BuildError` with what a tool said, :class:`EngineMissingError` where nothing may be downloaded.
    """
    key = _verilog_key(configuration)

    def make(folder: Path) -> None:
        jars = str(fetch(say) / "*")
        say(f"elaborating {configuration}, once; this takes about a minute")
        work, classes = folder / "work", folder / "classes"
        work.mkdir()
        classes.mkdir()
        compiler = (*_JAVA, "-cp", jars, "scala.tools.nsc.Main", "-usejavacp", "-d", str(classes))
        tools.run((*compiler, *map(str, _scala())))
        tools.run((*_JAVA, "-cp", f"{classes}:{jars}", "ciphermark.Elaborate", configuration, str(work)))
        for name in FILES:
            (work / name).rename(folder / name)
        shutil.rmtree(work)
        shutil.rmtree(classes)

    with Alone(_VERILOG, key):
        folder = cache.entry(_VERILOG, key, make)
    return [folder / name for name in FILES]


def fetch(say: Say) -> Path:
    """The folder of the generator's jars, and of all they need, downloaded if they are not here.

    Raises :class:`BuildError` with what Maven said, :class:`EngineMissingError` where nothing may be downloaded.
    """
    key = _generator_key()

    def make(folder: Path) -> None:
        if not downloads.may_fetch():
            raise EngineMissingError("Rocket's generator is not downloaded", f"{FETCHES}.")
        say(f"downloading {_DOWNLOAD}")
        # Maven may write beside the file it reads.
        pom = folder / "pom.xml"
        shutil.copy(_pom(), pom)
        maven = ("mvn", "--batch-mode", "--quiet", "--file", str(pom), "dependency:copy-dependencies")
        tools.run((*maven, f"-DoutputDirectory={folder}", "-DincludeScope=runtime"))
        pom.unlink()

    with Alone(_GENERATOR, key):
        return cache.entry(_GENERATOR, key, make)


def _generator_key() -> str:
    return cache.digest(_FORMAT, _pom().read_bytes())


def _verilog_key(configuration: str) -> str:
    return cache.digest(
        _generator_key(), configuration, *(part for each in _scala() for part in (each.name, each.read_bytes()))
    )


def _pom() -> Path:
    return paths.rtl() / "rocket" / "pom.xml"


def _scala() -> list[Path]:
    return sorted((paths.rtl() / "rocket").glob("*.scala"))
