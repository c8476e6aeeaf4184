"""OpenHW's Wally, from a checkout that the user names: RV32 and RV64 with bit manipulation and scalar cryptography."""

import functools
import hashlib
import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path

from ciphermark.errors import BuildError, EngineMissingError, UsageError
from ciphermark.rtl import tools
from ciphermark.rtl.core import Core, needed
from ciphermark.rtl.machines import Machine
from ciphermark.rtl.simulator import Recipe, Say
from ciphermark.store import paths

VARIABLE = "CIPHERMARK_WALLY"
REPOSITORY = "https://github.com/openhwgroup/cvw"
_CORE = Path("src", "wally", "wallypipelinedcore.sv")
_BASE = frozenset({"m", "zmmul", "a", "zaamo", "zalrsc", "c", "zca", "zicsr", "zifencei", "zicntr"})
_LEVELS = (
    frozenset[str](),
    frozenset({"zba", "zbb", "zbc", "zbs"}),
    frozenset({"zbkb", "zbkc", "zbkx", "zknd", "zkne", "zknh"}),
)
"""Each with those before it; what an ISA needs decides how many a simulator has."""
_LEVEL_NAMES = ("neither bit manipulation nor cryptography", "bit manipulation", "bit manipulation and cryptography")
_GROUPS = frozenset({"b", "zkn"})
_NEVER = ("ZCB", "ZICOND")
"""What no simulator has, since no ISA asks for it."""
_FLOATING_POINT = ("F", "D", "ZFH", "ZFA", "ZCD")
_DEVICE = {"GPIO_BASE": "64'h60000000", "RESET_VECTOR": "64'h00001000"}
"""The mailbox is where the configuration has a device of words, and the program's entry is jumped to from its ROM."""


class Wally(Core):
    name = "wally"
    default = "wally64"
    variants = tuple(f"rv{xlen}i{extra}" for xlen in (64, 32) for extra in ("", "_zbb", "_zkn"))

    def problem(self) -> str | None:
        try:
            _checkout()
        except EngineMissingError as error:
            return f"{error.message}: {error.hint}"
        return tools.problem()

    def version(self) -> str:
        return f"Wally (its sources' SHA-256 begins with {_sha256(_checkout())[:12]})"

    def xlens(self, machine: Machine) -> Collection[int]:
        return (_xlen(machine),)

    def extensions(self, machine: Machine) -> Collection[str]:
        return _BASE.union(_GROUPS, *_LEVELS)

    def recipe(self, machine: Machine, isa: str, unit: str | None = None) -> Recipe:
        self.refuse(machine, isa)
        extra = needed(isa)
        level = max((number for number, names in enumerate(_LEVELS) if extra & names), default=0)
        return _recipe(machine, level)


def _recipe(machine: Machine, level: int) -> Recipe:
    root, xlen = _checkout(), _xlen(machine)
    configuration = _configuration(root, xlen, level)

    def derived(folder: Path, say: Say) -> Sequence[Path]:
        (folder / "config.vh").write_text(configuration)
        return [root / "src" / "cvw.sv"]

    modules = [path for path in (root / "src").glob("*/*.sv") if path.parent.name != _CORE.parent.name]
    return Recipe(
        title=f"{machine.name} with {_LEVEL_NAMES[level]}",
        options=("--relative-includes", f"-I{root / 'config' / 'shared'}"),
        sources=(
            *sorted([*modules, *(root / "src").glob("*/*/*.sv"), root / _CORE]),
            *(paths.rtl() / "wally" / name for name in ("top.sv", "bench.cpp")),
        ),
        decided_by=(_sha256(root), configuration),
        derived=derived,
    )


def _configuration(root: Path, xlen: int, level: int) -> str:
    """The checkout's own for this XLEN, with the extensions of ``level`` only. Without a floating-point unit RV32 does
    not elaborate, so it has one, which no ISA reaches."""
    absent = {*_NEVER, *(_FLOATING_POINT if xlen == 64 else ())}
    has = dict.fromkeys(absent, "0")
    has |= {name.upper(): str(int(number <= level)) for number, names in enumerate(_LEVELS) for name in names}
    values = {**{f"{name}_SUPPORTED": value for name, value in has.items()}, **_DEVICE}
    if xlen == 64:
        values["IDIV_ON_FPU"] = "0"
    text = (root / "config" / f"rv{xlen}gc" / "config.vh").read_text()
    for name, value in values.items():
        text, found = re.subn(rf"(?<=\b{name})(\s*=\s*)[^;]+", rf"\g<1>{value}", text)
        if found != 1:
            raise BuildError(f"this version of Wally is not known: its configuration has no {name}")
    return text


def _xlen(machine: Machine) -> int:
    """Raises :class:`UsageError` for what Wally has not."""
    xlen = machine.parameters.get("xlen")
    if xlen not in (32, 64) or len(machine.parameters) > 1:
        raise UsageError(f"machine {machine.name}: a Wally has the parameter xlen (32, 64)")
    return int(xlen)


def _checkout() -> Path:
    """What the user named. Raises :class:`EngineMissingError` with how to bring it."""
    named = os.environ.get(VARIABLE)
    hint = f"git clone {REPOSITORY}, and set {VARIABLE} to that folder"
    if not named:
        raise EngineMissingError("the RTL of Wally not found", hint)
    root = Path(named).expanduser()
    if not (root / _CORE).is_file():
        raise EngineMissingError(f"{VARIABLE}={named} has no {_CORE}", hint)
    return root.resolve()


@functools.cache
def _sha256(root: Path) -> str:
    """Digest of everything that a simulator may be made of."""
    total = hashlib.sha256()
    for path in sorted([*(root / "src").rglob("*.sv"), *(root / "config").rglob("*.vh")]):
        total.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return total.hexdigest()
