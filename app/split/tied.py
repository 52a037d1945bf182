"""Become the program whose command line follows, bound to die with the process that asked for it, even of `kill -9`.

A script that needs nothing but the standard library: `python -PS tied.py PARENT PROGRAM …`. On Linux the kernel keeps
the promise, through the change of program too; elsewhere there is nobody to keep it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_SET_PARENT_DEATH_SIGNAL = 1


def _main(parent: str, *command: str) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != int(parent):  # it died before we were bound
        sys.exit(1)
    os.execv(command[0], command)  # noqa: S606 - the command is our own


if __name__ == "__main__":
    _main(*sys.argv[1:])
