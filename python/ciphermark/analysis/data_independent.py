"""Which instructions a core must execute in a time that does not depend on data (extensions Zkt and Zvkt)."""

import functools
import tomllib
from collections.abc import Iterable
from typing import Any

from ciphermark.kernels import descriptions
from ciphermark.store import paths


@functools.cache
def _lists() -> dict[str, Any]:
    return tomllib.loads((paths.data() / "isa" / "data-independent.toml").read_text(encoding="utf-8"))


def unlisted(mnemonics: Iterable[str]) -> list[str]:
    """Built-in arithmetic instructions among ``mnemonics`` that neither list has, sorted. Memory accesses, branches and
    settings are not judged: their time depends on addresses, conditions and lengths, which constant-time code keeps
    free of secrets."""
    found, declared = _lists(), descriptions.built_in_sets()
    listed = {name for each in ("zkt", "zvkt", "control", "memory", "without_data") for name in found[each]}
    return sorted(
        mnemonic
        for mnemonic in set(mnemonics)
        if mnemonic in declared
        and declared[mnemonic] not in found["sets"]
        and found["stand_for"].get(mnemonic, mnemonic) not in listed
    )
