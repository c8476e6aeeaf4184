"""Messages on stderr, and errors as exit codes. Imports neither typer nor rich: ``sim`` uses it too."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator

from ciphermark.errors import CiphermarkError

INTERRUPTED = 128 + signal.SIGINT


def error(message: str, hint: str = "") -> None:
    """One error, and what mends it."""
    print(f"error: {message}", file=sys.stderr)
    if hint:
        print(f"hint: {hint}", file=sys.stderr)


def note(message: str) -> None:
    """Something the user should know, on stderr."""
    print(message, file=sys.stderr)


@contextlib.contextmanager
def exit_codes(kept: str = "") -> Iterator[None]:
    """Turn what a command raises into a message and an exit code; ``kept``: what an interrupt leaves."""
    try:
        yield
    except CiphermarkError as raised:
        error(raised.message, raised.hint)
        raise SystemExit(raised.exit_code) from None
    except KeyboardInterrupt:
        note(f"\ninterrupted; {kept}" if kept else "\ninterrupted")
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError:
        # The reader of stdout left, as `head` does; a second error at interpreter exit would only confuse.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(128 + signal.SIGPIPE) from None
