"""SARIF 2.1.0, for code scanning: one run, rules with their pages

Written for what GitHub reads and valid for everyone else: the object model is sarif-om's, the
serialiser ours. Nothing in it depends on the machine or the time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import attr
import sarif_om as om

from perflint import __version__
from perflint.base.evidence import Edit, Fix
from perflint.base.span import Span
from perflint.lint.findings import Finding, Result, Silenced, Unanalysed, worst_first
from perflint.lint.rulebook import RuleInfo
from perflint.report.context import Context, number
from perflint.report.fingerprint import line_hashes
from perflint.report.identity import Numbers, identity
from perflint.report.json import as_data

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
MAX_STEPS = 10  #: of a code flow; viewers show a short list
#: Results that code scanning shows of one file, and with which it takes the file at all (GitHub
#: Docs, "SARIF support for code scanning": "SARIF results exceed one or more limits").
MOST_SHOWN, MOST_WRITTEN = 5_000, 25_000

#: GitHub's words for how bad a finding of a rule is.
_SEVERITY = {"error": "error", "warning": "warning", "note": "recommendation"}


def render(result: Result, context: Context) -> str:
    return json.dumps(to_data(Log(result, context).log()), indent=2, ensure_ascii=False) + "\n"


def to_data(node: Any) -> Any:
    """A sarif-om object as plain JSON data, without the members left at their defaults.

    `level` is the exception: it is always written.
    """
    if attr.has(type(node)):
        return {
            field.metadata["schema_property_name"]: to_data(value)
            for field in attr.fields(type(node))
            if (value := getattr(node, field.name)) is not None
            and (field.name == "level" or value != _default(field))
        }
    if isinstance(node, dict):
        return {key: to_data(value) for key, value in node.items()}
    return [to_data(item) for item in node] if isinstance(node, list | tuple) else node


def _default(field: Any) -> Any:
    return getattr(field.default, "factory", lambda: field.default)()


class Log:
    """One result on its way to SARIF."""

    def __init__(self, result: Result, context: Context) -> None:
        self.result = result
        self.context = context
        self.rules = sorted(context.rules.values(), key=lambda rule: rule.code)
        self.indices = {rule.code: index for index, rule in enumerate(self.rules)}
        self.hashes: dict[Path, list[str]] = {}
        self.numbers = Numbers()

    @cached_property
    def root(self) -> Path:
        """What paths are relative to: code scanning wants the repository's root."""
        return self.context.repository

    def log(self) -> Any:
        written: Sequence[Finding] = self.result.findings
        if len(written) > MOST_SHOWN:
            written = worst_first(written)[:MOST_WRITTEN]
        silenced = self.result.silenced if self.context.suppressed else ()
        silenced = silenced[: MOST_WRITTEN - len(written)]
        driver = om.ToolComponent(
            name="perflint",
            version=__version__,
            semantic_version=__version__,
            rules=[_rule(rule) for rule in self.rules],
        )
        root = om.ArtifactLocation(description=om.Message(text="The root of the sources."))
        run = om.Run(
            tool=om.Tool(driver=driver),
            automation_details=om.RunAutomationDetails(id="perflint/"),
            column_kind="unicodeCodePoints",
            original_uri_base_ids={ROOT: root},
            invocations=[
                om.Invocation(
                    execution_successful=not self.result.ended,
                    tool_execution_notifications=[
                        *self.general_notifications(),
                        *(self.notification(item) for item in self.result.unanalysed),
                    ],
                )
            ],
            results=[
                *(self.finding(finding) for finding in written),
                *(self.silenced(item) for item in silenced),
            ],
        )
        return om.SarifLog(schema_uri=SCHEMA, version="2.1.0", runs=[run])

    def silenced(self, item: Silenced) -> Any:
        """A finding that is not shown, marked as such. GitHub would show it all the same."""
        result = self.finding(item.finding)
        kind = "external" if item.baseline else "inSource"
        said = {"kind": kind, "status": "accepted", "justification": item.reason}
        # a plain dictionary: sarif-om calls `status` by the name of a draft
        result.suppressions = [{key: text for key, text in said.items() if text}]
        return result

    def fixes(self, fix: Fix) -> list[Any]:
        changes: dict[Path, list[Edit]] = {}
        for edit in fix.edits:
            changes.setdefault(edit.span.path, []).append(edit)
        return [
            om.Fix(
                description=om.Message(text=_sentence(fix.message)),
                artifact_changes=[
                    om.ArtifactChange(
                        artifact_location=self.artifact(path),
                        replacements=[_replacement(edit) for edit in edits],
                    )
                    for path, edits in changes.items()
                ],
            )
        ]

    def finding(self, finding: Finding) -> Any:
        related = _related(finding)
        links = "".join(f" {text}" for text, _, _ in related)
        data = as_data(finding, self.context)
        shown = ("kernel", "arch", "launch", "launches", "verdict", "evidence", "worth", "notes")
        properties = {key: data[key] for key in shown if data[key]}
        extra = {"witness": finding.witness, "reason": finding.reason, "help": finding.help}
        return om.Result(
            rule_id=finding.code,
            rule_index=self.indices.get(finding.code, -1),
            level=finding.level,
            message=om.Message(
                text=_sentence(_escape(finding.message_among(self.result.archs))) + links
            ),
            locations=[self.location(finding.place)],
            related_locations=[
                self.location(place, text, id=number)
                for number, (_, place, text) in enumerate(related, 1)
            ],
            code_flows=[self.code_flow(finding)],
            fixes=self.fixes(finding.fix) if finding.fix else None,
            partial_fingerprints=self.fingerprints(finding),
            properties=properties | {key: text for key, text in extra.items() if text},
        )

    def code_flow(self, finding: Finding) -> Any:
        """Where it is launched, what explains it, the access, what was measured."""
        steps: list[tuple[Span, str, str]] = []
        if finding.launch and finding.launch.place:
            steps.append((finding.launch.place, f"launched as {finding.launch.whole}", "important"))
        steps += [(item.place, item.message, "important") for item in finding.related]
        steps = steps[: MAX_STEPS - 2]
        steps.append((finding.place, finding.label or finding.message, "essential"))
        if finding.evidence:
            measured = "; ".join(
                f"{m.metric}: {number(m.measured)} {m.unit}, ideal {number(m.golden)}"
                for m in finding.evidence
            )
            steps.append((finding.place, f"measured {measured}", "essential"))
        flow = [
            om.ThreadFlowLocation(
                location=self.location(place, text), importance=importance, execution_order=order
            )
            for order, (place, text, importance) in enumerate(steps, 1)
        ]
        return om.CodeFlow(thread_flows=[om.ThreadFlow(locations=flow)])

    def general_notifications(self) -> list[Any]:
        said = []
        if reason := self.context.without_compiler:
            said.append(f"No compiler was used ({reason}): kernels were read from their source")
        if (count := len(self.result.findings)) > MOST_SHOWN:
            left = f"; {count - MOST_WRITTEN:,} are left out" if count > MOST_WRITTEN else ""
            said.append(
                f"There are {count:,} findings, the worst first, of which code scanning shows "
                f"{MOST_SHOWN:,}{left}"
            )
        return [
            om.Notification(level="note", message=om.Message(text=_sentence(text))) for text in said
        ]

    def notification(self, item: Unanalysed) -> Any:
        subject = f"Kernel {item.kernel}" if item.kernel else "The file"
        place = Span(item.path, max(1, item.line), 1, max(1, item.line), 1)
        index = self.indices.get("CU002", -1)
        rule = om.ReportingDescriptorReference(id="CU002", index=index)
        return om.Notification(
            level="note",
            message=om.Message(text=_sentence(f"{subject} was not analysed: {item.reason}")),
            locations=[self.location(place)],
            associated_rule=rule if index >= 0 else None,
        )

    def location(self, place: Span, text: str = "", id: int = -1) -> Any:
        return om.Location(
            id=id,
            message=om.Message(text=_escape(text)) if text else None,
            physical_location=om.PhysicalLocation(
                artifact_location=self.artifact(place.path), region=self.region(place)
            ),
        )

    def region(self, place: Span) -> Any:
        """The part of the place on its first line: code scanning annotates one line best."""
        end = place.end_column
        if place.end_line != place.line:
            lines = self.context.lines(place.path)
            end = len(lines[place.line - 1]) + 1 if place.line <= len(lines) else place.column + 1
        return om.Region(
            start_line=place.line,
            start_column=place.column,
            end_line=place.line,
            end_column=max(end, place.column + 1),
        )

    def artifact(self, path: Path) -> Any:
        uri, base = self.uri(path)
        return om.ArtifactLocation(uri=uri, uri_base_id=base)

    def uri(self, path: Path) -> tuple[str, str | None]:
        """Relative to the root where it lies below it, links resolved as GitHub asks."""
        absolute = path if path.is_absolute() else self.context.root / path
        for candidate in (absolute.resolve(), absolute):
            for base in (self.root, self.root.resolve()):
                if candidate.is_relative_to(base):
                    return _quoted(candidate.relative_to(base)), ROOT
        return "file://" + _quoted(absolute), None

    def fingerprints(self, finding: Finding) -> dict[str, str]:
        place = finding.place
        if place.path not in self.hashes:
            text = self.context.read(place.path)
            self.hashes[place.path] = [] if text is None else line_hashes(text)
        hashes = self.hashes[place.path]
        known = {}
        if place.line <= len(hashes):
            known["primaryLocationLineHash"] = hashes[place.line - 1]
        own = self.numbers.numbered(identity(finding, self.context.lines(place.path)))
        return known | {"perflint/v1": own}


def _replacement(edit: Edit) -> Any:
    span = edit.span
    return om.Replacement(
        deleted_region=om.Region(
            start_line=span.line,
            start_column=span.column,
            end_line=span.end_line,
            end_column=span.end_column,
        ),
        inserted_content=om.ArtifactContent(text=edit.replacement),
    )


def _rule(rule: RuleInfo) -> Any:
    return om.ReportingDescriptor(
        id=rule.code,
        name="".join(word.capitalize() for word in rule.name.split("-")),
        short_description=om.MultiformatMessageString(text=rule.summary),
        full_description=om.MultiformatMessageString(
            text=_first_section(rule.page) or rule.summary
        ),
        help=om.MultiformatMessageString(text=plain_text(rule.page), markdown=rule.page),
        help_uri=rule.url,
        default_configuration=om.ReportingConfiguration(level=rule.level),
        properties={
            "tags": list(rule.tags[:10]),
            "precision": rule.precision,
            "problem.severity": _SEVERITY[rule.level],
        },
    )


def _related(finding: Finding) -> list[tuple[str, Span, str]]:
    """What the message says with its link, the place, the place's own text; at most ten."""
    found: list[tuple[str, Span, str]] = []
    if finding.launch and finding.launch.place:
        text = f"launched as {finding.launch.whole}"
        found.append(("Launched [here](1).", finding.launch.place, text))
    for order, item in enumerate(finding.related[: MAX_STEPS - len(found)], len(found) + 1):
        link = re.sub(r"([\[\]])", r"\\\1", item.message)
        found.append((f"See [{link}]({order}).", item.place, item.message))
    return found


def _first_section(page: str) -> str:
    """The text of `What it does`, up to the 1024 characters that GitHub takes."""
    match = re.search(r"\A#+[^\n]*\n+(.*?)(?=\n#|\Z)", page, re.DOTALL)
    return " ".join(match[1].split())[:1024] if match else ""


def plain_text(page: str) -> str:
    """Markdown as plain text: headings without their marks, code without its fences."""
    text = re.sub(r"^```.*\n?", "", page, flags=re.MULTILINE)
    return re.sub(r"^#+ *(.*)$", r"\1", text, flags=re.MULTILINE)


def _sentence(text: str) -> str:
    """The text with a full stop and a capital: GitHub shows a message's first sentence."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _escape(text: str) -> str:
    """The text with `[x](1)`, which would be a link in a SARIF message (3.11.6), made harmless."""
    return re.sub(r"\[([^\]]*)\](?=\(\d+\))", r"\\[\1\\]", text)


def _quoted(path: Path) -> str:
    return quote(path.as_posix(), errors="surrogateescape")
