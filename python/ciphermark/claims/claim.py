"""What every claim has, whatever its kind, and what it is judged by."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from ciphermark.claims.builds import FunctionBytes
from ciphermark.claims.finding import Finding
from ciphermark.notation.manifest import ManifestModel
from ciphermark.rows.model import Row
from ciphermark.rows.selection import Selector


@dataclass(frozen=True, slots=True)
class Evidence:
    """What claims are judged by."""

    rows: Sequence[Row]
    functions: FunctionBytes = field(default_factory=dict)
    """Bytes of single functions, for claims that name one."""
    optional: frozenset[str] = frozenset()
    """Compilers that a study can do without, by the name rows have. A verdict must not depend on what happens to be
    installed, so their rows decide only claims that name their family."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions of compilers, by that name: ``12.2.0``."""
    claims: Mapping[str, Claim] = field(default_factory=dict)
    """All of the study, by id, for claims that speak of another's figures."""


class Toolchain(ManifestModel):
    """What the published program was compiled with."""

    family: Literal["gcc", "clang"]
    """The compiler of zig is a clang."""
    version: str
    opt: str
    """Optimisation level, without the dash: ``O2``."""

    def __str__(self) -> str:
        return f"{self.family} {self.version} -{self.opt}"


class Citation(ManifestModel):
    """A publication and a place in it. A table `[sources.NAME]` serves all claims that name it as `source`."""

    work: str
    """Authors and title."""
    place: str = ""
    """Edition, section, table."""
    url: str | None = None
    """The address that the report links to."""

    def __str__(self) -> str:
        return f"{self.work}: {self.place}" if self.place else self.work


def _as_citation(value: object) -> object:
    return {"work": value} if isinstance(value, str) else value


class Claim(ManifestModel, abc.ABC):
    """A published figure, or a few that belong together."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")
    statement: str
    """The claim in one sentence, as its source makes it."""
    citation: Annotated[Citation, BeforeValidator(_as_citation)]
    """Where the figure is published, down to the table; or use `source`."""
    source: str | None = None
    """Instead of `citation`: the name of a table in `[sources]`."""
    source_note: str | None = None
    """A remark added to the source's place."""
    definition: str
    """What is computed here, from which rows, and how that relates to what the source measured."""
    where: Selector = Selector()
    untested: str | None = None
    """The reason that the verdict gives if no row corresponds to the claim."""
    compiled_with: Toolchain | None = None
    """Give it if the figure depends on the compiler. Then rows of other families or levels decide nothing. Rows of the
    same family and level can confirm the claim, and contradict it only if the version is the same, too."""
    program: str | None = None
    """The program or binary that the figure describes, if it is not one of the implementations: rows are then shown,
    but decide nothing. Published figures can still contradict each other."""
    processor: str | None = None
    """The processor that the figure is about, as in the column `processor`: rows of other machines are shown, but
    decide nothing."""
    ours: bool = False
    """Whether the claim is about a kernel of this project and not made by the source."""

    @abc.abstractmethod
    def judge(self, evidence: Evidence) -> Finding:
        """What the rows say."""

    def untestable(self, reason: str) -> Finding:
        """Nothing corresponds to it: for the claim's own reason, else ``reason``."""
        return Finding(None, "not testable", self.untested or reason)

    @abc.abstractmethod
    def in_words(self) -> tuple[str, ...]:
        """The published figure, or each of a table's."""

    def on_a_scale(self) -> tuple[tuple[int | None, float], ...]:
        """The published number in the unit of a finding's figures, for each message size if it is a table of sizes;
        empty of claims that are not numbers."""
        published = getattr(self, "published", None)
        if isinstance(published, int | float):
            return ((None, float(published)),)
        if isinstance(published, Mapping):
            return tuple((size, float(figure)) for size, figure in published.items())
        return ()

    def allowed(self) -> float:
        """How far from it a figure may be, in its unit."""
        return 0.0

    def refers_to(self) -> tuple[str, ...]:
        """Ids of the claims whose figures it speaks of."""
        return ()

    def remark(self, evidence: Evidence) -> str | None:
        """What stands beside the verdict, whatever that is, and decides nothing."""
        return None

    def against_itself(self) -> str | None:
        """Why the published figures cannot all be right, whatever is measured; ``None`` if they can."""
        return None
