"""The rules over launches that really happened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.base.records import dataclass
from perflint.lint.check_kernel import Outcome, check_kernel
from perflint.lint.findings import Finding, Unanalysed
from perflint.lint.options import CheckOptions
from perflint.lint.recorded_launches import RecordedLaunch, Records
from perflint.lint.recorded_plans import plans, written_by_others
from perflint.lint.ruleset import Ruleset
from perflint.lint.subject import Subject
from perflint.lint.subjects import subject_of
from perflint.run.modules import parsed
from perflint.run.sources import Sources, is_of_toolkit
from perflint.work.filecheck import internal


@dataclass(frozen=True)
class Judged:
    """What the rules say of a program's launches."""

    findings: tuple[Finding, ...]
    unanalysed: tuple[Unanalysed, ...]
    kernels: int
    files: int


def judge(
    records: Records,
    program: Path,
    rules: Ruleset,
    arch: str,
    options: CheckOptions,
    counts: Mapping[str, str],
) -> Judged:
    """Run the rules over every kernel that was launched, on its recorded launches.

    `options` are those of `check`; `counts` says of each kernel how often it was launched.
    """
    findings: list[Finding] = []
    unanalysed: list[Unanalysed] = []
    kernels = 0
    files: set[Path] = set()
    for digest, texts in records.modules.items():
        mine = [each for each in records.launches if each.module == digest]
        sources = Sources(texts, program)
        files |= set(sources.facts)
        for subject, outcome in _outcomes(mine, records.launches, sources, rules, arch, options):
            told = counts.get(subject.kernel.name, "")
            findings += [
                replace(f, notes=(*f.notes, told)) if told else f
                for f in outcome.findings
                if not is_of_toolkit(f.place.path)
            ]
            if outcome.unanalysed:
                unanalysed.append(outcome.unanalysed)
            kernels += 1
    return Judged(tuple(findings), tuple(unanalysed), kernels, max(1, len(files)))


def _outcomes(
    launches: Sequence[RecordedLaunch],
    all_launches: Sequence[RecordedLaunch],
    sources: Sources,
    rules: Ruleset,
    arch: str,
    options: CheckOptions,
) -> Iterable[tuple[Subject, Outcome]]:
    module = parsed(sources.texts, str(sources.program))
    facts = {path.resolve(): each for path, each in sources.facts.items()}
    for name in dict.fromkeys(each.kernel for each in launches):
        kernel = module.functions[name]
        origin = sources.origin(name)
        group = [each for each in launches if each.kernel == name and each.image is not None]
        known = subject_of(module, kernel, origin, facts, list(facts.values()), options, arch)
        subject = replace(
            known,
            path=known.path if known.source else sources.program,
            recorded=plans(kernel, group),
            written=written_by_others(name, all_launches, module, facts.values()),
        )
        if not group:
            yield (
                subject,
                Outcome(
                    unanalysed=subject.not_analysed("its launches use too much memory to keep")
                ),
            )
            continue
        try:
            yield subject, check_kernel(subject, rules.kernel)
        except Exception as error:  # a fault of ours must not cost the other kernels
            yield subject, Outcome(unanalysed=subject.not_analysed(internal(error)))
