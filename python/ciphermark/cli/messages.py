"""Messages on stderr, and errors as exit codes. Imports neither typer nor rich: ``sim`` uses it too."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

from ciphermark.errors import CiphermarkError
from ciphermark.exit_codes import ExitCode

_ENDING = (signal.SIGTERM, signal.SIGHUP)


def error(message: str, hint: str = "") -> None:
    print(f"error: {message.rstrip()}", file=sys.stderr)
    if hint:
        print(f"hint: {hint}", file=sys.stderr)


def note(message: str) -> None:
    print(message, file=sys.stderr)


class Ended(BaseException):
    """A signal asked this process to end. No :class:`Exception`: nothing but the command line may catch it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextlib.contextmanager
def ending_by_exception() -> Iterator[None]:
    """Raise :class:`Ended` where a signal would end the process at once, so that children and temporary files go. A
    signal that is ignored (``nohup``) stays ignored, and so is a second one from the first to the process's end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _ENDING}
    ours = [number for number, handler in before.items() if handler is signal.SIG_DFL]

    def end(number: int, _: FrameType | None) -> None:
        if signal.getsignal(number) is signal.SIG_IGN:
            # A second one came before the first was obeyed, which happens now.
            return
        for each in ours:
            signal.signal(each, signal.SIG_IGN)
        raise Ended(number)

    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            # Once one has come they stay ignored: a second one would cut short what is left to say and to remove.
            if signal.getsignal(number) is end:
                signal.signal(number, before[number])


@contextlib.contextmanager
def exit_codes(kept: str | Callable[[], str] = "") -> Iterator[None]:
    """Turn what a command raises into a message and an exit code; ``kept``: what an interrupt leaves."""

    def interrupted(what: str) -> None:
        left = kept if isinstance(kept, str) else kept()
        note(f"\n{what}; {left}" if left else f"\n{what}")

    try:
        with ending_by_exception():
            yield
    except CiphermarkError as raised:
        error(raised.message, raised.hint)
        raise SystemExit(raised.exit_code) from None
    except KeyboardInterrupt:
        interrupted("interrupted")
        raise SystemExit(ExitCode.INTERRUPTED) from None
    except Ended as ended:
        interrupted(f"ended by {signal.Signals(ended.number).name}")
        raise SystemExit(128 + ended.number) from None
    except BrokenPipeError:
        reader_left()


def reader_left() -> NoReturn:
    """End the command because the reader of stdout went away, as `head` does."""
    # A second error at interpreter exit, when the rest is flushed, would only confuse.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(ExitCode.READER_LEFT) from None


@contextlib.contextmanager
def flushed() -> Iterator[None]:
    """Write what a command printed before its exit status is settled: a reader may have left."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        reader_left()


def of_engine(raised: Exception, program: object) -> str:
    """What the engine refuses: the program, in a line; or a description, in several that say where the mistake is."""
    text = str(raised).strip("\n")
    return f"a description cannot be used:\n{text}" if "\n" in text else f"{program}: {text}"
