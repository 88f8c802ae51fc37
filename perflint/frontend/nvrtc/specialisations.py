"""Templates as host compilers take them and NVRTC does not.

Specialisations of C++'s library's: `namespace std { template <> struct less<Row> … }`. What
namespace std has of libcu++ it only uses, and a template is specialised where it is declared. And
members of templates that are templates, without the word for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from tree_sitter import Node

from perflint.base.patterns import pattern
from perflint.frontend.nvrtc import syntax
from perflint.frontend.nvrtc.diagnostics import Diagnostic

_REFUSED = pattern(
    r'(?:class|struct) "cuda::std::(?:\w+::)*(\w+)<.*" cannot be specialized in the current scope'
)
_INTO, _BACK = b"}namespace cuda::std{", b"}namespace std{"


#: `using x = typename Traits<T>::rebind<U>`.
_MEMBER_TEMPLATE = pattern(
    rb"\b(?:using\s+\w+\s*=|typedef)\s*typename\s+(?:::\s*)?(?:[A-Za-z_]\w*\s*::\s*)*[A-Za-z_]\w*"
    rb"\s*<(?:[^<>;{}]|<(?:[^<>;{}]|<[^<>;{}]*>)*>)*>\s*::\s*(?=(?!template\b)[A-Za-z_]\w*\s*<)"
)


def with_member_templates(code: bytes) -> bytes:
    """The code with `template` before the member of a template that an alias is given arguments of.

    Of what executes nothing stands behind one.
    """
    return _MEMBER_TEMPLATE.sub(lambda m: m[0] + b"template ", code) if b">::" in code else code


def refused(diagnostics: Iterable[Diagnostic]) -> set[bytes]:
    """The templates of which messages say that they are specialised in the wrong namespace."""
    found = (_REFUSED.match(d.text) for d in diagnostics)
    return {match[1].encode() for match in found if match}


def moved(code: bytes, names: Collection[bytes]) -> bytes:
    """The code with the specialisations of these templates in libcu++'s namespace.

    Lines stay as they are.
    """
    if not names or b"std" not in code or not any(name in code for name in names):
        return code
    for node in reversed(list(_specialisations(syntax.parse(code), names))):
        end = node.end_byte
        end += code[end : end + 1] == b";"
        code = code[: node.start_byte] + _INTO + code[node.start_byte : end] + _BACK + code[end:]
    return code


def _specialisations(node: Node, names: Collection[bytes], of_std: bool = False) -> Iterator[Node]:
    for child in node.children:
        if child.type == "namespace_definition":
            name = child.child_by_field_name("name")
            yield from _specialisations(child, names, name is not None and name.text == b"std")
        elif child.type in syntax.CONTAINERS:
            yield from _specialisations(child, names, of_std)
        elif of_std and _specialised(child) in names:
            yield child


def _specialised(node: Node) -> bytes:
    """The template that a declaration specialises; b"" if it is none."""
    inner = syntax.templated(node)
    if inner.type == "declaration":
        inner = inner.child_by_field_name("type") or inner
    name = inner.child_by_field_name("name") if inner.type in syntax.CLASSES else None
    given = name.child_by_field_name("name") if name and name.type == "template_type" else None
    return given.text or b"" if given is not None and node is not inner else b""
