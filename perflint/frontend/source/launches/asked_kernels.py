"""The kernels that launches are looked for of, where a source is read for these alone.

A program launches much that a file which is asked about does not define.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from perflint.base.records import dataclass
from perflint.frontend.source.host.calls.launch_syntax import Launch
from perflint.frontend.source.host.values.choices import Session, UndecidedError
from perflint.frontend.source.language.model import SourceFacts
from perflint.frontend.source.launches.callees import Callee, callee_of
from perflint.frontend.source.launches.formulas import standing
from perflint.frontend.source.project.sight import Project


@dataclass(frozen=True)
class AskedKernels:
    """The kernels of some files."""

    names: frozenset[str]
    files: frozenset[Path]  #: real paths; macros may make kernels there that have no name here

    @classmethod
    def of(cls, read: Iterable[Mapping[Path, SourceFacts]]) -> AskedKernels:
        """Those of files and their headers, as they were read."""
        facts = {path: each for found in read for path, each in found.items()}
        names = (kernel.name for each in facts.values() for kernel in each.kernels)
        return cls(frozenset(names), frozenset(facts))

    def may_be_meant(self, launch: Launch, project: Project) -> bool:
        """Whether a launch may be of one of them: it is not plainly of a kernel defined elsewhere.

        What is launched through a variable or a parameter may be any.
        """
        try:
            callee = callee_of(launch.callee, standing(launch, Session(project)))
        except UndecidedError:
            return True
        if not isinstance(callee, Callee) or callee.name in self.names:
            return True
        defined = project.kernels(callee.name, launch.file)
        return not defined or any(each.source.path in self.files for each in defined)
