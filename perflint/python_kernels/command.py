"""`perflint triton` and `perflint numba`: from a Python module to the printed report."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from perflint.base import bounds
from perflint.base.bounds import Bound
from perflint.base.patterns import pattern
from perflint.cli import check_command, output
from perflint.cli.request import Request as Report
from perflint.cli.settings import merged
from perflint.grammar.locations import of_statements
from perflint.lint.findings import LEVELS, Finding, Result, Unanalysed
from perflint.lint.options import DEFAULT_ARCH, CheckOptions
from perflint.python_kernels.manifest import Compiled
from perflint.python_kernels.modules import (
    Module,
    Request,
    compile_all,
    found,
    launching,
    lost,
    once,
)

_LOC = pattern(r"\.loc\s+\d+\s+(\d+)")


def run(request: Request) -> int:
    """Compile, check, print, and return the exit status. Raises ModuleError for what the user can
    put right, and what `perflint.cli.request.Request` raises of options."""
    own = merged([request.line])
    report = Report(
        request.files, (*check_command.sources(request.files, own, request.say), request.line)
    )
    options = report.options()
    to = output.outputs(own)
    files = found(request.files, request.compiler)
    archs = options.arch or (DEFAULT_ARCH,)
    with tempfile.TemporaryDirectory(prefix="perflint-kernels-") as folder:
        made = compile_all(request, archs, files, Path(folder), options.jobs)
        for place, anywhere in (("beside", False), ("anywhere", True)):
            others = launching(request, made, anywhere=anywhere)
            made += compile_all(request, archs, others, Path(folder) / place, options.jobs)
        results = [
            _checked([m for m in made if m.arch == arch], replace(options, arch=(arch,)))
            for arch in archs
        ]
    result = joined(results, len(files))  # who launches their kernels is not checked itself
    for remark in result.remarks[: check_command.MAX_REMARKS]:
        request.say(f"note: {remark}")
    shown, hidden = report.visible(result)
    with bounds.within(report.bound()):
        check_command.print_result(
            shown, to, report, check_command.context_of(report, shown, len(hidden))
        )
    threshold = LEVELS.index(report.settings.fail_on)
    failed = any(LEVELS.index(f.level) >= threshold for f in shown.findings)
    return 1 if failed and not own.exit_zero else 0


def _checked(modules: Sequence[Module], options: CheckOptions) -> Result:
    """What is to be said of the modules' kernels for one GPU."""
    from perflint.lint.failures import shown

    missing = tuple(
        Unanalysed(shown(path, options.root), each.kernel or None, each.reason, each.line)
        for path, each in lost(modules)
    )
    remarks = tuple(
        f"{m.file}: {remark}" for m in modules for remark in dict.fromkeys(m.manifest.remarks)
    )
    remarks += tuple(f"{u.path}:{u.line}: {u.kernel or 'module'}: {u.reason}" for u in missing)
    result = _of_all_configurations(once(modules), options)
    return replace(
        result,
        findings=(*_listed(missing, options), *result.findings),
        unanalysed=(*result.unanalysed, *missing),
        remarks=(*remarks, *result.remarks),
    )


def _of_all_configurations(
    kernels: Sequence[tuple[Path, Compiled]], options: CheckOptions
) -> Result:
    """What is found with the first configuration of each tuner, less what others do not have.

    So it is with what tensors are made up: the size of a tile may come from their shapes. What only
    further ones reach is told, where the first have no such line.
    """
    turns: dict[tuple[str, str], list[str]] = {}  #: the compilations of each kernel, in order
    groups: dict[int, list[tuple[Path, Compiled]]] = {}
    for folder, each in kernels:
        turn = turns.setdefault((each.file, each.kernel), [])
        name = each.ptx if _is_made(each) else each.configuration
        if name not in turn:
            turn.append(name)
        groups.setdefault(turn.index(name), []).append((folder, each))
    results = {number: _simulated(groups[number], options) for number in sorted(groups)}
    has = {number: {_key(f) for f in result.findings} for number, result in results.items()}
    warned = {n: {_key(f) for f in r.findings if f.level != "note"} for n, r in results.items()}
    least = _least_wasteful(groups, results)
    findings: dict[tuple[str, Path, int], Finding] = {}
    for number, result in results.items():
        told = {e.entry for _, e in groups[number] if number == 0 or not e.configuration}
        for finding in result.findings:
            key = _key(finding)
            if finding.kernel not in told or key in findings:
                continue
            if key in least and (least[key] != number or finding.level == "note"):
                continue
            others = [
                (folder, each)
                for other, group in groups.items()
                for folder, each in group
                if each.entry == finding.kernel
                and key not in (warned if each.supposing else has)[other]
            ]
            told_of = next((e for _, e in groups[number] if e.entry == finding.kernel), None)
            if told_of is not None and told_of.supposing:
                types = f"no launch was seen: supposing {', '.join(told_of.supposing)}"
                finding = replace(finding, notes=(*finding.notes, types))
            findings[key] = _doubted(finding, others)
    first = results.get(0) or _simulated((), options)
    return replace(first, findings=tuple(findings.values()))


def _least_wasteful(
    groups: Mapping[int, Sequence[tuple[Path, Compiled]]], results: Mapping[int, Result]
) -> dict[tuple[str, Path, int], int]:
    """Of the types that kernels are supposed to have, with which each place's excess is the least.

    Of those by which it is no note: fewer bytes of an element are fewer that lie between.
    """
    found: dict[tuple[str, Path, int], tuple[float, int]] = {}
    for number, result in results.items():
        supposed = {each.entry for _, each in groups[number] if each.supposing}
        for finding in result.findings:
            if finding.kernel in supposed and finding.level != "note" and finding.evidence:
                figure = finding.evidence[0]
                own = figure.measured - figure.golden, number
                found[_key(finding)] = min(own, found.get(_key(finding), own))
    return {key: number for key, (_, number) in found.items()}


def _is_made(compiled: Compiled) -> bool:
    return bool(compiled.supposing) or any(launch.supposing for launch in compiled.launches)


def _key(finding: Finding) -> tuple[str, Path, int]:
    return finding.code, finding.place.path, finding.place.line


def _doubted(finding: Finding, others: Sequence[tuple[Path, Compiled]]) -> Finding:
    """A finding as a note, if one of the compilations without it has its line; of those whose types
    are supposed all do. With these a note is none.
    """
    for folder, each in others:
        has_line = each.supposing or finding.place.line in _lines(folder / each.ptx)
        if finding.level != "warning" or not has_line:
            continue
        told = "not found with other tensors that may be passed, which are made up as these are"
        if each.supposing:
            told = f"not found where {', '.join(each.supposing)}"
        if each.configuration:
            told = f"not found with {each.configuration}, which the tuner may choose as well"
        return replace(finding, level="note", notes=(*finding.notes, told))
    return finding


@cache
def _lines(ptx: Path) -> frozenset[int]:
    """The lines of which there is code."""
    text = of_statements(ptx.read_text(encoding="utf-8"))
    return frozenset(map(int, _LOC.findall(text)))


def _simulated(kernels: Sequence[tuple[Path, Compiled]], options: CheckOptions) -> Result:
    from perflint.work import pipeline

    if not kernels:
        return Result((), (), 0, 0, (), archs=options.arch)
    launches = {folder / each.ptx: each.launches for folder, each in kernels}
    folders = dict.fromkeys(path.parent for path in launches)
    bound = options.bound and Bound((*options.bound.folders, *folders), options.bound.files)
    return pipeline.check(list(launches), replace(options, file_launches=launches, bound=bound))


def _listed(lost: Iterable[Unanalysed], options: CheckOptions) -> tuple[Finding, ...]:
    """What CU002 says of what was not compiled, where it is asked for."""
    from perflint.base.span import Span
    from perflint.lint.failures import failed
    from perflint.lint.ruleset import load
    from perflint.rules.protocol import Failure

    if "CU002" not in options.rules:
        return ()
    rules = load({"CU002"})
    found = (
        failed(
            Failure("analysis", each.reason, kernel=each.kernel, genuine=False),
            Span(each.path, each.line, 1, each.line, 2),
            rules,
        )
        for each in lost
    )
    return tuple(finding for finding in found if finding is not None)


def joined(results: Sequence[Result], files: int) -> Result:
    """Results of several modules and GPUs as one."""

    def all_of(parts: Iterable[Iterable[str]]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each for part in parts for each in part))

    found = sorted((f for r in results for f in r.findings), key=Finding.sort_key)
    return Result(
        findings=tuple(found),
        unanalysed=tuple(dict.fromkeys(u for r in results for u in r.unanalysed)),
        kernels=sum(r.kernels for r in results),
        files=files,
        remarks=all_of(r.remarks for r in results),
        silenced=tuple(s for r in results for s in r.silenced),
        archs=all_of(r.archs for r in results),
    )
