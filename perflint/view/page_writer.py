"""The page: traces, their source as tables, and the script that draws them, in one file.

It opens from disk and in a strict sandbox: nothing is fetched, and only the page's own script and
style run (by their hashes). Names and source lines come from strangers: here they are escaped, and
the script inserts them as text. What needs the script stands as tables and SVG before it runs.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib import resources
from typing import Any

from perflint import __version__
from perflint.base.page_policy import policy
from perflint.base.plain_text import clean
from perflint.view.source_table import source_section
from perflint.view.trace_reader import Trace
from perflint.view.worst_requests import pictures

#: In the order in which they are put together: a later one may use an earlier one's names.
SCRIPTS = (
    "model.js", "trace.js", "compare.js", "dom.js", "lights.js", "operation.js", "warp.js",
    "sets.js", "cache.js", "source.js", "pane.js", "app.js",
)  # fmt: skip
_TITLE = 80  #: characters of a kernel's name that a title has


def page(traces: Sequence[Trace], compare: bool = False) -> str:
    """The HTML page of some traces; with `compare`, the second beside the first."""
    script, style = _script(), _asset("page.css")
    title = clean(traces[0].data["profile"]["kernel"])[:_TITLE]
    body = "".join(_run(number, trace) for number, trace in enumerate(traces))
    data = "".join(_data(trace.data) for trace in traces)
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(script, style)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f'<meta name="generator" content="perflint {escape(__version__)}">'
        f"<title>{escape(title)} - perflint view</title><style>{style}</style></head>"
        f"<body{' data-compare' if compare else ''}>"
        '<header class="top"><h1>perflint view</h1><div id="kernel"></div>'
        '<div id="controls"></div>'
        '<p id="fallback">The pictures need JavaScript; the tables do not.</p>'
        '<p id="notes" hidden></p></header>'
        f'<main id="static">{body}</main>'
        '<footer><div id="status" role="status" aria-live="polite"></div></footer>'
        f'<div id="tip" role="tooltip" hidden></div>{data}<script>{script}</script></body></html>\n'
    )


def _asset(name: str) -> str:
    return (resources.files("perflint.view") / "page" / name).read_text(encoding="utf-8")


def _script() -> str:
    parts = "\n".join(map(_asset, SCRIPTS))
    return f"(() => {{\n'use strict';\n{parts}\n}})();"


def _run(number: int, trace: Trace) -> str:
    profile = trace.data["profile"]
    launch = escape(clean(str(profile["launch"]))[:400])
    told = [profile.get("stopped"), *trace.data["traced"]["notes"]]
    notes = "".join(f"<p>{escape(clean(str(each)))}</p>" for each in told if each)
    return (
        f"<section><h2>{launch} on {escape(clean(str(profile['arch'])))}</h2>{notes}"
        f"{source_section(number, trace)}"
        f'<div class="pictures">{"".join(_pictures(trace))}</div></section>'
    )


def _pictures(trace: Trace) -> Iterator[str]:
    for title, svg in pictures(trace):
        yield f"<h3>{escape(clean(title))}</h3>{svg}"


def _data(data: Mapping[str, Any]) -> str:
    text = json.dumps(_cleaned(data), separators=(",", ":"))
    packed = base64.b64encode(zlib.compress(text.encode("utf-8"), 9)).decode("ascii")
    return f'<script type="application/octet-stream" class="trace">{packed}</script>'


def _cleaned(value: Any) -> Any:
    """The same without characters that hide or turn text."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {key: _cleaned(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(each) for each in value]
    return value
