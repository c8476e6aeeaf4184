"""A results folder with invented figures in the shape of the AES bit-manipulation study.

The figures are made up, and only plausible; nothing in the project cites them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ciphermark.execution.study_record import StudyRecord
from ciphermark.rows.listing import CodeListing
from ciphermark.rows.model import SCHEMA, Row
from ciphermark.store import records

EXTENSIONS = ("", "_zbb", "_zbkb", "_zbb_zbkb", "_zkn")
COMPILERS = (("zig", "O2"), ("zig", "Os"), ("riscv64-unknown-elf-gcc", "O2"), ("riscv64-unknown-elf-gcc", "O3"))
SIZES = tuple(1 << n for n in range(4, 21, 2))
MEASURED_UP_TO = 1 << 16

_PER_BLOCK = {"aes/sbox": 3050, "aes/ttable": 934, "aes/fixslice": 1630, "aes/zkne32": 233, "aes/zkne64": 69}
_CODE = {"aes/sbox": 2868, "aes/ttable": 4120, "aes/fixslice": 6012, "aes/zkne32": 1608, "aes/zkne64": 904}
_RODATA = {"aes/sbox": 522, "aes/ttable": 4608, "aes/fixslice": 16, "aes/zkne32": 40, "aes/zkne64": 0}
_SPEED = {("zig", "O2"): 1.0, ("zig", "Os"): 1.42, ("riscv64-unknown-elf-gcc", "O2"): 1.31,
          ("riscv64-unknown-elf-gcc", "O3"): 0.94}  # fmt: skip
_ROTATES = {"aes/ttable": 0.86, "aes/fixslice": 0.81}


def rows(sizes: Sequence[int] = SIZES, compilers: Sequence[tuple[str, str]] = COMPILERS) -> list[Row]:
    """The whole matrix in the study's order."""
    return [
        row
        for algorithm in ("aes-128-ecb", "aes-256-ecb", "aes-128-ctr")
        for operation in ("encrypt", "decrypt", "expand-key")
        for implementation in _PER_BLOCK
        for isa in _isas(implementation)
        for compiler, opt in compilers
        for row in _sweep(algorithm, operation, implementation, isa, compiler, opt, sizes)
    ]


def _isas(implementation: str) -> Iterator[str]:
    for base in ("rv32i", "rv64i"):
        if implementation.endswith(("32", "64")):
            if base[2:4] == implementation[-2:]:
                yield base + "_zkn"
        else:
            yield from (base + extension for extension in EXTENSIONS)


def _sweep(
    algorithm: str, operation: str, implementation: str, isa: str, compiler: str, opt: str, sizes: Sequence[int]
) -> Iterator[Row]:
    if operation == "expand-key":
        sizes = (16,)
    elif algorithm.endswith("ctr"):
        sizes = (1 << 14,)
    for size in sizes:
        yield _row(algorithm, operation, implementation, isa, compiler, opt, size)


def _row(algorithm: str, operation: str, implementation: str, isa: str, compiler: str, opt: str, size: int) -> Row:
    block = _PER_BLOCK[implementation] * _SPEED[compiler, opt]
    block *= {"aes-256-ecb": 1.39, "aes-128-ctr": 1.04}.get(algorithm, 1.0)
    block *= {"decrypt": 1.07, "expand-key": 0.8}.get(operation, 1.0)
    if isa.startswith("rv64") and not implementation.startswith("aes/zkne"):
        block *= 0.93
    rotates = "_zbb" in isa or "_zbkb" in isa or "_zkn" in isa
    used = (rotates and implementation in _ROTATES) or implementation.startswith("aes/zkne")
    if used and implementation in _ROTATES:
        block *= _ROTATES[implementation]
    instructions = round(block) * (size // 16) + 11
    build = hashlib.sha256(f"{implementation} {isa} {compiler} {opt}".encode()).hexdigest()
    extrapolated = size > MEASURED_UP_TO
    code = round(_CODE[implementation] * (0.71 if opt == "Os" else 1.9 if opt == "O3" else 1.0) * (0.97 if used else 1))
    source = "; extrapolated from 16 KiB and 64 KiB, exact at 32 KiB" if extrapolated else ""
    return Row(
        study="aes-bitmanip", algorithm=algorithm, operation=operation, implementation=implementation, isa=isa,
        abi="ilp32" if isa.startswith("rv32") else "lp64", compiler=compiler, opt=opt, engine="sim",
        size=size, verified=True, instructions=instructions,
        call_instructions=9, instructions_per_byte=instructions / size, code_bytes=code,
        rodata_bytes=_RODATA[implementation], data_bytes=0, bss_bytes=0, stack_bytes=96 + code % 64,
        static_instructions=code // 4, samples=0 if extrapolated else 1,
        provenance=f"sim 0.1.0, instret of the timed region; {compiler} -{opt}; elf {build}{source}",
        verdict="ok",
        note=f"no {isa.split('_', 1)[1].capitalize()} instruction executed" if "_" in isa and not used else None,
        point=hashlib.sha256(f"{build} {algorithm} {operation} {size}".encode()).hexdigest(),
        opcodes=None if extrapolated else _opcodes(implementation, instructions, used),
    )  # fmt: skip


def _opcodes(implementation: str, total: int, used: bool) -> dict[str, int]:
    shares = {"lw": 0.18, "sw": 0.07, "xor": 0.25, "srli": 0.16, "andi": 0.12, "add": 0.11, "lbu": 0.08, "bne": 0.02}
    if used and implementation in _ROTATES:
        shares |= {"rori": 0.09, "srli": 0.06}
    if implementation.startswith("aes/zkne"):
        name = "aes32esmi" if implementation.endswith("32") else "aes64esm"
        shares = {name: 0.68, "lw": 0.16, "xor": 0.1, "sw": 0.02}
    counts = {mnemonic: round(total * share) for mnemonic, share in shares.items()}
    return counts | {"jalr": max(0, total - sum(counts.values()))}


_DATA = Path(__file__).parent / "data"

STUDY: dict[str, Any] = json.loads((_DATA / "study.json").read_text(encoding="utf-8"))
CLAIMS: list[dict[str, Any]] = json.loads((_DATA / "claims.json").read_text(encoding="utf-8"))["claims"]
MANIFEST: dict[str, Any] = json.loads((_DATA / "manifest.json").read_text(encoding="utf-8"))


def write(
    folder: Path,
    measured: Iterable[Row] | None = None,
    *,
    study: dict[str, Any] | StudyRecord | None = None,
    claims: list[dict[str, Any]] | None = None,
    manifest: dict[str, Any] | None = None,
) -> Path:
    """The four files of a results folder; what is not given is the invented study's."""
    folder.mkdir(parents=True, exist_ok=True)
    found = rows() if measured is None else measured
    (folder / "rows.jsonl").write_text(records.rows_to_lines(found))
    asked = STUDY if study is None else study
    if isinstance(asked, StudyRecord):
        records.write(folder / "study.json", StudyRecord, asked)
    else:
        (folder / "study.json").write_text(json.dumps({"schema": SCHEMA, "id": folder.name, **asked}))
    judged = [{**_CLAIM, **claim} for claim in (CLAIMS if claims is None else claims)]
    (folder / "claims.json").write_text(json.dumps({"schema": SCHEMA, "claims": judged}))
    records.write(folder / "manifest.json", dict[str, Any], MANIFEST if manifest is None else manifest)
    return folder


def write_listings(folder: Path, found: Iterable[CodeListing]) -> None:
    """The code of its rows beside the other files."""
    (folder / "listings.jsonl").write_text(records.to_lines(CodeListing, found))


_CLAIM = {
    "id": "c", "claim": "It is.", "citation": {"work": "A paper"}, "definition": "", "published": ["1"],
    "measured": None, "verdict": "not testable", "reason": "",
}  # fmt: skip


def failing(found: list[Row]) -> list[Row]:
    """The rows as if `aes/ttable` failed a vector: no figures, and the vector named."""
    return [
        replace(
            row,
            verified=False,
            verdict="failed",
            note="SP 800-38A F.1.1: expected 3ad77bb4, got 00000000",
            instructions=None,
            instructions_per_byte=None,
            opcodes=None,
        )
        if row.implementation == "aes/ttable"
        else row
        for row in found
    ]
