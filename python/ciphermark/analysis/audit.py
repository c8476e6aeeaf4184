"""What the timed region executed: an audit against its target, and groups. A point is flagged if an extension that its
implementation requires never ran, or if an instruction outside its ISA did."""

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermark import embedded
from ciphermark.analysis import data_independent
from ciphermark.kernels import descriptions
from ciphermark.notation import isa

MOST_NAMED = 6
"""Instructions a note names by extension; the histogram in the row has them all."""


@dataclass(frozen=True, slots=True)
class Audit:
    flagged: bool
    note: str | None


def audit(
    target_isa: str,
    requires: tuple[str, ...],
    opcodes: Mapping[str, int] | None,
    providers: Mapping[str, frozenset[str]] | None = None,
    described: Sequence[Path] = (),
    added: Sequence[Path] = (),
    constant_time: bool = False,
) -> Audit:
    """Audit one timed region. Without a histogram (engines other than ``sim``) there is nothing to say.

    ``described`` and ``added`` are CoreDSL files: their extensions are allowed whatever the ISA string. Those of
    ``described``, which the implementation names itself, are required; of ``added`` it is told what ran. Of code that
    claims ``constant_time`` it is told which of its instructions no extension requires to take constant time.
    """
    if opcodes is None:
        return Audit(False, None)
    providers = instruction_providers() if providers is None else providers
    held = embedded.extensions(target_isa)
    own, more = _own_extensions(tuple(described)), _own_extensions(tuple(added))
    if own or more:
        providers = {**providers, **_own_providers((*described, *added))}
        held, requires = held | set(own) | set(more), (*requires, *own)
    findings = []
    outside = {name: count for name, count in opcodes.items() if not providers.get(name, held) & held}
    if outside:
        findings.append(f"executed outside {target_isa}: {_named(outside, providers)}")
    required = [extension for extension in requires if _of(extension, opcodes, providers)]
    if requires and not required:
        findings.append(f"no {_names(requires)} instruction executed, though the implementation requires it")
    flagged = bool(findings)
    findings.extend(
        _use([*own, *more, *_asked_for(target_isa, held - set(own) - set(more), providers)], opcodes, providers)
    )
    if constant_time and (unlisted := data_independent.unlisted(opcodes)):
        findings.append(
            f"claims constant time and executed {', '.join(unlisted)}; neither Zkt nor Zvkt promises that its "
            "time is the same for all data on every core: correct where such an operand is public, such as a length"
        )
    return Audit(flagged, "; ".join(findings) or None)


@functools.cache
def instruction_providers() -> dict[str, frozenset[str]]:
    """Mnemonic -> extensions that provide it, lower case, from the engine's own descriptions."""
    return {
        name: frozenset(extension.lower() for extension in extensions)
        for name, extensions in embedded.engine().instruction_extensions().items()
    }


_own_extensions = functools.cache(descriptions.extensions)
_own_providers = functools.cache(descriptions.providers)
_own_sets = functools.cache(descriptions.sets)


def _asked_for(target_isa: str, held: frozenset[str], providers: Mapping[str, frozenset[str]]) -> list[str]:
    """Extensions with instructions of their own that the ISA string adds to its base, implied ones too."""
    parsed = isa.parse(target_isa)
    # What letters stand for (C holds Zca) is the machine's base; counters and fences serve the harness.
    base = embedded.extensions(f"rv{parsed.xlen}{''.join(parsed.letters)}")
    known = frozenset().union(*providers.values())
    return sorted((held - base) & known - set(isa.HARNESS_NEEDS) - {"zifencei"})


def _of(extension: str, opcodes: Mapping[str, int], providers: Mapping[str, frozenset[str]]) -> dict[str, int]:
    return {name: count for name, count in opcodes.items() if extension in providers.get(name, frozenset())}


def _use(extensions: Sequence[str], opcodes: Mapping[str, int], providers: Mapping[str, frozenset[str]]) -> list[str]:
    """What ran of each extension, then those of which nothing did."""
    used = {extension: _of(extension, opcodes, providers) for extension in extensions}
    said = [f"{name.capitalize()} executed: {_most(counts)}" for name, counts in used.items() if counts]
    unused = tuple(name for name, counts in used.items() if not counts)
    return [*said, f"no {_names(unused)} instruction executed"] if unused else said


def _most(opcodes: Mapping[str, int]) -> str:
    ordered = sorted(opcodes.items(), key=lambda item: (-item[1], item[0]))
    rest = len(ordered) - MOST_NAMED
    named = ", ".join(f"{name} {count}" for name, count in ordered[:MOST_NAMED])
    return f"{named} and {rest} more" if rest > 0 else named


def _named(opcodes: Mapping[str, int], providers: Mapping[str, frozenset[str]]) -> str:
    return ", ".join(
        f"{name} {count} ({_names(sorted(providers.get(name, {'no extension known'})))})"
        for name, count in sorted(opcodes.items())
    )


def _names(extensions: Sequence[str]) -> str:
    *most, last = (extension.capitalize() for extension in extensions)
    return f"{', '.join(most)} or {last}" if most else last


UNKNOWN = "unknown"


def by_group(opcodes: Mapping[str, int] | None, described: Sequence[Path] = ()) -> dict[str, int] | None:
    """Counts, most executed first, by the instruction set that declares each instruction: finer than extensions, and
    adding up. ``described`` are CoreDSL files beside the built-in ones."""
    if opcodes is None:
        return None
    declared = {**descriptions.built_in_sets(), **_own_sets(tuple(described))}
    found: Counter[str] = Counter()
    for mnemonic, count in opcodes.items():
        found[declared.get(mnemonic, UNKNOWN)] += count
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
