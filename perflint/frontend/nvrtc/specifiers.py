"""Macros that stand for specifiers or for nothing, or for a function's body.

`API float f();`, `struct EXPORT vec { … };`, `__global__ void BOUNDS(256, 2) k() { … }`,
`auto size() const RETURNS(n)`.

A parser that does not know them takes them for a type or a function, or what follows for the body.
In a set of such macros those of bodies stand twice, once with `{}` behind the name. Those of whole
classes, which are given members, stand with `;` behind it: `COPYABLE(vec, vec(const vec &) {})`.
Those that open or close namespaces stand with `{` or `}` behind it, and not without.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from perflint.base.patterns import pattern
from perflint.base.text_lines import spaces_for
from perflint.frontend.nvrtc.conditionals import without_conditionals
from perflint.frontend.source.language.trees import LAMBDA_SPECIFIERS

#: `#define NAME`, its parameters if it has any, and what follows.
_DEFINE = pattern(
    rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(?!\w)(\([^()\n]*\))?((?:[^\n\\]|\\\r?\n|\\.)*)",
    re.MULTILINE,
)
#: What an attribute or a macro is given: brackets nest twice at most.
_GIVEN = rb"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_COMMENT = pattern(rb"//[^\n]*|/\*.*?(?:\*/|\Z)|\\\r?\n", re.DOTALL)
#: What says nothing of a declaration's shape.
_SPECIFIER = pattern(
    rb"__(?:global|device|host|forceinline|noinline|inline|constant)__|__inline|__forceinline"
    rb"|\b(?:inline|static|extern|constexpr|const|noexcept|explicit)\b|\"C\""
    rb"|^\s*#\s*pragma[^\n]*|_Pragma\s*\([^()]*\)|__attribute__\s*\(\([^()]*(?:\([^()]*\)[^()]*)*\)\)"
    rb"|\[\[[^\[\]]*\]\]|(?:__declspec|__align__|__launch_bounds__)\s*" + _GIVEN + rb"|\s+"
)
#: A macro's use, with what it is given if it takes anything.
_USE = pattern(rb"([A-Za-z_]\w*)(?:\s*" + _GIVEN + rb")?")
#: A directive, which is left as it is, or a word.
_DIRECTIVE_OR_WORD = pattern(rb"^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*|\b[A-Za-z_]\w*\b", re.MULTILINE)
#: `(256, 2)` behind a macro's name, but not `(*pointer)`.
_ARGUMENTS = pattern(rb"\s*(?!\(\s*[*&])" + _GIVEN)

_OF_LAMBDA = pattern(LAMBDA_SPECIFIERS.encode())

_LAST_WORD = pattern(rb"(?<![#\w])([A-Za-z_]\w*)(?:\s*" + _GIVEN + rb")?\s+\Z")
_OPEN = pattern(rb"\s*\(")
_BRACKET = pattern(rb"[()]")
#: The body of a function, with what may stand before one: `-> decltype(x) { return x; }`.
_BODY = pattern(
    rb"\s*(?:(?:noexcept|requires|override|final)\b[^{}]*|->[^{}]*)?\{.*\}\s*", re.DOTALL
)
_OF_BODY = b"{}"
#: A class with members of the macro's parameters, or what a macro makes of them.
_CLASS = pattern(rb"\b(?:class|struct|union)\b[^;{}]*\{.*\}[^{}]*\Z", re.DOTALL)
_OF_CLASS = b";"
#: `namespace a {`, `extern "C" {`, `}`, `using namespace a;`: scopes, and no declaration in them.
_SCOPE = pattern(
    rb"(?:\b(?:inline\s+)?namespace\b[\w\s:()\"]*\{|\bextern\s*\"C(?:\+\+)?\"\s*\{|\}"
    rb"|\busing\s+namespace\b[\w\s:]*;|\s+)+"
)
_OPENS, _CLOSES = b"{", b"}"
#: A further branch of a row of conditions: `CASE(4) CASE(8) else { … }`. The row is one without it.
_BRANCH = pattern(rb"\s*else\b")
_WORD = pattern(rb"[A-Za-z_]\w*")
#: Bytes before a declaration that are looked at: a macro's name and an indent.
_REACH = 200


#: CUDA's own, with arguments, that the parser's grammar does not know (CUDA C++ guide, 5.1, 5.3).
_UNKNOWN = (b"__cluster_dims__", b"__block_size__", b"__maxnreg__", b"__align__")

#: C++'s own words, which a parser knows: that old compilers are given `#define constexpr` says
#: nothing of `if constexpr (a)`.
_KEYWORDS = frozenset(
    b"const constexpr explicit extern final friend inline mutable noexcept override register "
    b"static static_assert thread_local typename virtual volatile".split()
)


def specifier_macros(texts: Iterable[bytes]) -> frozenset[bytes]:
    """The macros whose every definition in these texts is of specifiers alone, or is empty."""
    bodies: dict[bytes, list[bytes]] = {}
    classes: set[bytes] = set()
    texts = tuple(texts)
    for text in texts:
        for name, parameters, body in _DEFINE.findall(text):
            if name in _KEYWORDS:
                continue
            bodies.setdefault(name, []).append(_COMMENT.sub(b" ", body))
            if parameters and _is_given_members(parameters, bodies[name][-1]):
                classes.add(name)
    found = {name for name in _UNKNOWN if any(name in text for text in texts)}
    found |= {n for n, left in bodies.items() if all(_BRANCH.match(body) for body in left)}
    endings = {n for n, left in bodies.items() if all(_BODY.fullmatch(body) for body in left)}
    rest = {n: [_SPECIFIER.sub(b" ", body) for body in left] for n, left in bodies.items()}
    while more := {
        name for name, left in rest.items() if name not in found and _are_nothing(left, found)
    }:
        found |= more
    marked = {name + _OF_BODY for name in endings} | {name + _OF_CLASS for name in classes - found}
    marked |= _of_scopes(bodies, found)
    return frozenset(found | endings | marked)


def _of_scopes(bodies: Mapping[bytes, Sequence[bytes]], nothing: Collection[bytes]) -> set[bytes]:
    """The macros whose every definition only opens or closes scopes, marked by which it does."""
    found: dict[bytes, bytes] = {}

    def without(match: re.Match[bytes]) -> bytes:
        return b" " if match[1] in found or match[1] in nothing else match[0]

    def is_one(body: bytes) -> bool:
        left = _SPECIFIER.sub(b" ", _SCOPE.sub(b" ", body))
        return not _USE.sub(without, left).strip()

    while more := {
        name: _CLOSES if all(map(_closes(found).fullmatch, left)) else _OPENS
        for name, left in bodies.items()
        if name not in found and name not in nothing and all(map(is_one, left))
    }:
        found |= more
    return {name + mark for name, mark in found.items()}


def _closes(found: Mapping[bytes, bytes]) -> re.Pattern[bytes]:
    """Finds bodies that only close scopes, by themselves or by these macros."""
    names = (re.escape(name) for name, mark in found.items() if mark == _CLOSES)
    return re.compile(rb"(?:%s)*" % b"|".join((rb"\}|\s", *(rb"\b%s\b" % n for n in names))))


def begins_with_scope(line: bytes, specifiers: frozenset[bytes]) -> bool:
    """Is the first word of a line a macro that opens or closes namespaces?"""
    word = _WORD.match(line.lstrip())
    return word is not None and not specifiers.isdisjoint((word[0] + _OPENS, word[0] + _CLOSES))


def _is_given_members(parameters: bytes, body: bytes) -> bool:
    """Does a macro make a class in which one of its parameters is a declaration of its own?"""
    if b"{" not in body or not _CLASS.search(body):
        return False
    names = b"|".join(_WORD.findall(parameters)) or b"__VA_ARGS__"
    alone = rb"[;:}{]\s*(?:%s)\s*(?:[A-Za-z_~}]|\Z)" % names
    return re.search(alone, body) is not None


@lru_cache(maxsize=512)
def mentioned(specifiers: frozenset[bytes], words: frozenset[bytes]) -> frozenset[bytes]:
    """Those of these macros that are among a text's words."""
    marks = (_OF_BODY, _OF_CLASS, _OPENS, _CLOSES)
    marked = {word + mark for word in words for mark in marks} & specifiers
    return (specifiers & words) | marked


def _are_nothing(bodies: Iterable[bytes], specifiers: Collection[bytes]) -> bool:
    """Do bodies without their specifiers consist of macros that are such themselves?"""

    def without(match: re.Match[bytes]) -> bytes:
        return b" " if match[1] in specifiers else match[0]

    return all(not _USE.sub(without, body).strip() for body in bodies)


def for_parser(text: bytes, specifiers: frozenset[bytes]) -> bytes:
    """The text as a parser understands it best. Offsets stay."""
    plain = without_lambda_specifiers(text)
    return without_conditionals(without_specifiers(plain, specifiers))


def without_lambda_specifiers(text: bytes) -> bytes:
    """The text without what says where a lambda runs, which NVRTC takes of none.

    In device code it runs there without saying so. Offsets stay.
    """
    if b"__device__" not in text and b"__host__" not in text:
        return text
    return _OF_LAMBDA.sub(lambda m: spaces_for(m[0]), text)


@lru_cache(maxsize=64)
def without_specifiers(text: bytes, specifiers: frozenset[bytes]) -> bytes:
    """The text for a parser, with spaces in the place of these macros. Offsets stay."""
    if not specifiers:
        return text

    pieces, position, opened = [], 0, 0
    for match in _DIRECTIVE_OR_WORD.finditer(text):
        of_class = match[0] + _OF_CLASS in specifiers
        opens, closes = match[0] + _OPENS in specifiers, match[0] + _CLOSES in specifiers
        # One that closes what no such macro has opened is something else's end.
        of_scope = opens or (closes and opened > 0)
        if match.start() < position or not (of_class or of_scope or match[0] in specifiers):
            continue
        opened += opens - (closes and of_scope)
        given = _OPEN.match(text, match.end())
        if of_class and given:
            end = closing(text, given.end()) or given.end()
            end += len(text[end : end + 1]) if text[end : end + 1] == b";" else 0
            pieces += [text[position : match.start()], spaces_for(text[match.start() : end])]
            position = end
            continue
        arguments = _ARGUMENTS.match(text, match.end())
        end = arguments.end() if arguments else match.end()
        if is_body := match[0] + _OF_BODY in specifiers:
            end = (closing(text, given.end()) if given else None) or end
        use = spaces_for(text[match.start() : end])
        if is_body:
            use = b"{" + use[1:-1] + b"}"
        pieces += [text[position : match.start()], use]
        position = end
    return b"".join((*pieces, text[position:]))


def with_specifiers(text: bytes, start: int, specifiers: frozenset[bytes]) -> int:
    """Where a declaration with these macros starts, which a parser sees at `start`."""
    if not specifiers:
        return start
    while match := _LAST_WORD.search(text, max(0, start - _REACH), start):
        line = text[text.rfind(b"\n", 0, match.start()) + 1 : match.start()]
        if match[1] not in specifiers or line.lstrip().startswith(b"#"):
            break
        if match[1] + _OF_BODY in specifiers:
            break
        start = match.start()
    return start


def closing(code: bytes, start: int) -> int | None:
    """Behind the bracket that closes the one before `start`; None if there is none."""
    depth = 1
    for match in _BRACKET.finditer(code, start):
        depth += 1 if match[0] == b"(" else -1
        if depth == 0:
            return match.end()
    return None
