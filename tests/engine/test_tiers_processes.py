"""Linux programs with threads, signals and code of their own making: the same in both tiers, to the instruction."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import musl
from ciphermark import _engine
from linux.guests import CPP_TOOLCHAINS, TOOLCHAINS, Workshop, needs_engine

pytestmark = needs_engine

RACING = """
#include <pthread.h>
#include <signal.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
enum { THREADS = 6, ROUNDS = 30000, PAGE = 4096 };
static volatile unsigned counter, table[256];
static unsigned char *pages;
static sigjmp_buf back;
static int caught;
static void *race(void *argument) {
    unsigned x = (unsigned)(long)argument;
    for (int i = 0; i < ROUNDS; i++) {
        x = x * 1664525 + 1013904223;
        table[x >> 24] += x;
        counter = counter + (x >> 31);
        __atomic_fetch_add(&table[1], 1, __ATOMIC_RELAXED);
    }
    return (void *)(long)(x >> 8);
}
static void handle(int signal) { caught++; siglongjmp(back, signal); }
static unsigned long walk(unsigned char *from, long bytes, int write) {
    unsigned long sum = 0;
    for (long i = 0; i < bytes; i += 3) {
        unsigned value;
        if (write) memset(from + i, (int)i, 4);
        memcpy(&value, from + i, 4);
        sum = sum * 31 + value;
    }
    return sum;
}
int main(void) {
    pthread_t thread[THREADS];
    long results = 0;
    for (long i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, race, (void *)(i + 7));
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(thread[i], &result);
        results = results * 7 + (long)result;
    }
    unsigned sum = 0;
    for (int i = 0; i < 256; i++) sum = sum * 31 + table[i];
    printf("%u %u %ld\\n", counter, sum, results);
    // The same loops with rights that change below them.
    signal(SIGSEGV, handle);
    pages = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    volatile unsigned long total = 0;
    for (volatile int i = 0; i < 24; i++) {
        if (sigsetjmp(back, 1) == 0) total += walk(pages + 1, 6 * PAGE, i & 1);
        int rights[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE};
        mprotect(pages + (i % 7) * PAGE, PAGE, rights[i / 7 % 4]);
        if (i == 17) munmap(pages + 3 * PAGE, PAGE);
    }
    printf("%lu %d\\n", total, caught);
    return 0;
}
"""
"""Threads that race without a lock, then faults of hot code."""

GENERATING = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
typedef unsigned long (*code)(unsigned long);
static void *generate(void *argument) {
    unsigned *words = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned long sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        words[0] = 0x00050513 | (unsigned)round % 2048 << 20;  // addi a0, a0, round
        words[1] = 0x00154513 | (unsigned)round % 7 << 20;     // xori a0, a0, round
        words[2] = 0x00008067;                                 // ret
        __builtin___clear_cache((char *)words, (char *)(words + 3));
        for (int i = 0; i < 6000; i++) sum = ((code)(void *)words)(sum);
        if (round % (ROUNDS / 4) == 0 && argument) printf("%lu\\n", sum), fflush(stdout);
    }
    return (void *)sum;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, generate, NULL);
    void *mine = generate(&other), *its;
    pthread_join(other, &its);
    printf("%lu %lu\\n", (unsigned long)mine, (unsigned long)its);
    return 0;
}
"""
"""Two threads that make code, execute it until it is compiled, and make other code in its place."""

RESIDENT = """
import sys
from ciphermark import _engine

def resident(line):
    status = open("/proc/self/status").read()
    sizes.append(int(status.split("VmRSS:")[1].split()[0]))

sizes = []
program = open(sys.argv[1], "rb").read()
result = _engine.simulate(program, arguments=[b"x"], console=resident, jit=sys.argv[2] == "jit")
assert result.exit_code == 0, result
print(*sizes)
"""


@pytest.fixture(scope="session")
def workshop(session_folder: Path) -> Workshop:
    return Workshop(session_folder / "guests")


def compiled(source: str, target: str, folder: Path, *flags: str) -> Path:
    (folder / "guest.c").write_text(source)
    musl.program(folder / "guest", folder / "guest.c", target, ("-pthread", *flags))
    return folder / "guest"


def assert_equal_tiers(elf: bytes) -> _engine.SimResult:
    """Both tiers, with and without a histogram, and stopped in the middle."""

    def seen(jit: bool, **watched: object) -> tuple[object, ...]:
        result = _engine.simulate(elf, arguments=[b"x"], jit=jit, **watched)  # type: ignore[arg-type]
        return result.stop, result.exit_code, result.signal, result.instructions, result.console, result.opcodes

    whole = _engine.simulate(elf, arguments=[b"x"])
    watches: list[dict[str, object]] = [{}, {"histogram": True}]
    for part in (2, 3, 7):
        watches.append({"max_instructions": whole.instructions // part})
    for watched in watches:
        assert seen(True, **watched) == seen(False, **watched)
    return whole


def _of_one_worker(toolchain: str) -> pytest.MarkDecorator:
    """The others would wait for the C library that the first of its tests builds."""
    return pytest.mark.xdist_group(toolchain)


@pytest.mark.parametrize(
    ("source", "toolchain"),
    [
        *(pytest.param("threads.c", toolchain, marks=_of_one_worker(toolchain)) for toolchain in TOOLCHAINS),
        ("signals.c", "musl-riscv64"),
        pytest.param("memory.c", "musl-riscv32", marks=_of_one_worker("musl-riscv32")),
        *(("exceptions.cc", toolchain) for toolchain in CPP_TOOLCHAINS),
        ("goroutines.go", "go"),
    ],
)
def test_a_process_is_the_same_in_both_tiers(workshop: Workshop, source: str, toolchain: str) -> None:
    result = assert_equal_tiers(workshop.program(source, toolchain).read_bytes())
    assert result.instructions > 20_000


@pytest.mark.parametrize("width", [32, 64])
def test_races_and_faults_are_the_same_in_both_tiers(tmp_path: Path, width: int) -> None:
    result = assert_equal_tiers(compiled(RACING, f"riscv{width}-linux-musl", tmp_path).read_bytes())
    assert result.exit_code == 0
    _, caught = result.console.split()[-2:]
    assert int(caught) > 3


def test_code_that_a_process_makes_is_the_same_in_both_tiers(tmp_path: Path) -> None:
    result = assert_equal_tiers(compiled(GENERATING, "riscv64-linux-musl", tmp_path, "-DROUNDS=20").read_bytes())
    assert result.exit_code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="looks at the process's memory")
@pytest.mark.parametrize("tier", ["interpreter", "jit"])
def test_a_process_that_makes_code_for_ever_takes_bounded_memory(tmp_path: Path, tier: str) -> None:
    program = compiled(GENERATING, "riscv64-linux-musl", tmp_path, "-DROUNDS=400")
    ran = subprocess.run(
        [sys.executable, "-c", RESIDENT, str(program), tier], capture_output=True, text=True, check=True
    )
    kibibytes = [int(size) for size in ran.stdout.split()]
    # A page for each round would be more.
    assert kibibytes[-2] - kibibytes[1] < 1 << 10, kibibytes
