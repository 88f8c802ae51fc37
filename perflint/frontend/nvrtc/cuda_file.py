"""The NVRTC front end: a `.cu` or `.cuh` file to a `Compilation`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.build_files import BuildMacro, build_macros, fast_math
from perflint.frontend.closure import Closure, gather
from perflint.frontend.directives import every_definition
from perflint.frontend.includers import includers, sources_above
from perflint.frontend.model import Compilation
from perflint.frontend.nvrtc.assemble import (
    ASKS_FOR_A_CLASS,
    as_launched,
    assemble,
    failed,
    not_compiled,
    through_includers,
)
from perflint.frontend.nvrtc.blank import device_macros, mentions_device
from perflint.frontend.nvrtc.compiler import ROUNDS, SECONDS, Compiler
from perflint.frontend.nvrtc.library import CompilerMissingError, compute_capability
from perflint.frontend.nvrtc.needed_macros import (
    VERSION,
    insisted,
    insisted_on,
    switches,
    wanted_by_device_code,
    wanted_by_kernels,
    wanted_by_launches,
    wanted_by_stand_ins,
)
from perflint.frontend.nvrtc.pool import Pool, shared_pool
from perflint.frontend.nvrtc.result import Allowance
from perflint.frontend.nvrtc.session import Session
from perflint.frontend.nvrtc.templates import MOST
from perflint.frontend.source.host.calls.lambdas import NO_NAME, unnamed
from perflint.frontend.source.language.cuda_switches import cuda_switches
from perflint.frontend.source.language.model import SourceFacts
from perflint.frontend.source.project.user_files import UnreadableError
from perflint.frontend.translation_unit import facts_of, finder_of

FAST_MATH = "--use_fast_math"
#: Rounds without the macros of a build with which nothing compiles.
_ROUNDS_WITHOUT = 10
#: What says of a class that it can be called.
_CALLABLE = pattern(rb"\boperator\s*\(\s*\)")
#: Names that only a compiler defines: its own may have those that the sources' facts lack.
_RESERVED = pattern(r"_[_A-Z]")
#: What nvcc's flags for device lambdas and `constexpr` define.
_FLAGS = ("__CUDACC_EXTENDED_LAMBDA__", "__CUDACC_RELAXED_CONSTEXPR__")


@dataclass(frozen=True)
class _Task:
    """What is the same for every file compiled on behalf of one."""

    arch: str
    std: str
    options: tuple[str, ...]
    define: tuple[str, ...]
    pool: Pool
    allowance: Allowance  #: through whichever files it takes
    missed: set[str] = field(default_factory=set)  #: macros of the build's that one of them missed
    #: with another file than the one wanted: that, and those that it includes itself
    within: tuple[Path, ...] | None = None


def compile_file(
    path: Path,
    *,
    arch: str = "sm_80",
    include: Sequence[Path] = (),
    define: Sequence[str] = (),
    std: str = "c++17",
    root: Path | None = None,
    pool: Pool | None = None,
    before: Sequence[Path] = (),
    options: Sequence[str] | None = None,
    facts: Mapping[Path, SourceFacts] | None = None,
) -> Compilation:
    """Compile a `.cu` or `.cuh` file to PTX with NVRTC, without a build's help.

    `include` and `define` are a compiler's -I and -D (`NAME` or `NAME=VALUE`), `before` its
    -include, `options` others that change code (`--use_fast_math`); None: as the build file beside
    the source says. `root` is the project's folder, in which headers are looked for by name; a git
    repository around the file counts as one without being named. `pool` holds the workers that
    compile; by default one that this process shares. `facts` are what `read_facts` answered for the
    file, if it was asked.

    Whatever is wrong with the file is in the result: its `errors` (genuine ones are the user's),
    the kernels `lost`, and `remarks` on what was assumed. PTX locations name the user's files,
    with symbolic links resolved. Raises ValueError for an `arch` that is not one.
    """
    compute_capability(arch)
    finder = finder_of(path, include, root, before)
    said = fast_math(finder.main, finder.root) if options is None else None
    chosen = (FAST_MATH,) if said else tuple(options or ())
    allowance = Allowance(2 * SECONDS, 3 * ROUNDS // 2)
    task = _Task(arch, std, chosen, tuple(define), pool or shared_pool(), allowance)
    try:
        closure = gather(finder.main, finder)
        if facts is None:
            facts = facts_of(closure, task.define)
        session = None
        if (compilation := _first_switched_on(closure, facts, task)) is None:
            compilation, session = _compile(closure, task, facts, thorough=False)
        if session is not None and (compilation.lost or _assumes(compilation)):
            above = sources_above(finder.root, finder.main)
            for_these = replace(task, within=tuple(compilation.facts))
            latest, alone = [session], compilation

            def through(includer: Path) -> Compilation:
                other = gather(includer, replace(finder, main=includer))
                if session.in_vain and _lacks_the_same(closure, other):
                    return alone
                if _gives_nothing_to_call(other, closure, task, alone):
                    return alone
                if not alone.lost and not _tells_more(other, task, alone):
                    return alone
                compilation, found = _compile(other, for_these, before=latest[-1])
                latest.extend([found] if found is not None else ())
                return compilation

            compilation = through_includers(
                compilation,
                above if compilation.lost else above[:1],  # for its arguments alone the nearest
                through,
            )
            # A fragment's own device code was not given up for the first time.
            is_fragment = not session.in_vain and includers(finder.root, finder.main)
            if compilation.ptx is None and is_fragment:
                compilation, _ = _compile(closure, task, session.facts, before=session)
        if session is not None and not compilation.entries:
            compilation = _switched_on(compilation, session, task)
    except UnreadableError as error:
        return failed(path, f"the file cannot be read: it {error}", arch)
    except CompilerMissingError as error:
        return failed(path, str(error), arch)
    if said:
        told = f"{finder.main}: compiled with {FAST_MATH}, as {said[0]}:{said[1]} says"
        compilation = replace(compilation, remarks=(*compilation.remarks, told))
    return replace(compilation, path=path)


def _tells_more(closure: Closure, task: _Task, alone: Compilation) -> bool:
    """Whether files say with which template arguments a kernel goes that was given assumed ones."""
    assumed = {o.kernel for o in alone.entries.values()} - as_launched(alone)
    assumed |= {k.name for k in alone.lost}
    facts = facts_of(closure, task.define).values()
    named = {name for f in facts for name, _ in f.instantiations}
    named |= {s.kernel for f in facts for s in f.launches if s.instance is not None}
    return not assumed.isdisjoint(named)


def _lacks_the_same(closure: Closure, other: Closure) -> bool:
    """Whether no header that one misses is there for the other."""
    return set(closure.missing) <= set(other.missing)


def _gives_nothing_to_call(
    closure: Closure, other: Closure, task: _Task, alone: Compilation
) -> bool:
    """Whether all that a file lacks is what its templates call, and a closure gives them only
    lambdas, which no instance can name, or no class that can be called which the other has not.
    """
    reasons = [kernel.reason for kernel in alone.lost]
    asks = [NO_NAME in r or (ASKS_FOR_A_CLASS in r and "(…)`" in r) for r in reasons]
    if not asks or not all(asks):
        return False
    lost = {kernel.name for kernel in alone.lost}
    sites = [s for f in facts_of(closure, task.define).values() for s in f.launches]
    given = [(s.kernel, s.instance) for s in sites if s.kernel in lost and s.instance is not None]
    if any(not unnamed(arguments) for _, arguments in given):
        return False
    if lost <= {name for name, _ in given}:
        return True
    macros = device_macros(every_definition(f.code for f in closure.files.values()))
    return not any(
        mentions_device(before, macros)
        for path, file in closure.files.items()
        if path not in other.files and b"operator" in file.code
        for before in _before_calls(file.code)
    )


def _before_calls(code: bytes) -> Iterator[bytes]:
    """What stands in its declaration before each `operator()`."""
    for match in _CALLABLE.finditer(code):
        begin = max(code.rfind(mark, 0, match.start()) for mark in (b";", b"{", b"}")) + 1
        yield code[begin : match.start()]


def _compile(
    closure: Closure,
    task: _Task,
    facts: Mapping[Path, SourceFacts] | None = None,
    thorough: bool = True,
    before: Session | None = None,
) -> tuple[Compilation, Session | None]:
    """Compile `closure.main`; the session is None if there was nothing to compile.

    `before` is the session of an earlier attempt at it, or at what it includes.
    """
    if facts is None:
        facts = facts_of(closure, task.define)
    if (compilation := not_compiled(closure, facts, task.arch)) is not None:
        return compilation, None
    given = _from_build(closure, task)
    codes = [f.code for f in closure.files.values()]
    wanted: frozenset[str] = frozenset()
    if given:
        by_device_code = wanted_by_device_code(closure.files.values(), _switches(closure))
        by_launches = wanted_by_launches(facts.values(), codes)
        wanted = (by_launches | by_device_code | task.missed) & given.keys()
        wanted |= insisted(codes).intersection(_FLAGS, given)
        kernels = facts[closure.main].kernels if closure.main in facts else ()
        more = insisted_on(codes) | wanted_by_kernels(kernels) | wanted_by_stand_ins(closure)
        wanted |= more & given.keys()
    without: tuple[Compilation, Session] | None = None
    if not wanted:
        compilation, session, wanted = _compile_once(closure, facts, task, thorough, given, before)
        if not wanted:
            return compilation, session
        before = session
        without = (compilation, session) if compilation.ptx is not None else None
    task.missed.update(wanted)
    macros = tuple(given[name] for name in sorted(wanted))
    extended = replace(task, define=(*task.define, *(m.definition for m in macros)))
    compilation, again = _compile(closure, extended, None, thorough, before)
    if without is None and not compilation.entries and not _asks_for_classes(compilation):
        # The build's macros are no help.
        few = Allowance(SECONDS, min(_ROUNDS_WITHOUT, task.allowance.rounds))
        fewer = replace(task, allowance=few)
        without = _compile_once(closure, facts, fewer, thorough, {}, before)[:2]
    if without is not None and _kernels(without[0]) >= _kernels(compilation):
        return without
    said = (f"{closure.main}: {m.name} is taken to be {m.value}, {m.reason}" for m in macros)
    return replace(compilation, remarks=(*compilation.remarks, *said)), again


def _first_switched_on(
    closure: Closure, facts: Mapping[Path, SourceFacts], task: _Task
) -> Compilation | None:
    """Compile with what switches all kernels in sight on, of which the sources say that they are
    off; None where there is no such thing, or the file is wrong with it.

    What includes the file may have switches of its own.
    """
    own = facts[closure.main].kernels if closure.main in facts else ()
    if not own or any(kernel.active for found in facts.values() for kernel in found.kernels):
        return None
    found = switches(own, _defined(closure, task) | _from_build(closure, task).keys())
    if not found or any(map(_RESERVED.match, found)):
        return None
    if includers(closure.finder.root, closure.main):
        return None
    definitions, told = _with_switches(closure.main, found)
    extended = replace(
        task,
        define=(*task.define, *definitions),
        allowance=replace(task.allowance),
        missed=set(task.missed),
    )
    compilation, _ = _compile(closure, extended)
    if compilation.errors and not compilation.entries:
        return None
    return replace(compilation, remarks=(*compilation.remarks, *told))


def _switched_on(compilation: Compilation, session: Session, task: _Task) -> Compilation:
    """Compile with what switches all of a file's kernels on, where a build would define it.

    Here the compiler says that they are off.
    """
    closure = session.closure
    found = switches(session.kernels[session.main], _defined(closure, task))
    if not found:
        return compilation
    definitions, told = _with_switches(closure.main, found)
    again, _ = _compile(closure, replace(task, define=(*task.define, *definitions)))
    if not again.entries:
        return compilation
    return replace(again, remarks=(*again.remarks, *told))


def _with_switches(main: Path, found: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The definitions of switches, and what is to be said of them."""
    told = (
        f"{main}: {name} is taken to be defined: it switches the kernels on, and nothing "
        "says whether it is"
        for name in found
    )
    return tuple(f"{name}={value}" for name, value in found.items()), tuple(told)


def _defined(closure: Closure, task: _Task) -> set[str]:
    """The macros that the sources or `-D`s define."""
    given = {re.split(r"[=(]", d, maxsplit=1)[0] for d in task.define}
    return {name.decode("latin-1") for name in closure.macros} | given


def _from_build(closure: Closure, task: _Task) -> Mapping[str, BuildMacro]:
    """The macros that a build gives, and that nothing else defines.

    It is a build file near the source that gives them, or one that compiles CUDA code has to.
    """
    defined = _defined(closure, task)
    found = {name: BuildMacro(name, "1") for name in (*_FLAGS, *sorted(_switches(closure)))}
    found |= build_macros(closure.main, closure.finder.root)
    return {name: macro for name, macro in found.items() if name not in defined}


def _switches(closure: Closure) -> frozenset[str]:
    """The macros with which a build of the files turns CUDA on."""
    return cuda_switches(file.text for file in closure.files.values())


def _assumes(compilation: Compilation) -> bool:
    """Is there a kernel of which no launch in sight gives the template arguments?"""
    return any(o.kernel not in as_launched(compilation) for o in compilation.entries.values())


def _asks_for_classes(compilation: Compilation) -> bool:
    """Does all compile but templates of kernels, for which nothing says what they are given?"""
    facts = compilation.facts.values()
    templates = {k.name for f in facts for k in f.kernels if k.template_parameters}
    return compilation.ptx is not None and {k.name for k in compilation.lost} <= templates


def _kernels(compilation: Compilation) -> int:
    return len({origin.kernel for origin in compilation.entries.values()})


def _compile_once(
    closure: Closure,
    facts: Mapping[Path, SourceFacts],
    task: _Task,
    thorough: bool,
    given: Mapping[str, BuildMacro],
    before: Session | None,
) -> tuple[Compilation, Session, frozenset[str]]:
    """Compile, with the macros that were missed of those that the build gives."""
    main = closure.main
    architecture = compute_capability(task.arch)
    defined = [*task.define, f"CUDA_VERSION={VERSION}"] if closure.uses_driver else task.define
    options = (*task.options, *(f"-D{d}" for d in defined))
    session = Session(closure, facts, options, architecture, task.std, task.within)
    if before is not None:
        session.begin_as(before)
    root = closure.finder.root
    compiler = Compiler(
        session,
        task.pool,
        lambda: bool(includers(root, main)),
        thorough,
        given.keys(),
        task.allowance,
    )
    result = compiler.run()
    if result.ptx is not None and result.architecture != architecture:
        result.remarks.append(
            f"{main}: compiled for compute_{result.architecture}, the nearest to {task.arch} "
            "that this compiler knows"
        )
    result.remarks += [
        f"{main}: of the instances of {name}, {MOST} were compiled and others left out"
        for name, found in sorted(Counter(i.kernel for i in session.instances).items())
        if found >= MOST and session.spare.get(name)
    ]
    return assemble(main, session, result, task.arch), session, result.wanted
