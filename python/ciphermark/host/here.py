"""What this machine is called in what it measures."""

import functools
import os
import platform

from ciphermark.host import cpu
from ciphermark.rows.model import MeasuredOn

NODE_VARIABLE = "SLURMD_NODENAME"
"""Slurm's name of the node that a job runs on."""


@functools.cache
def here() -> MeasuredOn:
    name = os.environ.get(NODE_VARIABLE) or platform.node() or "unnamed"
    return MeasuredOn(name, cpu.models(), f"{platform.system()} {platform.release()}")
