"""Datapaths in Verilator: all of them in one program, which reads their operands and prints their results."""

from __future__ import annotations

import functools
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ciphermark import embedded
from ciphermark._engine import Datapath
from ciphermark.rtl import datapaths
from ciphermark.rtl.tools import Tool
from ciphermark.store import paths

VECTORS = 1000
_CONTROL = Path(__file__).parents[2] / "crates" / "rtl" / "tests" / "control.core_desc"
_WORD = 32
_LEAST_BITS = 96
"""Of a port that Verilator makes an array of words."""

_MAIN = """
#include <cstdio>
#include <fstream>
#include <string>
#include "Vharness.h"
int main(int argc, char **argv)
{
    VerilatedContext context;
    Vharness top{&context};
    std::ifstream vectors{argv[1]};
    for (std::string line; std::getline(vectors, line);) {
        for (size_t word = 0; word < line.size() / 8; word++)
            top.operands[word] = std::stoul(line.substr(line.size() - 8 * (word + 1), 8), nullptr, 16);
        top.eval();
        for (size_t word = sizeof top.results / 4; word-- > 0;)
            std::printf("%08x", top.results[word]);
        std::putchar('\\n');
    }
    return 0;
}
"""


@dataclass(frozen=True)
class Vector:
    inputs: tuple[int, ...]
    result: int | None
    """None if nobody sees it."""
    illegal: bool


@dataclass(frozen=True)
class Case:
    """A datapath with operands and what the interpreter makes of them."""

    module: str
    verilog: str
    inputs: tuple[tuple[str, int], ...]
    """Ports and their widths."""
    xlen: int
    may_be_illegal: bool
    vectors: tuple[Vector, ...]
    ignored: tuple[str, ...] = ()
    """Outputs that are not looked at."""

    @property
    def input_bits(self) -> int:
        return sum(width for _, width in self.inputs)

    @property
    def output_bits(self) -> int:
        return self.xlen + self.may_be_illegal

    def packed(self, vector: Vector) -> int:
        found, shift = 0, 0
        for value, (_, width) in zip(vector.inputs, self.inputs, strict=True):
            found |= value << shift
            shift += width
        return found

    def agrees(self, vector: Vector, found: int) -> bool:
        illegal = bool(found >> self.xlen)
        return illegal == vector.illegal and vector.result in (None, found & ((1 << self.xlen) - 1))


def files() -> list[Path]:
    """Every description of ``isa/`` and ``extensions/``, and that of the generator's own tests."""
    found = [file for folder in (paths.data() / "isa", paths.extensions()) for file in folder.glob("*.core_desc")]
    return [*sorted(found), _CONTROL]


@functools.cache
def cases(xlen: int) -> tuple[Case, ...]:
    """Every instruction of :func:`files` that has a datapath, once each."""
    found: dict[str, Case] = {}
    for file in files():
        for case in of_file(file, xlen):
            assert _body(found.setdefault(case.module, case)) == _body(case), case.module
    return tuple(found.values())


def of_file(file: Path, xlen: int) -> list[Case]:
    engine = embedded.engine()
    made, _ = engine.description_rtl(str(file), xlen)
    vectors = dict(engine.description_vectors(str(file), xlen, trials=VECTORS))
    return [
        Case(
            one.module,
            one.verilog,
            tuple((port.name, port.width) for port in one.ports if port.direction == "input"),
            xlen,
            any(port.role == "illegal" for port in one.ports),
            tuple(Vector(tuple(inputs), result, illegal) for inputs, result, illegal in vectors[one.module]),
        )
        for one in made
    ]


def of_unit(file: Path, xlen: int) -> Case:
    """The unit of a description, given the words of all its instructions one after the other."""
    found = datapaths.read(file, xlen)
    text = found.file()
    name, head = re.findall(r"^module (\w+_unit) \((.*?)\);", text, re.MULTILINE | re.DOTALL)[-1]
    ports = [(port, int(high or 0) + 1) for high, port in re.findall(r"input  logic (?:\[(\d+):0\])? *(\w+)", head)]
    engine = embedded.engine()
    vectors = []
    for (_, given), one in zip(engine.description_vectors(str(file), xlen, trials=VECTORS), found.made, strict=True):
        inputs = [port for port in one.ports if port.direction == "input"]
        for values, result, illegal in given[: VECTORS // len(found.made)]:
            operands = {port.name: value for port, value in zip(inputs, values, strict=True)}
            word = _word(one, {p.field.name: operands[p.name] for p in inputs if p.role == "immediate" and p.field})
            vectors.append(
                Vector(tuple(operands.get(p, word if p == "word" else 0) for p, _ in ports), result, illegal)
            )
    vectors += vectors[: VECTORS - len(vectors)]
    return Case(name, text, tuple(ports), xlen, True, tuple(vectors), ("known",))


def _word(one: Datapath, fields: Mapping[str, int]) -> int:
    """With these fields, and 1 in those that name registers, which belongs to no instruction nested in this one."""
    word = one.match
    registers = [one.destination, *(port.field for port in one.ports if port.role == "register")]
    for field in [*registers, *(port.field for port in one.ports if port.role == "immediate")]:
        if field is not None:
            for word_lsb, field_lsb, bits in field.parts:
                word |= (fields.get(field.name, 1) >> field_lsb & (1 << bits) - 1) << word_lsb
    return word


def _body(case: Case) -> str:
    """The text without its comment, which names the file."""
    return case.verilog.partition("\nmodule ")[2]


def renamed(case: Case, name: str, verilog: str) -> Case:
    return replace(case, module=name, verilog=re.sub(rf"\bmodule {case.module} \(", f"module {name} (", verilog))


def disagreements(verilator: Tool, given: Sequence[Case], folder: Path, netlist: str | None = None) -> dict[str, int]:
    """For each datapath with which vectors it does not give what the interpreter gives: how many.

    ``netlist``: what to simulate instead of the datapaths' own texts.
    """
    text = netlist if netlist is not None else "\n".join(case.verilog for case in given)
    (folder / "harness.sv").write_text(f"{text}\n{_top(given)}")
    (folder / "main.cpp").write_text(_MAIN)
    count = max(len(case.vectors) for case in given)
    digits = _padded(sum(case.input_bits for case in given)) // 4
    lines = []
    for number in range(count):
        word, shift = 0, 0
        for case in given:
            word |= case.packed(case.vectors[number]) << shift
            shift += case.input_bits
        lines.append(f"{word:0{digits}x}\n")
    (folder / "vectors").write_text("".join(lines))
    command = [
        *verilator.command, "--cc", "--exe", "--build", "-j", "1", "--top-module", "harness", "-Wno-VARHIDDEN",
        *(["-Wno-lint", "-Wno-style"] if netlist is not None else []),
        "-CFLAGS", "-O1", "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include", "--Mdir", "made", "harness.sv", "main.cpp",
    ]  # fmt: skip
    built = subprocess.run(command, cwd=folder, env=verilator.variables(), capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-4000:]
    ran = subprocess.run([folder / "made" / "Vharness", folder / "vectors"], capture_output=True, text=True, check=True)
    results = [int(line, 16) for line in ran.stdout.split()]
    assert len(results) == count
    wrong, shift = {}, 0
    for case in given:
        mask = (1 << case.output_bits) - 1
        found = zip(case.vectors, (result >> shift & mask for result in results), strict=True)
        if differing := sum(not case.agrees(vector, bits) for vector, bits in found):
            wrong[case.module] = differing
        shift += case.output_bits
    return wrong


def _padded(bits: int) -> int:
    return max(_LEAST_BITS, -(-bits // _WORD) * _WORD)


def _top(given: Sequence[Case]) -> str:
    inputs, outputs = (_padded(sum(getattr(case, f"{way}_bits") for case in given)) for way in ("input", "output"))
    lines = [f"module harness (input logic [{inputs - 1}:0] operands, output logic [{outputs - 1}:0] results);"]
    used, made = 0, 0
    for number, case in enumerate(given):
        connections = []
        for name, width in case.inputs:
            connections.append(f".{name}(operands[{used + width - 1}:{used}])")
            used += width
        connections.append(f".rd(results[{made + case.xlen - 1}:{made}])")
        if case.may_be_illegal:
            connections.append(f".illegal(results[{made + case.xlen}])")
        made += case.output_bits
        connections += [f".{name}()" for name in case.ignored]
        lines.append(f"  {case.module} u{number} ({', '.join(connections)});")
    if inputs > used:
        lines.append(f"  wire unused = &{{1'b0, operands[{inputs - 1}:{used}]}};")
    if outputs > made:
        lines.append(f"  assign results[{outputs - 1}:{made}] = '0;")
    return "\n".join([*lines, "endmodule", ""])
