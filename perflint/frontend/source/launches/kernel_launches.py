"""Which of the launches in sight are those of a kernel."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.base.real_paths import real_path
from perflint.frontend.source.host.calls.lambdas import unnamed
from perflint.frontend.source.host.calls.launch_syntax import UNKNOWN
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.model import LaunchSite, SourceFacts, SourceKernel
from perflint.frontend.source.language.terms import Applied, Constant, Requirement, Unknown
from perflint.frontend.source.language.tokens import tokenize
from perflint.frontend.source.project.neighbours import related
from perflint.frontend.source.project.user_files import words

#: Types that mean the same everywhere.
BUILTIN = words(
    """
    void bool char short int long float double signed unsigned const volatile half __half half2
    __half2 __nv_bfloat16 int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t
    std
    """
)


def told_anywhere(arguments: Sequence[str]) -> tuple[str | None, ...]:
    """Template arguments as a compiler understands them anywhere; None for one with other names."""
    return tuple(
        a
        if {t.text for t in tokenize(a) if t.kind == "name"} <= BUILTIN | {"true", "false"}
        else None
        for a in arguments
    )


def with_assumed(
    known: Sequence[str | None], written: Sequence[str], given: Sequence[str]
) -> tuple[str | None, ...]:
    """Template arguments of a launch that are known, where they name one that is not.

    Of `k<T, f<T>>` with a `T` that nobody knows, `f<T>` is told. `given` is what is assumed.
    """
    open_names = {
        name: other
        for name, each, other in zip(written, known, given, strict=False)
        if each is None and name.isidentifier()
    }
    if not open_names:
        return tuple(known)
    any_of = re.compile(rf"(?<![\w.:])(?:{'|'.join(open_names)})\b(?!\s*::)")
    return tuple(
        each if each is None else any_of.sub(lambda m: open_names[m[0]], each) for each in known
    )


def launches_of(
    kernel: str,
    template_arguments: tuple[str, ...] | None,
    facts: Iterable[SourceFacts],
    together: Collection[Path] = (),
    near: Path | None = None,
    source: SourceKernel | None = None,
    assumed: bool = False,
) -> tuple[LaunchSite, ...]:
    """The launches of a kernel in the given files, those with a known block first.

    Template arguments are compared as written and as folded; a launch that leaves them to the
    compiler matches any, and one of which not all are known those that are `assumed`. `source` is
    the kernel's definition, which tells it from namesakes. `near` is the kernel's file, by default
    the first given one that defines it: launches of a namesake, in another file that defines one
    too or in an unrelated program's folder, do not count; files that are compiled `together` are of
    one program. Of two readings of one file the later counts.
    """
    facts = list({real_path(f.path): f for f in facts}.values())
    definers = [f.path for f in facts if any(k.name == kernel for k in f.kernels)]
    near = near or next(iter(definers), None)
    wanted = None if template_arguments is None else _plain(template_arguments)
    named = [k for f in facts for k in f.kernels if k.name == kernel]
    definitions = named if source is None else [source]
    found = []
    for fact in facts:
        elsewhere = near is not None and fact.path != near
        if near is not None and elsewhere:
            linked = fact.path in together or related(fact.path, near)
            if fact.path in definers or not linked:
                continue
        for site in fact.launches:
            if not (site.kernel == kernel and _has_arguments_of(site, definitions)):
                continue
            if source is not None and not site.may_mean(source):
                continue
            if unnamed(site.instance or ()) or (assumed and wanted is None and site.partial):
                continue  # an instance that is not compiled; and here, one of no arguments is
            given = {_plain(a) for a in (site.template_arguments, site.instance) if a is not None}
            if wanted is None or not given or wanted in given:
                found.append(((site.block.value is None, not given, elsewhere), site))
            elif assumed and (like := _with_assumed(site, wanted)) is not None:
                found.append(((site.block.value is None, True, elsewhere), like))
    return tuple(site for _, site in sorted(found, key=lambda pair: pair[0]))


def _has_arguments_of(site: LaunchSite, definitions: Sequence[SourceKernel]) -> bool:
    """Whether one of a kernel's definitions takes as many arguments as a launch gives."""
    count = len(site.arguments)
    if not definitions or UNKNOWN in (a.text for a in site.arguments):
        return True
    return any(
        sum(p.default is None for p in k.parameters) <= count <= len(k.parameters)
        or any("..." in p.type for p in k.parameters)
        for k in definitions
    )


def _plain(arguments: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("".join(a.split()) for a in arguments)


def _with_assumed(site: LaunchSite, assumed: tuple[str, ...]) -> LaunchSite | None:
    """A launch of which not all template arguments are known, with those that are assumed.

    One with arguments that did not compile is like one of which they are not known.
    What the host code computes of such a parameter is computed of the assumed number. None if they
    are not those of the launch, or that cannot be asked of its roots.
    """
    partial = site.partial if site.instance is None else told_anywhere(site.instance)
    written = site.template_arguments or ()
    told = with_assumed(partial, written, assumed)
    if (site.instance is not None and None not in partial) or not _agree(told, assumed):
        return None
    names = {root.name: index for index, root in enumerate(site.roots)}
    asked: list[Requirement] = []
    for position, text in enumerate(written[: len(assumed)]):
        if position < len(partial) and partial[position] is not None:
            continue
        words = {t.text for t in tokenize(text) if t.kind == "name"}
        if text in names and assumed[position].isdecimal():
            number = Constant(Value(int(assumed[position]), c_types.INT))
            term = Applied("==", (Unknown(names[text]), number))
            line = site.span.line
            asked.append(Requirement(f"{text} == {assumed[position]}", True, term, line))
        elif not words.isdisjoint(names):
            return None
    free = None if site.free is None else _with_assumed(site.free, assumed)
    return replace(site, requirements=(*asked, *site.requirements), free=free)


def _agree(known: Sequence[str | None], assumed: Sequence[str]) -> bool:
    pairs = zip(known, assumed, strict=False)
    return all(text is None or "".join(text.split()) == other for text, other in pairs)
