"""`__has_include` in the user's sources, which NVRTC answers from the machine's own files.

Its answer would tell a stranger's source what is on the machine, and it would be wrong: headers
are given to the compiler from memory. A question about a file beside the source stays; one that
names an absolute path or climbs with `..`, or hides what it names behind a macro, is answered with
no.
"""

from __future__ import annotations

import re

#: Defined in headers/pre.h as 0, whatever its argument.
NO = b"__perflint_no"
_DIRECTIVE = re.compile(
    rb"^[ \t\f\v\r]*(?:\#|%:|\?\?=)[ \t]*(?P<word>if|elif|define)\b(?:[^\n\\]|\\\r?\n|\\.)*",
    re.MULTILINE,
)
_QUESTION = re.compile(rb"\b__has_(?:include_next|include|embed)\b(?P<plain>[ \t]*\([ \t]*[\"<])?")
#: The beginning of such a path, in quotes or brackets. `a < /* … */ b` is none.
_PATH = re.compile(rb"(?P<open>\"|(?<=[( \t])<)(?=/(?![*/])|\.\./|[^\"<>\s()]*/\.\./)")
#: Spliced lines may part a name anywhere.
_SPLICE = re.compile(rb"\\\r?\n")


def without_questions(text: bytes) -> bytes:
    """The text without questions about what lies outside the sources. Lines keep their numbers."""
    if b"has_" not in text and b"##" not in text and b"\\\n" not in text:
        return text
    return _DIRECTIVE.sub(_answered, text)


def _answered(match: re.Match[bytes]) -> bytes:
    text = _SPLICE.sub(b"", match[0])
    answered = _QUESTION.sub(_plain if match["word"] != b"define" else NO, text)
    answered = _PATH.sub(rb"\g<open>?", answered)
    return match[0] if answered == text else answered + b"\n" * match[0].count(b"\n")


def _plain(match: re.Match[bytes]) -> bytes:
    return match[0] if match["plain"] else NO
