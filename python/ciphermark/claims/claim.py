"""What every claim has, whatever its kind, and what it is judged by."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from ciphermark.claims.builds import FunctionBytes
from ciphermark.claims.finding import Finding
from ciphermark.manifest import ManifestModel
from ciphermark.model import Row
from ciphermark.selection import Selector


@dataclass(frozen=True, slots=True)
class Evidence:
    """What claims are judged by."""

    rows: Sequence[Row]
    functions: FunctionBytes = field(default_factory=dict)
    """Bytes of single functions, for claims that name one."""
    optional: frozenset[str] = frozenset()
    """Compilers that the study does without where they are absent, by the name rows have. A verdict must not depend
    on what happens to be installed, so their rows decide only claims that name their family."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of compilers, by that name: ``12.2.0``."""
    claims: Mapping[str, Claim] = field(default_factory=dict)
    """All of the study, by id, for claims that speak of another's figures."""


class Toolchain(ManifestModel):
    """What the published program was compiled with."""

    family: Literal["gcc", "clang"]
    """zig's compiler is a clang."""
    version: str
    opt: str
    """Level, without the dash: ``O2``."""

    def __str__(self) -> str:
        return f"{self.family} {self.version} -{self.opt}"


class Citation(ManifestModel):
    """A publication and a place in it. In `[sources.NAME]` it stands once for all claims that name it as `source`."""

    work: str
    """Authors and title."""
    place: str = ""
    """Edition, section, table."""
    url: str | None = None
    """Address, to which the report links."""

    def __str__(self) -> str:
        return f"{self.work}: {self.place}" if self.place else self.work


def _as_citation(value: object) -> object:
    return {"work": value} if isinstance(value, str) else value


class Claim(ManifestModel, abc.ABC):
    """What a study file says of one published figure, or of a few that belong together."""

    kind: ClassVar[str]
    """The table it stands in: ``count`` for ``[[claims.count]]``."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")
    statement: str
    """The claim in one sentence, as its source makes it."""
    citation: Annotated[Citation, BeforeValidator(_as_citation)]
    """Where the figure stands, to the table; or `source` in its place."""
    source: str | None = None
    """In the place of `citation`: the name of one of `[sources]`."""
    source_note: str | None = None
    """What is said of the source beside."""
    definition: str
    """What is computed here, from which rows, and how that relates to what the source measured."""
    where: Selector = Selector()
    untested: str | None = None
    """Why nothing here may correspond to it; said when nothing does."""
    compiled_with: Toolchain | None = None
    """If the figure depends on it. Rows of other families and levels decide nothing then; of the same they confirm it,
    and contradict it only if the version too is the one named."""
    program: str | None = None
    """Whose program or binary the figure is a fact about, if that is not among the implementations: rows of another
    are shown, and decide nothing. What is published can still contradict itself."""
    ours: bool = False
    """Whether the claim is made here, of a kernel of ours, and not by the source."""

    @abc.abstractmethod
    def judge(self, evidence: Evidence) -> Finding:
        """What the rows say."""

    @abc.abstractmethod
    def in_words(self) -> tuple[str, ...]:
        """The published figure, or each of a table's."""

    def refers_to(self) -> tuple[str, ...]:
        """Ids of the claims whose figures it speaks of."""
        return ()

    def remark(self, evidence: Evidence) -> str | None:
        """What stands beside the verdict, whatever that is, and decides nothing."""
        return None

    def against_itself(self) -> str | None:
        """Why the published figures cannot all be right, whatever is measured; ``None`` if they can."""
        return None
