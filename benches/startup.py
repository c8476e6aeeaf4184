"""What `ciphermark sim` costs before and around a short program: CPU milliseconds of fresh processes.

The program is a static Linux ELF that prints one line. Shown is the median of the rounds, and in brackets the least
and the greatest.

    python benches/startup.py [--rounds N] [--json FILE]

The exit status is 1 if a bar is missed.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from guests import PROGRAMS, zig
from runners import ran
from spread import Spread, ended, write

from ciphermark.exit_codes import ExitCode

FIRST_INSTRUCTION_MS = 60
"""CPU time of a whole process that executes one instruction: no less than what passes before the first."""

HELLO_MS = 15
"""CPU time in the engine of the whole program."""

_ENGINE = """
import sys, time
from ciphermark import _engine
elf = open(sys.argv[1], "rb").read()
begin = time.process_time()
result = _engine.simulate(elf, jit=sys.argv[2] == "jit", linux=True, arguments=[b"hello"])
spent = time.process_time() - begin
assert result.console == b"hello, world\\n", result.console
print(spent)
"""

_MODULES = """
import sys
before = set(sys.modules)
from ciphermark.cli.sim import main
main([sys.argv[1]])
print("\\n".join(sorted(set(sys.modules) - before)))
"""


def process_ms(command: Sequence[str], status: int = 0) -> float:
    """CPU time of a child, user and system."""
    return ran(command, status).cpu_s * 1000


def output(*command: str) -> str:
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True, text=True).stdout


def imported(elf: str) -> list[str]:
    """Modules that running a program imports beyond what Python's own start does."""
    return output(sys.executable, "-c", _MODULES, elf).splitlines()[1:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="default: %(default)s")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the figures there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ciphermark-bench-") as folder:
        elf = str(Path(folder) / "hello.elf")
        zig("cc", "-target", "riscv64-linux-musl", "-O2", "-g0", "-static", "-s", "-o", elf, str(PROGRAMS / "hello.c"))
        sim = [sys.executable, "-m", "ciphermark", "sim"]
        found: dict[str, list[float]] = {
            "python, nothing imported": [],
            "sim, one instruction": [],
            "sim, hello world": [],
            "engine, hello world": [],
            "engine, hello world, no JIT": [],
        }
        process_ms([*sim, elf])
        for _ in range(options.rounds):
            measured = (
                process_ms([sys.executable, "-c", ""]),
                process_ms([*sim, "--max-instructions", "1", elf], ExitCode.LIMIT),
                process_ms([*sim, elf]),
                float(output(sys.executable, "-c", _ENGINE, elf, "jit")) * 1000,
                float(output(sys.executable, "-c", _ENGINE, elf, "interpreter")) * 1000,
            )
            for values, value in zip(found.values(), measured, strict=True):
                values.append(value)
        modules = imported(elf)
    packages = {module.partition(".")[0] for module in modules}
    strangers = sorted(packages - set(sys.stdlib_module_names) - {"ciphermark"})

    spreads = {name: Spread.of(values) for name, values in found.items()}
    print(f"CPU milliseconds, median [least–greatest] of {options.rounds}\n")
    for name, spread in spreads.items():
        print(f"{name:30}{spread!s:>22}")
    own = [module for module in modules if module.startswith("ciphermark")]
    print(f"\n{len(modules)} modules imported, of the package: {', '.join(own)}")
    bars = [
        (f"one instruction in {FIRST_INSTRUCTION_MS} ms", spreads["sim, one instruction"].median, FIRST_INSTRUCTION_MS),
        (f"hello world in {HELLO_MS} ms of engine", spreads["engine, hello world"].median, HELLO_MS),
        (f"no package but Python's own ({', '.join(strangers) or 'none'})", len(strangers), 0),
    ]
    print()
    for name, value, most in bars:
        print(f"{'pass' if value <= most else 'FAIL'}  {name}")
    figures = {name: vars(spread) for name, spread in spreads.items()}
    write(options.json, {"rounds": options.rounds, "milliseconds": figures, "modules": modules})
    return 1 if any(value > most for _, value, most in bars) else 0


if __name__ == "__main__":
    ended(main)
