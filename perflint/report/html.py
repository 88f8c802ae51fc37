"""one page with a picture of each finding's worst request, for a CI artefact

It opens from disk and in a strict sandbox: nothing is fetched, and only its own style and script
run (by their hashes). The script filters, and unpacks pictures that are far below; without it all
else is there. Names and source lines come from strangers: they are escaped, and what hides or turns
text is replaced.
"""

from __future__ import annotations

import base64
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from importlib import resources
from itertools import chain

from perflint.base.page_policy import policy
from perflint.base.patterns import pattern
from perflint.lint.findings import LEVELS, Finding, Result, Unanalysed, worst_first
from perflint.report.context import Context, clean, one_line, plural
from perflint.report.full import SUCH, WORST, facts, was_seen
from perflint.report.pictures import Picture, pictures
from perflint.report.source_rows import Row, fix_rows, place_rows
from perflint.report.summary import summary

#: Findings whose pictures lie in the page as they are, 30 to 60 KB each. Those of the others are
#: packed, a tenth of that, and drawn by the script when they are looked at.
PLAIN_PICTURES = 200
_OPEN = 3  #: findings, the worst, whose pictures are shown at once
_QUOTED = pattern(r"`([^`]+)`")
_MOST_LOST = 1000  #: kernels that are listed as not analysed


def render(result: Result, context: Context) -> str:
    found = worst_first(result.findings)
    script, style = _asset("filter.js") + _asset("pictures.js"), _asset("report.css")
    body = chain(
        _head(found, result, context),
        _filter(found),
        ["<main>"],
        (
            _finding(number, finding, result, context)
            for number, finding in enumerate(found, start=1)
        ),
        [_lost(result.unanalysed, context)] if result.unanalysed else [],
        ["</main>"],
    )
    parts = "\n".join(body)
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(script, style)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>perflint: {plural(len(found), 'finding')}</title>\n<style>{style}</style>\n"
        f"</head>\n<body>\n{parts}\n<script>{script}</script>\n"
        "</body>\n</html>\n"
    )


def _asset(name: str) -> str:
    return (resources.files("perflint.report") / "page" / name).read_text(encoding="utf-8")


def _text(text: str) -> str:
    """Text as it is, on one line: no markup, and nothing that hides or turns it."""
    return escape(one_line(text))


def _prose(text: str) -> str:
    """The same with what stands in backquotes as code."""
    return _QUOTED.sub(r"<code>\1</code>", _text(text))


# --- what stands above the findings ---------------------------------------------------------------


def _head(found: Sequence[Finding], result: Result, context: Context) -> Iterator[str]:
    yield "<header>\n<h1>perflint</h1>"
    if result.archs:
        yield f'<p class="faint">Simulated: {_text(", ".join(result.archs))}</p>'
    yield '<div id="summary">'
    if context.summary:
        lines = "".join(f"<p>{_text(line)}</p>\n" for line in summary(result, context))
        if len(found) > PLAIN_PICTURES:
            lines += (
                f"<p>Without JavaScript the {PLAIN_PICTURES:,} worst findings have pictures.</p>\n"
            )
        yield f"<div>\n{lines}</div>"
    if found:
        yield _by_rule(found)
    yield "</div>\n</header>"


def _by_rule(found: Sequence[Finding]) -> str:
    """How many findings each rule has, by level."""
    counts = Counter((f.code, f.name, f.level) for f in found)
    levels = [level for level in reversed(LEVELS) if any(f.level == level for f in found)]
    head = "".join(f'<th scope="col" class="number">{level}s</th>' for level in levels)
    rows = "".join(
        f'<tr><th scope="row">{_text(code)}</th><td>{_text(name)}</td>'
        + "".join(f'<td class="number">{counts[code, name, each] or ""}</td>' for each in levels)
        + "</tr>\n"
        for code, name in sorted({(f.code, f.name) for f in found})
    )
    return (
        '<table id="rules">\n<thead><tr><th scope="col">rule</th><th scope="col">name</th>'
        f"{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>"
    )


def _filter(found: Sequence[Finding]) -> Iterator[str]:
    """What the script shows; without it there is nothing to filter with."""
    if len(found) < 2:
        return
    codes = _options("every rule", sorted({f.code for f in found}))
    levels = [level for level in reversed(LEVELS) if any(f.level == level for f in found)]
    yield (
        '<form id="filter" role="search" hidden>\n'
        '<label>Find <input id="words" type="search" placeholder="kernel, file, text"></label>\n'
        f'<label>Rule <select id="rule">{codes}</select></label>\n'
        f'<label>Level <select id="level">{_options("every level", levels)}</select></label>\n'
        '<output id="shown" class="faint"></output>\n</form>'
    )


def _options(every: str, values: Sequence[str]) -> str:
    return f'<option value="">{every}</option>' + "".join(
        f"<option>{_text(value)}</option>" for value in values
    )


def _lost(lost: Sequence[Unanalysed], context: Context) -> str:
    rows = "".join(
        f'<li><span class="place">{_text(f"{context.shown(each.path)}:{each.line}")}</span> '
        f"<bdi>{_text(each.kernel or 'the file')}</bdi>: {_text(each.reason)}</li>\n"
        for each in lost[:_MOST_LOST]
    )
    more = len(lost) - _MOST_LOST
    rows += f"<li>and {more:,} more</li>\n" if more > 0 else ""
    return (
        f"<details>\n<summary>Not analysed: {len(lost):,}</summary>\n<ul>\n{rows}</ul>\n</details>"
    )


# --- a finding ------------------------------------------------------------------------------------


def _finding(number: int, finding: Finding, result: Result, context: Context) -> str:
    place, rule = finding.place, context.rules.get(finding.code)
    name = f"{_text(finding.code)} {_text(finding.name)}"
    if rule and rule.url:
        name = f'<a href="{escape(rule.url)}" rel="noreferrer">{name}</a>'
    unconfirmed = " (unconfirmed)" if finding.verdict == "undecided" else ""
    kernel = f" in <bdi>{_text(finding.kernel)}</bdi>" if finding.kernel else ""
    where = f"{context.shown(place.path)}:{place.line}:{place.column}"
    waste = f"<p>{_text(_capital(finding.waste_text))}.</p>\n" if finding.waste_text else ""
    return (
        f'<article id="finding-{number}" data-code="{_text(finding.code)}" '
        f'data-level="{finding.level}" class="{finding.level}">\n'
        f'<header>\n<p><span class="level">{finding.level}{unconfirmed}</span> {name}</p>\n'
        f"<h2>{_prose(finding.message_among(result.archs))}</h2>\n"
        f'<p class="place">{_text(where)}{kernel}</p>\n{waste}</header>\n'
        f"{_source(finding, context)}{_facts(finding, context)}{_fix(finding, context)}"
        f"{_pictures(finding, number)}</article>"
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _source(finding: Finding, context: Context) -> str:
    rows = place_rows(context.lines(finding.place.path), finding.place)
    return _table(rows, f"source of finding at line {finding.place.line}", finding.label)


def _facts(finding: Finding, context: Context) -> str:
    rows = "".join(
        f"<dt>{_text(word)}</dt><dd><bdi>{_prose(text)}</bdi></dd>\n"
        for word, text in facts(finding, context)
    )
    return f"<dl>\n{rows}</dl>\n" if rows else ""


def _fix(finding: Finding, context: Context) -> str:
    fix = finding.fix
    if fix is None:
        return ""
    how = "every result stays" if fix.safe else "rounding may change"
    what = "" if fix.message == finding.help else f": {_prose(fix.message)}"
    title = f'<h3>Fix{what} <span class="faint">({how})</span></h3>\n'
    tables = "".join(
        _table(rows, f"change of {context.shown(path)}")
        for path, rows in fix_rows(fix, context.lines)
    )
    return title + tables


def _table(rows: Sequence[Row], what: str, label: str = "") -> str:
    """Source lines, the marked ones followed by a label."""
    if not rows:
        return ""
    lines = "".join(
        f'<tr class="{row.kind or "same"}">'
        f"{_number(row)}<td>{_line(row)}</td></tr>\n"
        + (
            f'<tr><td></td><td class="label">{_prose(label)}</td></tr>\n'
            if row.marked and label
            else ""
        )
        for row in rows
    )
    return f'<table class="code" aria-label="{_text(what)}">\n<tbody>\n{lines}</tbody>\n</table>\n'


def _number(row: Row) -> str:
    if row.number is None:
        return "<td></td>"
    sign = {"gone": "\N{MINUS SIGN} ", "new": "+ "}.get(row.kind, "")
    return f'<th scope="row">{sign}{row.number}</th>'


def _line(row: Row) -> str:
    before, marked, after = (escape(clean(part)) for part in (row.before, row.marked, row.after))
    return f"{before}<mark>{marked}</mark>{after}" if marked else before


def _pictures(finding: Finding, number: int) -> str:
    drawn = pictures(finding)
    if not drawn:
        return ""
    box = _plain if number <= PLAIN_PICTURES else _packed
    figures = "".join(
        f"<figure>\n<figcaption><b>{_prose(each.heading)}</b>{_text(each.count)}</figcaption>\n"
        f"{box(each)}\n</figure>\n"
        for each in drawn
    )
    told = "; ".join(f"{_prose(each.heading)}: {_text(each.count)}" for each in drawn)
    which = f"the {WORST}" if was_seen(finding) else SUCH
    shown = " open" if number <= _OPEN else ""
    return (
        f"<details{shown}>\n<summary>{_capital(which)}, {told}</summary>\n"
        f'<div class="pair">\n{figures}</div>\n</details>\n'
    )


def _plain(picture: Picture) -> str:
    return f"<div {_box(picture)}>{picture.svg}</div>"


def _packed(picture: Picture) -> str:
    """What the script unpacks when it is looked at."""
    data = base64.b64encode(zlib.compress(picture.svg.encode("utf-8"), 9)).decode("ascii")
    return f'<div {_box(picture)} data-packed="{data}">The picture needs JavaScript.</div>'


def _box(picture: Picture) -> str:
    return f'class="scroll" role="group" tabindex="0" aria-label="{_text(picture.heading)}"'
