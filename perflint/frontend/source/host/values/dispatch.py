"""Types and constants that a dispatch macro declares around code that is its argument.

`AT_DISPATCH_FLOATING_TYPES(t, "k", [&] { k<scalar_t><<<…>>>(…); })` makes `scalar_t` each of some
types in turn, and so does a project's own `switch` in a macro. The macro is expanded with a mark at
the place asked about; what is declared before the mark, in the braces around it, is in scope there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice, pairwise, product

from perflint.base.patterns import pattern
from perflint.frontend.source.language.macros import ExpansionError, Macro, expand
from perflint.frontend.source.language.tokens import Token, spell, split, tokenize, without_comments
from perflint.frontend.source.project.files import File

_HERE = Token("name", "__perflint_here")
#: Text before a place that is looked at for macros that hold it.
_REACH = 60_000
#: Alternatives that are kept: those to try first, and those for a kernel that refuses these.
_FIRST, _SPARE, _WAYS = 4, 6, 256
#: Brackets around a place whose alternatives are multiplied.
_NESTED = 6
_OPEN = {"(": ")", "[": "]", "{": "}"}

#: PyTorch's element types by the names of `at::ScalarType` (c10/core/ScalarType.h).
_SCALARS = {
    "Float": "float", "kFloat": "float", "Half": "at::Half", "kHalf": "at::Half",
    "BFloat16": "at::BFloat16", "kBFloat16": "at::BFloat16", "Double": "double",
    "kDouble": "double", "Byte": "uint8_t", "kByte": "uint8_t", "Char": "int8_t",
    "kChar": "int8_t", "Short": "int16_t", "kShort": "int16_t", "Int": "int", "kInt": "int",
    "Long": "int64_t", "kLong": "int64_t", "Bool": "bool", "kBool": "bool",
    "ComplexFloat": "c10::complex<float>", "ComplexDouble": "c10::complex<double>",
    "ComplexHalf": "c10::complex<at::Half>",
}  # fmt: skip
#: PyTorch's dispatch macros, and a project's own like them, out of sight.
_LIKE_PYTORCH = pattern(r"AT_DISPATCH_|\w+_DISPATCH_\w*TYPES")
#: What a word in an AT_DISPATCH macro's name stands for (ATen/Dispatch.h), in our order.
_SETS = (
    ("REDUCED_FLOATING", ("at::Half", "at::BFloat16")),
    ("FLOATING", ("float", "double")),
    ("ALL", ("float", "double", "int", "int64_t", "int16_t", "int8_t", "uint8_t")),
    ("INTEGRAL", ("int", "int64_t", "int16_t", "int8_t", "uint8_t")),
    ("COMPLEX", ("c10::complex<float>", "c10::complex<double>")),
)
#: Which types are tried first.
_ORDER = (
    *("float", "at::Half", "at::BFloat16", "double", "int64_t", "int", "int32_t", "int16_t"),
    *("int8_t", "uint8_t", "bool", "c10::complex<float>", "c10::complex<double>"),
)
_SPELLINGS = {
    "half": "at::Half", "__half": "at::Half", "c10::Half": "at::Half", "torch::Half": "at::Half",
    "c10::BFloat16": "at::BFloat16", "__nv_bfloat16": "at::BFloat16",
    "nv_bfloat16": "at::BFloat16", "torch::BFloat16": "at::BFloat16",
}  # fmt: skip

#: Of c10/macros/Macros.h: what projects' own dispatch macros are made with.
_PYTORCH_MACROS = {
    "C10_CONCATENATE": Macro("C10_CONCATENATE", tuple(tokenize("a ## b")), ("a", "b")),
}

Names = Mapping[str, str]


class Alternatives(tuple[Names, ...]):
    """What names may stand for at a place, the ways to try first in front."""

    first: int = 0  #: how many are to be tried first
    key: object = None  #: the same for all places inside one macro's use


def alternatives_at(file: File, start: int, at: int) -> Alternatives:
    """The names that macros around a byte offset declare there; `start` is the function's."""
    known: dict[tuple[int, int], Alternatives] = file.__dict__.setdefault("_dispatch", {})
    if (start, at) not in known:
        known[start, at] = _alternatives(file, start, at)
    return known[start, at]


def _alternatives(file: File, start: int, at: int) -> Alternatives:
    start = max(start, at - _REACH)
    macros = {**_PYTORCH_MACROS, **file.macros_at(at)}
    if not any(_dispatches(name, macros) for name in file.called_between(start, at)):
        return Alternatives()
    if _is_plain(file, start, at, macros):
        return Alternatives()
    written = file.source.written[start:at].decode("utf-8", "replace")
    tokens = tokenize(without_comments(written))
    around: list[int] = []
    for index, token in enumerate(tokens):
        if token.text in _OPEN:
            around.append(index)
        elif token.text in _OPEN.values() and around:
            around.pop()
    opened = (i for i in around if i and tokens[i].text == "(")
    uses = [i for i in opened if _dispatches(tokens[i - 1].text, macros)]
    if not uses:
        return Alternatives()
    layers: list[Sequence[Names]] = [_scopes([*tokens[uses[0] - 1 :], _HERE])]
    for index in reversed(uses):
        macro = macros.get(tokens[index - 1].text)
        if macro is not None:
            layers.insert(0, _around(tokens[index - 1 :], macro, macros) or [{}])
    ways = islice(product(*layers), _WAYS)
    found = [{k: v for names in way for k, v in names.items()} for way in ways]
    return _ordered(found, (file.path, start, uses[0]))


def _is_plain(file: File, start: int, at: int, macros: Mapping[str, Macro]) -> bool:
    """Whether the parser sees a place in no brackets that a macro's name may stand before.

    It does not see those of macros whose arguments are statements: they are read without them.
    """
    if file.source.written[start:at] != file.source.bytes[start:at]:
        return False
    node = file.source.tree.root_node.descendant_for_byte_range(at, at)
    while node is not None and node.start_byte == at:
        node = node.parent
    while node is not None:
        if node.type in ("ERROR", "parameter_list", "function_declarator"):
            return False
        called = node.child_by_field_name("function") if node.type == "call_expression" else None
        if called is not None and _dispatches(file.source.text_of(called), macros):
            return False
        node = node.parent
    return True


def _around(tokens: Sequence[Token], macro: Macro, macros: Mapping[str, Macro]) -> Sequence[Names]:
    """What a macro declares around its last argument, of whose use these are the first words."""
    given = split(tokens[2:])
    named = given[: max(0, len(macro.parameters or ()) - 1)]
    commas = [t for part in named[: len(given) - 1] for t in (*part, Token("mark", ","))]
    use = [*tokens[:2], *commas, _HERE, Token("mark", ")")]
    try:
        return _scopes(expand(use, macros))
    except ExpansionError:
        return ()


def _dispatches(name: str, macros: Mapping[str, Macro]) -> bool:
    macro = macros.get(name)
    if macro is not None:
        return macro.known and macro.parameters is not None
    return _LIKE_PYTORCH.match(name) is not None


def _ordered(found: Sequence[Names], key: object) -> Alternatives:
    distinct = list({tuple(sorted(names.items())): names for names in found if names}.values())
    ranked = sorted(distinct, key=_rank)
    first = [n for n in ranked if _rank(n) == _rank(ranked[0])][:_FIRST]
    rest = [n for n in ranked if n not in first]
    result = Alternatives((*first, *rest[:_SPARE]))
    result.first, result.key = len(first), ("dispatch", key, len(result))
    return result


def _rank(names: Names) -> int:
    """How late to try these: `float` first."""
    plain = (_SPELLINGS.get(text, text) for text in names.values())
    return sum(_ORDER.index(text) for text in plain if text in _ORDER)


def _scopes(tokens: Sequence[Token]) -> list[Names]:
    """What is declared in the brackets around each mark, before it."""
    frames: list[list[dict[str, str]]] = [[{}]]
    found: list[Names] = []
    index = 0
    while index < len(tokens) and len(found) < 64:
        word = tokens[index].text
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if _LIKE_PYTORCH.match(word) and following == "(":
            frames.append(_types(word, tokens[index + 2 :]))
            index += 1
        elif word in _OPEN:
            frames.append([{}])
        elif word in _OPEN.values():
            if len(frames) > 1:
                frames.pop()
        elif word == _HERE.text:
            outer = [f[0] for f in frames[:-_NESTED]]
            ways = product(*frames[-_NESTED:])
            found += [{k: v for names in (*outer, *way) for k, v in names.items()} for way in ways]
        elif word in ("using", "typedef", "const", "constexpr", "static"):
            end = _statement(tokens, index)
            declared = _declared(tokens[index:end])
            if declared is not None:
                for names in frames[-1]:
                    names[declared[0]] = declared[1]
                index = end
        index += 1
    return found


def _statement(tokens: Sequence[Token], start: int) -> int:
    """The index of the `;` that ends a declaration, or of what cannot be in one."""
    depth = 0
    for index in range(start, len(tokens)):
        text = tokens[index].text
        depth += (text in _OPEN) - (text in _OPEN.values())
        if depth < 0 or text == _HERE.text or (text == ";" and depth == 0):
            return index
    return len(tokens)


def _declared(tokens: Sequence[Token]) -> tuple[str, str] | None:
    """(name, what it stands for) of `using T = float`, `typedef float T`, `const int n = 4`."""
    words = [t.text for t in tokens]
    if words[0] == "using":
        return (words[1], spell(tokens[3:])) if words[2:3] == ["="] else None
    if words[0] == "typedef":
        return (words[-1], spell(tokens[1:-1])) if len(words) > 2 else None
    for mark in ("=", "{"):
        if mark in words:
            at = words.index(mark)
            if at < 2 or tokens[at - 1].kind != "name" or "*" in words[:at]:
                return None
            return words[at - 1], spell(tokens[at + 1 : len(tokens) - (mark == "{")])
    return None


def _types(macro: str, arguments: Sequence[Token]) -> list[dict[str, str]]:
    """What one of PyTorch's dispatch macros makes of `scalar_t` or `index_t`."""
    if macro.startswith("AT_DISPATCH_INDEX_TYPES"):
        return [{"index_t": "int64_t"}, {"index_t": "int32_t"}]
    extra: list[str] = []
    for previous, token in pairwise(arguments):
        if token.text in ("[", "{") or token.kind == "string":
            break
        if previous.text in ("::", ",", "(") and token.text in _SCALARS:
            extra.append(_SCALARS[token.text])
    if arguments and arguments[0].text in _SCALARS:
        extra.insert(0, _SCALARS[arguments[0].text])
    if macro.startswith(("AT_DISPATCH_CASE", "AT_DISPATCH_SWITCH")) and "TYPES" not in macro:
        return [{"scalar_t": t} for t in extra] if macro == "AT_DISPATCH_CASE" and extra else [{}]
    types = next((list(types) for word, types in _SETS if word in macro), [])
    if "COMPLEX" in macro and not macro.startswith("AT_DISPATCH_COMPLEX"):
        types.append("c10::complex<float>")
    named = re.findall(r"HALF|BFLOAT16|BOOL", macro)
    types += [{"HALF": "at::Half", "BFLOAT16": "at::BFloat16", "BOOL": "bool"}[n] for n in named]
    names = list(dict.fromkeys((*types, *extra)))
    return [{"scalar_t": t} for t in names] or [{"scalar_t": "float"}]
