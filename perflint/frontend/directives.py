"""The `#include`s of a source: found as the compiler would find them, and rewritten."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.base.text_lines import spaces_for
from perflint.frontend.statement_expressions import without_statement_expressions

_COMMENT_OR_LITERAL = pattern(
    rb"""//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n]){1,4}'""",
    re.DOTALL,
)
#: A directive: `#`, or its digraph or trigraph, to the end of the line, continuation included.
_DIRECTIVE = pattern(rb"^[ \t\f\v\r]*(?:\#|%:|\?\?=)((?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE)
#: Spliced lines may part a name anywhere.
_SPLICE = pattern(rb"\\\r?\n")
#: Blanks behind the operand are stripped: a pattern that looks for them takes quadratic time.
_INCLUDE = pattern(rb"\s*(?:include_next|include|import|embed)\b(.*)", re.DOTALL)
_LINE = pattern(rb"\s*(?:line\b|\d)")
_DEFINE = pattern(
    rb"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)\n]*\))?((?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE
)
_WITH_PARAMETERS = pattern(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^)\n]*)\)", re.MULTILINE)
_WORD = pattern(rb"[A-Za-z_]\w*")
#: What a macro is given, a word outside strings, and what joins two words.
_GIVEN = pattern(rb"\s*\(([^()]*)\)")
_OUTSIDE = pattern(rb'"[^"\n]*"|[A-Za-z_]\w*')
_JOIN = pattern(rb"\s*##\s*")
#: A word of a macro's body, with the `#` that makes a string of it.
_PARAMETER = pattern(rb"((?<!#)#[ \t]*)?\b([A-Za-z_]\w*)")
#: By a macro's name, its parameters (None: it takes none) and its body.
_Macros = Mapping[bytes, tuple[bytes | None, bytes]]
_OPERAND = pattern(rb'"([^"\n]+)"|<([^>\n]+)>')


@dataclass(frozen=True)
class Include:
    """One `#include`."""

    start: int  #: byte offset of the directive, which may span several lines
    end: int
    line: int
    name: str  #: the header's, or the macro's where it is computed
    quoted: bool
    computed: bool = False  #: `#include MACRO`


def _without_comments(text: bytes) -> bytes:
    def mask(match: re.Match[bytes]) -> bytes:
        if match[0][:1] == b"/":
            return spaces_for(match[0])
        return match[0]

    return _COMMENT_OR_LITERAL.sub(mask, text)


def includes(text: bytes) -> tuple[Include, ...]:
    """All `#include` directives outside comments, those in inactive branches too."""
    spliced = _SPLICE.sub(b"", text)
    if not any(word in spliced for word in (b"include", b"import", b"embed")):
        return ()
    found = []
    masked = _without_comments(text)
    for match in _DIRECTIVE.finditer(masked):
        directive = _INCLUDE.match(_SPLICE.sub(b"", match[1]))
        if not directive:
            continue
        line = masked.count(b"\n", 0, match.start()) + 1
        written = directive[1].strip()
        operand = _OPERAND.match(written)
        if operand:
            name = (operand[1] or operand[2]).decode("utf-8", "surrogateescape").strip()
            found.append(Include(match.start(), match.end(), line, name, operand[1] is not None))
        else:
            name = written.decode("utf-8", "surrogateescape")
            found.append(Include(match.start(), match.end(), line, name, False, True))
    return tuple(found)


def defined_macros(texts: Iterable[bytes]) -> dict[bytes, bytes]:
    """Every macro that the texts define, with its replacement (the last one's)."""
    return {m[1]: m[2] for text in texts for m in _DEFINE.finditer(text)}


def every_definition(texts: Iterable[bytes]) -> dict[bytes, bytes]:
    """Every macro that the texts define, with all its replacements one after the other."""
    found: dict[bytes, list[bytes]] = {}
    for text in texts:
        for match in _DEFINE.finditer(text):
            found.setdefault(match[1], []).append(match[2])
    return {name: b" ".join(dict.fromkeys(bodies)) for name, bodies in found.items()}


def macro_parameters(text: bytes) -> dict[bytes, tuple[bytes, ...]]:
    """The parameters of every macro of a text that has some."""
    return {m[1]: tuple(_WORD.findall(m[2])) for m in _WITH_PARAMETERS.finditer(text)}


#: How often a name is replaced, and a text's length at most: macros may double it at each turn.
_TURNS, _LONGEST = 32, 4 << 10
_DEFINED = pattern(
    rb"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\(([^)\n]*)\))?((?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE
)


def expanded(name: bytes, texts: Iterable[bytes]) -> bytes:
    """What a macro stands for, `M` or `M(a, b)`, with the macros in it, as an `#include` has it."""
    macros = {
        match[1]: (match[2], _SPLICE.sub(b" ", _without_comments(match[3])).strip())
        for text in texts
        for match in _DEFINED.finditer(text)
    }
    return _expanded(name, macros, iter(range(_TURNS)))


def _expanded(text: bytes, macros: _Macros, turns: Iterator[int]) -> bytes:
    """The text with the macros in it, in as many turns as there are."""
    while (use := _first_use(text, macros)) and len(text) <= _LONGEST and next(turns, -1) >= 0:
        start, end, name, given = use
        parameters, body = macros[name]
        names = _WORD.findall(parameters or b"")
        written = substituted(body, names, given, lambda x: _expanded(x, macros, turns))
        text = text[:start] + written + text[end:]
    return text


def _first_use(text: bytes, macros: _Macros) -> tuple[int, int, bytes, list[bytes]] | None:
    """(start, end, name, arguments) of the first macro used, `F` without its `(…)` is none."""
    for word in _OUTSIDE.finditer(text):
        if word[0] not in macros:
            continue
        if macros[word[0]][0] is None:
            return word.start(), word.end(), word[0], []
        if given := _GIVEN.match(text, word.end()):
            return word.start(), given.end(), word[0], [x.strip() for x in given[1].split(b",")]
    return None


def substituted(
    body: bytes,
    parameters: Iterable[bytes],
    given: Iterable[bytes],
    expand: Callable[[bytes], bytes] = bytes,
) -> bytes:
    """A macro's body with its arguments: as strings after `#`, as written beside `##`."""
    values = dict(zip(parameters, given, strict=False))

    def value(match: re.Match[bytes]) -> bytes:
        if match[2] not in values:
            return match[0]
        argument = values[match[2]]
        if match[1]:
            return b'"' + argument + b'"'
        joined = _JOIN.match(body, match.end()) or body[: match.start()].rstrip().endswith(b"##")
        return argument if joined else expand(argument)

    return _JOIN.sub(b"", _PARAMETER.sub(value, body))


#: `extern "C"__global__`, which C++11 takes for a literal with a suffix, and hosts let pass.
_GLUED = pattern(rb'\b(extern[ \t]+"C")(__\w)')
#: C's compound literal `(struct point){1, 2}`, which hosts take too: `point{1, 2}`. No parameters:
#: `operator++(int) {`.
_COMPOUND = pattern(
    rb"(?<!operator)(?<!operator )(?<!operator[+-])(?<!operator [+-])"
    rb"((?:[=,({?*/+-]|(?<!:):|\breturn)\s*)"
    rb"(\([ \t]*(?:const[ \t]+)?(?:struct[ \t]+)?)(\w+)([ \t]*\))(?=\s*\{)"
)


#: `F::template f(x)` with deduced arguments, which needs a list of them, if an empty one, by now.
_DEDUCED = pattern(rb"(?<=[:>.])template(?=\s+(?!operator\b)\w+\s*\()")


def as_compiled(text: bytes) -> bytes:
    """What host compilers let pass, as NVRTC takes it. Lines stay, and columns nearly always."""
    text = without_statement_expressions(_GLUED.sub(rb"\1 \2", text))
    text = _COMPOUND.sub(lambda m: m[1] + b" " * len(m[2]) + m[3] + b" " * len(m[4]), text)
    if b"template" in text:
        text = _DEDUCED.sub(b" " * len(b"template"), text)
    return without_own_library(text) if b"__CUDACC_RTC__" in text else text


def rewrite(text: bytes, replacement: Callable[[Include], str | None]) -> bytes:
    """The text with each `#include` pointing to what `replacement` says, or gone if None.

    Lines keep their numbers. `#line` goes too: locations are to be those of the file itself. So do
    questions whether files exist that are none of the sources'.
    """
    text = without_questions(as_compiled(text))
    for include in reversed(includes(text)):
        target = replacement(include)
        directive = b"" if target is None else b"#include " + target.encode()
        newlines = text.count(b"\n", include.start, include.end)
        text = text[: include.start] + directive + b"\n" * newlines + text[include.end :]
    if b"line" in text or re.search(rb"^[^\S\n]*#[^\S\n]*\d", text, re.MULTILINE):
        for match in reversed(list(_DIRECTIVE.finditer(_without_comments(text)))):
            if _LINE.match(_SPLICE.sub(b"", match[1])):
                blank = spaces_for(match[0])
                text = text[: match.start()] + blank + text[match.end() :]
    return text


# --- __CUDACC_RTC__ -------------------------------------------------------------------------------
#
# Sources that NVRTC compiles at run time may bring what they need of C++'s library, as NVRTC has
# none. Ours is there.

_FOR_NVRTC = pattern(
    rb"^[ \t]*#[ \t]*if(?:def\b|\b[^\n!]*defined)[ \t(]*__CUDACC_RTC__", re.MULTILINE
)
_CONDITIONAL = pattern(rb"^[ \t]*#[ \t]*(if|el|endif)", re.MULTILINE)
_NAMESPACE_STD = pattern(rb"\bnamespace\s+std\s*\{")
_BRACE = pattern(rb"[{}]")


def without_own_library(text: bytes) -> bytes:
    """The text without what it adds to namespace std for NVRTC alone. Offsets stay."""
    if not _NAMESPACE_STD.search(text):
        return text
    for match in _FOR_NVRTC.finditer(text):
        end = _end_of_branch(text, match.end())
        for opened in _NAMESPACE_STD.finditer(text, match.end(), end):
            depth = 1
            for brace in _BRACE.finditer(text, opened.end(), end):
                depth += 1 if brace[0] == b"{" else -1
                if not depth:
                    piece = spaces_for(text[opened.start() : brace.end()])
                    text = text[: opened.start()] + piece + text[brace.end() :]
                    break
    return text


def _end_of_branch(text: bytes, start: int) -> int:
    """Where the branch that begins at an offset ends."""
    depth = 0
    for match in _CONDITIONAL.finditer(text, start):
        if match[1] == b"if":
            depth += 1
        elif not depth:
            return match.start()
        elif match[1] == b"endif":
            depth -= 1
    return len(text)


# --- __has_include --------------------------------------------------------------------------------
#
# NVRTC answers it from the machine's own files: its answer would tell a stranger's source what is
# on the machine, and it would be wrong, for headers are given to the compiler from memory. A
# question about a file beside the source stays; one that names an absolute path or climbs with
# `..`, or hides what it names behind a macro, is answered with no.

#: Defined in headers/pre.h as 0, whatever its argument.
NO = b"__perflint_no"
_CONDITION = pattern(
    rb"^[ \t\f\v\r]*(?:\#|%:|\?\?=)[ \t]*(?P<word>if|elif|define)\b(?:[^\n\\]|\\\r?\n|\\.)*",
    re.MULTILINE,
)
_QUESTION = pattern(rb"\b__has_(?:include_next|include|embed)\b(?P<plain>[ \t]*\([ \t]*[\"<])?")
#: The beginning of such a path, in quotes or brackets. `a < /* … */ b` is none.
_PATH = pattern(rb"(?P<open>\"|(?<=[( \t])<)(?=/(?![*/])|\.\./|[^\"<>\s()]*/\.\./)")


def without_questions(text: bytes) -> bytes:
    """The text without questions about what lies outside the sources. Lines keep their numbers."""
    if b"has_" not in text and b"##" not in text and b"\\\n" not in text:
        return text
    return _CONDITION.sub(_answered, text)


def _answered(match: re.Match[bytes]) -> bytes:
    text = _SPLICE.sub(b"", match[0])
    answered = _QUESTION.sub(_plain if match["word"] != b"define" else NO, text)
    answered = _PATH.sub(rb"\g<open>?", answered)
    return match[0] if answered == text else answered + b"\n" * match[0].count(b"\n")


def _plain(match: re.Match[bytes]) -> bytes:
    return match[0] if match["plain"] else NO
