"""The kernels of a compiled file, each with all that the rule loop is given of it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

from perflint import frontend
from perflint.base.constructs import Constructs
from perflint.base.evidence import Edit
from perflint.base.launch_option import LaunchSpec
from perflint.base.real_paths import real_path
from perflint.base.resources import Resources
from perflint.base.span import Span
from perflint.frontend.finder import project_root
from perflint.frontend.model import Compilation, EntryOrigin
from perflint.frontend.python.numbers import numbers_of
from perflint.frontend.source.constructs import constructs_of
from perflint.frontend.source.language.model import SourceFacts, SourceKernel
from perflint.frontend.source.launches.kernel_launches import launches_of
from perflint.grammar.model import Function, Module
from perflint.lint.check_run import Run
from perflint.lint.experiment import Plan
from perflint.lint.host_edits import launches_beside
from perflint.lint.launch_turns import hardly_launched
from perflint.lint.left_out import why_left_out
from perflint.lint.never_launched import never_launched
from perflint.lint.options import CheckOptions
from perflint.lint.recorded_launches import Records
from perflint.lint.recorded_plans import fits, plans, written_by_others
from perflint.lint.subject import Recompile, Subject, source_kernel
from perflint.lint.symbol_values import Symbols, symbols_of, with_values
from perflint.lint.translation_units import Unit
from perflint.sim.launch import Dim3

#: The share of the budget that instances of one template get, from the first to the one named, of
#: all files that include its header: they have the same lines, and mostly the same faults.
SHARES = ((1, 1.0), (6, 0.25), (1 << 30, 0.0625))


def subjects(
    unit: Unit,
    module: Module,
    compilation: Compilation,
    run: Run,
    figures: Callable[[], Mapping[str, Resources]],
    recompile: Recompile | None,
) -> Iterator[tuple[Span | None, Callable[[], Subject]]]:
    """The module's kernels with what the sources say of them, and ptxas (`figures`).

    Each with where the source names it, if it does. Raises RecompileError: `recompile`.
    """
    facts = _by_real_path(compilation.facts.values())
    read = [*run.facts.values(), *run.above.values()]
    mains = (next(iter(found.values())) for found in read)
    sources = [*facts.values(), *(f for p, f in _by_real_path(mains).items() if p not in facts)]
    symbols = symbols_of(module, facts.values(), sources)
    plain, module = module, with_values(module, symbols)
    again = None if recompile is None else partial(_recompiled, recompile, symbols, plain, module)
    instances: Counter[str] = Counter()
    for kernel in module.kernels:
        origin = compilation.entries.get(kernel.name) or frontend.origin_of(kernel.name)
        source = source_kernel(facts.values(), origin, len(kernel.parameters))
        number = 0
        if origin.template_arguments:
            instances[origin.kernel] += 1
            number = instances[origin.kernel] + (_before(source, unit, run) if source else 0)
        share = next(s for last, s in SHARES if number <= last)

        def subject(
            kernel: Function = kernel,
            origin: EntryOrigin = origin,
            source: SourceKernel | None = source,
            share: float = share,
        ) -> Subject:
            naming = _naming(origin.kernel, source, facts)
            together = {path for found in read if naming & found.keys() for path in found}
            known = subject_of(
                module, kernel, origin, facts, sources, run.options, unit.arch, together
            )
            specs = _specs(kernel, origin, unit, run.options)
            return replace(
                known,
                blocks_there=_blocks_there(known, sources, together),
                path=unit.path,
                specs=specs,
                targets=run.options.arch or (unit.arch,),
                budget=share * run.options.budget,
                symbols=symbols,
                recorded=recorded_plans(kernel, run.options.recorded),
                unfit=_unfit(kernel, run.options.recorded),
                written=_recorded_writes(kernel, run.options.recorded, module, facts.values()),
                resources=partial(_resources, figures, kernel.name),
                never_launched=partial(_never_launched, known, specs, sources, run.options),
                hardly_launched=lru_cache(maxsize=None)(
                    partial(_hardly_launched, known, specs, sources, run.options)
                ),
                left_out=_left_out(unit, run, facts),
                explain=run.options.explain,
                fixes=run.options.fixes,
                recompile=None if unit.path.suffix == ".ptx" else again,
                launches_beside=partial(launches_beside, unit, run),
            )

        yield source.name_span if source else None, subject


def _naming(
    name: str, source: SourceKernel | None, facts: Mapping[Path, SourceFacts]
) -> frozenset[Path]:
    """The files that define, declare or launch a kernel: who includes one may mean this kernel.

    Who includes another header of its file, as all programs of a collection do, may not.
    """
    named = {path for path, each in facts.items() if name in each.text}
    return frozenset(named | ({source.name_span.path} if source else set()))


def subject_of(
    module: Module,
    kernel: Function,
    origin: EntryOrigin,
    facts: Mapping[Path, SourceFacts],
    sources: Collection[SourceFacts],
    options: CheckOptions,
    arch: str,
    together: Collection[Path] = (),
) -> Subject:
    """A kernel with what its files (`facts`, by real path) and all `sources` say of it.

    Of the sources, those `together` include a file that names it, or are included with such.

    It stands where the sources define it; without a definition in sight, nowhere.
    """
    source = source_kernel(facts.values(), origin, len(kernel.parameters))
    return Subject(
        module=module,
        kernel=kernel,
        path=source.name_span.path if source else Path(),
        facts=facts,
        origin=origin,
        source=source,
        launches=launches_of(
            origin.kernel,
            origin.template_arguments,
            sources,
            together,
            source=source,
            assumed=origin.assumed,
        ),
        specs=(),
        arch=arch,
        budget=options.budget,
        cache_size=options.cache_size,
        min_waste=options.min_waste,
        constructs=partial(_constructs, {**_by_real_path(sources), **facts}),
    )


def _blocks_there(
    subject: Subject, sources: Collection[SourceFacts], together: Collection[Path]
) -> frozenset[Dim3]:
    """The blocks of all instances of a kernel that are launched where it is."""
    places = {site.span for site in subject.launches}
    if not places or not subject.origin.template_arguments:
        return frozenset()
    every = launches_of(subject.origin.kernel, None, sources, together, source=subject.source)
    blocks = (site.block.value for site in every if site.span in places)
    return frozenset(block for block in blocks if block is not None)


def _recompiled(
    recompile: Recompile,
    symbols: Symbols,
    plain: Module,
    module: Module,
    edits: Sequence[Edit],
    others: Sequence[Edit],
) -> Module:
    """The module of an edited source, its variables with what the host copies to them.

    That is the `module` in which the host's copies are already where the edits leave it as it is.
    """
    found = recompile(edits, others)
    return module if found is plain else with_values(found, symbols)


def _specs(
    kernel: Function, origin: EntryOrigin, unit: Unit, options: CheckOptions
) -> tuple[LaunchSpec, ...]:
    """The launches that the user gives for a kernel, by any of its names."""
    return tuple(
        spec
        for spec in (*options.launches, *options.file_launches.get(unit.path, ()))
        if spec.kernel in (kernel.name, origin.kernel, origin.title)
        or spec.kernel.endswith(f"::{origin.kernel}")
    )


def _before(source: SourceKernel, unit: Unit, run: Run) -> int:
    """How many files of the run before this one include the header that a kernel stands in.

    They check instances of it as well; what others include comes after these
    (`perflint.work.order`).
    """
    header, before = source.name_span.path, 0
    for file, known in run.facts.items():
        if file == unit.path:
            return before
        before += header in known and file in run.tops
    return 0


def recorded_plans(kernel: Function, records: Records | None) -> tuple[Plan, ...]:
    """The recorded launches of a kernel, by the name of its entry."""
    if records is None:
        return ()
    mine = [r for r in records.launches if r.kernel == kernel.name and r.image is not None]
    return plans(kernel, [each for each in mine if fits(kernel, each, records)])


def _unfit(kernel: Function, records: Records | None) -> int:
    """How many recorded launches of a kernel have other parameters than it has now."""
    if records is None:
        return 0
    mine = (r for r in records.launches if r.kernel == kernel.name)
    return sum(not fits(kernel, each, records) for each in mine)


def _recorded_writes(
    kernel: Function, records: Records | None, module: Module, facts: Collection[SourceFacts]
) -> frozenset[str]:
    """The arrays that recorded launches of other kernels may have written."""
    if records is None:
        return frozenset()
    return written_by_others(kernel.name, records.launches, module, facts)


def _never_launched(
    subject: Subject,
    specs: Sequence[LaunchSpec],
    sources: Collection[SourceFacts],
    options: CheckOptions,
) -> bool:
    """Whether nothing launches a kernel: neither its program, nor the user, nor a recording."""
    if subject.source is None or subject.launches or specs or options.recorded is not None:
        return False
    return never_launched(subject.source, subject.facts.values(), sources)


def _hardly_launched(
    subject: Subject,
    specs: Sequence[LaunchSpec],
    sources: Collection[SourceFacts],
    options: CheckOptions,
) -> str:
    """Why little is paid for a kernel; "" where the user or a recording launches it."""
    if subject.source is None or specs or options.recorded is not None:
        return ""
    files = (*subject.facts.values(), *sources)
    launching = [site.span.path for site in subject.launches]
    return hardly_launched(subject.source, files, launching, _loads(subject.kernel))


def _left_out(unit: Unit, run: Run, facts: Mapping[Path, SourceFacts]) -> Callable[[str, int], str]:
    """Why the build leaves out a line; never where its flags are known or the user's own."""
    options = run.options
    if options.define or options.database is not None or unit.path.suffix == ".ptx":
        return lambda path, line: ""
    source = real_path(unit.path)
    root, _ = project_root(source, run.root)  # of a file that is checked alone, too
    return lru_cache(maxsize=None)(partial(why_left_out, source, root, facts))


def _loads(kernel: Function) -> bool:
    """Whether a kernel may read what lies in global memory."""
    elsewhere = {"param", "const", "shared", "local"}
    return any(
        each.opcode in ("tex", "suld", "atom", "cp")
        or (each.opcode in ("ld", "ldu") and elsewhere.isdisjoint(each.modifiers))
        for each in kernel.instructions
    )


def _resources(figures: Callable[[], Mapping[str, Resources]], kernel: str) -> Resources | None:
    return figures().get(kernel)


def _constructs(facts: Mapping[Path, SourceFacts], path: Path) -> Constructs | None:
    known = facts.get(path)
    read = numbers_of if path.suffix == ".py" else constructs_of
    return read(known.path, known.text) if known else None


def _by_real_path(facts: Iterable[SourceFacts]) -> dict[Path, SourceFacts]:
    return {Path(os.path.realpath(f.path)): f for f in facts}
