"""The last lines of the text formats, and `--statistics`."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from perflint.base.endings import NOT_REACHED
from perflint.lint.findings import ELSEWHERE, LEVELS, Finding, Result, Unanalysed, worst_first
from perflint.lint.source_text import is_unsaved
from perflint.report.context import Context, one_line, plural

#: Suffixes of what `perflint why` is asked about.
_ASKED = frozenset({".cu", ".cuh", ".h", ".hpp", ".ptx"})
MANY = 5  #: kernels not analysed, beyond which their reasons are summed up
#: Kinds of reasons, the more telling first.
_CAUSES = tuple(
    (re.compile(pattern), cause)
    for pattern, cause in (
        ("internal error|the process that checked it", "perflint failed on it"),
        ("^`\\w+` of the rule ", "a rule of another package failed on it"),
        ("no (?:texture|surface) is bound", "it needs a texture or surface, which no launch binds"),
        ("is not in this module|indirect call", "it calls a function that is not in sight"),
        ("is not supported", "it has an instruction that is not simulated"),
        ("no launch could be simulated", "no launch of it could be simulated"),
        ("template arguments", "no launch gives its template arguments"),
        ("^it is under `|is off here", "it is under an #if that is off"),
        ("cannot be read|outside the project", "the file or a header of it cannot be read"),
        ("C subset|no compiler", "it is not of the C subset that is read without a compiler"),
        ("compiler (?:ran|used|gave|crashed)|did not compile in", "the compiler failed on it"),
        (
            r"identifier \"|headers not found|^it needs `|: expected|\.\w+:\d+: ",
            "it does not compile",
        ),
        ("it (?:takes|took) too", "it takes more time or memory than a file may"),
        ("never ends|stopped", "it never ends"),
        (NOT_REACHED, "the run was ended before"),
    )
)
_OTHER = "other reasons"


def summary(result: Result, context: Context) -> list[str]:
    """What was found in how much, and what was not looked at."""
    where = f"in {plural(result.kernels, 'kernel')} of {plural(result.files, 'file')}."
    levels = Counter(finding.level for finding in result.findings)
    counts = ", ".join(plural(levels[level], level) for level in reversed(LEVELS) if levels[level])
    total = len(result.findings)
    lines = [
        f"Found {plural(total, 'finding')} ({counts}) {where}" if total else f"No findings {where}"
    ]
    if result.ended:
        lines.insert(0, _incomplete(result))
    kernels = sum(1 for item in result.unanalysed if item.kernel is not None)
    files = len(result.unanalysed) - kernels
    missed = [plural(kernels, "kernel")] * bool(kernels) + [plural(files, "file")] * bool(files)
    if missed:
        one = kernels + files == 1
        causes = _causes(result.unanalysed) if kernels + files > MANY else []
        lines.append(
            f"{' and '.join(missed)} {'was' if one else 'were'} not analysed; "
            f"--select CU002 lists {'it' if one else 'them'}{':' if causes else '.'}"
        )
        lines += causes
    if context.without_compiler:
        lines.append(
            f"No compiler was used ({one_line(context.without_compiler)}): the kernels were read "
            "from their source, those of the C subset of CUDA C++."
        )
    if context.hidden:
        verb, them = ("is", "it") if context.hidden == 1 else ("are", "them")
        lines.append(
            f"{plural(context.hidden, 'note')} {verb} hidden; --show-unconfirmed shows {them}."
        )
    return [*lines, *_worst(result.findings, context)]


def _worst(findings: Sequence[Finding], context: Context) -> Iterator[str]:
    """Of several findings the one to begin with."""
    worst = next((each for each in worst_first(findings) if each.waste_text), None)
    if worst is not None and len(findings) > 1:
        place = f"{context.shown(worst.place.path)}:{worst.place.line}"
        yield one_line(f"Worst: {place}: {worst.code} {worst.name}; {worst.waste_text}.")


def _incomplete(result: Result) -> str:
    """What is missing of a run that was ended."""
    missed = [item for item in result.unanalysed if item.reason == NOT_REACHED]
    kernels = sum(1 for item in missed if item.kernel is not None)
    parts = [plural(kernels, "kernel")] * bool(kernels)
    parts += [f"the kernels of {plural(len(missed) - kernels, 'file')}"] * (kernels < len(missed))
    missing = " and ".join(parts) or "nothing"
    return f"The run was {result.ended} before its end: {missing} missing in this report."


def what_next(result: Result, context: Context) -> list[str]:
    """What a reader may want to do with findings: read about the worst, let some be mended."""
    confirmed = worst_first(f for f in result.findings if f.verdict == "confirmed" and f.evidence)
    lines = []
    if confirmed:
        worst = next((each for each in confirmed if each.waste_text), confirmed[0])
        told = f"`perflint rule {worst.code}` explains {worst.code}"
        if asked := _asked_why(worst, context):
            told = f"`perflint why {asked}` tells how it was tried, {told}"
        lines.append(one_line(f"Next: {told}."))
    fixes = [f.fix for f in result.findings if f.verdict == "confirmed" and f.fix and f.fix.edits]
    safe = sum(1 for fix in fixes if fix.safe)
    if safe:
        lines.append(f"{plural(safe, 'finding')} can be mended by --fix; --diff shows how.")
    if len(fixes) > safe:
        lines.append(
            f"{plural(len(fixes) - safe, 'finding')} can be mended by --fix --unsafe-fixes, which "
            "may change results."
        )
    untried = sum(1 for f in result.findings if f.verdict == "confirmed" and f.untried)
    if untried:
        them = "it" if untried == 1 else "them"
        lines.append(f"{plural(untried, 'finding')} may have a fix; --diff tries and shows {them}.")
    return lines


def silence(finding: Finding) -> str:
    """The comment by which a finding is silenced."""
    sign = "#" if finding.place.path.suffix == ".py" else "//"
    return f"{sign} perflint: ignore[{finding.code}] -- why"


def silencing(result: Result) -> list[str]:
    """How to do without a finding, once for all."""
    return [f"`{silence(f)}` at the end of its line silences one." for f in result.findings[:1]]


def _asked_why(finding: Finding, context: Context) -> str:
    """The place to ask `perflint why` about, with the file that a header is compiled with."""
    moved = next((r.place for r in finding.related if r.message == ELSEWHERE), None)
    place = moved or finding.place
    if place.path.suffix not in _ASKED or is_unsaved(context.root / place.path):
        return ""
    words = [f"{context.shown(place.path)}:{place.line}"]
    if moved and finding.brought:
        words.append(context.shown(finding.brought.path))
    return " ".join(map(shlex.quote, words))


def _causes(missed: Iterable[Unanalysed]) -> list[str]:
    """How many for which kind of reason, most first; what fits no kind comes last."""
    counts = Counter(
        next((cause for pattern, cause in _CAUSES if pattern.search(item.reason)), _OTHER)
        for item in missed
    )
    rows = sorted(counts.items(), key=lambda row: (row[0] == _OTHER, -row[1], row[0]))
    return [f"{count:6} {cause}" for cause, count in rows]


def statistics(result: Result, context: Context) -> str:
    """One line a rule: how many findings, code and name; most first."""
    counts = Counter((finding.code, finding.name) for finding in result.findings)
    width = len(str(max(counts.values(), default=0)))
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    lines = [f"{count:{width}} {code} {name}" for (code, name), count in rows]
    if context.summary:
        lines += [""] * bool(lines) + summary(result, context)
    return "".join(f"{line}\n" for line in lines)
