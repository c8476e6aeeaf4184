"""NIST's CAVP vectors, beyond the examples that gate every run: all of them through every implementation."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import pytest

import measuring
from ciphermark import build, engines
from ciphermark.kernels import catalogue
from ciphermark.rows.model import Target, Vector

pytestmark = pytest.mark.usefixtures("native")

cryptography_vectors = pytest.importorskip("cryptography_vectors", reason="pip install cryptography_vectors")

Targets = Callable[..., Target]

PER_JOB = 400
"""So that a job stays a few hundred kilobytes and a mistake shows early."""

AES_FILES = {
    "ecb": ["ECBGFSbox{}", "ECBKeySbox{}", "ECBVarKey{}", "ECBVarTxt{}", "ECBMMT{}"],
    "cbc": ["CBCGFSbox{}", "CBCKeySbox{}", "CBCVarKey{}", "CBCVarTxt{}", "CBCMMT{}"],
}


def lines(*path: str) -> list[str]:
    with cryptography_vectors.open_vector_file("/".join(path), "r") as file:
        return [line.strip() for line in file]


def fields(*path: str) -> Iterator[dict[str, str]]:
    """The ``NAME = value`` groups of a response file; an empty line or a section header ends a group."""
    group: dict[str, str] = {}
    for line in [*lines(*path), ""]:
        if not line and group:
            yield group
            group = {}
        elif line in {"[ENCRYPT]", "[DECRYPT]"}:
            yield {"section": line}
        elif " = " in line:
            name, value = line.split(" = ")
            group[name] = value
    assert not group


def aes(mode: str, file: str) -> Iterator[Vector]:
    operation = ""
    for group in fields("ciphers", "AES", mode.upper(), f"{file}.rsp"):
        if "section" in group:
            operation = {"[ENCRYPT]": "encrypt", "[DECRYPT]": "decrypt"}[group["section"]]
        elif "PLAINTEXT" in group:
            key = bytes.fromhex(group["KEY"])
            plain, cipher = bytes.fromhex(group["PLAINTEXT"]), bytes.fromhex(group["CIPHERTEXT"])
            data, expected = (plain, cipher) if operation == "encrypt" else (cipher, plain)
            yield Vector(
                algorithm=f"aes-{8 * len(key)}-{mode}",
                operation=operation,
                key=key,
                iv=bytes.fromhex(group.get("IV", "")),
                data=data,
                expected=expected,
                source=f"CAVP {file} {operation} {group['COUNT']}",
            )


def sha(bits: int, file: str) -> Iterator[Vector]:
    for group in fields("hashes", "SHA2", f"SHA{bits}{file}.rsp"):
        if "Msg" in group:
            length = int(group["Len"]) // 8
            yield Vector(
                algorithm=f"sha-{bits}",
                operation="hash",
                key=b"",
                iv=b"",
                data=bytes.fromhex(group["Msg"])[:length],
                expected=bytes.fromhex(group["MD"]),
                source=f"CAVP SHA{bits}{file} Len={group['Len']}",
            )


@functools.cache
def vectors_of(family: str) -> tuple[Vector, ...]:
    if family == "sha2":
        return tuple(v for bits in (256, 512) for file in ("ShortMsg", "LongMsg") for v in sha(bits, file))
    return tuple(
        vector
        for mode, files in AES_FILES.items()
        for file in files
        for bits in (128, 192, 256)
        for vector in aes(mode, file.format(bits))
    )


def test_there_are_as_many_as_nist_published() -> None:
    aes_vectors = vectors_of("aes")
    assert {vector.algorithm for vector in aes_vectors} == {f"aes-{n}-{m}" for n in (128, 192, 256) for m in AES_FILES}
    assert len(aes_vectors) > 3500
    assert {len(vector.data) for vector in vectors_of("sha2") if vector.algorithm == "sha-256"} >= set(range(65))


@pytest.mark.parametrize(
    "name", [one.name for one in catalogue.list_implementations() if one.bare_metal and one.family in {"aes", "sha2"}]
)
def test_every_implementation(sim: engines.Engine, target: Targets, name: str) -> None:
    implementation = catalogue.load_implementation(name)
    offered = [v for v in vectors_of(implementation.family) if implementation.provides(v.algorithm, v.operation)]
    assert offered
    for xlen in implementation.xlen:
        wanted = target(implementation.isa[xlen])
        artifact = build.build(implementation, wanted)
        for begin in range(0, len(offered), PER_JOB):
            some = offered[begin : begin + PER_JOB]
            report = measuring.measure(sim, implementation, artifact, wanted, [], some)
            assert report.first_failure is None
            assert report.vectors_passed == len(some)
