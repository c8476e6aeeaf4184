"""What a user who wrote an option that is not there may have meant. Imports nothing slow: ``sim`` uses it too."""

from collections.abc import Iterable

_MEANT: dict[str, tuple[str, ...]] = {
    "--impls": ("implementation", "kernel", "variant", "code"),
    "--operations": ("op", "mode", "function"),
    "--sizes": ("bytes", "length", "message", "chunk"),
    "--isas": ("isa", "march", "arch", "architecture", "target"),
    "--isa": ("isas", "march", "arch", "architecture", "target"),
    "--vlens": ("vlen", "vector-length", "vector-bits"),
    "--vlen": ("vlens", "vector-length", "vector-bits"),
    "--compilers": ("cc", "toolchain"),
    "--opts": ("o", "optimization", "optimisation", "optimize", "level"),
    "--engines": ("simulator", "emulator", "backend"),
    "--extensions": ("core-desc", "coredsl", "description", "instructions"),
    "--totals": ("total-bytes", "total-size", "messages"),
    "--processes": ("runs", "repeat", "repetition", "rounds"),
    "--samples": ("iterations", "count"),
    "--cpu": ("core", "pin", "affinity"),
    "--quick": ("fast", "short", "brief"),
    "--full": ("long", "complete", "all"),
    "--jobs": ("thread", "parallel", "worker"),
    "--results": ("output", "out", "out-dir", "directory", "folder"),
    "--fresh": ("force", "no-cache", "again", "rerun"),
    "--fetch": ("download", "online", "kernels"),
    "--quiet": ("silent", "no-progress"),
    "--json": ("format", "jsonl"),
    "--memory": ("ram", "mem"),
    "--max-instructions": ("limit", "max-insns", "instructions"),
    "--max-seconds": ("timeout", "deadline", "time"),
    "--stats": ("statistics", "histogram", "counts"),
    "--profile": ("hot", "functions"),
    "--trace": ("log", "commit-log"),
    "--gdb": ("debug", "debugger"),
    "--root": ("chroot", "sysroot", "rootfs", "mount"),
    "--env": ("environment", "setenv"),
    "--strace": ("syscalls", "system-calls"),
    "--no-jit": ("interpret", "interpreter"),
    "--host-random": ("random", "entropy"),
    "--symbol": ("function", "label"),
    "--older-than": ("age", "days", "before", "unused"),
    "--help": ("usage",),
}
"""An option, and words that others use for it, in the singular."""


def option(written: str, known: Iterable[str]) -> str:
    """A hint: the option of ``known`` that ``written`` means or almost spells; empty if none is near."""
    options = [name for name in known if name.startswith("--")]
    word = written.lower().lstrip("-").replace("_", "-")
    singular = word.removesuffix("s") if len(word) > 1 else word
    for name in options:
        if {word, singular} & {*_MEANT.get(name, ()), *(f"{each}s" for each in _MEANT.get(name, ()))}:
            return f"Did you mean {name}?"
    # Slow to import, and needed only after a mistake.
    import difflib

    close = difflib.get_close_matches(f"--{word}", options, n=1, cutoff=0.6)
    return f"Did you mean {close[0]}?" if close else ""
