"""Kernels that would earn a number they do not deserve, by mistake or on purpose, under every engine.

docs/trust.md has the same list in words. All of them pass the known answers of their tiny family, whose longest message
is 560 bytes; what they do, they do at the size that is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

import measuring
from ciphermark import build, embedded, engines
from ciphermark.errors import CiphermarkError, MismatchError, RunError
from ciphermark.harness import answers
from ciphermark.harness.job import SALT_TIMED
from ciphermark.kernels import family
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import HarnessReport, Request, Target

pytestmark = pytest.mark.usefixtures("native")

Targets = Callable[..., Target]
Change = Callable[[str, str], Implementation]

LONG = Request("aes-128-ecb", "encrypt", 592)

ENCRYPT = """\
void aes_128_ecb_encrypt(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk)
{
"""
LOOP = """\
    for (size_t i = 0; i < bytes; i += 16)
        aes_128_block(out + i, in + i, rk);
"""
INCLUDE = '#include "aes.h"\n'
HONEST = ENCRYPT + LOOP + "}\n"


@dataclass(frozen=True)
class Cheat:
    """``before`` and ``after`` the loop of the function that is measured, ``around`` it all; what is said of it."""

    words: str
    before: str = ""
    after: str = ""
    outside: str = ""
    expansion: str = ""
    """In the key expansion, at its end."""

    def into(self, change: Change) -> Implementation:
        text = self.outside + ENCRYPT + self.before + LOOP + self.after + "}\n"
        made = change(HONEST, text)
        source = made.folder / "cipher.c"
        marked = source.read_text()
        last = "w[i + j] = w[i - 16 + j] ^ t[j];\n    }\n"
        assert last in marked
        source.write_text(marked.replace(last, last + self.expansion, 1))
        return made


OUTPUT = "the output differs from the independent library's"
CONSOLE = """\
extern volatile uint32_t tohost[2];
extern volatile unsigned long long fromhost;
static void tell(uint32_t what)
{
    tohost[0] = what;
    tohost[1] = 0;
}
static void say(const char *text)
{
    for (; *text; text++) {
        static volatile unsigned long long request[8] __attribute__((aligned(64)));
        request[0] = 64, request[1] = 1, request[2] = (unsigned long)text, request[3] = 1;
        __asm__ volatile("fence" ::: "memory");
        tell((unsigned long)request);
        while (!fromhost) {}
        fromhost = 0;
    }
}
"""
FRAME = "extern unsigned long *ciphermark_frame_pointer;\n"

WRONG = {
    "top bits of words flipped, which cancel in a sum": Cheat(
        OUTPUT, after="if (bytes == 592) for (size_t i = 256; i < bytes; i += 4) out[i + 3] ^= 0x80;"
    ),
    "+1, -2, +1 to three words, which cancel in two sums": Cheat(
        OUTPUT,
        after="""if (bytes == 592) {
            struct __attribute__((packed)) { uint32_t value; } *w = (void *)(out + 256);
            w[0].value += 1, w[1].value -= 2, w[2].value += 1;
        }""",
    ),
    "the last byte alone": Cheat(OUTPUT, after="if (bytes == 592) out[bytes - 1] ^= 1;"),
    "wrong in place": Cheat("(in place): " + OUTPUT, after="if (bytes == 592 && in == out) out[100] ^= 1;"),
    "wrong where data is not aligned": Cheat(
        "(unaligned): " + OUTPUT, after="if (bytes == 592 && (uintptr_t)in & 3 && in != out) out[100] ^= 1;"
    ),
    "right on the first calls": Cheat(
        OUTPUT, outside="static int calls;\n", after="if (bytes == 592 && ++calls == 3) out[100] ^= 1;"
    ),
    "48 bytes past the output": Cheat(
        "wrote outside its output", after="if (bytes == 592) for (int i = 0; i < 48; i++) out[bytes + i] = 1;"
    ),
    "a byte before the input": Cheat(
        "wrote outside its output", after="if (bytes == 592 && in != out) ((uint8_t *)in)[-1] = 1;"
    ),
    "the input inverted": Cheat(
        "changed its input",
        after="if (bytes == 592 && in != out) for (size_t i = 0; i < bytes; i++) ((uint8_t *)in)[i] ^= 0xff;",
    ),
    "a saved register": Cheat(
        "did not restore a saved register", after='if (bytes == 592) __asm__ volatile("li s5, 1");'
    ),
    "an array that the stack has no room for": Cheat(
        "stack",
        before="volatile uint8_t big[70000]; if (bytes == 592) for (unsigned i = 0; i < sizeof big; i++) big[i] = 1;",
    ),
    "more than the schedule's bytes": Cheat(
        "past its schedule", expansion=f"    ((volatile uint8_t *)rk)[{family.load('aes').schedule_bytes}] = 1;"
    ),
    "another return address": Cheat(
        "changed the harness's stack",
        outside=FRAME,
        after='if (bytes == 592) { __asm__ volatile("" ::: "memory"); ciphermark_frame_pointer[0] += 4; }',
    ),
    "a call of the harness": Cheat(
        "called the harness",
        outside="void measure_call(void *);\n",
        before="static unsigned long call[32]; if (bytes == 592) measure_call(call);",
    ),
    "lines of its own": Cheat("digest is wrong", outside=CONSOLE, before='if (bytes == 592) say("o 0 2 00\\n");'),
    "an end of its own": Cheat(
        "before the end of the job", outside=CONSOLE, before="if (bytes == 592) for (;;) tell(1);"
    ),
}


def measured(engine: engines.Engine, kernel: Implementation, target: Target) -> HarnessReport | CiphermarkError:
    try:
        return measuring.measure(engine, kernel, build.build(kernel, target), target, [LONG], deadline_s=60)
    except (RunError, MismatchError) as error:
        return error


def said_of(engine: engines.Engine, kernel: Implementation, target: Target) -> str:
    """Why there is no number; fails if there is one."""
    found = measured(engine, kernel, target)
    if isinstance(found, CiphermarkError):
        return found.message
    if found.first_failure is not None:
        return found.first_failure
    [only] = found.measured
    assert not only.verified, f"verified with {only.instructions} instructions"
    assert only.instructions is None
    assert only.failure is not None
    return only.failure


@pytest.mark.parametrize("name", WRONG)
def test_no_number(engine: engines.Engine, changed_tiny: Change, target: Targets, name: str) -> None:
    cheat = WRONG[name]
    assert cheat.words in said_of(engine, cheat.into(changed_tiny), target("rv32i"))


ON_ONE_CALL = """\
void work(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk);
__asm__(
    ".pushsection .data\\n .p2align 2\\n calls: .word 0\\n .popsection\\n .globl aes_128_ecb_encrypt\\n"
    "aes_128_ecb_encrypt:\\n li t0, 591\\n bleu a2, t0, 1f\\n la t0, calls\\n lw t1, 0(t0)\\n addi t1, t1, 1\\n"
    " sw t1, 0(t0)\\n li t2, %d\\n beq t1, t2, 2f\\n1: tail work\\n2: addi sp, sp, -16\\n sw ra, 0(sp)\\n call work\\n"
    " lw ra, 0(sp)\\n addi sp, sp, 16\\n la t1, empty_function\\n la t0, %s\\n jr t0");
#define aes_128_ecb_encrypt work
"""
"""What works as it should and then, on one call, jumps into the harness. The third call is the timed one."""

SIM_ALONE = {
    "work before the count begins": Cheat("called the harness", outside=ON_ONE_CALL % (3, "ciphermark_roi_begin")),
    "the end of another call": Cheat("called the harness", outside=ON_ONE_CALL % (2, "ciphermark_roi_end")),
    "a line of the harness, which it vouches for": Cheat(
        "wrote to the console",
        outside="void line_begin(char); void line_number(unsigned long long); void line_end(void);\n"
        "void line_bytes(const uint8_t *, uint32_t);\n",
        before="static int calls; static const uint8_t digest[16]; if (bytes == 592 && !calls++) "
        "{ line_begin('o'); line_number(0); line_number(2); line_bytes(digest, 16); line_end(); }",
    ),
    "another job": Cheat(
        "changed code or constants",
        outside="extern unsigned char ciphermark_job[];\n",
        before="if (bytes == 592) ((volatile unsigned char *)ciphermark_job)[110] ^= 1;",
    ),
    "a counter that is set back": Cheat(
        "its own counter says",
        before='static int n; if (bytes == 592 && ++n == 3) __asm__ volatile(".word 0xb0205073");',
    ),
}


@pytest.mark.parametrize("name", SIM_ALONE)
def test_no_number_from_sim(sim: engines.Engine, changed_tiny: Change, target: Targets, name: str) -> None:
    """What deliberate code can do where nobody looks from outside (docs/trust.md)."""
    cheat = SIM_ALONE[name]
    assert cheat.words in said_of(sim, cheat.into(changed_tiny), target("rv32i"))


NO_GAIN = {
    "what an earlier call found, by address": Cheat(
        "",
        outside="static uint8_t kept[592]; static const uint8_t *of;\n",
        before="if (bytes == 592 && in == of && in != out) { memcpy(out, kept, bytes); return; }",
        after="if (bytes == 592) { of = in; memcpy(kept, out, bytes); }",
    ),
    "what an earlier call found, by content": Cheat(
        "",
        outside="static uint8_t kept[592], of[592]; int memcmp(const void *, const void *, size_t);\n",
        before="if (bytes == 592 && !memcmp(in, of, bytes)) { memcpy(out, kept, bytes); return; }\n"
        "uint8_t before[bytes == 592 ? 592 : 1]; memcpy(before, in, bytes == 592 ? bytes : 1);",
        after="if (bytes == 592) { memcpy(of, before, bytes); memcpy(kept, out, bytes); }",
    ),
}


AHEAD = Cheat(
    OUTPUT,
    before="if (bytes == 592 && in == first) { memcpy(out, ready, bytes); return; } "
    "if (bytes == 592 && in != out) first = in - ((uintptr_t)in & 3);",
    expansion="    for (int i = 0; first && i < 592; i += 16) aes_128_block(ready + i, first + i, rk);\n",
)


def test_a_key_set_up_that_encrypts_beforehand(engine: engines.Engine, changed_tiny: Change, target: Targets) -> None:
    """Input is made after it: where it will be is known, but not what."""
    ahead = AHEAD.into(changed_tiny)
    source = ahead.folder / "cipher.c"
    source.write_text(
        source.read_text().replace(INCLUDE, INCLUDE + "static const uint8_t *first; static uint8_t ready[592];\n")
    )
    assert OUTPUT in said_of(engine, ahead, target("rv32i"))


def test_a_program_that_contains_the_answer(
    engine: engines.Engine, tiny: Implementation, changed_tiny: Change, target: Targets
) -> None:
    """The answer to what the program was before it contained it."""
    artifact = build.build(tiny, target("rv32i"))
    asked = answers.measurement(tiny, artifact, LONG)
    data = asked.data(SALT_TIMED)
    answer = bytes(embedded.engine().reference_output("aes-128-ecb", "encrypt", asked.key, b"", data))
    arrays = "".join(
        f"static const uint8_t {name}[] = {{{', '.join(map(str, value))}}};\n"
        for name, value in (("of", data), ("ready", answer))
    )
    containing = Cheat(
        "",
        outside=arrays + "int memcmp(const void *, const void *, size_t);\n",
        before="if (bytes == 592 && !memcmp(in, of, bytes)) { memcpy(out, ready, bytes); return; }",
    )
    honest, cheating = (measured(engine, kernel, target("rv32i")) for kernel in (tiny, containing.into(changed_tiny)))
    assert isinstance(honest, HarnessReport)
    assert isinstance(cheating, HarnessReport)
    [found], [right] = cheating.measured, honest.measured
    assert found.verified
    assert found.instructions is not None
    assert right.instructions is not None
    assert found.instructions > 0.95 * right.instructions


@pytest.mark.parametrize("name", NO_GAIN)
def test_a_result_that_is_kept_is_wrong_or_of_no_use(
    engine: engines.Engine, tiny: Implementation, changed_tiny: Change, target: Targets, name: str
) -> None:
    """No call has the data of one before, so that a result by address is wrong, and one by content never found."""
    honest = measured(engine, tiny, target("rv32i"))
    kept = measured(engine, NO_GAIN[name].into(changed_tiny), target("rv32i"))
    assert isinstance(honest, HarnessReport)
    assert isinstance(kept, HarnessReport)
    [found], [right] = kept.measured, honest.measured
    assert right.instructions is not None
    if found.verified:
        assert found.instructions is not None
        # How many a kernel of this family takes depends on its data, by a few in a thousand.
        assert found.instructions > 0.95 * right.instructions
    else:
        assert OUTPUT in str(found.failure)
