"""From PTX text to a Module: the whole text through the grammar, or each shape of it once.

The plain way parses the module and carries out the plan of every statement in its tree. The quick
way (quick.py) cuts the tokens at statements and keeps the plans by shape. Where it cannot, and
wherever something is wrong, the plain way decides: all errors are its own.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from perflint.grammar.builder import FunctionBuilder, ModuleBuilder, declaration
from perflint.grammar.declarations import header
from perflint.grammar.errors import PtxSyntaxError, StatementError
from perflint.grammar.kept_trees import kept_trees
from perflint.grammar.locations import of_statements
from perflint.grammar.model import Module
from perflint.grammar.operands import is_leaf
from perflint.grammar.quick import QuickReader, UncutError
from perflint.grammar.statements import item, statement
from perflint.grammar.terminals import lexicon
from perflint.grammar.tokens import Tokens, debug_strings, files, quote
from perflint.grammar.vocabulary import slip


def parse(text: str, path: str = "<ptx>", *, cache: bool = True) -> Module:
    """Read a PTX module. Raises PtxSyntaxError, and nothing else.

    `path` is named in errors. Without `cache` every statement is parsed; with it each shape of
    statement once, to the same result.
    """
    with _uncollected():
        tokens = lexicon().tokenise(of_statements(text), path)
        try:
            module = (_quickly(tokens) if cache else None) or _plainly(tokens)
        except RecursionError:
            raise tokens.error(0, "this module is nested too deeply") from None
    wrong = slip(module)
    if wrong is not None:
        name, line, message = wrong
        raise _placed(tokens, StatementError(message, name), line)
    return module


@contextmanager
def _uncollected() -> Iterator[None]:
    """Leave the search for unreachable cycles until later.

    A module is many objects that all stay; looking through them again and again as they come takes
    a tenth of the time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _quickly(tokens: Tokens) -> Module | None:
    """The module, or None where the quick way does not lead to one."""
    module = _begun(tokens)
    try:
        QuickReader(tokens, module).read()
        return None if module.undeclared() else module.module()
    except (UncutError, StatementError):
        return None
    finally:
        kept_trees().keep(tokens.lexicon.terminals)


def _plainly(tokens: Tokens) -> Module:
    """The module; or a PtxSyntaxError, for the syntax of the whole text before any meaning."""
    from perflint.grammar.syntax import parse_tokens  # Lark's import takes longer than most parses

    tree = parse_tokens(tokens, "module")
    reader = _PlainReader(tokens, _begun(tokens))
    try:
        reader.read(tree)
        reader.line = 1
        undeclared = reader.module.undeclared()
        if undeclared is not None:
            name, reader.line = undeclared
            raise StatementError(f"{quote(name)} is not declared", name)
        return reader.module.module()
    except StatementError as problem:
        raise _placed(tokens, problem, reader.line) from None


def _begun(tokens: Tokens) -> ModuleBuilder:
    return ModuleBuilder(files(tokens), debug_strings(tokens))


def _placed(tokens: Tokens, problem: StatementError, line: int) -> PtxSyntaxError:
    """At the text to blame on or after the line, else where the line's statement begins."""
    line = problem.line or line
    start = 0
    for _ in range(line - 1):
        start = tokens.source.find("\n", start) + 1
    wanted = problem.text
    for found in tokens.lexicon.pattern.finditer(tokens.source, start):
        code = tokens.lexicon[found[1]]
        if found[1] == wanted if wanted else code not in tokens.lexicon.ignored:
            start = found.start(1)
            break
    row = tokens.source.count("\n", 0, start) + 1
    column = start - tokens.source.rfind("\n", 0, start)
    return PtxSyntaxError(tokens.path, row, column, problem.message)


class _PlainReader:
    """Carries out a module's tree."""

    def __init__(self, tokens: Tokens, module: ModuleBuilder) -> None:
        self.texts = tokens.texts
        self.lines = tokens.lines()
        self.module = module
        self.line = 1  #: of the statement at hand

    def read(self, tree: Any) -> None:
        for node in tree.children:
            self._at(node)
            if node.data == "function":
                self._function(node)
            else:
                item(node)(self.texts, self.module, self.line)

    def _at(self, node: Any) -> None:
        """Note the line of a tree's first token. A lone `;` has none."""
        while not is_leaf(node):
            if not node.children:
                return
            node = node.children[0]
        self.line = self.lines[node.start_pos]

    def _function(self, tree: Any) -> None:
        head, *body = tree.children
        begin = self.line
        found = header(head)(self.texts, self.module.names)
        if not body:
            self.module.add(declaration(found, begin))
            return
        # Declared before its body is read: it may call itself.
        self.module.add(declaration(found, begin))
        function = FunctionBuilder(self.module, found, begin)
        function.open(_labels(body[0]))
        rest: list[Iterator[Any]] = [iter(body[0].children)]
        while rest:
            node = next(rest[-1], None)
            if node is None:
                rest.pop()
                function.close()
            elif node.data == "body":
                function.open(_labels(node))
                rest.append(iter(node.children))
            else:
                self._at(node)
                statement(node)(self.texts, function, self.line)
        self.line = begin
        self.module.add(function.function())
        self.module.seek(begin)


def _labels(body: Any) -> list[str]:
    return [str(node.children[0]) for node in body.children if node.data == "label"]
