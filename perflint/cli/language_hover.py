"""What a hover says of the findings of a line: their evidence, and the worst request as a picture.

A hover is Markdown, and an image in it an address. Editors that draw no pictures show that address
as text, thousands of characters of base64: so only those are sent one that are known to draw it,
and those whose user says so (`initializationOptions: {"hoverPictures": true}`). The protocol has no
capability for it: `general.markdown.parser` is `marked` for VS Code, and for coc.nvim's terminal.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Any

#: Characters that a hover's pictures may take: VS Code cuts Markdown behind 100,000
#: (`markdownRenderer.ts`), and half an image is none.
MOST = 90_000
#: How the names of VS Code and of editors made of it begin: they draw `data:image/svg+xml`.
_DRAWING = ("Visual Studio Code", "Code - OSS", "VSCodium", "Cursor", "Windsurf", "code-server")


def evidence(finding: dict[str, Any], room: int = 0) -> str:
    """What speaks for a finding, in Markdown, with a picture if that takes at most `room`."""
    unconfirmed = " (unconfirmed)" if finding["verdict"] == "undecided" else ""
    parts = [f"**{finding['code']} {finding['name']}**{unconfirmed}: {plain(finding['message'])}"]
    facts = [
        f"- {plain(e['metric'])}: **{e['measured']}** {plain(e['unit'])}, ideal {e['golden']}"
        for e in finding["evidence"]
    ]
    if finding["launch"]:
        facts.append(f"- launch: {plain(finding['launch'])} on {finding['arch']}")
    worst = finding["worst_request"]
    if worst:
        facts.append(f"- worst request: {plain(worst['text'])}".rstrip(" :"))
        facts += [f"  - {plain(count)}" for count in worst["counts"]]
    facts += [f"- {plain(note)}" for note in finding["notes"]]
    if facts:
        parts.append("\n".join(facts))
    if finding["help"]:
        parts.append(f"Help: {plain(finding['help'])}")
    if worst and worst["svg"]:
        picture = image(worst["svg"], "; ".join(worst["counts"]))
        parts += [picture] if len(picture) <= room else []
    return "\n\n".join(parts)


def told(findings: Sequence[dict[str, Any]], draws: bool) -> str:
    """What a hover says of the findings of a line, the pictures of the first ones with it."""
    parts: list[str] = []
    room = MOST if draws else 0
    for finding in findings:
        parts.append(evidence(finding, room))
        room -= len(parts[-1])
    return "\n\n---\n\n".join(parts)


def drawn_by(client: str, options: Any) -> bool:
    """Whether a client draws pictures in hovers, by its name or as its user says."""
    said = options.get("hoverPictures") if isinstance(options, dict) else None
    return said if isinstance(said, bool) else client.startswith(_DRAWING)


def image(svg: str, told: str) -> str:
    """An image of Markdown that needs no file; `told` is for who does not see it."""
    data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    words = re.sub(r"[^\w ,.;:-]", " ", told)  # nothing that Markdown knows
    return f"![{words}](data:image/svg+xml;base64,{data})"


def plain(text: str) -> str:
    """A text as Markdown shows it as it is."""
    from perflint.report.markdown import escaped

    return escaped(text)
