"""The comments of a test source that say what perflint must find there.

`// expect: CU101 "32 sectors" "4*h"`   a confirmed finding on this line with these texts
`// undecided: CU101 "loaded data"`     a note on this line, and its reason
`// also: CU101`                        another place of a fault that is found on another line
`// todo-expect: CU101`                 a known miss: the finding ought to be here and is not

Strict both ways: a finding without a comment fails, and so does a comment without a finding.
Several findings of one line are separated by `;`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from perflint.lint.build_finding import SAME
from perflint.lint.findings import Finding

_COMMENT = re.compile(r"//\s*(expect|undecided|also|todo-expect):\s*((?:(?!//).)*)")
_ITEM = re.compile(r"(CU\d{3})((?:\s+\"[^\"]*\")*)")


@dataclass(frozen=True)
class Expectation:
    """One finding that a test source asks for."""

    line: int
    kind: str  #: `expect`, `undecided`, `also` or `todo-expect`
    code: str
    texts: tuple[str, ...]

    def met_by(self, finding: Finding) -> bool:
        verdict = "undecided" if self.kind == "undecided" else "confirmed"
        texts = (finding.message, finding.label, finding.reason, finding.help, *finding.notes)
        said = "\n".join(texts)
        return (
            finding.place.line == self.line
            and finding.code == self.code
            and finding.verdict == verdict
            and all(text in said for text in self.texts)
        )


def read(path: Path) -> Iterator[Expectation]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for match in _COMMENT.finditer(line):
            items = list(_ITEM.finditer(match[2]))
            assert items, f"{path}:{number}: cannot read {match[0]!r}"
            for item in items:
                texts = tuple(re.findall(r'"([^"]*)"', item[2]))
                yield Expectation(number, match[1], item[1], texts)


def problems(expected: Sequence[Expectation], findings: Sequence[Finding]) -> Iterator[str]:
    """Where findings and expectations differ."""
    left = list(findings)
    also = {
        (f.code, r.place.line) for f in findings for r in f.related if r.message.startswith(SAME)
    }
    for expectation in (e for e in expected if e.kind == "also"):
        if (expectation.code, expectation.line) not in also:
            yield f"line {expectation.line}: no other place of a {expectation.code}"
    for code, line in also - {(e.code, e.line) for e in expected}:
        yield f"line {line}: unexpected other place of a {code}"
    for expectation in (e for e in expected if e.kind != "also"):
        hit = next((f for f in left if expectation.met_by(f)), None)
        if expectation.kind == "todo-expect":
            if hit:
                yield f"line {expectation.line}: found at last; make it an expect: {hit.message}"
        elif hit is None:
            yield f"line {expectation.line}: no {expectation.code} {expectation.texts}"
        if hit:
            left.remove(hit)
    for f in left:
        yield f"line {f.place.line}: unexpected {f.code} ({f.verdict}): {f.message} [{f.reason}]"
