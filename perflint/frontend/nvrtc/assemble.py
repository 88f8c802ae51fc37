"""From a compiler's result to a `Compilation`: entries, losses, facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.frontend.closure import Closure
from perflint.frontend.known_headers import CCCL_FOLDERS
from perflint.frontend.mangling import origin_of
from perflint.frontend.model import Compilation, CompileError, EntryOrigin, LostKernel
from perflint.frontend.nvrtc.result import Loss, Result
from perflint.frontend.nvrtc.session import Session
from perflint.frontend.source.host.calls.lambdas import unnamed
from perflint.frontend.source.language.model import SourceFacts, SourceKernel
from perflint.frontend.source.project.user_files import UnreadableError

_ENTRY = pattern(r"^[^/\n]*?\.entry\s+([\w$]+)", re.MULTILINE)

#: Of what a template does with an argument that only a class could be.
ASKS_FOR_A_CLASS = "asks for a class"


def entry_names(ptx: str) -> tuple[str, ...]:
    """The names of a PTX module's entries, in order, each once."""
    return tuple(dict.fromkeys(_ENTRY.findall(ptx)))


def assemble(path: Path, session: Session, result: Result, arch: str) -> Compilation:
    """What there is to say of `path` after it was compiled."""
    ptx = result.ptx
    entries = {name: _origin(name, result) for name in entry_names(ptx)} if ptx is not None else {}
    lost = _lost(session, result, {o.kernel for o in entries.values()})
    errors = [*session.closure.errors, *result.errors]
    if ptx is None and not lost and not errors:
        errors.append(CompileError(path, 1, 1, result.failure or "it did not compile", False))
    return Compilation(
        path,
        ptx,
        session.facts,
        entries,
        tuple(errors),
        lost,
        tuple(
            dict.fromkeys(
                (*session.closure.remarks, *result.remarks, *_guesses(path, result, session.facts))
            )
        ),
        arch,
        result.job,
        session.closure.aliases,
    )


def _origin(name: str, result: Result) -> EntryOrigin:
    instance = result.lowered.get(name)
    if instance is None:
        return origin_of(name)
    return EntryOrigin(
        instance.kernel,
        instance.arguments or None,
        instance.assumed,
        qualified=instance.qualified,
        overload=instance.overload,
    )


def _guesses(path: Path, result: Result, facts: Mapping[Path, SourceFacts]) -> list[str]:
    remarks = [
        f"{path}: the macro {name} is defined nowhere: taken to be {value or 'empty'}"
        for name, value in sorted(result.guessed.items())
    ]
    assumed = {i.title for i in result.lowered.values() if i.assumed}
    remarks += [
        f"{path}: no launch gives all template arguments: {title} was assumed"
        for title in sorted(assumed)
    ]
    remarks += [
        f"{path}:{line}: pow of a float and an integer is float here, but double where nvcc and "
        "the host's <cmath> compile it"
        for path, fact in facts.items()
        for line in fact.mixed_powers
    ]
    helpers = [x for x in result.losses if x.declaration.kind == "device"]
    remarks += [
        f"{x.path}:{x.declaration.line}: `{x.declaration.name or 'device code'}` was left out: "
        f"{x.reason}"
        for x in helpers
    ]
    return remarks


def _lost(session: Session, result: Result, present: set[str]) -> tuple[LostKernel, ...]:
    """The kernels of the file itself, and those of headers that failed, that the PTX has not."""
    blamed = [(e.path, e.line) for e in result.errors]
    lost = []
    for path, kernels in session.kernels.items():
        for kernel in kernels:
            loss = next((x for x in result.losses if _covers(x, path, kernel)), None)
            overloaded = sum(k.name == kernel.name for k in kernels) > 1
            blanked = loss is not None and overloaded and session.is_lost(path, kernel)
            if kernel.name in present and not (blanked and kernel.active):
                continue
            if path not in session.own and loss is None:
                continue
            if any(
                p == path and kernel.span.line <= line <= kernel.span.end_line for p, line in blamed
            ):
                continue
            reason = loss.reason if loss else _why(kernel, session, result)
            lost.append(LostKernel(kernel.name, kernel.span, reason))
    return tuple(lost)


def _covers(loss: Loss, path: Path, kernel: SourceKernel) -> bool:
    return loss.path == path and loss.declaration.overlaps(kernel.span)


def _why(kernel: SourceKernel, session: Session, result: Result) -> str:
    if result.ptx is None:
        return result.failure or "the file did not compile"
    # Under a condition that holds, an instance is there to be refused for what it does.
    _, refused = session.refusals.get(kernel.name, (None, kernel.name))
    if kernel.condition and kernel.name in refused:
        return f"it is under `{kernel.condition}` (line {kernel.condition_line}), which is off here"
    if kernel.template_parameters:
        instance, why = session.refusals.get(kernel.name, (None, ""))
        if instance is not None and not instance.assumed:
            return f"it does not compile as {instance.title}, as it is launched: {why}"
        if "headers not found" in why:
            return why
        launches = (s for f in session.facts.values() for s in f.launches if s.may_mean(kernel))
        given = (unnamed(s.instance or ()) for s in launches if s.kernel == kernel.name)
        if lambdas := next(filter(None, given), ""):
            return f"it does not compile as it is launched: {lambdas}"
        if asked := next((p.asked for p in kernel.template_parameters if p.asked), ""):
            missing = [h for h in session.closure.missing if not h.startswith(CCCL_FOLDERS)]
            launched = any(s.kernel == kernel.name for s in session.facts[session.main].launches)
            told = f" (headers not found: {', '.join(missing[:3])}; give their folder with -I)"
            reason = f"no launch gives its template arguments, and `{asked}` {ASKS_FOR_A_CLASS}"
            return reason + (told if missing and launched else "")
        reason = "no launch gives its template arguments, and it does not compile with assumed ones"
        return f"{reason}: {why}" if why else reason
    return "the compiler made no code for it"


def failed(path: Path, message: str, arch: str, genuine: bool = False) -> Compilation:
    """A file of which nothing could be compiled."""
    return Compilation(path, None, {}, {}, (CompileError(path, 1, 1, message, genuine),), arch=arch)


def not_compiled(
    closure: Closure, facts: Mapping[Path, SourceFacts], arch: str
) -> Compilation | None:
    """What there is to say of files without a kernel, or too complex; None for any others."""
    main = closure.main
    if not any(b"__global__" in f.code for f in closure.files.values()):
        remarks = (*closure.remarks, f"{main}: there is no kernel in it")
        return Compilation(main, None, facts, {}, closure.errors, (), remarks, arch)
    if closure.complexity:
        return failed(main, f"it was not compiled: {closure.complexity}", arch)
    return None


def through_includers(
    alone: Compilation,
    includers: Iterable[Path],
    compiled: Callable[[Path], Compilation],
    how: str = "compiled",
) -> Compilation:
    """A fragment, by what is `compiled` of whichever file includes it and brings most kernels.

    Of two that bring as many, by the one that assumes fewer template arguments. Wanted are the
    kernels of the fragment and of what it includes itself.
    """
    path, best = alone.path, alone
    most = (len({o.kernel for o in alone.entries.values()}), len(as_launched(alone)))
    for includer in includers:
        try:
            compilation = compiled(includer)
        except UnreadableError:
            continue
        facts = compilation.facts.get(path)
        names = {k.name for k in facts.kernels} if facts is not None else set()
        present = {o.kernel for o in compilation.entries.values()} & names
        brings = (len(present), len(as_launched(compilation) & names))
        if brings > most:
            lost = [k for k in compilation.lost if k.span.path == path]
            got = present | {k.name for k in lost}
            lost += [k for k in alone.lost if k.name not in got]
            remark = f"{path}: {how} through {includer}, which includes it"
            remarks = (*compilation.remarks, remark)
            wanted = frozenset(alone.facts)
            best = replace(compilation, lost=tuple(lost), remarks=remarks, wanted=wanted)
            most = brings
        if names and brings == (len(names), len(names)):
            break
    return best


def as_launched(compilation: Compilation) -> set[str]:
    """The kernels of which an instance was compiled without assuming anything."""
    return {o.kernel for o in compilation.entries.values() if not o.assumed}
