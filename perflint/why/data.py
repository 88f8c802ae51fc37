"""Accounts as JSON: a reply's, and what `--explain-silence` adds to findings."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from perflint.base.plain_text import one_line
from perflint.lint.account import Account, Answer, Attempt, Sample, Weighed
from perflint.report.context import Context, plain
from perflint.why import words
from perflint.why.reply import Part, Reply


def render(reply: Reply, context: Context) -> str:
    """A reply as one object."""
    target = reply.target
    return (
        json.dumps(
            {
                "filename": context.shown(target.path),
                "row": target.line,
                "kernel": target.kernel or None,
                "notes": list(reply.notes),
                "unanalysed": [
                    {"kernel": u.kernel, "row": u.line, "reason": u.reason}
                    for u in reply.unanalysed
                ],
                "kernels": [_part(part, context) for part in reply.parts],
            },
            indent=2,
            ensure_ascii=False,
        )
        + "\n"
    )


def silent(accounts: Iterable[Account], context: Context) -> list[dict[str, Any]]:
    """The suspicions that no finding tells of, each with why."""
    return [
        {"kernel": account.kernel, "arch": account.arch, **_silent(each, context)}
        for account in accounts
        for each in sorted(account.weighed, key=words.order)
        if not words.is_told(each, unconfirmed=context.unconfirmed)
    ]


def _silent(weighed: Weighed, context: Context) -> dict[str, Any]:
    """A suspicion without each single answer of its objections: the one that decided is there."""
    found = suspicion(weighed, context)
    answers = [{k: v for k, v in each.items() if k != "asked"} for each in found["answers"]]
    return {**found, "answers": answers}


def _part(part: Part, context: Context) -> dict[str, Any]:
    account = part.account
    return {
        "kernel": account.kernel,
        "filename": context.shown(account.place.path),
        "row": account.place.line,
        "arch": account.arch,
        "compiled_with": context.shown(account.path),
        "reason": account.reason or None,
        "partial": account.partial or None,
        "rules": list(account.rules),
        "launches": [_attempt(each, context) for each in account.attempts],
        "suspicions": [suspicion(each, context) for each in sorted(part.weighed, key=words.order)],
        "accesses": [
            {
                "about": seen.about,
                "rows": _rows(seen.lines, context),
                "not_suspected": [{"code": code, "reason": why} for code, why in seen.passed],
            }
            for seen in part.seen
        ],
    }


def _attempt(attempt: Attempt, context: Context) -> dict[str, Any]:
    place = attempt.place
    return {
        "launch": attempt.text,
        "filename": context.shown(place.path) if place else None,
        "row": place.line if place else None,
        "assumed": attempt.assumed or None,
        "supposing": list(attempt.supposing),
        "contradictions": list(attempt.broken),
        "blocks": attempt.blocks or None,
        "worlds": [
            {"name": w.name, "values": w.text, "cut_short": w.end or None} for w in attempt.worlds
        ],
    }


def suspicion(weighed: Weighed, context: Context) -> dict[str, Any]:
    """One suspicion, and what each launch said of it."""
    place = weighed.place
    return {
        "code": weighed.code,
        "name": weighed.name,
        "about": weighed.about,
        "filename": context.shown(place.path),
        "location": {"row": place.line, "column": place.column},
        "end_location": {"row": place.end_line, "column": place.end_column},
        "rows": _rows(weighed.lines, context),
        "verdict": weighed.verdict,
        "told": weighed.fate or None,
        "told_at": {
            "filename": context.shown(weighed.beside.path),
            "row": weighed.beside.line,
        }
        if weighed.beside
        else None,
        "left_to": weighed.better or None,
        "objection": words.objection(weighed) or None,
        "reason": words.reason(weighed),
        "summary": one_line(words.briefly(weighed)),
        "measures": weighed.measures,
        "unfixed": weighed.unfixed or None,
        "answers": [_answer(each) for each in weighed.answers],
    }


def _rows(lines: Iterable[tuple[Path, int]], context: Context) -> list[dict[str, Any]]:
    return [{"filename": context.shown(path), "row": line} for path, line in lines]


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "launch": answer.attempt,
        "verdict": answer.verdict,
        "objection": answer.objection or None,
        "reason": answer.reason,
        "proved": answer.proved,
        "measured": [_sample(each) for each in answer.samples if each.counted],
        "formula": [_sample(each) for each in answer.formulas],
        "not_reached": list(answer.missed),
        "asked": [{"objection": name, "answer": said or None} for name, said in answer.asked],
    }


def _sample(sample: Sample) -> dict[str, Any]:
    return {
        "world": sample.world,
        "measured": plain(sample.measured),
        "ideal": plain(sample.ideal),
        "bad": sample.bad,
        "share": plain(sample.share),
        "full_warps": sample.full,
        "complete": sample.complete,
    }
