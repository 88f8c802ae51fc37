"""The quick way through a module: cut its tokens at statements, parse each shape once.

A statement's shape is the slice of `Tokens.codes` that it covers: its terminals. Statements of one
shape have one tree, and so one plan. What ends a statement is told here by terminals alone, mostly
the next `;`. The pieces are parsed by the grammar's own rules `item`, `header` and `statement`; if
a piece is not what the cut took it for, UncutError is raised and the whole text is parsed instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from perflint.grammar.builder import FunctionBuilder, ModuleBuilder, declaration
from perflint.grammar.declarations import header
from perflint.grammar.errors import PtxSyntaxError
from perflint.grammar.kept_trees import kept_trees
from perflint.grammar.statements import item, statement
from perflint.grammar.terminals import lexicon
from perflint.grammar.tokens import Lexicon, Tokens

#: Shapes kept between modules. A compiler's whole repertoire is a few thousand.
_MOST_SHAPES = 20_000
#: Longer statements are parsed as they come, so that what is kept stays small.
_LONGEST_SHAPE = 400


class UncutError(Exception):
    """A text that the quick way cannot read, right or wrong."""


class _Plans(dict[str, tuple[Any, bool]]):
    """Shape → plan, and whether such a statement may go over several lines."""

    def __init__(self, start: str, compile_: Callable[[Any], Any]) -> None:
        super().__init__()
        self._start = start
        self._compile = compile_

    def make(self, tokens: Tokens, begin: int, end: int, shape: str) -> tuple[Any, bool]:
        """Parse the tokens [begin, end) and keep their plan. Raises UncutError."""
        tree = None
        if len(shape) <= _LONGEST_SHAPE:
            tree = kept_trees().tree(self._start, tokens, begin, end)
        plan = self._compile(self._parsed(tokens, begin, end) if tree is None else tree)
        made = plan, any(code in shape for code in tokens.lexicon.ignored)
        if len(shape) <= _LONGEST_SHAPE:
            if len(self) >= _MOST_SHAPES:
                self.clear()
            self[shape] = made
        return made

    def _parsed(self, tokens: Tokens, begin: int, end: int) -> Any:
        from perflint.grammar.syntax import parse_tokens  # Lark's import takes longer than most

        try:
            tree = parse_tokens(tokens, self._start, begin, end)
        except PtxSyntaxError:
            raise UncutError from None
        if end - begin <= _LONGEST_SHAPE:
            kept_trees().came(self._start, tokens, begin, end, tree)
        return tree


_statements = _Plans("statement", statement)
_items = _Plans("item", item)
_headers = _Plans("header", header)


class _Cuts:
    """What the quick way knows of the syntax: patterns over codes."""

    def __init__(self, lexicon: Lexicon) -> None:
        code = {name: re.escape(char) for name, char in lexicon.code.items()}
        skip = "[" + "".join(map(re.escape, sorted(lexicon.ignored))) + "]*"
        number, name = code["INTEGER"], code["NAME"]
        offset = f"(?:{code['SIGN']}{number})?"
        self.location = re.compile(
            f"(?:{code['PLACE']}|{code['LOC']}{number * 3})(?:,?(?:{code['FUNCTION_NAME']}"
            f"[{name}{code['DIRECTIVE']}]{offset}|{code['INLINED_AT']}{number * 3}))*"
        )
        term = f"(?:{number}|{name})"
        value = (
            f"{skip}(?:{term}(?:{skip}{code['SIGN']}{skip}{term})*+"
            f"|{code['DIRECTIVE']}(?:{skip}{code['SIGN']}{skip}{number})?)"
        )
        self.section = re.compile(
            f"{code['SECTION']}{skip}{code['DIRECTIVE']}{skip}\\{{"
            f"(?>{skip}(?:(?:{code['BYTES']}|{code['TYPE']}{value})(?:{skip},{value})*+"
            f"|{name}{skip}:))*+{skip}\\}}"
        )
        #: A header up to its `{` or `;`; a pragma in it has a `;` of its own.
        self.header = re.compile(f"(?:{code['PRAGMA']}[^;\0]*;|[^;{{\0])*+")
        #: Braces of scopes, and labels. A vector is skipped; `a ? b : c` has no label.
        self.scopes = re.compile(rf"\{{[^{{}};:]*\}}|[{{}}]|(?<!\?){name}{skip}:")
        #: What may follow a place and belong to it.
        self.inlined = lexicon.codes("COMMA", "FUNCTION_NAME", "INLINED_AT")
        self.integers = re.compile(rf"\{{{number}(?:,{number})*+\}};\Z")
        self.unended = lexicon.codes("VERSION", "TARGET", "ADDRESS_SIZE", "FILE", "LOC", "PLACE")
        self.starts = lexicon.codes(
            "VERSION", "TARGET", "ADDRESS_SIZE", "FILE", "LOC", "PLACE", "ALIAS", "PRAGMA",
            "SECTION", "ENTRY", "FUNC", "LINKAGE", "SPACE", "TYPE", "VECTOR", "ALIGN", "ATTRIBUTE",
            "SEMICOLON",
        )  # fmt: skip


@cache
def _cuts() -> _Cuts:
    return _Cuts(lexicon())


class QuickReader:
    """Reads one module into its builder."""

    def __init__(self, tokens: Tokens, module: ModuleBuilder) -> None:
        self.tokens = tokens
        self.texts = tokens.texts
        self.codes = tokens.codes + "\0"  # an end that is no token
        self.module = module
        self.line = 1
        self.cuts = _cuts()
        self.code = tokens.lexicon.code
        self.labels = self._labels_of_scopes()

    def read(self) -> None:
        """Raises StatementError or UncutError."""
        codes, ignored, at = self.codes, self.tokens.lexicon.ignored, 0
        while (code := codes[at]) != "\0":
            if code in ignored:
                self.line += self.texts[at].count("\n")
                at += 1
            elif code in self.cuts.unended:
                at = self._item(at, self._next_start(at + 1))
            elif code == self.code["SECTION"]:
                found = self.cuts.section.match(codes, at)
                if found is None:
                    raise UncutError
                self.line += sum(text.count("\n") for text in self.texts[at : found.end()])
                at = found.end()
            else:
                at = self._ended(at)

    def _ended(self, at: int) -> int:
        """A variable or other item that ends with `;`, or a function."""
        codes = self.codes
        if self._is_function(at):
            found = self.cuts.header.match(codes, at)
            end = at if found is None else found.end()
            if codes[end] == "{":
                return self._function(at, end)
            if codes[end] != ";":
                raise UncutError
            begin = self.line
            self.module.add(declaration(self._header(at, end), begin))
            return end + 1
        end = codes.find(";", at)
        if end < 0:
            raise UncutError
        return self._item(at, end + 1)

    def _is_function(self, at: int) -> bool:
        ignored, linkage = self.tokens.lexicon.ignored, self.code["LINKAGE"]
        while self.codes[at] == linkage or self.codes[at] in ignored:
            at += 1
        return self.codes[at] in (self.code["ENTRY"], self.code["FUNC"])

    def _next_start(self, at: int) -> int:
        codes, starts = self.codes, self.cuts.starts
        while codes[at] not in starts and codes[at] != "\0":
            at += 1
        return at

    def _item(self, begin: int, end: int) -> int:
        shape = self.codes[begin:end]
        known = _items.get(shape) or self._long_list(begin, end)
        plan, _ = known or _items.make(self.tokens, begin, end, shape)
        plan(self.texts[begin:end], self.module, self.line)
        return self._passed(begin, end)

    def _long_list(self, begin: int, end: int) -> tuple[Any, bool] | None:
        """The plan of `.global .b8 a[3] = {1, 2, 3};`: that of a list of one."""
        found = self.cuts.integers.search(self.codes, begin, end)
        if found is None or found.end() - found.start() <= 4:
            return None
        first = found.start() + 1  # the list's first number
        shape = self.codes[begin : first + 1] + "};"
        texts = [*self.texts[begin : first + 1], "}", ";"]
        short = Tokens(self.tokens.path, "", texts, shape, self.tokens.lexicon)
        return _items.get(shape) or _items.make(short, 0, len(shape), shape)

    def _header(self, begin: int, end: int) -> Any:
        shape = self.codes[begin:end]
        plan, _ = _headers.get(shape) or _headers.make(self.tokens, begin, end, shape)
        found = plan(self.texts[begin:end], self.module.names)
        self._passed(begin, end)
        return found

    def _passed(self, begin: int, end: int) -> int:
        """Count the line ends of the tokens [begin, end); returns `end`."""
        self.line += self._line_ends(begin, end)
        return end

    def _line_ends(self, begin: int, end: int) -> int:
        lines = self.codes.count("\n", begin, end)
        comment = self.code["COMMENT"]
        at = self.codes.find(comment, begin, end)
        while at >= 0:
            lines += self.texts[at].count("\n")
            at = self.codes.find(comment, at + 1, end)
        return lines

    # --- functions

    def _function(self, at: int, body: int) -> int:
        begin = self.line
        found = self._header(at, body)
        # Declared before its body is read: it may call itself.
        self.module.add(declaration(found, begin))
        function = FunctionBuilder(self.module, found, begin)
        function.open(self.labels.get(body, ()))
        end = self._body(function, body + 1)
        behind, self.line = self.line, begin
        self.module.add(function.function())
        self.module.seek(begin)
        self.line = behind
        return end

    def _body(self, function: FunctionBuilder, at: int) -> int:
        """Carry out the statements up to the body's `}`; returns the token behind it.

        The loop is the parser's hot path: what is one look-up for most statements stays in it.
        """
        codes, texts, line = self.codes, self.texts, self.line
        ignored, plans = self.tokens.lexicon.ignored, _statements
        location, place, name = self.code["LOC"], self.code["PLACE"], self.code["NAME"]
        locate = self.cuts.location.match
        find, known = codes.find, plans.get
        depth = 1
        try:
            while True:
                code = codes[at]
                if code == "\n":
                    line += 1
                    at += 1
                    continue
                if code in ignored:
                    line += texts[at].count("\n")
                    at += 1
                    continue
                if code == place and codes[at + 1] not in self.cuts.inlined:
                    function.location = function.locations.written(texts[at])
                    at += 1
                    continue
                if code in (place, location):
                    found = locate(codes, at)
                    if found is None:
                        raise UncutError
                    end = found.end()
                elif code == name and codes[at + 1] == ":":
                    function.label(texts[at])
                    at += 2
                    continue
                elif code == "{":
                    function.open(self.labels.get(at, ()))
                    depth += 1
                    at += 1
                    continue
                elif code == "}":
                    function.close()
                    depth -= 1
                    at += 1
                    if not depth:
                        return at
                    continue
                else:
                    end = find(";", at) + 1
                    if not end:
                        raise UncutError
                shape = codes[at:end]
                plan, lines = known(shape) or plans.make(self.tokens, at, end, shape)
                plan(texts[at:end], function, line)
                if lines:
                    line += self._line_ends(at, end)
                at = end
        finally:
            self.line = line

    def _labels_of_scopes(self) -> dict[int, Sequence[str]]:
        """The labels of each scope, by the token of its `{`."""
        out: dict[int, list[str]] = {}
        open_: list[int] = [-1]
        for found in self.cuts.scopes.finditer(self.tokens.codes):
            text = found[0]
            if text == "{":
                open_.append(found.start())
            elif text == "}":
                if len(open_) > 1:
                    open_.pop()
            elif text[0] != "{":
                out.setdefault(open_[-1], []).append(self.texts[found.start()])
        return dict(out)
