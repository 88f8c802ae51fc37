"""Which instances of kernel templates to compile: those that are launched."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from perflint.frontend.source.model import SourceFacts, SourceKernel

_WHOLE = re.compile(
    r"(?:const |volatile )*(?:unsigned|signed|int|size_t|u?int\d*_t|uint|short|long|char)"
)


@dataclass(frozen=True)
class Instance:
    """One instance of a kernel template."""

    kernel: str  #: unqualified
    expression: str  #: for NVRTC: `ns::k<float, 16>`
    arguments: tuple[str, ...]
    assumed: bool = False  #: some argument was not found in the source


def instances(
    facts: Collection[SourceFacts], kernels: Iterable[SourceKernel]
) -> tuple[Instance, ...]:
    """The instances that launches, explicit instantiations and addresses name.

    One with assumed arguments for a template of which no launch's arguments are known.
    """
    templates = {k.name: k for k in kernels if k.template_parameters}
    found: dict[str, Instance] = {}
    for fact in facts:
        launches = [(s.kernel, s.instance) for s in fact.launches if s.instance is not None]
        for name, arguments in (*launches, *fact.instantiations):
            kernel = templates.get(name)
            instance = None if kernel is None else _completed(kernel, arguments)
            if instance is not None and not instance.assumed:
                found.setdefault(instance.expression, instance)
    known = {i.kernel for i in found.values()}
    launched = {s.kernel for fact in facts for s in fact.launches} - known
    assumed = (default_instance(templates[name]) for name in sorted(launched & templates.keys()))
    return (*found.values(), *(i for i in assumed if i is not None))


def default_instance(kernel: SourceKernel) -> Instance | None:
    """An instance for a template that nothing launches: float, 16, true; None if there is none."""
    return _completed(kernel, ())


def _completed(kernel: SourceKernel, known: tuple[str, ...]) -> Instance | None:
    """The instance with these arguments and, for those that lack, the assumed ones."""
    arguments, assumed = list(known), False
    for parameter in kernel.template_parameters[len(known) :]:
        if parameter.optional:
            break
        if parameter.kind == "template":
            return None
        assumed = True
        if parameter.is_type:
            arguments.append("float")
        elif "bool" in parameter.type:
            arguments.append("true")
        elif _WHOLE.match(parameter.type):
            arguments.append("16")
        else:
            arguments.append(f"({parameter.type})0")
    expression = f"{kernel.qualified}<{', '.join(arguments)}>"
    return Instance(kernel.name, expression, tuple(arguments), assumed)
