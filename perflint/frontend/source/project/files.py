"""One parsed file of a program, with what it declares."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.frontend.source.language.declarations import Declarations, Function, declarations_of
from perflint.frontend.source.language.declarators import Definition, declared
from perflint.frontend.source.language.macros import ExpansionError, Macro, expand
from perflint.frontend.source.language.preprocessor import Preprocessed
from perflint.frontend.source.language.reaching_definitions import Body, body_of
from perflint.frontend.source.language.tokens import closing, spell, tokenize, without_comments
from perflint.frontend.source.language.trees import Source, source_of

#: A function-like macro used where a declaration stands.
_USE = pattern(r"^([A-Za-z_]\w*)[ \t]*\(", re.MULTILINE)
_USES, _USE_LENGTH = 200, 4_000
#: What stands behind a variable that is declared, and words before a name that declare none.
_BEHIND = ("=", "(", "{", ";")
_JUMPS = ("return", "else", "goto", "case", "new", "delete", "throw", "struct", "class", "typename")
_CALLED = pattern(rb"\b([A-Za-z_]\w*)\s*\(")
#: Tokens that one use may cost: it may define dozens of functions.
_BUDGET = 300_000


class File:
    """One parsed file with what it declares."""

    def __init__(self, unit: Preprocessed) -> None:
        self.unit = unit
        self.path = unit.path
        self.family: list[File] = [self]  #: the files compiled with it: its includes, its includer
        self._naming: dict[str, tuple[Function, ...]] = {}
        self._written: dict[str, tuple[Definition, ...]] = {}

    @cached_property
    def words_of_macros(self) -> frozenset[str]:
        """The words in the bodies of the macros that it uses."""
        bodies = (m.body for macros in self.unit.used.values() for m in macros)
        return frozenset(t.text for body in bodies for t in body if t.kind == "name")

    @cached_property
    def source(self) -> Source:
        return source_of(self.unit)

    @cached_property
    def declarations(self) -> Declarations:
        return declarations_of(self.source)

    @cached_property
    def has_main(self) -> bool:
        """Whether the program begins here."""
        return any(not f.method for f in self.declarations.by_name.get("main", ()))

    @property
    def end(self) -> int:
        return len(self.source.bytes)

    def body(self, function: Function) -> Body:
        """A function's local definitions."""
        return body_of(function)

    def functions_naming(self, name: str) -> tuple[Function, ...]:
        """The functions in which a word stands, in order.

        Of projects with thousands of functions no more are kept worked out than there is room for:
        who looks for a variable asks these alone.
        """
        if name not in self._naming:
            word = rf"(?<!\w){re.escape(name)}(?!\w)".encode()
            at = [m.start() for m in re.finditer(word, self.source.bytes)]
            spans = ((f, f.node.start_byte, f.node.end_byte) for f in self.declarations.functions)
            self._naming[name] = tuple(
                f for f, start, end in spans if bisect_left(at, start) < bisect_left(at, end)
            )
        return self._naming[name]

    def written_members(self, class_: str) -> tuple[Definition, ...]:
        """Where its functions write to a member of an object of a class, or anything of it."""
        if class_ not in self._written:
            self._written[class_] = tuple(
                definition
                for function in self.functions_naming(class_)
                for definition in self.body(function).written_members.get(class_, ())
            )
        return self._written[class_]

    def macros_at(self, offset: int) -> Mapping[str, Macro]:
        """The macros that hold at a byte offset."""
        return self.unit.macros_at(self.source.line_at(offset))

    @cached_property
    def squeezed_functions(self) -> Sequence[tuple[Function, list[str], str]]:
        """Its functions, each with the class that its name says, if any, and its text without
        spaces and `this->`."""
        return [
            (
                function,
                function.qualified.split("::")[-2:-1],
                "".join(function.source.text_of(function.node).split()).replace("this->", ""),
            )
            for function in self.declarations.functions
        ]

    def called_between(self, start: int, end: int) -> Iterator[str]:
        """The names that stand before a round bracket in a stretch of the file."""
        places = self._called[0]
        yield from self._called[1][bisect_left(places, start) : bisect_left(places, end)]

    @cached_property
    def _called(self) -> tuple[list[int], list[str]]:
        found = [*_CALLED.finditer(self.source.written)]
        return [m.start() for m in found], [m[1].decode("ascii") for m in found]

    @cached_property
    def expansion(self) -> File | None:
        """What function-like macros used at the margin expand to: functions, as a file of its own.

        `REGISTER(768, float)` may define the function that launches. None if there is nothing.
        """
        if not self._expanded:
            return None
        text = "\n;\n".join(text for _, text in self._expanded)
        result = File(Preprocessed(self.path, text, self.unit.final))
        result.family = [result, *self.family]
        return result

    def use_at(self, offset: int) -> Span:
        """The name of the macro whose use expanded to what is at a byte offset of `expansion`."""
        assert self.expansion is not None
        return self._expanded[self.expansion.source.line_at(offset) // 2][0]

    @cached_property
    def declaring_macros(self) -> Mapping[str, set[str]]:
        """The macros that declare a variable, by its name: a type's word stands before that."""
        result: dict[str, set[str]] = defaultdict(set)
        for macro in (m for macros in self.unit.used.values() for m in macros if m.known):
            words = [t.text for t in macro.body]
            for before, word, behind in zip(words, words[1:], words[2:], strict=False):
                is_type = before == "*" or (before.isidentifier() and before not in _JUMPS)
                if is_type and word.isidentifier() and behind in _BEHIND:
                    result[word].add(macro.name)
        return result

    @cached_property
    def _expanded(self) -> list[tuple[Span, str]]:
        """The uses that declare something worth a look, and what they expand to: a line each."""
        result: list[tuple[Span, str]] = []
        for match in list(_USE.finditer(self.unit.text))[:_USES]:
            macro = self.unit.final.get(match[1])
            if macro is None or not macro.known or macro.parameters is None:
                continue
            use = without_comments(self.unit.text[match.start() : match.start() + _USE_LENGTH])
            tokens = tokenize(use)
            end = closing(tokens, 1)
            if end is None:
                continue
            try:
                expanded = expand(tokens[: end + 1], self.unit.final, _BUDGET)
            except ExpansionError:
                continue
            if any(t.text in ("<", "<<<") for t in expanded):
                line = self.unit.text.count("\n", 0, match.start()) + 1
                span = Span(self.path, line, 1, line, 1 + len(match[1]))
                result.append((span, spell(expanded)))
        return result

    @cached_property
    def variables(self) -> dict[str, list[Definition]]:
        """Variables at file, namespace and class scope."""
        result: dict[str, list[Definition]] = defaultdict(list)
        for node in (*self.declarations.globals, *self.declarations.members):
            for definition in declared(self.source, node, self.end):
                if definition.declares:
                    result[definition.name].append(definition)
        return result
