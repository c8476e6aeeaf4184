"""Which of the Linux kernel's drivers work by executing instructions of the processor, by their names in /proc/crypto
(the kernel's ``arch/*/crypto`` and ``crypto``). A name that is not here, such as ``cbc-aes-sun8i-ce``, Allwinner's
Crypto Engine, may be of either kind."""

import re

_AES = "AES instructions of the processor"
_OTHERS = "other instructions of the processor"

_ON_PROCESSOR = (
    (r"(.+-)?aes-(arm64-)?ce(-.+)?", _AES),
    (r"(.+-)?aes-aesni(-avx)?", _AES),
    (r"(.+-)?aes-vaes-avx\w+", _AES),
    (r"(.+-)?aes-riscv64-zv\w+(-.+)?", _AES),
    (r"(.+-)?aes-(neon|neonbs|arm64|arm|generic|fixed-time|asm|lib)", _OTHERS),
)

_TEMPLATE = re.compile(r"[a-z0-9_-]+\((.+)\)")
"""A mode made of a block cipher, a thread that calls a driver: ``cbc(aes-ce)``, ``cryptd(__cbc-aes-aesni)``."""


def executed_instructions(driver: str) -> str | None:
    """What a driver executes on a processor of the machine, in words; ``None`` if its name does not tell."""
    inner = driver
    while template := _TEMPLATE.fullmatch(inner):
        inner = template[1]
    name = inner.removeprefix("__")
    return next((words for pattern, words in _ON_PROCESSOR if re.fullmatch(pattern, name)), None)
