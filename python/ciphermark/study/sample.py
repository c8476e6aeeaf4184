"""A sample of a block's points, where all of them are too many."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass
class Sample(Generic[T]):
    """The ``count`` of all that is offered whose digests are smallest: the same on every machine, whatever the order;
    a larger sample contains the smaller one, and a combination that is added replaces one at most."""

    count: int
    seed: int
    _kept: dict[int, list[tuple[int, T]]] = field(default_factory=dict)
    _offered: int = 0
    _most: int | None = None
    """The largest digest that can still be in the sample."""

    def offer(self, identity: str, item: T) -> None:
        """``identity`` is what tells it apart; items of one identity are in the sample together, or not."""
        self._offered += 1
        digest = int.from_bytes(hashlib.blake2b(f"{self.seed} {identity}".encode(), digest_size=16).digest())
        if self._most is not None and digest > self._most:
            return
        self._kept.setdefault(digest, []).append((self._offered, item))
        if len(self._kept) >= 2 * self.count:
            self._prune()

    def items(self) -> Iterable[T]:
        """Those in the sample, in the order in which they were offered."""
        self._prune()
        return [item for _, item in sorted((each for same in self._kept.values() for each in same), key=_place)]

    @property
    def left_out(self) -> int:
        self._prune()
        return self._offered - sum(map(len, self._kept.values()))

    def _prune(self) -> None:
        if len(self._kept) > self.count:
            smallest = sorted(self._kept)[: self.count]
            self._most = smallest[-1]
            self._kept = {digest: self._kept[digest] for digest in smallest}


def _place(each: tuple[int, object]) -> int:
    return each[0]
