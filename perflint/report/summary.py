"""The last lines of the text formats, and `--statistics`."""

from __future__ import annotations

from collections import Counter

from perflint.findings import LEVELS, Result
from perflint.report.context import Context, one_line, plural


def summary(result: Result, context: Context) -> list[str]:
    """What was found in how much, and what was not looked at."""
    where = f"in {plural(result.kernels, 'kernel')} of {plural(result.files, 'file')}."
    levels = Counter(finding.level for finding in result.findings)
    counts = ", ".join(plural(levels[level], level) for level in reversed(LEVELS) if levels[level])
    total = len(result.findings)
    lines = [
        f"Found {plural(total, 'finding')} ({counts}) {where}" if total else f"No findings {where}"
    ]
    kernels = sum(1 for item in result.unanalysed if item.kernel is not None)
    files = len(result.unanalysed) - kernels
    missed = [plural(kernels, "kernel")] * bool(kernels) + [plural(files, "file")] * bool(files)
    if missed:
        one = kernels + files == 1
        lines.append(
            f"{' and '.join(missed)} {'was' if one else 'were'} not analysed; "
            f"--select CU002 lists {'it' if one else 'them'}."
        )
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
    return lines


def statistics(result: Result, context: Context) -> str:
    """One line a rule: how many findings, code and name; most first."""
    counts = Counter((finding.code, finding.name) for finding in result.findings)
    width = len(str(max(counts.values(), default=0)))
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    lines = [f"{count:{width}} {code} {name}" for (code, name), count in rows]
    if context.summary:
        lines += [""] * bool(lines) + summary(result, context)
    return "".join(f"{line}\n" for line in lines)
