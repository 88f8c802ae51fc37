"""Which instances of kernel templates to compile: those that are launched."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

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


#: Instances of one kernel that are compiled; what else the source names is said to be left out.
MOST = 24
#: Assumed arguments that are tried in turn where a kernel does not compile with the ones before:
#: a type and a number.
_TRIED = (
    ("float", "16"), ("float", "4"), ("float", "1"), ("float", "32"), ("float", "128"),
    ("__half", "16"), ("__half", "4"), ("int", "16"), ("float", "2"), ("float", "256"),
)  # fmt: skip


def instances(
    facts: Collection[SourceFacts], kernels: Iterable[SourceKernel]
) -> tuple[tuple[Instance, ...], Mapping[str, tuple[Instance, ...]]]:
    """The instances that launches, explicit instantiations and addresses name; and by kernel
    those to try where these do not compile.

    One with assumed arguments for a template of which no launch's arguments are known.
    """
    templates = {k.name: k for k in kernels if k.template_parameters}
    found: dict[str, Instance] = {}
    spare: dict[str, dict[str, Instance]] = {}
    for fact in facts:
        launches = [
            (s.kernel, s.instance, s.spare) for s in fact.launches if s.instance is not None
        ]
        for name, arguments, late in (
            *launches, *((n, a, False) for n, a in fact.instantiations)
        ):  # fmt: skip
            kernel = templates.get(name)
            instance = None if kernel is None else _completed(kernel, arguments or ())
            if instance is None or instance.assumed:
                continue
            if late:
                spare.setdefault(name, {}).setdefault(instance.expression, instance)
            else:
                found.setdefault(instance.expression, instance)
    known = {i.kernel for i in found.values()}
    for name in spare.keys() - known:  # in a branch that only a later type takes
        found |= spare.pop(name)
        known.add(name)
    for name in known:
        for instance in [i for i in found.values() if i.kernel == name][MOST:]:
            del found[instance.expression]
            spare.setdefault(name, {}).setdefault(instance.expression, instance)
    launched = {s.kernel for fact in facts for s in fact.launches} - known
    partial = {s.kernel: s.partial for f in facts for s in f.launches if any(s.partial)}
    others: dict[str, tuple[Instance, ...]] = {
        name: tuple(i for e, i in each.items() if e not in found) for name, each in spare.items()
    }
    for name in sorted(launched & templates.keys()):
        tries = assumed_instances(templates[name], partial.get(name, ()))
        found |= {i.expression: i for i in tries[:1]}
        others[name] = tries[1:]
    return tuple(found.values()), others


def assumed_instances(
    kernel: SourceKernel, known: Sequence[str | None] = ()
) -> tuple[Instance, ...]:
    """Instances to try for a template: with what is `known`, then float, 16, true, and others.

    A default counts as assumed, too: where no launch was read, the real one may give another.
    """
    tries = (_completed(kernel, known, *each) for each in _TRIED)
    return tuple({i.expression: replace(i, assumed=True) for i in tries if i is not None}.values())


def _completed(
    kernel: SourceKernel, known: Sequence[str | None], kind: str = "float", number: str = "16"
) -> Instance | None:
    """The instance with these arguments and, for those that lack, the assumed ones."""
    arguments, assumed = list(known), False
    arguments += [None] * (len(kernel.template_parameters) - len(arguments))
    made: list[str] = []
    for parameter, given in zip(kernel.template_parameters, arguments, strict=False):
        if given is not None:
            made.append(given)
            continue
        if parameter.optional:
            break
        if parameter.kind == "template":
            return None
        assumed = True
        if parameter.is_type:
            made.append(kind)
        elif "bool" in parameter.type:
            made.append("true")
        elif _WHOLE.match(parameter.type):
            made.append(number)
        else:
            made.append(f"({parameter.type})0")
    made += [a for a in arguments[len(kernel.template_parameters) :] if a is not None]  # a pack's
    expression = f"{kernel.qualified}<{', '.join(made)}>"
    return Instance(kernel.name, expression, tuple(made), assumed)
