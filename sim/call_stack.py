"""Calls that cannot be written out: recursive ones, and through function pointers.

The kernel and the functions so called become one body with a stack, as a real machine has it. A
call copies its arguments to one common place, keeps the caller's registers in the caller's frame,
moves the frame pointer and jumps; a return jumps to the place whose number lies in the frame. What
a function declares (parameters, local variables) lies in its frame. All of it is PTX again.

A function's address is a number of its own window (`address_of`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from perflint.base.records import dataclass
from perflint.grammar.inlining import inlined, renamed
from perflint.grammar.model import (
    TYPE_SIZE,
    Address,
    Call,
    Function,
    Guard,
    Immediate,
    Instruction,
    Module,
    Operand,
    Register,
    Symbol,
    Variable,
)
from perflint.sim.memory import base_address

WINDOW = 0xFFFF04  #: the number above bit 40 of functions' addresses
_STEP = 16  #: bytes from function to function
STACK = 16 << 10  #: bytes of a thread's stack
_FRAME, _STACK = "%frame", "@stack"
_PASSED, _RETURNED = "@passed", "@returned"  #: where arguments and results change hands
_MOST = 256  #: bytes of either
_MARGIN = 2 << 10  #: bytes that the last frame may have


def address_of(module: Module) -> dict[str, int]:
    """Addresses of the module's functions, kernels among them."""
    names = list(module.functions)
    return {name: base_address(WINDOW) + _STEP * n for n, name in enumerate(names)}


def without_calls(module: Module, kernel: Function) -> Function:
    """The kernel with its calls written out, and with a stack for those that cannot be."""
    stacked = _stacked(module, kernel)
    if not stacked:
        return inlined(module, kernel)
    others = {n: f for n, f in module.functions.items() if n not in stacked}
    flat = replace(module, functions=others)
    return _Builder(module, {n: inlined(flat, f) for n, f in stacked.items()}).build(
        inlined(flat, kernel)
    )


# --- which functions ------------------------------------------------------------------------------


def _stacked(module: Module, kernel: Function) -> dict[str, Function]:
    """The functions that a kernel reaches and that are recursive or called through pointers."""
    bodies = {n: f for n, f in module.functions.items() if f.kind == "func" and f.instructions}
    if not bodies:
        return {}
    pointed = _pointed_to(module, bodies)
    calls = {name: _called(f, pointed) & bodies.keys() for name, f in bodies.items()}
    reached = _closure(_called(kernel, pointed) & bodies.keys(), calls)
    recursive = {name for name in reached if name in _closure(calls[name], calls)}
    indirect = any(_is_indirect(i) for f in (kernel, *(bodies[n] for n in reached))
                   for i in f.instructions)  # fmt: skip
    wanted = recursive | (pointed & reached if indirect else set())
    return {name: f for name, f in bodies.items() if name in wanted}


def _is_indirect(instruction: Instruction) -> bool:
    return instruction.call is not None and isinstance(instruction.call.target, Register)


def _called(function: Function, pointed: set[str]) -> set[str]:
    out: set[str] = set()
    for instruction in function.instructions:
        if _is_indirect(instruction):
            out |= pointed
        elif instruction.call is not None and isinstance(instruction.call.target, Symbol):
            out.add(instruction.call.target.name)
    return out


def _closure(first: Iterable[str], edges: Mapping[str, set[str]]) -> set[str]:
    out: set[str] = set()
    pending = list(first)
    while pending:
        name = pending.pop()
        if name not in out:
            out.add(name)
            pending += edges[name]
    return out


def _pointed_to(module: Module, bodies: Mapping[str, Function]) -> set[str]:
    """Functions whose address is taken, by an instruction or a variable's initialiser."""
    out = {
        item.name
        for variable in module.variables.values()
        for item in variable.initialiser or ()
        if isinstance(item, Symbol)
    }
    for function in module.functions.values():
        for instruction in function.instructions:
            out |= {o.name for o in instruction.operands if isinstance(o, Symbol)}
    return out & bodies.keys()


# --- one body -------------------------------------------------------------------------------------


@dataclass
class _Frame:
    """Where a function's own things lie, from its frame pointer on."""

    offsets: dict[str, int]
    saved: dict[str, int]  #: registers
    size: int


def _frame_of(function: Function) -> _Frame:
    offsets: dict[str, int] = {}
    end = 8  # the number of the place to return to
    for v in (*function.parameters, *(v for v in function.variables if v.space == "local")):
        end = -(-end // max(v.align, 4)) * max(v.align, 4)
        offsets[v.name] = end
        end += v.size
    saved = {}
    end = -(-end // 8) * 8
    for name in function.registers:
        saved[name] = end
        end += 8
    return _Frame(offsets, saved, -(-end // 16) * 16)


@dataclass
class _Builder:
    """Puts the kernel and the functions with frames together."""

    module: Module
    functions: dict[str, Function]
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    registers: dict[str, str] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    targets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    returns: list[str] = field(default_factory=list)
    own: dict[str, Variable] = field(default_factory=dict)  #: what lies in functions' frames
    _count: int = 0

    def build(self, kernel: Function) -> Function:
        self.registers = {**kernel.registers, _FRAME: "b64"}
        self.variables = [
            *kernel.variables,
            Variable(_STACK, "local", "b8", 16, (STACK,)),
            Variable(_PASSED, "param", "b8", 16, (_MOST,)),
            Variable(_RETURNED, "param", "b8", 16, (_MOST,)),
        ]
        self.targets = dict(kernel.branch_targets)
        first = kernel.instructions[0]
        self._add(first, "mov", ("b64",), (Register(_FRAME), Symbol(_STACK)))
        place = []
        for instruction in kernel.instructions:
            place.append(len(self.instructions))
            if self._is_ours(instruction):
                self._call(instruction, 0, {}, {})
            else:
                self.instructions.append(instruction)
        place.append(len(self.instructions))
        self.labels |= {name: place[at] for name, at in kernel.labels.items()}
        self._add(first, "exit", (), ())  # a body may end without one
        for name, function in self.functions.items():
            self._function(name, function)
        self.targets["@returns"] = tuple(self.returns)
        return replace(
            kernel,
            instructions=tuple(self.instructions),
            labels=self.labels,
            registers=self.registers,
            variables=tuple(self.variables),
            branch_targets=self.targets,
        )

    def _is_ours(self, instruction: Instruction) -> bool:
        call = instruction.call
        if call is None:
            return False
        if isinstance(call.target, Symbol):
            return call.target.name in self.functions
        return isinstance(call.target, Register)

    def _add(
        self,
        like: Instruction,
        opcode: str,
        modifiers: tuple[str, ...],
        operands: tuple[Operand, ...],
        guard: Guard | None = None,
    ) -> None:
        made = replace(like, opcode=opcode, modifiers=modifiers, operands=operands, index=-1,
                       guard=guard, call=None)  # fmt: skip
        self.instructions.append(made)

    def _fresh(self, ptx_type: str) -> Register:
        self._count += 1
        name = f"%stack{self._count}"
        self.registers[name] = ptx_type
        return Register(name)

    def _label(self, what: str) -> str:
        self._count += 1
        name = f"@{what}{self._count}"
        self.labels[name] = len(self.instructions)
        return name

    # --- a function ------------------------------------------------------------------------------

    def _function(self, name: str, function: Function) -> None:
        prefix = f"{name}@@"
        layout = _frame_of(function)
        self.registers |= {prefix + r: kind for r, kind in function.registers.items()}
        known = {v.name for v in self.variables}
        own_spaces = ("param", "reg")
        self.variables += [
            replace(v, name=prefix + v.name) if v.space in own_spaces else v
            for v in function.variables
            if v.space in own_spaces or (v.space != "local" and v.name not in known)
        ]
        own = {v.name: prefix + v.name for v in function.variables if v.space in own_spaces}
        for result in function.results:
            own[result.name] = _RETURNED
        places = {prefix + n: at for n, at in layout.offsets.items()}
        own |= {n: prefix + n for n in layout.offsets}
        self.own |= {prefix + v.name: v for v in function.parameters}
        self.targets |= {
            prefix + label: tuple(prefix + n for n in names)
            for label, names in function.branch_targets.items()
        }
        self.labels[f"@{name}"] = len(self.instructions)
        first = function.instructions[0]
        passed = zip(function.parameters, _offsets(function.parameters), strict=True)
        for variable, offset in passed:
            self._copy(first, (_PASSED, offset), places[prefix + variable.name], variable.size)
        saved = {prefix + r: at for r, at in layout.saved.items()}
        at: list[int] = []  # the new position of each instruction
        for instruction in function.instructions:
            at.append(len(self.instructions))
            each = renamed(instruction, own, prefix)
            if each.opcode == "ret":
                self._return(each)
            elif self._is_ours(each):
                self._call(each, layout.size, saved, places)
            else:
                self._in_frame(each, places)
        at.append(len(self.instructions))
        self._return(first)
        self.labels |= {prefix + label: at[n] for label, n in function.labels.items()}

    def _in_frame(self, instruction: Instruction, places: Mapping[str, int]) -> None:
        """An instruction whose mentions of the function's own variables mean its frame."""
        operands = []
        modifiers = instruction.modifiers
        for operand in instruction.operands:
            if isinstance(operand, Address) and isinstance(operand.base, Symbol):
                at = places.get(operand.base.name)
                if at is not None:
                    offset = at + operand.base.offset + operand.offset
                    operand = Address(Register(_FRAME), offset)
                    modifiers = tuple("local" if m == "param" else m for m in modifiers)
            elif isinstance(operand, Symbol) and operand.name in places:
                register = self._fresh("b64")
                offset = places[operand.name] + operand.offset
                self._add(instruction, "add", ("u64",),
                          (register, Register(_FRAME), Immediate(offset)))  # fmt: skip
                operand = register
            operands.append(operand)
        made = replace(instruction, operands=tuple(operands), modifiers=modifiers, index=-1)
        self.instructions.append(made)

    def _return(self, like: Instruction) -> None:
        """Jump to the place whose number lies in the frame."""
        skip = None
        if like.guard is not None:
            self._count += 1
            skip = f"@stays{self._count}"
            guard = Guard(like.guard.register, not like.guard.negated)
            self._add(like, "bra", (), (Symbol(skip),), guard)
        number = self._fresh("b32")
        self._add(like, "ld", ("local", "b32"), (number, Address(Register(_FRAME), 0)))
        self._add(like, "brx", ("idx",), (number, Symbol("@returns")))
        if skip is not None:
            self.labels[skip] = len(self.instructions)

    # --- a call ----------------------------------------------------------------------------------

    def _call(
        self,
        instruction: Instruction,
        size: int,
        saved: Mapping[str, int],
        places: Mapping[str, int],
    ) -> None:
        call = instruction.call
        assert call is not None
        self._count += 1
        after = f"@after{self._count}"
        if instruction.guard is not None:
            guard = Guard(instruction.guard.register, not instruction.guard.negated)
            self._add(instruction, "bra", (), (Symbol(f"{after}.skipped"),), guard)
        self._pass(instruction, call, places)
        for name, at in saved.items():
            self._keep(instruction, name, at)
        if size:
            self._move(instruction, size)
            self._guard_stack(instruction)
        number = len(self.returns)
        self.returns.append(after)
        self._add(instruction, "st", ("local", "b32"),
                  (Address(Register(_FRAME), 0), Immediate(number)))  # fmt: skip
        self._jump(instruction, call)
        self.labels[after] = len(self.instructions)
        if size:
            self._move(instruction, -size)
        for name, at in saved.items():
            self._restore(instruction, name, at)
        for result in call.results:
            if isinstance(result, Symbol):
                bytes_ = self._size_of(result.name)
                self._copy_static(instruction, _RETURNED, 0, result.name, bytes_)
        self.labels[f"{after}.skipped"] = len(self.instructions)

    def _jump(self, like: Instruction, call: Call) -> None:
        if isinstance(call.target, Symbol):
            self._add(like, "bra", (), (Symbol(f"@{call.target.name}"),))
            return
        assert isinstance(call.target, Register)
        addresses = address_of(self.module)
        names = list(self.functions)
        every = [n for n, f in self.module.functions.items() if f.kind == "func"]
        self._count += 1
        table, wide, narrow = f"@table{self._count}", self._fresh("b64"), self._fresh("b32")
        entries = [n if n in names else None for n in every]
        trap = f"@wild{self._count}"
        self.targets[table] = tuple(f"@{n}" if n else trap for n in entries)
        first = min(addresses.values())
        self._add(like, "sub", ("u64",), (wide, call.target, Immediate(first)))
        self._add(like, "shr", ("u64",), (wide, wide, Immediate(4)))
        self._add(like, "min", ("u64",), (wide, wide, Immediate(len(entries))))
        self._add(like, "cvt", ("u32", "u64"), (narrow, wide))
        self.targets[table] += (trap,)
        self._add(like, "brx", ("idx",), (narrow, Symbol(table)))
        self.labels[trap] = len(self.instructions)
        self._add(like, "trap", (), ())

    def _pass(self, like: Instruction, call: Call, places: Mapping[str, int]) -> None:
        """Copy a call's arguments to where functions look for them."""
        given = [a for a in call.arguments if isinstance(a, Symbol)]
        sizes = [self._size_of(a.name) for a in given]
        variables = [self._variable(a.name) for a in given]
        for argument, size, at in zip(given, sizes, _offsets(variables), strict=True):
            here = places.get(argument.name)
            if here is None:
                self._copy_static(like, argument.name, argument.offset, _PASSED, size, at)
            else:  # a parameter of the caller's own, handed on
                self._from_frame(like, here + argument.offset, at, size)

    def _variable(self, name: str) -> Variable:
        return self.own.get(name) or next(v for v in self.variables if v.name == name)

    def _size_of(self, name: str) -> int:
        return self._variable(name).size

    def _move(self, like: Instruction, size: int) -> None:
        frame = Register(_FRAME)
        self._add(like, "add", ("s64",), (frame, frame, Immediate(size)))

    def _guard_stack(self, like: Instruction) -> None:
        """A frame that would not fit ends the kernel, as an overflow does on a GPU."""
        start, used, beyond = self._fresh("b64"), self._fresh("b64"), self._fresh("pred")
        self._add(like, "mov", ("b64",), (start, Symbol(_STACK)))
        self._add(like, "sub", ("u64",), (used, Register(_FRAME), start))
        self._add(like, "setp", ("gt", "u64"), (beyond, used, Immediate(STACK - _MARGIN)))
        self._add(like, "trap", (), (), Guard(beyond))

    def _keep(self, like: Instruction, name: str, at: int) -> None:
        kind, place = self.registers[name], Address(Register(_FRAME), at)
        if kind == "pred":
            word = self._fresh("b32")
            self._add(like, "selp", ("b32",), (word, Immediate(1), Immediate(0), Register(name)))
            self._add(like, "st", ("local", "b32"), (place, word))
        elif kind in TYPE_SIZE:
            self._add(like, "st", ("local", _bits(kind)), (place, Register(name)))

    def _restore(self, like: Instruction, name: str, at: int) -> None:
        kind, place = self.registers[name], Address(Register(_FRAME), at)
        if kind == "pred":
            word = self._fresh("b32")
            self._add(like, "ld", ("local", "b32"), (word, place))
            self._add(like, "setp", ("ne", "u32"), (Register(name), word, Immediate(0)))
        elif kind in TYPE_SIZE:
            self._add(like, "ld", ("local", _bits(kind)), (Register(name), place))

    def _copy(self, like: Instruction, source: tuple[str, int], target: int, size: int) -> None:
        """From a named variable into the frame."""
        for offset, width in _pieces(size):
            register = self._fresh(f"b{max(8 * width, 16)}")
            kind = f"b{8 * width}"
            self._add(like, "ld", ("param", kind),
                      (register, Address(Symbol(source[0]), source[1] + offset)))  # fmt: skip
            self._add(like, "st", ("local", kind),
                      (Address(Register(_FRAME), target + offset), register))  # fmt: skip

    def _from_frame(self, like: Instruction, source: int, target: int, size: int) -> None:
        """From the frame to where functions look for their arguments."""
        for offset, width in _pieces(size):
            register = self._fresh(f"b{max(8 * width, 16)}")
            kind = f"b{8 * width}"
            self._add(like, "ld", ("local", kind),
                      (register, Address(Register(_FRAME), source + offset)))  # fmt: skip
            self._add(like, "st", ("param", kind),
                      (Address(Symbol(_PASSED), target + offset), register))  # fmt: skip

    def _copy_static(
        self, like: Instruction, source: str, first: int, target: str, size: int, at: int = 0
    ) -> None:
        """From one named variable to another."""
        for offset, width in _pieces(size):
            register = self._fresh(f"b{max(8 * width, 16)}")
            kind = f"b{8 * width}"
            self._add(like, "ld", ("param", kind),
                      (register, Address(Symbol(source), first + offset)))  # fmt: skip
            self._add(like, "st", ("param", kind),
                      (Address(Symbol(target), at + offset), register))  # fmt: skip


def _bits(kind: str) -> str:
    return f"b{8 * TYPE_SIZE[kind]}"


def _pieces(size: int) -> Iterable[tuple[int, int]]:
    """(offset, bytes) of the words that cover so many bytes."""
    at = 0
    while at < size:
        width = next(w for w in (8, 4, 2, 1) if w <= size - at)
        yield at, width
        at += width


def _offsets(variables: Sequence[Variable]) -> list[int]:
    """Where arguments lie one behind the other, by their alignment."""
    out, end = [], 0
    for each in variables:
        end = -(-end // each.align) * each.align
        out.append(end)
        end += each.size
    return out
