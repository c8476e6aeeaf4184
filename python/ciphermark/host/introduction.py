"""What a program finds on this machine before it works: a library, a driver of the kernel."""

import os
from dataclasses import replace

from ciphermark.errors import RunError
from ciphermark.harness.program import Introduction, Program
from ciphermark.harness.sampling import MEMORY_MIB
from ciphermark.host import process
from ciphermark.host.program import read, write_job
from ciphermark.store import scratch

VARIABLES = ("CIPHERMARK_LIBCRYPTO", "CIPHERMARK_AF_ALG_DRIVER")
"""Environment that kernels read: ``kernels/aes/openssl/libcrypto.h``, ``kernels/aes/af_alg/af_alg.h``."""

_DEADLINE_S = 30


def introduce(program: Program) -> Introduction:
    """Start ``program`` with an empty job, so that it says what it is and ends."""
    chosen = tuple(f"{name}={os.environ[name]}" for name in VARIABLES if os.environ.get(name))
    asked = replace(program, requests=(), answers=(), measurements=())
    try:
        with scratch.folder(scratch.temporary()) as folder:
            job = write_job(folder, 0, asked)
            limits = ("--deadline", str(_DEADLINE_S), "--memory-mib", str(MEMORY_MIB))
            ended = process.run((str(program.artifact.elf), str(job), *limits), deadline_s=_DEADLINE_S)
        transcript = read(ended, asked)
    except RunError:
        # Measuring meets it too, and says more.
        return Introduction(chosen=chosen)
    return Introduction(transcript.described, transcript.unavailable, chosen)
