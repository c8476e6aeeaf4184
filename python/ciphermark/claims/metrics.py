"""What a metric is called in a sentence, and what it is a property of."""

from __future__ import annotations

from ciphermark.claims.schema import Metric
from ciphermark.model import Row
from ciphermark.sizes import format_size

NAMES: dict[Metric, str] = {
    "instructions": "executed instructions",
    "instructions_per_byte": "executed instructions per byte",
    "cycles": "cycles",
    "cycles_per_byte": "cycles per byte",
    "seconds": "time",
    "bytes_per_second": "throughput",
    "cpu_s": "processor time",
    "code_bytes": "code bytes of the implementation",
    "rodata_bytes": "read-only data bytes",
    "data_bytes": "data bytes",
    "bss_bytes": "bss bytes",
    "stack_bytes": "stack bytes",
    "static_instructions": "instructions in the implementation's code",
}

_OF_THE_BINARY = frozenset({"code_bytes", "rodata_bytes", "data_bytes", "bss_bytes", "static_instructions"})
_BINARY_COLUMNS = ("implementation", "isa", "compiler", "opt")
_RUN_COLUMNS = (*_BINARY_COLUMNS, "algorithm", "operation", "size", "engine", "vlen", "total_bytes")


def of_the_binary(metric: Metric) -> bool:
    """Whether a metric is of what was built, whatever is executed of it and where."""
    return metric in _OF_THE_BINARY


def capitalised(metric: Metric) -> str:
    """The name at the start of a sentence."""
    return NAMES[metric][0].upper() + NAMES[metric][1:]


def columns(metric: Metric) -> tuple[str, ...]:
    """Those in which two rows must be equal for a metric to be the same figure."""
    return _BINARY_COLUMNS if metric in _OF_THE_BINARY else _RUN_COLUMNS


def identity(metric: Metric, row: Row) -> tuple[object, ...]:
    """What tells two values of a metric apart: a binary's size is one figure, however many rows repeat it."""
    return tuple(getattr(row, name) for name in columns(metric))


def place(metric: Metric, row: Row) -> str:
    """Where a value comes from, in a few words; the ISA is said apart."""
    binary = f"{row.implementation} {row.compiler} -{row.opt}"
    if metric in _OF_THE_BINARY:
        return binary
    if row.vlen is not None:
        binary += f", VLEN {row.vlen}"
    total = f" of {size_in_words(row.total_bytes)}" if row.total_bytes is not None else ""
    return f"{binary}, {row.algorithm} {row.operation}, {size_in_words(row.size)}{total}"


def size_in_words(size: int) -> str:
    """``16`` as ``16 B``, ``4096`` as ``4 KiB``."""
    text = format_size(size)
    return f"{text[:-1]} {text[-1]}iB" if text[-1].isalpha() else f"{text} B"
