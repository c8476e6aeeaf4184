"""What one run said, if it said the same in every machine."""

from collections.abc import Sequence

from ciphermark.errors import MismatchError, RunError
from ciphermark.host.process import Ended
from ciphermark.vm.boot import Boot
from ciphermark.vm.console import Run

_SHOWN = 100


def agreed(boots: Sequence[Boot], number: int, name: str) -> Ended:
    """Run ``number`` as a process of this host would have ended; ``name`` is what messages call it.

    Raises :class:`RunError` if a machine did not get that far, :class:`MismatchError` if two said different things.
    """
    first, *others = (_whole(boot, number, name) for boot in boots)
    for other in others:
        if (other.lines, other.ending, other.number) != (first.lines, first.ending, first.number):
            raise MismatchError(
                f"{name}: two identical machines behaved differently: {_difference(first.lines, other.lines)}",
                "The guest should be deterministic. Please report this, with the versions of QEMU and the kernel.",
            )
    return Ended(
        console="".join(f"{line}\n" for line in first.lines).encode("ascii", errors="replace"),
        complaint="\n".join(first.lines[-3:]),
        status=-first.number if first.ending == "signal" else first.number,
        late=first.ending == "deadline",
        wall_s=0.0,
    )


def _whole(boot: Boot, number: int, name: str) -> Run:
    run = boot.transcript.runs.get(number)
    if run is not None and run.whole and run.ending is not None:
        return run
    if boot.trouble is not None:
        when = "before it was run" if run is None else "while it ran"
        raise RunError(f"{name}: {when}, {boot.trouble}", "Measure less at a time, or allow more time.")
    messages = "\n".join(boot.transcript.kernel_messages)
    raise RunError(f"{name}: messages of the guest's kernel damaged what it said:\n{messages}")


def _difference(first: Sequence[str], second: Sequence[str]) -> str:
    for one, other in zip(first, second, strict=False):
        if one != other:
            return f"{one[:_SHOWN]!r} and {other[:_SHOWN]!r}"
    return f"{len(first)} and {len(second)} lines"
