"""Datapaths of a description's instructions, chosen and written as one file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ciphermark import embedded
from ciphermark.errors import UsageError, nearest
from ciphermark.kernels import descriptions

if TYPE_CHECKING:
    from ciphermark._engine import Datapath

# No file is called like every module in it.
_SEVERAL = "/* verilator lint_off DECLFILENAME */"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An instruction without a datapath."""

    name: str
    reason: str
    diagnostic: str
    """The reason with its place in the description."""


@dataclass(frozen=True, slots=True)
class Datapaths:
    """What a description gives for one XLEN."""

    path: Path
    xlen: int
    stages: int
    made: Sequence[Datapath]
    refused: Sequence[Refusal]

    def chosen(self, names: Iterable[str]) -> list[Datapath]:
        """Those of the instructions called ``names``, in the description or in assembly; all without a name.

        Raises :class:`UsageError` for one that is not there, or has none.
        """
        wanted = [name.lower() for name in names]
        if not wanted:
            if not self.made:
                raise UsageError(
                    f"no instruction of {self.path} has a datapath for RV{self.xlen}{_listed(self.refused)}"
                )
            return list(self.made)
        by_name = {name.lower(): one for one in self.made for name in (one.name, one.mnemonic, one.module)}
        refused = {one.name.lower(): one for one in self.refused}
        for name in wanted:
            if name in refused and name not in by_name:
                raise UsageError(refused[name].diagnostic.strip("\n"))
            if name not in by_name:
                raise UsageError(
                    f"{self.path} describes no instruction {name!r} for RV{self.xlen}",
                    nearest(name, [one.mnemonic for one in self.made]),
                )
        return list({by_name[name].module: by_name[name] for name in wanted}.values())

    def file(self, names: Iterable[str] = ()) -> str:
        """Their modules one after the other; of several, with the unit that decodes for them."""
        chosen = self.chosen(names)
        if len(chosen) == 1:
            return chosen[0].verilog
        return "\n".join([_SEVERAL, *(one.verilog for one in chosen), self.unit(chosen)[1]])

    def unit(self, chosen: Sequence[Datapath]) -> tuple[str, str]:
        """Name and text of the module that decodes for these datapaths."""
        modules = [one.module for one in chosen]
        found: tuple[str, str] = embedded.engine().description_rtl_unit(str(self.path), self.xlen, self.stages, modules)
        return found


def read(name: str | Path, xlen: int, stages: int = 0) -> Datapaths:
    """The datapaths of a file, or of a description the package carries (``chacha-v1``, ``Zbb``).

    Raises :class:`UsageError` if there is none, and with what is wrong in it.
    """
    path = descriptions.find(str(name), Path.cwd(), ratified=True)
    engine = embedded.engine()
    try:
        made, refused = engine.description_rtl(str(path), xlen, stages)
    except engine.EngineError as raised:
        raise UsageError(f"{path} cannot be used:\n{raised}") from None
    return Datapaths(path, xlen, stages, made, [Refusal(*one) for one in refused])


def record(one: Datapath) -> dict[str, Any]:
    """A datapath for generators of wrappers: what instruction words it is for, and what belongs to its ports."""
    return {
        **{name: getattr(one, name) for name in ("name", "mnemonic", "set", "module", "xlen", "stages", "length")},
        "mask": one.mask,
        "match": one.match,
        "destination": _register(one.destination, one.destination_register),
        "ports": [
            {
                "name": port.name,
                "direction": port.direction,
                "width": port.width,
                "role": port.role,
                **({"register": _register(port.field, port.register)} if port.register is not None else {}),
                **({"field": _field(port.field)} if port.role == "immediate" else {}),
            }
            for port in one.ports
        ],
        "verilog": one.verilog,
    }


def _register(field: Any, number: int) -> dict[str, Any]:
    return {"field": _field(field), "plus": number} if field is not None else {"number": number}


def _field(field: Any) -> dict[str, Any]:
    parts = [{"word_lsb": word, "field_lsb": own, "bits": bits} for word, own, bits in field.parts]
    return {"name": field.name, "width": field.width, "parts": parts}


def reasons(refused: Sequence[Refusal]) -> str:
    """Refusals by their reasons, in a line each."""
    found: dict[str, list[str]] = {}
    for one in refused:
        found.setdefault(one.reason, []).append(one.name)
    return "\n".join(f"  {reason}: {', '.join(names)}" for reason, names in found.items())


def _listed(refused: Sequence[Refusal]) -> str:
    return f":\n{reasons(refused)}" if refused else ""
