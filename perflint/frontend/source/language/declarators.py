"""What is declared: names, types, pointers, extents; where variables get values; regions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.language.every_way import ends_program
from perflint.frontend.source.language.model import TemplateParameter
from perflint.frontend.source.language.trees import Source, children_of

if TYPE_CHECKING:
    from tree_sitter import Node

_QUALIFIERS = pattern(
    r"\b(?:const|constexpr|volatile|static|inline|extern|register|struct|typename|mutable"
    r"|__restrict__|__restrict|restrict|__device__|__host__|__constant__|__shared__|__managed__"
    r"|__global__|__forceinline__|__noinline__|thread_local)\b"
)


@dataclass(frozen=True, eq=False)
class Parameter:
    """A function parameter."""

    name: str
    type: str  #: the type's words, without qualifiers and declarator: `float`
    written: str  #: the type as written, `const float *`, without `__restrict__`
    pointers: int
    reference: bool  #: by non-const reference: the callee may write to it
    default: str | None = None


#: What gives a struct an alignment of its own.
ALIGNED = pattern(r"\b(__align__|alignas|__attribute__|__declspec|aligned)\b")


def type_words(text: str) -> str:
    """A written type without qualifiers: `const unsigned  int` is `unsigned int`."""
    return " ".join(_QUALIFIERS.sub(" ", text).replace("*", " ").replace("&", " ").split())


def declarator_of(node: Node | None) -> tuple[Node | None, int, bool, list[Node | None]]:
    """(name, pointers, reference, array extents) of a declarator."""
    pointers, reference, extents = 0, False, []
    while node is not None and node.type not in ("identifier", "field_identifier"):
        if node.type in ("pointer_declarator", "abstract_pointer_declarator"):
            pointers += 1
        elif node.type == "reference_declarator":
            reference = True
        elif node.type == "array_declarator":
            extents.append(node.child_by_field_name("size"))
        elif node.type in ("function_declarator", "qualified_identifier"):
            pointers += 1  # a function pointer; nothing is read from its type
        inner = node.child_by_field_name("declarator")
        if inner is None:
            children = [
                c for c in children_of(node) if "declarator" in c.type or c.type == "identifier"
            ]
            inner = children[-1] if children else None
        node = inner
    return node, pointers, reference, extents[::-1]


def parameter_of(source: Source, node: Node) -> Parameter:
    """Read a parameter_declaration."""
    declarator = node.child_by_field_name("declarator")
    name, pointers, reference, extents = declarator_of(declarator)
    default = node.child_by_field_name("default_value")
    end = default.start_byte if default is not None else node.end_byte
    text = source.slice(node.start_byte, end)
    if default is not None:
        text = text.rstrip().removesuffix("=")
    if name is not None:
        at = len(source.slice(node.start_byte, name.start_byte))
        length = len(source.text_of(name))
        text = text[:at] + " " + text[at + length :]
    text = re.sub(r"\b(?:__restrict__|__restrict|restrict)\b", " ", text)
    written = re.sub(r"\s*\*\s*", " *", " ".join(text.split())).strip()
    kind = node.child_by_field_name("type")
    return Parameter(
        source.text_of(name) if name is not None else "",
        type_words(source.text_of(kind)) if kind is not None else "",
        written.replace("* *", "**").replace("( *", "(*"),
        pointers + len(extents),
        reference and "const" not in written.split(),
        source.text_of(default) if default is not None else None,
    )


def without_arguments(name: str) -> str:
    """A qualified name without lists of template arguments."""
    while (shorter := re.sub(r"<[^<>]*>", "", name)) != name:
        name = shorter
    return name


def template_parameters(source: Source, node: Node | None) -> tuple[TemplateParameter, ...]:
    """The parameters of a template_declaration; () for none."""
    return tuple(
        _template_parameter(source, child)
        for child in children_of(
            node.child_by_field_name("parameters") if node is not None else None
        )
    )


def _template_parameter(source: Source, node: Node) -> TemplateParameter:
    default = node.child_by_field_name("default_value") or node.child_by_field_name("default_type")
    type_ = node.child_by_field_name("type")
    kind = "template" if node.type.startswith("template") else "value"
    name = declarator_of(node.child_by_field_name("declarator"))[0]
    if "type_parameter" in node.type:
        kind, type_ = "type", None
        names = [c for c in children_of(node) if c.type == "type_identifier"]
        name = names[0] if names else node.child_by_field_name("name")
    elif name is None:
        names = [c for c in children_of(node) if c.type == "identifier"]
        name = names[-1] if names else None
    if kind == "value" and name is not None and _is_constrained(source, node, type_, name):
        kind, type_ = "type", None
    named = re.search(r"(\w+)\s*(?:=[^>]*)?$", source.text_of(node)) if kind == "template" else None
    return TemplateParameter(
        named[1] if named else source.text_of(name) if name is not None else "",
        " ".join(source.text_of(node).split()),
        kind,
        source.text_of(type_) if type_ is not None else "",
        source.text_of(default) if default is not None else None,
    )


#: The library's concepts that take one type alone ([concepts.syn]).
_CONCEPT = pattern(
    r"std\s*::\s*(?:(?:un)?signed_integral|integral|floating_point|movable|copyable|semiregular"
    r"|regular|equality_comparable|totally_ordered|destructible|default_initializable)"
)


def _is_constrained(source: Source, node: Node, type_: Node | None, name: Node) -> bool:
    """Whether a template's parameter is a type that a concept constrains: `std::integral T`.

    A concept of the project's own is told by a parameter of the function, whose type it is.
    """
    if type_ is None or type_.type == "primitive_type":
        return False
    if _CONCEPT.fullmatch(source.text_of(type_)):
        return True
    template = node.parent.parent if node.parent is not None else None
    found = template.named_children[-1] if template is not None else None
    while found is not None and found.type != "function_declarator":
        found = found.child_by_field_name("declarator")
    listed = found.child_by_field_name("parameters") if found is not None else None
    types = (each.child_by_field_name("type") for each in children_of(listed))
    return source.text_of(name) in (source.text_of(t) for t in types if t is not None)


# --- definitions and regions ----------------------------------------------------------------------

_LEAVES = ("return_statement", "break_statement", "throw_statement")


_SPACES = {"__shared__": "shared", "__constant__": "constant", "__device__": "global"}


_CASE_LIMIT = 5_000


@dataclass(frozen=True, eq=False)
class Definition:
    """One place where a variable gets a value, or may."""

    name: str
    start: int  #: byte offset
    member: str | None = None  #: `x` in `block.x = 4`
    value: Node | None = None  #: the value's expression, argument list or initialiser list
    known: bool = True  #: False: written in a way that tells nothing of the value
    declares: bool = False
    type: str = ""  #: the declared type's words
    pointers: int = 0
    extents: tuple[Node | None, ...] = ()
    constant: bool = False  #: const or constexpr
    reference: bool = False  #: another name, of what it is declared with
    static: bool = False
    elsewhere: bool = False  #: `extern`, or a class's static member: what it is made of is not here
    space: str = ""  #: `shared`, `constant`, `global` by `__shared__` and its kin
    scope_end: int = 0  #: for declarations: where the name goes out of scope
    call: Node | None = None  #: the call that writes to it through a reference or pointer
    position: int = 0  #: which of that call's arguments it is
    step: Node | None = None  #: `n *= 2`, `++n`: what changes the value that it had
    element: bool = False  #: `v[i] = 4`: what is written is a part of it
    part: str = ""  #: `n` of `a[i].n = 4`
    pitch: bool = False  #: the distance of rows of `value` bytes
    kept: bool = False  #: `{"-n", &a.n}`: a table has its address, through which it may be written


#: A variable, and the path to a member of it.
_NAMED = pattern(r"(\w+)((?:(?:\.|->)\w+)*)")


@dataclass(frozen=True, eq=False)
class Region:
    """Code that runs under a condition, any number of times, or later."""

    kind: str  #: `then`, `else`, `loop`, `case`, `lambda`, `other`
    start: int
    end: int
    node: Node
    group: int = 0  #: the statement it belongs to
    leaves: bool = False  #: control never falls out of its end


def declared(source: Source, node: Node, scope_end: int) -> list[Definition]:
    """The variables of a declaration."""
    kind = node.child_by_field_name("type")
    if kind is None:
        return []
    words = type_words(source.text_of(kind))
    head = set(source.slice(node.start_byte, kind.start_byte).split())
    head |= {source.text_of(c) for c in node.children if c.type == "type_qualifier"}
    space = next((s for word, s in _SPACES.items() if word in head), "")
    result = []
    for child in node.children_by_field_name("declarator"):
        value = child.child_by_field_name("value")
        inner = (
            child.child_by_field_name("declarator") if child.type == "init_declarator" else child
        )
        if inner is not None and value is None and (given := made_of(node, child)) is not None:
            value, inner = given, inner.child_by_field_name("declarator")
        name, pointers, reference, extents = declarator_of(inner)
        if name is None:
            continue
        if node.type == "field_declaration":
            value = default_value(node, child)
        result.append(
            Definition(
                source.text_of(name),
                child.start_byte,
                value=value,
                known=not reference or "const" in head,
                declares=True,
                type=words,
                pointers=pointers,
                extents=tuple(extents),
                constant=bool(head & {"const", "constexpr"}),
                reference=reference,
                static="static" in head,
                elsewhere=value is None
                and bool(head & ({"static"} if node.type == "field_declaration" else {"extern"})),
                space=space,
                scope_end=scope_end,
            )
        )
        if reference and "const" not in head and value is not None:
            # Through `int &alias = n`, n may change unseen; through `dim3 &b = g.block`, g.block
            named = _NAMED.fullmatch(source.text_of(value))
            if named is not None and value.type in ("identifier", "field_expression"):
                member = named[2].replace("->", ".")[1:] or None
                at = child.start_byte
                result.append(Definition(named[1], at, known=False, member=member))
    return result


def made_of(node: Node, declarator: Node) -> Node | None:
    """The list of what a variable is made of, where that reads as a function's parameters.

    `dim3 grid(w, h)` and `T a(n)` with names for arguments, and of a template's type also
    `std::vector<float> a(n * m)`: nobody declares functions that return one inside of others.
    """
    kind = node.child_by_field_name("type")
    if kind is None or declarator.type != "function_declarator":
        return None
    parameters = declarator.child_by_field_name("parameters")
    return parameters if kind.text == b"dim3" or _is_made(node, parameters) else None


def _is_made(node: Node, parameters: Node | None) -> bool:
    """Whether what reads as a function's declaration in a body makes a variable of other names."""
    if node.parent is None or node.parent.type != "compound_statement" or parameters is None:
        return False
    given = [c for c in parameters.children if c.is_named and c.type != "comment"]
    kind = node.child_by_field_name("type")
    most = 2 if kind is not None and kind.type != "type_identifier" else 1
    return bool(given) and all(
        each.type == "parameter_declaration"
        and each.named_child_count <= most
        and each.named_children[0].type in ("type_identifier", "qualified_identifier")
        and all(_is_product(other) for other in each.named_children[1:])
        for each in given
    )


def _is_product(declarator: Node) -> bool:
    """`* m`, as the second half of `n * m`."""
    inner = declarator.child_by_field_name("declarator")
    is_name = inner is not None and inner.type == "identifier"
    return declarator.type == "pointer_declarator" and is_name


def is_method(declarator: Node) -> bool:
    """Whether a declarator in a struct is a method's, and no pointer to a function."""
    return declarator.type == "function_declarator" and not any(
        c.type == "parenthesized_declarator" for c in declarator.children
    )


def default_value(member: Node, declarator: Node) -> Node | None:
    """The initialiser of one of a member declaration's declarators: `int a = 1, b = 2;`"""
    following = member.children[member.children.index(declarator) + 1 :]
    value = next((c for c in following if c.type in (",", ";") or c.is_named), None)
    if value is not None and value.type == "bitfield_clause":
        return None
    return value if value is not None and value.is_named else None


def shifted(node: Node) -> list[Node]:
    """The right operands of `stream >> a >> b`."""
    result = []
    current: Node | None = node
    while current is not None and current.type == "binary_expression":
        right = current.child_by_field_name("right")
        if right is not None:
            result.append(right)
        current = current.child_by_field_name("left")
    return result


_WHOLE_REGIONS = {
    **{"while": "loop", "do": "loop", "range": "loop", "lambda": "lambda"},
    **{"catch": "other", "preproc": "other", "conditional": "other"},
}


def regions_of(source: Source, found: dict[str, list[Node]]) -> list[Region]:
    """The regions of a function, from its captured statements, in text order."""
    result = []
    for node in found.get("if", ()):
        for kind, part in (("then", "consequence"), ("else", "alternative")):
            child = node.child_by_field_name(part)
            if child is not None:
                leaves = _leaves(source, child)
                result.append(Region(kind, child.start_byte, child.end_byte, node, node.id, leaves))
    for node in found.get("for", ()):
        first = node.child_by_field_name("initializer")
        start = first.end_byte if first is not None else node.start_byte
        result.append(Region("loop", start, node.end_byte, node, node.id))
    for node in found.get("case", ())[:_CASE_LIMIT]:
        parent = node.parent
        group = parent.id if parent is not None else node.id
        leaves = _leaves(source, node)
        result.append(Region("case", node.start_byte, node.end_byte, node, group, leaves))
    for name, kind in _WHOLE_REGIONS.items():
        result += (
            Region(kind, node.start_byte, node.end_byte, node, node.id)
            for node in found.get(name, ())
        )
    return sorted(result, key=lambda r: (r.start, -r.end))


def _leaves(source: Source, node: Node) -> bool:
    """Whether a statement ends in return, break, throw or exit()."""
    for _ in range(8):
        children = children_of(node)
        if node.type in _LEAVES:
            return True
        if node.type == "expression_statement" and children:
            return ends_program(node, source)
        if node.type not in ("compound_statement", "else_clause", "case_statement") or not children:
            return False
        node = children[-1]
    return False
