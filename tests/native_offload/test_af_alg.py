"""AF_ALG, against a stand-in for the kernel (``c/fake_kernel.h``) that keeps its rules, and misbehaves as told.

The sources are those that run on a kernel; only the C library's functions are others.
"""

from __future__ import annotations

import errno
import socket

import pytest

from ciphermark.host.verify import verify
from ciphermark.kernels import catalogue
from native_offload.programs import FAILED, UNAVAILABLE, Ended, Programs, execute

NAMES = ("aes/af-alg", "aes/af-alg-stream", "aes/af-alg-vmsplice")
IMPLEMENTATIONS = pytest.mark.parametrize("name", NAMES)

LARGEST = "140000"
"""Bytes: more than a socket's buffer takes after one power of two."""


def with_faults(programs: Programs, name: str, faults: str, **environment: str) -> Ended:
    return execute([programs.aes(name, fake=True), LARGEST], {"FAKE_FAULTS": faults, **environment})


@IMPLEMENTATIONS
@pytest.mark.parametrize(
    "faults",
    [
        "",
        "eintr",
        "eagain,eintr",
        "short-send",
        "short-send,eintr,eagain",
        "small-send-buffer",
        "small-receive-buffer",
        "small-pipe",
        "small-pipe,short-send",
        "privileged",
        "privileged,eintr",
    ],
)
def test_right_whatever_the_kernel_does(name: str, faults: str, programs: Programs) -> None:
    """In place, unaligned, chained, at all lengths, with more keys than sockets are held; and none leaks."""
    ended = with_faults(programs, name, faults)
    assert ended.status == 0, ended.lines
    assert ended.said("described").startswith(
        "ecb-aes-ce, priority 300; cbc-aes-ce, priority 300; ctr-aes-ce, priority 300 (kernel "
    )


@IMPLEMENTATIONS
@pytest.mark.parametrize(
    ("faults", "message"),
    [
        ("hang-send", "sendmsg to AF_ALG: the kernel made no progress in 10 s (EAGAIN)"),
        ("hang-read", "read from AF_ALG: the kernel made no progress in 10 s (EAGAIN)"),
        ("storm", "bind to AF_ALG: the kernel made no progress in 10 s (EINTR)"),
        ("busy-bind", "bind to AF_ALG: the kernel made no progress in 10 s (EAGAIN)"),
        ("short-read", "read from AF_ALG: the kernel made no progress in 10 s (EAGAIN)"),
        ("badmsg", "read from AF_ALG: Bad message (EBADMSG)"),
        ("nokey", "read from AF_ALG: the kernel has no key for this socket (ENOKEY)"),
        ("odd-send", "AF_ALG took 1000 of 1024 bytes, which is not a number of blocks"),
        ("no-ctr", "no driver of ctr(aes) in this kernel, or no algif_skcipher (ENOENT)"),
    ],
)
def test_what_cannot_be_done_ends_with_a_message(name: str, faults: str, message: str, programs: Programs) -> None:
    """And soon: the stand-in's clock runs, so that a hang of the real kernel's would be one of the test's."""
    ended = with_faults(programs, name, faults)
    assert ended.status == FAILED
    assert ended.said("error").startswith(message)


@pytest.mark.parametrize(
    ("faults", "message"),
    [
        ("no-af-alg", "this kernel has no AF_ALG (CONFIG_CRYPTO_USER_API_SKCIPHER): modprobe algif_skcipher"),
        ("forbidden", "this process may not open AF_ALG sockets (EPERM): a seccomp filter or security module"),
        ("no-drivers", "no driver of ctr(aes) in this kernel, or no algif_skcipher (ENOENT): modprobe"),
    ],
)
def test_unavailable(faults: str, message: str, programs: Programs) -> None:
    ended = with_faults(programs, NAMES[0], faults)
    assert ended.status == UNAVAILABLE
    assert ended.said("unavailable").startswith(message)


def test_driver_by_name(programs: Programs) -> None:
    """A driver of lower priority serves the mode it implements; the others keep the kernel's choice."""
    ended = with_faults(programs, NAMES[0], "", CIPHERMARK_AF_ALG_DRIVER="cbc-aes-neonbs")
    assert ended.status == 0
    assert ended.said("described").startswith(
        "ecb-aes-ce, priority 300; cbc-aes-neonbs, priority 250; ctr-aes-ce, priority 300"
    )
    drivers = [line for line in ended.lines if line.startswith("driver ")]
    assert drivers == ["driver ecb ecb-aes-ce 300", "driver cbc cbc-aes-neonbs 250", "driver ctr ctr-aes-ce 300"]


@pytest.mark.parametrize(
    ("driver", "message"),
    [
        ("aes-arm64-ce", "no driver of aes-arm64-ce in this kernel"),
        ("xts-aes-ce", "xts-aes-ce, which CIPHERMARK_AF_ALG_DRIVER names, is a driver of xts(aes), not of AES in ECB"),
        ("x" * 64, "x" * 64 + "... is longer than a driver's name can be"),
    ],
)
def test_driver_that_cannot_serve(driver: str, message: str, programs: Programs) -> None:
    ended = with_faults(programs, NAMES[0], "", CIPHERMARK_AF_ALG_DRIVER=driver)
    assert ended.status == UNAVAILABLE
    assert ended.said("unavailable").startswith(message)


@IMPLEMENTATIONS
def test_on_this_machine(name: str) -> None:
    """The real kernel: either it gives the published answers, or the row says what is missing."""
    result = verify(catalogue.load_implementation(name))
    if _kernel_has_af_alg():
        assert result.failure is None
    else:
        assert result.vectors_passed == 0
        assert result.unavailable == (
            "this kernel has no AF_ALG (CONFIG_CRYPTO_USER_API_SKCIPHER): modprobe algif_skcipher, or use the engine vm"
        )


def _kernel_has_af_alg() -> bool:
    try:
        socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET).close()
    except OSError as error:
        if error.errno != errno.EAFNOSUPPORT:
            pytest.skip(f"AF_ALG: {error}")
        return False
    return True
