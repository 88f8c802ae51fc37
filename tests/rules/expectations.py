"""The comments of a test source that say what perflint must find there.

`// expect: CU101 "32 sectors" "4*h"`       a confirmed finding on this line with these texts
`// undecided: CU101 (wrong launch) "text"`  a note on this line, and the objection that decided
`// refuted: CU101 (only a table) "text"`    a suspicion of which nothing is said, and why
`// also: CU101`                            another place of a fault that is found on another line,
                                            perhaps by another rule, whose change mends it; or
                                            one that explains the finding
`// todo-expect: CU101`                     a known miss: the finding ought to be here and is not

Strict both ways: a finding without a comment fails, and so does a comment without a finding. Only
what is refuted need not be listed. Several findings of one line are separated by `;`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from perflint.lint.account import Account
from perflint.lint.build_finding import ALONG, BLOCK, DECLARED, MERGED
from perflint.lint.findings import SAME, Finding
from perflint.rules.control.cu901_divergent_branch import LOOP, LOOPS
from perflint.rules.memory.cu101_uncoalesced_global_access import ROWS
from perflint.rules.source_loops import LOADED

_COMMENT = re.compile(r"//\s*(expect|undecided|refuted|also|todo-expect):\s*((?:(?!//).)*)")
_ITEM = re.compile(r"(CU\d{3})(?:\s+\(([^()]*)\))?((?:\s+\"[^\"]*\")*)")
_MENDS = re.compile(rf"{ALONG} (CU\d{{3}}): ")
#: What is said of places that a fixture must name.
_PLACES = (SAME, MERGED, DECLARED, BLOCK, LOOP, LOOPS, LOADED, ROWS)
#: What names the objection that decided.
_OBJECTED = ("undecided", "refuted")


@dataclass(frozen=True)
class Expectation:
    """One finding that a test source asks for."""

    line: int
    kind: str  #: `expect`, `undecided`, `refuted`, `also` or `todo-expect`
    code: str
    objection: str  #: the name of the one that decided; "" where none did
    texts: tuple[str, ...]

    def met_by(self, finding: Finding) -> bool:
        verdict = "undecided" if self.kind == "undecided" else "confirmed"
        texts = (finding.message, finding.label, finding.reason, finding.help, *finding.notes)
        texts += tuple(each.message for each in finding.related)
        said = "\n".join(texts)
        return (
            finding.place.line == self.line
            and finding.code == self.code
            and finding.verdict == verdict
            and all(text in said for text in self.texts)
        )

    def answered_by(self, accounts: Iterable[Account]) -> bool:
        """Whether the engine came to this verdict by this objection here."""
        return any(
            weighed.code == self.code
            and weighed.place.line == self.line
            and (answer.verdict, answer.objection) == (self.kind, self.objection)
            and all(text in answer.reason for text in self.texts if self.kind == "refuted")
            for account in accounts
            for weighed in account.weighed
            for answer in weighed.answers
        )


def read(path: Path) -> Iterator[Expectation]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for match in _COMMENT.finditer(line):
            items = list(_ITEM.finditer(match[2]))
            assert items, f"{path}:{number}: cannot read {match[0]!r}"
            for item in items:
                texts = tuple(re.findall(r'"([^"]*)"', item[3]))
                objected = match[1] in _OBJECTED and not item[1].startswith("CU00")
                assert bool(item[2]) == objected, f"{path}:{number}: which objection decided?"
                yield Expectation(number, match[1], item[1], item[2] or "", texts)


def _other(finding: Finding, said: str) -> str:
    """The rule that a related place is another place of; "" of any that need not be named."""
    mends = _MENDS.match(said)
    return mends[1] if mends else finding.code if said.startswith(_PLACES) else ""


def problems(
    expected: Sequence[Expectation], findings: Sequence[Finding], accounts: Sequence[Account]
) -> Iterator[str]:
    """Where findings and expectations differ."""
    left = list(findings)
    for each in (e for e in expected if e.objection and not e.answered_by(accounts)):
        yield f"line {each.line}: no {each.code} {each.kind} by {each.objection!r} {each.texts}"
    also = {(c, r.place.line) for f in findings for r in f.related if (c := _other(f, r.message))}
    for expectation in (e for e in expected if e.kind == "also"):
        if (expectation.code, expectation.line) not in also:
            yield f"line {expectation.line}: no other place of a {expectation.code}"
    for code, line in also - {(e.code, e.line) for e in expected}:
        yield f"line {line}: unexpected other place of a {code}"
    for expectation in (e for e in expected if e.kind not in ("also", "refuted")):
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
