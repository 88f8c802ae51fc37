"""A compiled file with what was parsed of it, and its kernels as they are checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial

from perflint import frontend
from perflint.base.records import dataclass
from perflint.base.resources import Resources
from perflint.base.span import Span
from perflint.frontend.model import Compilation
from perflint.grammar import PtxSyntaxError, parse
from perflint.grammar.model import Module
from perflint.lint.check_run import Run
from perflint.lint.recompile import recompile
from perflint.lint.subject import Subject
from perflint.lint.subjects import subjects
from perflint.lint.translation_units import Unit
from perflint.sim.device_runtime import linked


@dataclass(frozen=True, eq=False)
class Opened:
    """A file that was compiled, and its PTX if it has any that can be parsed."""

    compilation: Compilation
    module: Module | None
    fault: PtxSyntaxError | None = None
    #: asked for once a file, if at all
    figures: Callable[[], Mapping[str, Resources]] = dict


def opened(compilation: Compilation, unit: Unit) -> Opened:
    """A compiled file, parsed."""
    module = fault = None
    if compilation.ptx is not None:
        try:
            module = linked(parse(compilation.ptx, str(unit.path)))
        except PtxSyntaxError as error:
            fault = error
    return Opened(compilation, module, fault, cache(partial(frontend.resources, compilation)))


def checked_kernels(
    file: Opened, unit: Unit, run: Run
) -> Iterator[tuple[Span | None, Callable[[], Subject]]]:
    """The kernels of a file that has any, as `subjects` gives them; variants can be compiled."""
    if file.module is None:
        return iter(())
    again = partial(recompile, unit, run, file.compilation, file.module)
    return subjects(unit, file.module, file.compilation, run, file.figures, again)
