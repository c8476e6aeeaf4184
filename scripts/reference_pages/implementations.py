"""Families, algorithms and implementations, from their manifests."""

from __future__ import annotations

from typing import get_args

from ciphermark import family, kernels

from .markdown import table


def page() -> str:
    """Implementations, families and what each can do."""
    parts = ["# Families, algorithms and implementations"]
    for name in family.names():
        loaded = family.load(name)
        parts += [f"## `{name}`: {loaded.summary}"]
        parts.append(
            table(
                ("algorithm", "operations"),
                (
                    (f"`{algorithm.name}`", ", ".join(f"`{operation}`" for operation in algorithm.operations))
                    for algorithm in loaded.algorithms.values()
                ),
            )
        )
        parts.append(
            table(
                (
                    "implementation",
                    "what it is",
                    "XLEN",
                    "requires",
                    "native code",
                    "claims constant time",
                    "cannot",
                    "origin",
                ),
                (
                    (
                        f"`{found.name}`",
                        found.summary,
                        ", ".join(map(str, found.xlen)),
                        ", ".join([*map(str.capitalize, found.requires), *_least(found)]),
                        ", ".join(_native(found)),
                        "yes" if found.constant_time else "no",
                        ", ".join(f"`{limit}`" for limit in found.limits),
                        " ".join(found.origin.split()),
                    )
                    for found in kernels.list_implementations()
                    if found.family == name
                ),
            )
        )
    return "\n\n".join(parts)


def _least(found: kernels.Implementation) -> list[str]:
    return [f"VLEN {found.min_vlen} or more"] if found.min_vlen is not None else []


def _native(found: kernels.Implementation) -> list[str]:
    """Architectures with the CPU features each needs; one word for code of all of them alike."""
    features = {sources.features for sources in found.native.values()}
    if len(found.native) == len(get_args(kernels.Architecture)) and features == {()}:
        return ["any"]
    return ["`" + "+".join((name, *sources.features)) + "`" for name, sources in found.native.items()]
