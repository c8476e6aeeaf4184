"""Becomes a program that dies with its parent: ``python ends_with_parent.py PARENT PROGRAM ARGUMENTS``. A program,
because a function called between fork and exec may deadlock if there are threads. It imports nothing of the package."""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
"""Linux, ``prctl(2)``: a signal for this process when its parent dies; it holds across exec."""


def main() -> None:
    parent, *command = sys.argv[1:]
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):
        # It died before the call above.
        sys.exit(1)
    try:
        os.execv(command[0], command)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


if __name__ == "__main__":
    main()
