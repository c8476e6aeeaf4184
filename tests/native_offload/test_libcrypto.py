"""OpenSSL, found at run time: right where it is, a message where it is not."""

from __future__ import annotations

import platform

import pytest

from ciphermark.host.verify import verify
from ciphermark.kernels import catalogue
from everywhere import large
from native_aes import answers
from native_offload.programs import UNAVAILABLE, Programs, execute

IMPLEMENTATIONS = pytest.mark.parametrize("name", ["aes/openssl", "chacha20/openssl"])


def available(name: str) -> str:
    """What runs; skips where the library is not installed."""
    result = verify(catalogue.load_implementation(name), vectors=())
    if result.unavailable is not None:
        pytest.skip(result.unavailable)
    assert result.described is not None
    return result.described


@IMPLEMENTATIONS
def test_published_answers(name: str) -> None:
    implementation = catalogue.load_implementation(name)
    assert available(name).startswith("OpenSSL ")
    result = verify(implementation, requests=large(implementation))
    assert result.failure is None
    assert result.vectors_passed > 0


def test_messages() -> None:
    available("aes/openssl")
    messages = answers.messages()
    result = verify(catalogue.load_implementation("aes/openssl"), vectors=messages)
    assert result.failure is None
    assert result.vectors_passed == len(messages)


def test_chained_calls_and_more_schedules_than_are_held(programs: Programs) -> None:
    available("aes/openssl")
    ended = execute([programs.aes("aes/openssl")])
    assert ended.status == 0, ended.lines


def test_block_numbers_wrap_and_leave_the_nonce_alone(programs: Programs) -> None:
    available("chacha20/openssl")
    ended = execute([programs.chacha20("chacha20/openssl")])
    assert ended.status == 0, ended.lines


@IMPLEMENTATIONS
def test_no_library(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_LIBCRYPTO", "/nowhere/libcrypto.so.3")
    result = verify(catalogue.load_implementation(name))
    assert not result.ok
    assert result.vectors_passed == 0
    assert result.unavailable is not None
    assert result.unavailable.startswith("/nowhere/libcrypto.so.3, which CIPHERMARK_LIBCRYPTO names, cannot be loaded")


@IMPLEMENTATIONS
def test_another_library(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_LIBCRYPTO", "libm.so.6")
    unavailable = verify(catalogue.load_implementation(name)).unavailable
    assert unavailable == ("the libcrypto found has no EVP_CIPHER_CTX_new; OpenSSL 1.1 or later is needed")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="a static program, run on x86-64")
@IMPLEMENTATIONS
def test_a_static_program_has_no_libraries(name: str) -> None:
    result = verify(catalogue.load_implementation(name), "x86_64")
    assert result.unavailable == "a static program can load no library, so not libcrypto; use the engine host"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the mask is of x86-64's CPUID")
def test_what_the_library_uses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    if "with AES instructions" not in available("aes/openssl"):
        pytest.skip("this processor has no AES instructions")
    monkeypatch.setenv("OPENSSL_ia32cap", "~0x200000200000000:~0x0")
    assert "without AES instructions" in available("aes/openssl")
    assert "AES" not in available("chacha20/openssl")


def test_unavailable_is_told_before_anything_runs(programs: Programs) -> None:
    ended = execute([programs.aes("aes/openssl")], {"CIPHERMARK_LIBCRYPTO": "/nowhere"})
    assert ended.status == UNAVAILABLE
    assert len(ended.lines) == 1
