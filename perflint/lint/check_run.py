"""What all files of one run share: the options, the rules, and the facts of every source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path

from perflint.base.records import dataclass
from perflint.frontend.model import Compilation
from perflint.frontend.source.language.model import SourceFacts
from perflint.lint.options import CheckOptions
from perflint.lint.ruleset import Ruleset
from perflint.lint.translation_units import Unit

Facts = Mapping[Path, SourceFacts]


@dataclass(frozen=True, eq=False)
class Run:
    """What is the same for all files of one run."""

    options: CheckOptions
    rules: Ruleset
    #: by each file given, the facts of it and of its headers: their launches serve each other
    facts: Mapping[Path, Mapping[Path, SourceFacts]]
    root: Path  #: the folder that holds all files given: headers are looked for by name below it
    compiled: Mapping[Unit, Compilation] = field(default_factory=dict)  #: what is already
    #: facts of sources that are not given and include a file that is: its kernels' launches
    above: Mapping[Path, Facts] = field(default_factory=dict)

    @cached_property
    def tops(self) -> set[Path]:
        """The files given that no other one includes."""
        return self.facts.keys() - frozenset().union(*includes(self.facts).values())


def includes(facts: Mapping[Path, Facts]) -> dict[Path, frozenset[Path]]:
    """By file given, the others given that it includes; files that include each other do not."""
    mains = {path: next(iter(known)) for path, known in facts.items()}
    given: defaultdict[Path, set[Path]] = defaultdict(set)
    for path, main in mains.items():
        given[main].add(path)
    return {
        path: frozenset(
            other
            for header in known
            for other in given.get(header, ())
            if mains[path] not in facts[other]
        )
        for path, known in facts.items()
    }
