"""Comments in the bodies of macros, at which tree-sitter takes the macro for ended.

Behind `#define A(x) \\⏎ f(x); /* why */ \\⏎ g(x); }` it would read `g(x); }` as code of the file,
and the brace as one that closes a namespace.
"""

from __future__ import annotations

import re

from perflint.base.patterns import pattern
from perflint.base.text_lines import spaces_for

#: A line that goes on, and whether the next one begins with a comment.
_CONTINUED = pattern(rb"^([^\n]*)\\\r?\n([ \t]*+/\*)?", re.MULTILINE)
#: Comments and texts of their own, in which nothing is a directive, and definitions. What does not
#: end goes to the end of the line or file, so that not each of many beginnings is looked at anew.
_PIECE = pattern(
    rb"//(?:\\\r?\n|[^\n])*+|/\*.*?(?:\*/|\Z)|'\\?.'|\"(?:\\.|[^\"\\\n])*+\"?"
    rb"|(?P<definition>^[ \t]*+#[ \t]*+define\b(?:/\*.*?(?:\*/|\Z)|[^\n\\]|\\\r?\n|\\.)*+)",
    re.DOTALL | re.MULTILINE,
)
#: A text, or a comment.
_TOKEN = pattern(rb"'\\?.'|\"(?:\\.|[^\"\\\n])*+\"?|/\*.*?(?:\*/|\Z)", re.DOTALL)


def without_macro_comments(source: bytes) -> bytes:
    """The text with spaces for the comments in continued definitions. Offsets stay."""
    if not any(m[2] or _has_comment(m[1]) for m in _CONTINUED.finditer(source)):
        return source
    return _PIECE.sub(lambda m: _TOKEN.sub(_spaces, m[0]) if m["definition"] else m[0], source)


def _has_comment(line: bytes) -> bool:
    begin = line.find(b"/*")
    return begin >= 0 and line.find(b"*/", begin + 2) >= 0


def _spaces(token: re.Match[bytes]) -> bytes:
    text = token[0]
    if not text.startswith(b"/*"):
        return text
    # The macro goes on behind the lines of a comment, too.
    return spaces_for(text).replace(b" \n", b"\\\n").replace(b" \r\n", b"\\\r\n")
