"""What a trap in a kernel means: where it was, which instruction it was, which extension would have it."""

from typing import Any

from ciphermark import embedded
from ciphermark.errors import TrapError, UsageError
from ciphermark.harness.job import RAM_BASE
from ciphermark.harness.transcript import Trap
from ciphermark.notation import isa
from ciphermark.rows.model import Target

_ILLEGAL = 2
_ACCESS = {5, 7}
_REACH = 16 << 20
"""Bytes below the memory, at whose lower end the kernel's stack is, that only an array on the stack leads to."""
_CAUSES = {
    0: "instruction address misaligned",
    1: "instruction access fault",
    _ILLEGAL: "illegal instruction",
    3: "breakpoint",
    4: "load address misaligned",
    5: "load access fault",
    6: "store address misaligned",
    7: "store access fault",
    11: "environment call",
}


def explain(trap: Trap, program: bytes, target: Target, doing: str) -> TrapError:
    """The error of a trap. With the embedded engine it names function, instruction, extension."""
    cause = _CAUSES.get(trap.cause, f"trap with cause {trap.cause}")
    message = f"{cause} at {trap.pc:#x}"
    hint = ""
    providers: list[str] = []
    if embedded.available():
        function = _function_at(program, trap.pc)
        if function:
            message += f" in {function}"
        if trap.cause == _ILLEGAL:
            text, providers = _instruction(program, function, trap.pc, target)
            message += f": `{text}`" if text else ""
            if providers:
                message += f" needs {' or '.join(providers)}, which {target.isa} does not have"
                hint = f"Name an ISA with it, for instance {isa.parse(target.isa).adding(providers[0].lower())}."
    if trap.cause in _ACCESS and RAM_BASE - _REACH <= trap.value < RAM_BASE:
        message += ": it overflowed its stack of 64 KiB"
    elif trap.cause != _ILLEGAL:
        message += f", address {trap.value:#x}"
    illegal = trap.cause == _ILLEGAL
    return TrapError(f"{message} (while {doing})", hint, illegal=illegal, providers=providers)


def _function_at(program: bytes, pc: int) -> str:
    """The symbol with the highest address not above ``pc``; labels inside functions do not count."""
    symbols = embedded.engine().elf_info(program).symbols
    below = [symbol for symbol in symbols if symbol.address <= pc and symbol.name[:1] not in {"", ".", "$"}]
    return max(below, key=lambda symbol: (symbol.address, symbol.size)).name if below else ""


def _instruction(program: bytes, function: str, pc: int, target: Target) -> tuple[str, list[str]]:
    """Text of the instruction at ``pc``, and the extensions beyond ``target.isa`` that would provide it."""
    engine = embedded.engine()
    unknown = _text_at(engine, program, function, pc, target.isa)
    text = ""
    providers: dict[str, frozenset[str]] = {}
    has = embedded.extensions(target.isa)
    for name, _, _ in engine.builtin_extensions():
        wider = str(isa.parse(target.isa).adding(name.lower()))
        try:
            adds = embedded.extensions(wider) - has
        except UsageError:
            continue
        decoded = _text_at(engine, program, function, pc, wider)
        if adds and decoded and decoded != unknown:
            text = decoded
            providers[name] = adds
    # A bundle such as zkn does not count if the part of it that has the instruction is here.
    return text, [
        name for name, adds in providers.items() if not any(other in adds for other in providers if other != name)
    ]


def _text_at(engine: Any, program: bytes, function: str, pc: int, isa_string: str) -> str:
    try:
        lines = engine.disassemble(program, isa=isa_string, symbol=function or None)
    except engine.EngineError:
        return ""
    return next((text for address, _, _, text in lines if address == pc), "")
