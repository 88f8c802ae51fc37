"""Comments in the bodies of macros, at which tree-sitter takes the macro for ended.

Behind `#define A(x) \\⏎ f(x); /* why */ \\⏎ g(x); }` it would read `g(x); }` as code of the file,
and the brace as one that closes a namespace.
"""

from __future__ import annotations

import re

from perflint.base.patterns import pattern
from perflint.base.text_lines import spaces_for

#: A comment with the next line continued behind it.
_WITHIN = pattern(rb"/\*(?:[^*\n]|\*(?!/))*\*/[^\n]*\\\r?\n|\\\r?\n[ \t]*/\*")
#: Comments and texts of their own, in which nothing is a directive, and definitions.
_PIECE = pattern(
    rb"//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\""
    rb"|(?P<definition>^[ \t]*#[ \t]*define\b(?:/\*.*?\*/|[^\n\\]|\\\r?\n|\\.)*)",
    re.DOTALL | re.MULTILINE,
)
#: A text, or a comment.
_TOKEN = pattern(rb"\"(?:\\.|[^\"\\\n])*\"|/\*.*?\*/", re.DOTALL)


def without_macro_comments(source: bytes) -> bytes:
    """The text with spaces for the comments in continued definitions. Offsets stay."""
    if not _WITHIN.search(source):
        return source
    return _PIECE.sub(lambda m: _TOKEN.sub(_spaces, m[0]) if m["definition"] else m[0], source)


def _spaces(token: re.Match[bytes]) -> bytes:
    text = token[0]
    if text.startswith(b'"'):
        return text
    # The macro goes on behind the lines of a comment, too.
    return spaces_for(text).replace(b" \n", b"\\\n").replace(b" \r\n", b"\\\r\n")
