"""Static addresses are the source's subscripts, as pycparser reads them.

The kernels are compiled with NVRTC; pycparser reads the same text, and a small interpreter of
integer arithmetic and counted loops turns each subscript into a polynomial of its own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pycparser import c_ast, c_parser

from perflint import frontend
from perflint.analysis import analyse
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import Loop, Parameter, Special, Symbol
from perflint.grammar import parse
from perflint.grammar.model import Module

SOURCE = Path(__file__).parent / "data" / "subset.cu"
SIZES = {"float": 4, "double": 8, "int": 4, "short": 2}
BUILT_IN = {"threadIdx": "tid", "blockIdx": "ctaid", "blockDim": "ntid", "gridDim": "nctaid"}

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="NVRTC has no wheels for macOS")


@dataclass
class Reader:
    """One kernel's subscripts: (line, array, load or store, byte address)."""

    parameters: dict[str, tuple[int, int]]  #: name → index, element size (0: no pointer)
    values: dict[str, Polynomial] = field(default_factory=dict)
    depth: int = 0
    found: list[tuple[int, int, str, Polynomial]] = field(default_factory=list)

    def value(self, node: c_ast.Node) -> Polynomial | None:
        """An integer expression; None for a floating-point one. Notes the loads in it."""
        match node:
            case c_ast.Constant(type="int"):
                return Polynomial(int(node.value))
            case c_ast.ID():
                if node.name in self.values:
                    return self.values[node.name]
                index, _ = self.parameters.get(node.name, (None, 0))
                return None if index is None else Polynomial.of(Parameter(index))
            case c_ast.StructRef():
                return Polynomial.of(Special(f"%{BUILT_IN[node.name.name]}.{node.field.name}"))
            case c_ast.BinaryOp():
                a, b = self.value(node.left), self.value(node.right)
                if a is None or b is None:
                    return None
                return {"+": a + b, "-": a - b, "*": a * b}.get(node.op)
            case c_ast.ArrayRef():
                self.access(node, "load")
        return None

    def access(self, node: c_ast.ArrayRef, kind: str) -> None:
        index, size = self.parameters[node.name.name]
        subscript = self.value(node.subscript)
        assert subscript is not None
        address = Polynomial.of(Parameter(index)) + size * subscript
        self.found.append((node.coord.line, index, kind, address))

    def statement(self, node: c_ast.Node) -> None:
        match node:
            case c_ast.Compound():
                for each in node.block_items or ():
                    self.statement(each)
            case c_ast.Decl() if node.init is not None:
                value = self.value(node.init)
                if value is not None:
                    self.values[node.name] = value
            case c_ast.Assignment():
                self.value(node.rvalue)
                if isinstance(node.lvalue, c_ast.ArrayRef):
                    if node.op != "=":
                        self.access(node.lvalue, "load")
                    self.access(node.lvalue, "store")
            case c_ast.If():
                self.statement(node.iftrue)
            case c_ast.For():
                self.loop(node)

    def loop(self, node: c_ast.For) -> None:
        [declared] = node.init.decls
        start = self.value(declared.init)
        step = Polynomial(1) if isinstance(node.next, c_ast.UnaryOp) else None
        step = self.value(node.next.rvalue) if step is None else step
        assert start is not None and step is not None
        self.depth += 1
        counter = Polynomial.of(Loop(0, self.depth))
        self.values[declared.name] = start + step * counter
        self.statement(node.stmt)
        self.depth -= 1


def subscripts() -> dict[str, list[tuple[int, int, str, Polynomial]]]:
    """By kernel, the subscripts of the source file in the order of their lines."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), SOURCE.read_text(), flags=re.S)
    text = re.sub(r"#pragma.*|__global__", "", text)
    out = {}
    for kernel in c_parser.CParser().parse(text).ext:
        parameters = {}
        for index, each in enumerate(kernel.decl.type.args.params):
            pointer = isinstance(each.type, c_ast.PtrDecl)
            type = (each.type.type if pointer else each.type).type.names[0]
            parameters[each.name] = (index, SIZES[type] if pointer else 0)
        reader = Reader(parameters)
        reader.statement(kernel.body)
        out[kernel.decl.name] = reader.found
    return out


@pytest.fixture(scope="module")
def module() -> Module:
    compilation = frontend.compile_file(SOURCE)
    assert compilation.ptx is not None
    return parse(compilation.ptx, "subset.ptx")


def without_headers(address: Polynomial) -> Polynomial:
    """Loop counters told by depth alone, as the source's are."""

    def replace(symbol: Symbol) -> Polynomial | None:
        return Polynomial.of(Loop(0, symbol.depth)) if isinstance(symbol, Loop) else None

    return address.substitute(replace)


def accesses(module: Module, kernel: str) -> Iterator[tuple[int, int, str, Polynomial]]:
    entry = next(k for k in module.kernels if re.match(rf"_Z\d+{kernel}P", k.name))
    for site in analyse(module, entry).sites:
        assert site.location is not None and site.array.parameter is not None
        for address in dict.fromkeys(site.addresses):
            assert address is not None
            yield site.location.line, site.array.parameter, site.kind, without_headers(address)


@pytest.mark.parametrize("kernel", sorted(subscripts()))
def test_addresses_are_the_subscripts(module: Module, kernel: str) -> None:
    # Of a statement over several lines the compiler knows the last; loads of a cell that were
    # merged are fewer than the source's.
    wanted = {(array, kind, address.text) for _, array, kind, address in subscripts()[kernel]}
    found = {(array, kind, address.text) for _, array, kind, address in accesses(module, kernel)}
    assert found == wanted
