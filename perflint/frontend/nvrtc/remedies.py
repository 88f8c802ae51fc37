"""What can be done about a compiler's messages short of taking code out.

Each remedy changes the session and tells whether it did anything.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.build_files import cuda_standard
from perflint.frontend.cccl import LIBRARIES, headers_of, known_headers, unqualified
from perflint.frontend.known_headers import LEGACY, LEGACY_NAMES, remedy
from perflint.frontend.nvrtc.blank import Cut
from perflint.frontend.nvrtc.diagnostics import Diagnostic
from perflint.frontend.nvrtc.enclosing_declaration import Declaration
from perflint.frontend.nvrtc.session import NAMES, Session, own_headers, words_of_prelude
from perflint.frontend.nvrtc.specialisations import refused

#: NVRTC's own name for the list of name expressions.
NAME_MAP = "__nv_name_map"
_REFUSED = pattern(r'Input name expression was: "(.*)"')
_RUNTIME = "cuda_device_runtime_api.h"
#: What host code calls, too.
_RUNTIMES = frozenset({_RUNTIME, "device_sync.h"})
#: Errors in a header of the host's beyond which it is left out whole.
_MANY = 5
#: Declarations in headers of the host's that are refused and left out by themselves, how often.
_FEW, _ROUNDS_OF_FEW = 3, 2
_MACRO_USE = pattern(rb"\s*\w+\s*\([^;{}=]*\)\s*;?\s*")
#: Rounds in which names come back one by one before all do.
_TURNS_BACK = 4
#: Our stand-ins for classes of C++'s library that only the host has.
_HOST_CLASSES = "host_std.h"
_HOST_CLASS = pattern(
    r"\bstd\s*::\s*(?:w?string|string_view|hash|vector|deque|queue|stack|priority_queue|(?:forward_)?list"
    r"|(?:unordered_)?(?:multi)?(?:map|set)|function|unique_ptr|shared_ptr|weak_ptr|thread|any"
    r"|(?:shared_|recursive_|timed_|shared_timed_)?mutex|(?:unique|shared|scoped)_lock|lock_guard|future"
    r"|promise|condition_variable|once_flag|enable_shared_from_this|[io]?f?stream|[io]?stringstream"
    r"|type_index|locale|error_code|tm|allocator(?:_traits)?|filesystem"
    r"|exception|\w+_error|invalid_argument|out_of_range|bad_\w+|random_device|mt19937\w*"
    r"|default_random_engine|minstd_rand|(?:uniform_\w+|normal)_distribution)\b"
)
_OF_STD = pattern(r"(?<![\w:])(?:::)?std::([a-z]\w*)")
_NO_CODE = pattern(
    r"//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|^[ \t]*#[ \t]*(?!define)[^\n]*",
    re.DOTALL | re.MULTILINE,
)
_OF_NAMESPACE = 'name followed by "::" must be a class or namespace name'
_NOT_A_TYPE = pattern(r'"?(\w+)"? is not a (?:template|type name)')
_INCOMPLETE = pattern(r'incomplete type "(\w+)"')
#: A pointer to the one 64-bit type where one to the other is expected, or what is there for both.
_LONG = pattern(
    r'argument of type "(?:const )?u?int64_t \*".* "(?:const )?(?:unsigned )?long \*"'
    r'|(?:function|class|struct) "[^"]*\b(?:u?int64_t|long long)\b[^"]*" has already been defined'
)
#: What is there for either: a specialisation, `template <> struct of<long long>`, or the use of a
#: macro, `X(int64_t)`.
_FOR_BOTH = pattern(
    rb"(?:\b([A-Z_][A-Z0-9_]*)\s*\(|\btemplate\s*<\s*>[^;{}()<>]*\b(\w+)\s*<)"
    rb"\s*(?:(?:std::)?(u?int64_t)|(?:signed |unsigned )?long long(?: int)?)\s*[,>)]"
)
_A_LONG = pattern(rb"\blong\b(?!\s+(?:long|double)\b)")
#: Headers that declare these types themselves.
_SIZED = ("cuda/", "cub/", "thrust/", "perflint/thrust", "perflint/cub", "perflint/std")
#: What only C++20 has, and host compilers let pass before.
_NEWER = pattern(r"[{,]\s*\.[A-Za-z_]\w*\s*[={]|\b(?:concept|requires|consteval|constinit)\b")
#: What a host compiler of C++20 takes for a type, and what it calls in C++17.
_TYPE_WITHOUT_WORD = pattern(
    r'use the "typename" keyword to treat nontype|nontype "[^"]+" is not a type'
)
_COMPARES = pattern(rb"\boperator\s*<=>")
#: Concepts, and what sources that do without them ask for.
_CONCEPT = pattern(
    rb"^[ \t]*(?:template[ \t]*<[^;{}]*>[ \t]*)?concept[ \t]+\w+[ \t]*="
    rb"|^[ \t]*template[ \t]*<[^;{}()]*>\s*requires\b",
    re.MULTILINE,
)
#: Constraints by the library's concepts: `template <std::integral T>`, `std::integral auto n`.
_STD_CONCEPTS = rb"(?:(?:un)?signed_integral|integral|floating_point)"
_CONSTRAINED = pattern(
    rb"\btemplate\s*<(?:[^;{}()<>]*,)?\s*std\s*::\s*" + _STD_CONCEPTS + rb"\s+(?:\.\.\.\s*)?\w"
    rb"|\bstd\s*::\s*" + _STD_CONCEPTS + rb"\s+auto\b"
)
_ASKS = pattern(rb"\b__cpp_(?:lib_)?concepts\b|\b__cplusplus\s*[<>]=?\s*20(?:20|17)")
#: A source that says itself that it takes no older one.
_INSISTS = pattern(rb"^[ \t]*#[ \t]*error\b[^\n]*\bC\+\+ ?20\b", re.MULTILINE)
_KEYWORDS = ("concept", "requires", "consteval", "constinit")
_OLD, _NEW = ("c++11", "c++14", "c++17"), 20
_WORD = pattern(r"[A-Za-z_]\w*")
_NAME = pattern(rb"[A-Za-z_]\w*")
#: A call of a function that is no member, with the word before it.
_CALLED = pattern(rb"(?<![\w.:>])(?:(\w+)[\s*&]+)?(%s)\s*\(" % b"|".join(sorted(LEGACY_NAMES)))
#: Words before what is no declaration.
_BEFORE_CALLS = frozenset((b"", b"return", b"else", b"case"))
_CCCL = pattern(r"\b(cub|thrust)\b")
_LIBRARY_NAMES = tuple(name.encode() for name in LIBRARIES)
_DIRECTIVE_OR_COMMENT = pattern(
    rb"//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Located:
    """A message with the declaration that it points into."""

    diagnostic: Diagnostic
    path: Path
    declaration: Declaration


def refused_expressions(diagnostics: Iterable[Diagnostic]) -> set[str]:
    """The name expressions that messages refuse, without spaces."""
    found = (_REFUSED.search(d.text) for d in diagnostics)
    return {"".join(match[1].split()) for match in found if match}


def drop_refused_instances(session: Session, diagnostics: Iterable[Diagnostic]) -> bool:
    """Give up the name expressions that do not parse or resolve."""
    diagnostics = list(diagnostics)
    refused = refused_expressions(diagnostics)
    names = session.names
    unknown = {names[d.line - 1] for d in diagnostics if d.file == NAMES and d.line <= len(names)}
    bad = [
        i
        for i in session.instances
        if "".join(i.expression.split()) in refused or not unknown.isdisjoint(i.names)
    ]
    for instance in bad:
        why = _REFUSED.sub("", diagnostics[0].text).strip()
        session.refusals.setdefault(instance.kernel, (instance, why))
    session.give_up(bad)
    return bool(bad)


def drop_unknown_instances(session: Session, diagnostics: Iterable[Diagnostic]) -> bool:
    """Give up what launches name of which nothing else in sight has the name: `f<TypeParam>`."""
    missed = {name: d.text for d in diagnostics if (name := d.undefined) and not remedy(name)}
    known = session.words().keys() | session.narrowed_away if missed else ()
    names = missed.keys() - known - {n.decode("latin-1") for n in session.emptied_names}
    found = {
        i: missed[name]
        for i in session.instances
        for name in _WORD.findall(", ".join(i.arguments))
        if name in names
    }
    for instance, why in found.items():
        session.refusals.setdefault(instance.kernel, (instance, why))
    session.give_up([*found])
    return bool(found)


def add_headers(
    session: Session, diagnostics: Sequence[Diagnostic], host: Sequence[Diagnostic] = ()
) -> bool:
    """Include the headers of CUDA's that undefined names come from.

    `host`: those of the messages that are about host code, where the runtime is no surprise.
    """
    names = [
        word_at(session, d)
        if _OF_NAMESPACE in d.text
        else d.absent
        if d.absent == "philox"
        else d.undefined or _no_type(d) or _incomplete(d)
        for d in diagnostics
    ]
    wanted = {
        header
        for name, diagnostic in zip(names, diagnostics, strict=True)
        if (header := remedy(name or "")) and not (header in _RUNTIMES and diagnostic in host)
    }
    if any("required runtime APIs are not declared" in d.text for d in diagnostics):
        wanted.add(_RUNTIME)
    missed = {name for d in diagnostics if d not in host for name in _missed_of_std(session, d)}
    if any(session.want_of_std(name) for name in sorted(missed)):  # then what is like it, too
        missed.update(*(_of_std(code) for code in session.codes.values()))
    for name in missed:
        wanted |= session.want_of_std(name)
    for library in _libraries(session, diagnostics):
        wanted |= headers_of(library, session.members(library))
    return _include(session, wanted)


def _include(session: Session, headers: Iterable[str]) -> bool:
    """Include what is not included yet. False if there is no such."""
    named = {f"perflint/{h}" if f"perflint/{h}" in own_headers() else h for h in headers}
    new = sorted(named - set(session.includes))
    session.includes += new
    return bool(new)


def _of_std(code: bytes) -> frozenset[str]:
    """The names `std::name` in a text which the prelude has not."""
    if b"std" not in code:
        return frozenset()
    text = _NO_CODE.sub(" ", code.decode("latin-1"))
    return frozenset(_OF_STD.findall(text)) - words_of_prelude()


def _missed_of_std(session: Session, diagnostic: Diagnostic) -> Sequence[str]:
    """The names of namespace std that a message misses, as in `std::atomic<int> *count;`."""
    if diagnostic.text.startswith('namespace "std" has no member'):
        return [diagnostic.absent or ""]
    if diagnostic.text.startswith("qualified name is not allowed"):
        return _OF_STD.findall(source_line(session, diagnostic))
    return ()


def _libraries(session: Session, diagnostics: Iterable[Diagnostic]) -> frozenset[str]:
    """Which of CUB and Thrust messages miss: they do not know the namespace, or a member of it."""
    lines = {
        source_line(session, d)
        for d in diagnostics
        if _OF_NAMESPACE in d.text or "has no member" in d.text
    }
    return frozenset(name for line in lines for name in _CCCL.findall(line))


def source_line(session: Session, diagnostic: Diagnostic) -> str:
    """The line that a message points at, which may be one of the name expressions."""
    path = session.closure.aliases.get(diagnostic.file)
    if path is None:
        return " ".join(i.expression for i in session.instances)
    return session.line(path, diagnostic.line).decode("latin-1")


def take_pytorch_flags(session: Session, diagnostics: Iterable[Diagnostic]) -> bool:
    """Compile as PyTorch's extensions are built, without half's implicit conversions.

    With them an assignment of `at::Half` to `__half` is ambiguous (torch/utils/cpp_extension.py).
    """
    ambiguous = any(d.text.startswith("more than one") for d in diagnostics)
    if not ambiguous or session.pytorch_flags or not session.closure.uses_pytorch:
        return False
    session.pytorch_flags = True
    return True


def expect_dialect(session: Session) -> None:
    """Compile as C++20 at once what has its concepts and no other way, or says that it is.

    Or what its build compiles so.
    """
    codes = session.own_codes.values()
    has_concepts = any(
        ((b"concept" in code or b"requires" in code) and _CONCEPT.search(code))
        or (b"std" in code and b"template" in code and _CONSTRAINED.search(code))
        for code in codes
    )
    has_concepts |= any(b"<=>" in code and _COMPARES.search(code) for code in codes)
    insists = any(b"C++" in code and _INSISTS.search(code) for code in codes)
    if session.std not in _OLD:
        return
    is_built_so = cuda_standard(session.main, session.closure.finder.root) >= _NEW
    if is_built_so or insists or (has_concepts and not any(map(_ASKS.search, codes))):
        session.std = "c++20"


def take_dialect(session: Session, diagnostics: Iterable[Diagnostic]) -> bool:
    """Compile what host compilers take in C++17, too: names of members in braces, concepts.

    And what only those of C++20 take: types of templates without `typename`.
    """
    newer = any(
        _NEWER.search(source_line(session, d))
        for d in diagnostics
        if d.syntax or d.undefined in _KEYWORDS
    ) or any(_TYPE_WITHOUT_WORD.match(d.text) for d in diagnostics)
    if not newer or session.std not in _OLD:
        return False
    session.std = "c++20"
    return True


def take_long(session: Session, diagnostics: Iterable[Diagnostic]) -> bool:
    """Make `int64_t` a `long`, as it is where nvcc runs; NVRTC's own headers have `long long`."""
    mixed = any(_LONG.search(d.text) for d in diagnostics)
    if not mixed or session.long_is_64 or any(h.startswith(_SIZED) for h in session.includes):
        return False
    session.long_is_64 = True
    return True


def expect_long(session: Session) -> None:
    """Make `int64_t` a `long` at once where something is there for it and for `long long`."""
    if _declares_sized(session):
        return
    session.long_is_64 = any(
        not names[True].isdisjoint(names[False])
        for code in session.own_codes.values()
        if b"int64_t" in code and b"long long" in code
        for names in (_for_both(code),)
    )


def _for_both(code: bytes) -> Mapping[bool, set[bytes]]:
    """What is there for `int64_t` (True) and for `long long` (False), by name."""
    found: dict[bool, set[bytes]] = {True: set(), False: set()}
    for match in _FOR_BOTH.finditer(code):
        found[bool(match[3])].add(match[1] or match[2])
    return found


def try_long(session: Session) -> bool:
    """Make `int64_t` a `long` before anything is blamed on a source that has either, once.

    Not each message tells of which types it is.
    """
    if session.long_is_64 or session.long_was_tried or _declares_sized(session):
        return False
    codes = session.own_codes.values()
    session.long_was_tried = any(b"int64_t" in c and _A_LONG.search(c) for c in codes)
    session.long_is_64 = session.long_was_tried
    return session.long_is_64


def _declares_sized(session: Session) -> bool:
    """Whether one of CUDA's headers is included that has these types itself."""
    files = session.closure.files.values()
    given = (name for f in files for (name, _), r in f.resolutions.items() if r.kind == "cuda")
    return any(h.startswith(_SIZED) for h in (*given, *session.includes))


def take_specialisations(session: Session, diagnostics: Iterable[Diagnostic]) -> bool:
    """Specialise libcu++'s templates where they are declared, and not where they are used."""
    new = refused(diagnostics) - session.specialised
    session.specialise(new)
    return bool(new)


def take_once(session: Session, diagnostics: Iterable[Diagnostic]) -> bool:
    """Compile a file once whose own header includes it at its end, as those of templates do."""
    twice = any("has already been defined" in d.text for d in diagnostics)
    if not twice or session.once or not session.includes_itself:
        return False
    session.take_once()
    return True


def expect_host_marks(session: Session) -> None:
    """Compile as device code at once what macros mark as the host's and is left: members."""
    marks = session.host_marks
    marked = (c for c in session.own_codes.values() if any(mark in c for mark in marks))
    texts = (_DIRECTIVE_OR_COMMENT.sub(b" ", code) for code in marked)
    session.host_is_device = any(not marks.isdisjoint(_NAME.findall(text)) for text in texts)


def free_host_members(session: Session, diagnostics: Iterable[Diagnostic]) -> bool:
    """Compile what a macro marks as a host function as device code, of which nothing calls it."""
    marked = any("marked as a __host__ function" in d.text for d in diagnostics)
    if not marked or session.host_is_device:
        return False
    session.host_is_device = True
    return True


def narrow_down(session: Session, located: Sequence[Located]) -> bool:
    """Compile of the host's headers only what device code names, once one of them is refused.

    Headers in which what was refused is left are left out, as it would be refused again. If device
    code then lacks names that stand in one of them, what declares these comes back; after some
    turns of that, they are whole again for good.
    """
    if session.was_narrow and not session.narrow:
        return False
    if not session.was_narrow and _are_few(session, located):
        return False
    hosts = {path for path in {x.path for x in located} if session.is_host_header(path)}
    if session.narrow:  # what device code asked to have back needs what it names
        hosts -= {path for path, names in session.emptied.items() if not names}
        missed = (missed_name(session, x.diagnostic) for x in located if x.path not in hosts)
        back = {name for name in missed if name and name in session.narrowed_away}
        if not back:
            return False
        session.turns_back += 1
        if session.turns_back <= _TURNS_BACK and session.want(back):
            return True
    elif not hosts:
        return False
    before = session.codes.copy()
    session.narrow_down(not session.narrow)
    if session.narrow:
        refused = [x for x in located if x.path in hosts]
        empty_host_headers(session, [x for x in refused if _is_left(session, x, before[x.path])])
    return True


def _are_few(session: Session, located: Sequence[Located]) -> bool:
    """Whether all that is refused in headers of the host's are some declarations, which go alone.

    For some rounds only: what needs those is refused next. A macro's use may declare many things.
    """
    hosts = {(x.path, x.declaration) for x in located if session.is_host_header(x.path)}
    few = 0 < len(hosts) <= _FEW and all(
        d.kind == "host" and not _MACRO_USE.fullmatch(session.codes[path], d.start, d.end)
        for path, d in hosts
    )
    session.few_rounds += few
    return few and session.few_rounds <= _ROUNDS_OF_FEW


def _is_left(session: Session, located: Located, before: bytes) -> bool:
    """Whether a declaration is compiled as it was before."""
    piece = slice(located.declaration.start, located.declaration.end)
    return session.codes[located.path][piece] == before[piece]


def expect_std(session: Session) -> None:
    """Have at once what of C++'s library is named in what is compiled, or in a macro of it.

    The host's own headers may do without what device code has of libcu++.
    """
    wanted = set()
    for path, code in session.own_codes.items():
        if b"std" not in code:
            continue
        text = _NO_CODE.sub(" ", code.decode("latin-1"))
        if _HOST_CLASS.search(text):
            wanted.add(f"perflint/{_HOST_CLASSES}")
        if not session.is_host_header(path):
            for name in _of_std(code):
                wanted |= session.want_of_std(name)
    session.includes += sorted(wanted - set(session.includes))


def expect_legacy_math(session: Session) -> None:
    """Have at once what CUDA's headers declared once, where device code calls it and no source has
    a declaration or a macro of that name.
    """
    words: dict[bytes, set[bytes]] = {}
    for code in session.own_codes.values():
        if any(name in code for name in LEGACY_NAMES):
            for before, name in _CALLED.findall(_DIRECTIVE_OR_COMMENT.sub(b" ", code)):
                words.setdefault(name, set()).add(before)
    declared = session.closure.macros.keys() | {n for n, w in words.items() if w - _BEFORE_CALLS}
    if words and declared.isdisjoint(LEGACY_NAMES):
        _include(session, (LEGACY,))


def expect_libraries(session: Session) -> None:
    """Have at once what device code names of CUB and Thrust, and what launches give to kernels.

    Only what the tables have: all of a library takes seconds, and a macro's use may be the host's.
    Where nothing is named, `using namespace cub;` goes.
    """
    codes = {
        path: _DIRECTIVE_OR_COMMENT.sub(b" ", code)
        for path, code in session.own_codes.items()
        if any(name in code for name in _LIBRARY_NAMES) and not session.is_host_header(path)
    }
    given = [i.expression.encode() for i in session.instances]
    for library in LIBRARIES:
        name = library.encode()
        member = re.compile(rb"(?<![\w.])(?:::)?%s\s*::\s*(\w+)" % name)
        use = re.compile(rb"\busing\s+namespace\s+(?:::\s*)?%s\b[\w:\s]*;" % name)
        words = {w for text in (*codes.values(), *given) for w in member.findall(text)}
        names = {word.decode("latin-1") for word in words}
        if used := [path for path, text in codes.items() if use.search(text)]:
            names |= unqualified(library, session.words())
        headers = known_headers(library, names)
        _include(session, headers)
        for path in used if not headers and not _declares(session, name) else ():
            session.cut(path, [Cut(*m.span(), "") for m in use.finditer(session.codes[path])])


def _declares(session: Session, namespace: bytes) -> bool:
    """Does a source declare a namespace, or include what does?"""
    declared = re.compile(rb"\bnamespace\s+%s\b(?!\s*(?:::|;))" % namespace)
    folder = f"{namespace.decode()}/"
    included = any(
        name.startswith(folder) and resolution.kind in {"cuda", "own"}
        for file in session.closure.files.values()
        for (name, _), resolution in file.resolutions.items()
    )
    return included or any(declared.search(code) for code in session.codes.values())


def take_host_classes(session: Session, located: Iterable[Located]) -> bool:
    """Give a class that device code shares with the host its members of C++'s library.

    Headers that only the host has do without.
    """
    header = f"perflint/{_HOST_CLASSES}"
    if header in session.includes or not any(
        _HOST_CLASS.search(source_line(session, x.diagnostic))
        for x in located
        if x.path in session.emptied or not session.is_host_header(x.path)
    ):
        return False
    session.includes.append(header)
    return True


def empty_host_headers(session: Session, located: Sequence[Located]) -> bool:
    """Leave out headers of the host's: without device code, and with many errors.

    One that turns out to declare what device code needs is given back for good; what only another
    such header needs is no reason: that one goes, too.
    """
    count = Counter(x.path for x in located)
    optional = [p for p in count if p not in session.emptied and session.is_host_header(p)]
    missed: dict[Path, set[bytes]] = {path: set() for path in count}
    for x in located:
        if name := missed_name(session, x.diagnostic) or _incomplete(x.diagnostic):
            missed[x.path].add(name.encode())
    needed = {name for path in missed.keys() - set(optional) for name in missed[path]}
    back = [path for path, words in session.emptied.items() if words & needed]
    session.fill(back)
    gone = session.emptied_names
    many = 1 if session.narrow else _MANY
    full = [p for p in optional if count[p] >= many or missed[p] & gone]
    session.empty(full)
    return bool(back or full)


def give_headers_back(session: Session, diagnostics: Iterable[Diagnostic]) -> bool:
    """Give emptied headers back that declare what the instances' names are made of."""
    lines = {NAMES: session.names, NAME_MAP: _mapped(session)}
    rests = [
        lines[d.file][d.line - 1][d.column - 1 :]
        for d in diagnostics
        if d.line <= len(lines.get(d.file, ()))
    ]
    needed = {m[0].encode() for rest in rests if (m := _WORD.match(rest))}
    back = [path for path, words in session.emptied.items() if words & needed]
    session.fill(back)
    return bool(back)


def _mapped(session: Session) -> tuple[str, ...]:
    """NVRTC's own list of the name expressions, a line each, as its messages show them."""
    return ("", *(f"#pragma nv_mangled_name {i.expression}" for i in session.instances))


def missed_name(session: Session, diagnostic: Diagnostic) -> str | None:
    """The name that a message misses."""
    if name := _no_type(diagnostic):
        return name
    if _OF_NAMESPACE in diagnostic.text:
        return word_at(session, diagnostic) or None
    return diagnostic.absent


def _no_type(diagnostic: Diagnostic) -> str | None:
    """The name that a message says is no type or template."""
    match = _NOT_A_TYPE.match(diagnostic.text)
    return match[1] if match else None


def _incomplete(diagnostic: Diagnostic) -> str | None:
    """The type that is declared only, as headers of CUDA's declare the driver's."""
    match = _INCOMPLETE.match(diagnostic.text)
    return match[1] if match else None


def make_constants(session: Session, located: Iterable[Located]) -> bool:
    """`const float a = 1.0f / b;` is a constant to nvcc: make it one that NVRTC takes."""
    paths = {
        x.path
        for x in located
        if x.diagnostic.text.startswith("dynamic initialization is not supported")
    } - session.constant
    session.constant |= paths
    return bool(paths)


def word_at(session: Session, diagnostic: Diagnostic) -> str:
    """The word that a message points at, unless a `(` follows it."""
    path = session.closure.aliases.get(diagnostic.file)
    if path is None:
        return ""
    rest = session.line(path, diagnostic.line)[diagnostic.column - 1 :]
    word = re.match(rb"(\w+)\b(?!\s*\()", rest)
    return word[1].decode("latin-1") if word else ""
