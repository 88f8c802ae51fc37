"""Which instances of kernel templates to compile: those that are launched."""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from types import MappingProxyType

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.nvrtc.candidates import Candidates, Chosen
from perflint.frontend.source.host.calls.lambdas import unnamed
from perflint.frontend.source.host.values.type_names import INDEX_TYPE
from perflint.frontend.source.language.model import (
    LaunchSite,
    SourceFacts,
    SourceKernel,
    TemplateParameter,
)
from perflint.frontend.source.launches.kernel_launches import (
    BUILTIN,
    told_anywhere,
    with_assumed,
)

_NAME = pattern(r"[A-Za-z_][\w:]*")
_WHOLE = pattern(
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
    qualified: str = ""  #: the kernel's name with its namespaces
    overload: tuple[str, ...] = ()  #: its parameters' types, where others have its name
    known: tuple[str | None, ...] = ()  #: where it is assumed: what is not
    specialised: bool = False  #: where it is assumed: as specialisations in sight name it

    @property
    def title(self) -> str:
        """As people write it: `ns::k<float>`."""
        return f"{self.qualified or self.kernel}<{', '.join(self.arguments)}>"


#: Instances of one kernel that are compiled; what else the source names is said to be left out.
MOST = 24
#: Lists of arguments, of those that are named, for which others are assumed.
_MASKED = 2
#: Assumed arguments that are tried in turn where a kernel does not compile with the ones before:
#: a type and a number.
_TRIED = (
    ("float", "16"), ("float", "4"), ("float", "1"), ("float", "32"), ("float", "128"),
    ("__half", "16"), ("__half", "4"), ("int", "16"), ("float", "2"), ("float", "256"),
    ("float4", "16"), ("float *", "16"),
)  # fmt: skip
_FLOATS = ("float", "float *")
_NOTHING: Mapping[int, Chosen] = MappingProxyType({})


def instances(
    facts: Collection[SourceFacts], templates: Templates
) -> tuple[tuple[Instance, ...], Mapping[str, tuple[Instance, ...]]]:
    """The instances that launches, explicit instantiations and addresses name; and by kernel
    those to try where these do not compile.

    One with assumed arguments for a template of which no launch's arguments are known.
    """
    found: dict[str, Instance] = {}
    spare: dict[str, dict[str, Instance]] = {}
    told: set[SourceKernel] = set()  #: templates of which an instance is named
    for kernel, arguments, late, scope in _named(facts, templates):
        if unnamed(arguments):
            continue
        instance = templates.instance(kernel, arguments, scope=scope)
        if instance is None or instance.assumed:
            continue
        if late:
            spare.setdefault(kernel.name, {}).setdefault(instance.expression, instance)
        else:
            found.setdefault(instance.expression, instance)
            told.add(kernel)
    known = {i.kernel for i in found.values()}
    for name in spare.keys() - known:  # in a branch that only a later type takes
        found |= spare.pop(name)
        known.add(name)
        told.update(templates.of(name))
    for name in known:
        for instance in [i for i in found.values() if i.kernel == name][MOST:]:
            del found[instance.expression]
            spare.setdefault(name, {}).setdefault(instance.expression, instance)
    others: dict[str, tuple[Instance, ...]] = {
        name: tuple(i for e, i in each.items() if e not in found) for name, each in spare.items()
    }
    for kernel in sorted(told, key=lambda k: k.qualified):  # where what is named does not compile
        lists = [i.arguments for i in found.values() if i.qualified == kernel.qualified]
        masked = dict.fromkeys((m, a) for a in lists if None in (m := _without_open_names(a)))
        masked |= dict.fromkeys((m, ()) for a in lists if None in (m := told_anywhere(a)))
        for mask, written in list(masked)[:_MASKED]:
            tries = templates.assumed(kernel, mask, written)
            others[kernel.name] = (*others.get(kernel.name, ()), *tries)
    partial: dict[SourceKernel, dict[tuple[str | None, ...], tuple[str, ...]]] = {}
    for site in (s for f in facts for s in f.launches if not unnamed(s.instance or ())):
        for kernel in templates.meant(site):
            partial.setdefault(kernel, {})[site.partial] = site.template_arguments or ()
    for kernel in sorted(partial.keys() - told, key=lambda k: k.qualified):
        for mask in _most_told(partial[kernel]):
            tries = templates.assumed(kernel, mask, partial[kernel][mask])
            found |= {i.expression: i for i in tries[:1]}
            others[kernel.name] = (*others.get(kernel.name, ()), *tries[1:])
    return tuple(found.values()), others


def _without_open_names(arguments: Sequence[str]) -> tuple[str | None, ...]:
    """Arguments without those that are nothing but a name, if another is made of one: `T, f<T>`."""
    open_names = {
        a for a, told in zip(arguments, told_anywhere(arguments), strict=True) if not told
    }
    alone = {a for a in open_names if a.isidentifier()}
    used = {w for a in arguments if a not in alone for w in re.findall(r"\w+", a)} & alone
    return tuple(None if a in used else a for a in arguments)


def _most_told(partial: Iterable[tuple[str | None, ...]]) -> Sequence[tuple[str | None, ...]]:
    """The lists of arguments that say more than nothing, if any does."""
    every = list(partial)
    return [p for p in every if any(a is not None for a in p)][:MOST] or every[-1:]


def _named(
    facts: Collection[SourceFacts], templates: Templates
) -> Iterator[tuple[SourceKernel, tuple[str, ...], bool, str]]:
    """Templates with arguments that are told; whether only a later type takes the branch to it;
    and the namespace that the arguments stand in."""
    for fact in facts:
        for site in fact.launches:
            if site.instance is not None:
                for kernel in templates.meant(site):
                    yield kernel, site.instance, site.spare, site.scope
        for name, arguments in fact.instantiations:
            for kernel in templates.of(name):
                yield kernel, arguments, False, ""


class Templates:
    """The kernel templates of a file, namesakes and overloads among them."""

    def __init__(
        self, kernels: Iterable[SourceKernel], candidates: Candidates | None = None
    ) -> None:
        self._candidates = candidates
        self._by_name: dict[str, dict[object, SourceKernel]] = {}
        for kernel in kernels:
            if kernel.template_parameters:
                same = self._by_name.setdefault(kernel.name, {})
                same[kernel.qualified, kernel.types] = kernel

    def of(self, name: str) -> Collection[SourceKernel]:
        """Those of an unqualified name."""
        return self._by_name.get(name, {}).values()

    def meant(self, site: LaunchSite) -> Collection[SourceKernel]:
        """Those that a launch may mean."""
        return [k for k in self.of(site.kernel) if site.may_mean(k)]

    def instance(
        self, kernel: SourceKernel, known: Sequence[str | None], *, scope: str = ""
    ) -> Instance | None:
        """The instance with these arguments, by its type where others have its name."""
        made = _completed(kernel, known, scope=scope)
        return made if made is None else self._told_apart(made, kernel)

    def assumed(
        self,
        kernel: SourceKernel,
        known: Sequence[str | None] = (),
        written: Sequence[str] = (),
    ) -> tuple[Instance, ...]:
        """Those to try where not all arguments are known; `written` is how a launch gives them."""
        found = _assumed(kernel, known, self._candidates, written)
        return tuple(self._told_apart(i, kernel) for i in found)

    def _told_apart(self, instance: Instance, kernel: SourceKernel) -> Instance:
        same = [k for k in self.of(kernel.name) if k.qualified == kernel.qualified]
        if len(same) < 2:
            return instance
        given = instance.expression[len(kernel.qualified) :]
        scope = kernel.qualified.rpartition("::")[0]
        head = ", ".join(p.written for p in kernel.template_parameters)
        types = ", ".join(kernel.types)
        name = f"perflint_{zlib.crc32(f'{kernel.qualified} {types}'.encode()):08x}"
        alias = f"template <{head}> using {name} = void (*)({types});"
        declared = f"namespace {scope} {{ {alias} }}" if scope else alias
        name = f"{scope}::{name}" if scope else name
        return replace(
            instance,
            expression=f"static_cast<{name}{given}>({instance.expression})",
            names=(*instance.names, declared),
            overload=kernel.types,
        )


def _assumed(
    kernel: SourceKernel,
    known: Sequence[str | None],
    candidates: Candidates | None = None,
    written: Sequence[str] = (),
) -> tuple[Instance, ...]:
    """Instances to try for a template: with what is `known`, then float, 16, true, and others.

    A default counts as assumed, too: where no launch was read, the real one may give another.
    Where class templates are specialised, and have nothing for any other argument, these come
    before what is made up, though not before a default. None where a class must be given that no
    specialisation names: no number has what the kernel asks of it.
    """
    plain = list(_tries(kernel, known, written=written))
    if candidates is None:
        return _each_once(plain)
    if first := _specialised(kernel, known, candidates.of(kernel, declared=True)):
        given = [*known, *(None for _ in kernel.template_parameters[len(known) :])]
        takes = zip(given, kernel.template_parameters, strict=False)
        defaults = any(a is None and p.default is not None for a, p in takes)
        return _each_once([*plain[:1], *first] if defaults else [*first, *plain[:1]])
    return _each_once([*plain, *_specialised(kernel, known, candidates.of(kernel, declared=False))])


def _each_once(tries: Iterable[Instance]) -> tuple[Instance, ...]:
    return tuple({i.expression: i for i in tries}.values())


def _specialised(
    kernel: SourceKernel, known: Sequence[str | None], ways: Iterable[Mapping[int, Chosen]]
) -> list[Instance]:
    """The instances to try with each way to choose what is not known."""
    told = {i for i, a in enumerate(known) if a is not None}
    left = ({i: c for i, c in way.items() if i not in told} for way in ways)
    return [each for way in left if way for each in _tries(kernel, known, way)]


def _tries(
    kernel: SourceKernel,
    known: Sequence[str | None],
    chosen: Mapping[int, Chosen] = _NOTHING,
    written: Sequence[str] = (),
) -> Iterator[Instance]:
    """Instances with what is known and chosen, and one assumed type and number after the other."""
    given = {i for i, a in enumerate(known) if a is not None} | chosen.keys()
    lacking = (p for i, p in enumerate(kernel.template_parameters) if i not in given)
    if any(p.asked and not p.optional for p in lacking):
        return
    for each in _TRIED:
        made = _completed(kernel, known, *each, chosen=chosen, written=written)
        if made is not None:
            yield replace(made, assumed=True, known=tuple(known), specialised=bool(chosen))


def _completed(
    kernel: SourceKernel,
    known: Sequence[str | None],
    kind: str = "float",
    number: str = "16",
    scope: str = "",
    chosen: Mapping[int, Chosen] = _NOTHING,
    written: Sequence[str] = (),
) -> Instance | None:
    """The instance with these arguments and, for those that lack, the `chosen` or assumed ones.

    `scope` is the namespace in which the arguments stand; without one it is the kernel's. `written`
    are the arguments as the launch has them: those that name another one that lacks have its.
    """
    arguments, assumed = list(known), False
    arguments += [None] * (len(kernel.template_parameters) - len(arguments))
    made: list[str] = []
    takes = [p.type for p in kernel.parameters]
    others = {p.name for p in kernel.template_parameters}
    for index, (parameter, given) in enumerate(
        zip(kernel.template_parameters, arguments, strict=False)
    ):
        if given is not None:
            made.append(given)
            continue
        if index in chosen:
            assumed = True
            made.append(chosen[index].text)
            continue
        if parameter.default is not None and index < max(chosen, default=-1):
            if not others.isdisjoint(re.findall(r"\w+", parameter.default)):
                return None  # it hangs on what stands before it
            made.append(parameter.default)
            continue
        if parameter.optional:
            of_pack = re.compile(rf"\b{parameter.name}\b")
            if "..." in parameter.written and any(map(of_pack.search, takes)):
                return None  # how many types it takes only a launch can say
            break
        if parameter.kind == "template":
            return None
        assumed = True
        if parameter.is_type:
            # As the host code's numbers of such a type are read.
            counts = kind in _FLOATS and INDEX_TYPE.match(parameter.name)
            each = "int" if counts else kind
            made.append(f"{each} *" if parameter.accessed and "*" not in each else each)
        elif "bool" in parameter.type:
            made.append("true")
        elif _WHOLE.match(parameter.type):
            made.append(number)
        else:
            made.append(f"({parameter.type})0")
    told = with_assumed(arguments, written, made)
    made = [each or given for each, given in zip_longest(told[: len(made)], made)]
    pack = arguments[len(kernel.template_parameters) :]
    if None in pack:  # with one of its types missing it would be a kernel of fewer parameters
        return None
    made += [a for a in pack if a is not None]
    scope = scope or kernel.qualified.rpartition("::")[0]
    kinds = [p.kind for p in kernel.template_parameters]
    kinds += kinds[-1:] * (len(made) - len(kinds))
    placed = [
        _placed(
            _of_its_type(a, parameter, kernel),
            kind,
            chosen[index].scope if index in chosen else scope,
        )
        for index, ((a, kind), parameter) in enumerate(
            zip_longest(zip(made, kinds, strict=False), kernel.template_parameters[: len(made)])
        )
    ]
    expression = f"{kernel.qualified}<{', '.join(text for text, _ in placed)}>"
    names = tuple(declaration for _, declaration in placed if declaration)
    return Instance(kernel.name, expression, tuple(made), assumed, names, kernel.qualified)


def _of_its_type(argument: str, parameter: TemplateParameter | None, kernel: SourceKernel) -> str:
    """A number as an argument of an enumeration's type, which does not take it as it is."""
    kind = parameter.type if parameter is not None and not parameter.is_type else ""
    plain = _NAME.fullmatch(kind) is None or kind in BUILTIN or _WHOLE.match(kind)
    if plain or not argument.isdecimal() or any(p.name == kind for p in kernel.template_parameters):
        return argument
    return f"({kind}){argument}"


def _placed(argument: str, kind: str, scope: str) -> tuple[str, str]:
    """An argument as it is called outside of `scope`, and what declares that name.

    Name expressions are read outside of all namespaces, where `P` of `a::P` is not known.
    """
    names = set(re.findall(r"\b[A-Za-z_]\w*", argument)) - {"true", "false"}
    if kind == "template" and scope and not argument.startswith("::"):  # no alias is the same one
        parts = scope.split("::")
        within = ("::".join(parts[: n + 1]) for n in range(len(parts)))
        return argument, " ".join(f"using namespace {each};" for each in within)
    if not scope or names <= BUILTIN or argument.startswith("::"):
        return argument, ""
    name = f"perflint_{zlib.crc32(f'{scope} {argument}'.encode()):08x}"
    declared = f"using {name} =" if kind == "type" else f"constexpr auto {name} ="
    return f"{scope}::{name}", f"namespace {scope} {{ {declared} {argument}; }}"
