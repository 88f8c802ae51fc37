"""Which instances of kernel templates to compile: those that are launched."""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from perflint.frontend.source.model import SourceFacts, SourceKernel
from perflint.frontend.source.user_files import words

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
    #: what declares the names in the expression that mean something in a namespace only
    names: tuple[str, ...] = ()


#: Types that mean the same everywhere.
_BUILTIN = words(
    """
    void bool char short int long float double signed unsigned const volatile half __half half2
    __half2 __nv_bfloat16 int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t
    std
    """
)
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
            (s.kernel, s.instance, s.spare, s.scope)
            for s in fact.launches
            if s.instance is not None
        ]
        for name, arguments, late, scope in (
            *launches, *((n, a, False, "") for n, a in fact.instantiations)
        ):  # fmt: skip
            kernel = templates.get(name)
            instance = None if kernel is None else _completed(kernel, arguments or (), scope=scope)
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
    kernel: SourceKernel,
    known: Sequence[str | None],
    kind: str = "float",
    number: str = "16",
    scope: str = "",
) -> Instance | None:
    """The instance with these arguments and, for those that lack, the assumed ones.

    `scope` is the namespace in which the arguments stand; without one it is the kernel's.
    """
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
    scope = scope or kernel.qualified.rpartition("::")[0]
    types = [p.is_type and p.kind != "template" for p in kernel.template_parameters]
    types += types[-1:] * (len(made) - len(types))
    placed = [
        _placed(argument, scope) if is_type and argument is not kind else (argument, "")
        for argument, is_type in zip(made, types, strict=False)
    ]
    expression = f"{kernel.qualified}<{', '.join(text for text, _ in placed)}>"
    names = tuple(declaration for _, declaration in placed if declaration)
    return Instance(kernel.name, expression, tuple(made), assumed, names)


def _placed(argument: str, scope: str) -> tuple[str, str]:
    """A type as it is called outside of `scope`, and what declares that name.

    Name expressions are read outside of all namespaces, where `P` of `a::P` is not known.
    """
    names = set(re.findall(r"[A-Za-z_]\w*", argument))
    if not scope or names <= _BUILTIN or argument.startswith("::"):
        return argument, ""
    name = f"perflint_{zlib.crc32(f'{scope} {argument}'.encode()):08x}"
    return f"{scope}::{name}", f"namespace {scope} {{ using {name} = {argument}; }}"
