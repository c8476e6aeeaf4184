"""What a value of a metric is a property of: the binary, or a run of it."""

from ciphermark.notation.sizes import size_in_words
from ciphermark.rows.metrics import METRICS, MetricName
from ciphermark.rows.model import Row

_BINARY_COLUMNS = ("implementation", "isa", "compiler", "opt")
_RUN_COLUMNS = (*_BINARY_COLUMNS, "algorithm", "operation", "size", "engine", "vlen", "total_bytes")


def columns(metric: MetricName) -> tuple[str, ...]:
    """Those in which two rows must be equal for a metric to be the same figure."""
    return _BINARY_COLUMNS if METRICS[metric].of_object else _RUN_COLUMNS


def identity(metric: MetricName, row: Row) -> tuple[object, ...]:
    """What tells two values of a metric apart: a binary's size is one figure, however many rows repeat it."""
    return tuple(getattr(row, name) for name in columns(metric))


def place(metric: MetricName, row: Row) -> str:
    """Where a value comes from, in a few words; the ISA is said apart."""
    binary = f"{row.implementation} {row.compiler} -{row.opt}"
    if METRICS[metric].of_object:
        return binary
    if row.vlen is not None:
        binary += f", VLEN {row.vlen}"
    total = f" of {size_in_words(row.total_bytes)}" if row.total_bytes is not None else ""
    return f"{binary}, {row.algorithm} {row.operation}, {size_in_words(row.size)}{total}"
