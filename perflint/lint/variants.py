"""The variants that rules ask for: made into something that runs, and run beside the original."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from itertools import pairwise

from perflint.analysis import analyse
from perflint.analysis.model import AnalysisError, KernelFacts
from perflint.analysis.variable_names import variable_name
from perflint.base.constructs import FunctionSource
from perflint.base.evidence import Edit
from perflint.base.records import dataclass
from perflint.frontend.mangling import nested_name
from perflint.grammar.model import Function, Module
from perflint.lint.experiment import Plan, share
from perflint.lint.host_edits import Wanted, objection
from perflint.lint.own_kernel import emptied, same_variables
from perflint.lint.subject import RecompileError, Subject
from perflint.lint.trials import Program, trials_in_turn
from perflint.rules.protocol import (
    ConstantArguments,
    Fields,
    OtherArchitecture,
    OtherLaunch,
    RestrictAdded,
    Scope,
    SourceEdit,
    Trial,
    Variant,
    VariantResult,
)
from perflint.sim.architecture import load as load_architecture
from perflint.sim.launch import (
    Aggregate,
    Argument,
    Buffer,
    Launch,
    Parted,
    Scalar,
    UnsupportedInstructionError,
)

#: Variants of one kernel that are compiled at most: each costs up to what the file itself did.
MOST_COMPILED = 32

_Key = tuple[Variant, int, Scope, frozenset[str]]


@dataclass(eq=False)
class Laboratory:
    """Runs variants of one kernel; equal ones, of several rules, once."""

    subject: Subject
    program: Program
    function: FunctionSource | None  #: the kernel's definition in the source
    plans: Sequence[Plan]
    #: the original's trials by scope, those of each plan together
    originals: Mapping[Scope, Sequence[Sequence[Trial]]] = field(default_factory=dict)
    _compiled: dict[tuple[tuple[Edit, ...], bool], Program | str] = field(default_factory=dict)
    _results: dict[_Key, VariantResult] = field(default_factory=dict)

    def run(
        self, variant: Variant, plan: int, scope: Scope, names: Collection[str]
    ) -> VariantResult:
        """The variant's trials under the conditions of one plan."""
        scope = _launch(variant).scope or scope
        for (*asked, traced), result in self._results.items():
            if asked == [variant, plan, scope] and traced.issuperset(names):
                return result
        result = self._run(variant, plan, scope, names)
        self._results[variant, plan, scope, frozenset(names)] = result
        return result

    def _run(
        self, variant: Variant, number: int, scope: Scope, names: Collection[str]
    ) -> VariantResult:
        plan, parts = self.plans[number], share(self.plans, number)
        try:
            edits = self._edits(variant)
            program = self._program(variant, edits)
            if isinstance(variant, SourceEdit) and variant.relaunched:
                self._relaunch(variant, plan)
            conditions = tuple(
                replace(each, launch=_with(each.launch, _launch(variant), program.facts.module))
                for each in plan.conditions
            )
        except RecompileError as error:
            return VariantResult(variant, error=str(error))
        changed = replace(plan, conditions=conditions)
        known = self._known(plan, number, scope, names) if _changes_nothing(variant) else {}
        coming = trials_in_turn(program, changed, scope, names, (), parts, known=known)
        return VariantResult(variant, _supported(coming), edits=edits)

    def _known(
        self, plan: Plan, number: int, scope: Scope, names: Collection[str]
    ) -> dict[str, Trial]:
        """The original's trials that came to their end and that all these tracers saw.

        Those of single accesses leave out turns, and end where all was seen: they are none.
        """
        if scope == "sites" or any(each.launch.copied for each in plan.conditions):
            return {}
        trials = self.originals[scope][number] if scope in self.originals else ()
        return {t.name: t for t in trials if t.run.stop is None and t.results.keys() >= {*names}}

    def joined(self, variants: Sequence[Variant]) -> SourceEdit | None:
        """The edits of several variants in one source; None where they do not go together.

        They are of one place, or one of them is of another launch or GPU.
        """
        edits: set[Edit] = set()
        for each in variants:
            if not isinstance(each, SourceEdit | ConstantArguments | RestrictAdded):
                return None
            if isinstance(each, SourceEdit) and each != SourceEdit(each.edits):
                return None
            try:
                edits.update(self._edits(each))
            except RecompileError:
                return None
        order = sorted(edits, key=lambda edit: edit.span)
        for one, other in pairwise(edit.span for edit in order):
            begin, end = (other.line, other.column), (one.end_line, one.end_column)
            if one.path == other.path and (begin < end or begin == (one.line, one.column)):
                return None
        return SourceEdit(tuple(order))

    def _edits(self, variant: Variant) -> tuple[Edit, ...]:
        """What a variant changes in the source. Raises RecompileError."""
        if isinstance(variant, SourceEdit):
            return variant.edits
        if not isinstance(variant, ConstantArguments | RestrictAdded):
            return ()
        if self.function is None:
            raise RecompileError("there is no source to edit")
        if isinstance(variant, ConstantArguments):
            return constant_edits(self.function, dict(variant.values))
        return restrict_edits(self.function, self.program.facts.written_parameters)

    def _program(self, variant: Variant, edits: tuple[Edit, ...]) -> Program:
        """What is to run. Raises RecompileError."""
        if isinstance(variant, OtherArchitecture):
            return replace(self.program, arch=variant.arch)
        if isinstance(variant, OtherLaunch):
            return self.program
        whole = isinstance(variant, SourceEdit) and variant.relaunched
        return self._compile(edits, bool(whole))

    def _relaunch(self, variant: SourceEdit, plan: Plan) -> None:
        """Make sure that the edited host code launches what it is to. Raises RecompileError."""
        subject, block = self.subject, variant.launch.block
        if subject.launches_beside is None or block is None:
            raise RecompileError("there is no host code to edit")
        pairs = subject.launches_beside(variant.edits)
        most = load_architecture(subject.arch).max_threads_per_block
        names = subject.parameters
        wanted = Wanted(plan.shape.span, block, variant.relaunched == "exchanged")
        if why := objection(pairs, wanted, self.program.facts, names, most):
            raise RecompileError(why)
        edited = self._compile(variant.edits, True).facts.module.functions
        for name, other in subject.module.functions.items():
            if name != subject.kernel.name and _code(other) != _code(edited.get(name)):
                raise RecompileError(f"it would change {nested_name(name)[-1]}, too")

    def _compile(self, edits: tuple[Edit, ...], whole: bool) -> Program:
        """The program of an edited source; of the `whole` file, or of what the kernel needs."""
        key = edits, whole
        if key not in self._compiled:
            self._compiled[key] = self._compiled_or_why(edits, whole)
        found = self._compiled[key]
        if isinstance(found, str):
            raise RecompileError(found)
        return found

    def _compiled_or_why(self, edits: tuple[Edit, ...], whole: bool) -> Program | str:
        if self.subject.recompile is None:
            return "there is no source to edit"
        if len(self._compiled) >= MOST_COMPILED:
            return f"{MOST_COMPILED} other versions of the kernel were compiled already"
        try:
            module, kernel = self._module(edits, whole)
            if kernel is None or not kernel.instructions:
                return "the edited kernel does not compile"
            if module is self.subject.module:
                return self.program  # what is edited is host code
            facts: KernelFacts = analyse(module, kernel, self.program.facts.told)
        except (RecompileError, AnalysisError) as error:
            return str(error)
        return replace(self.program, facts=facts)

    def _module(self, edits: tuple[Edit, ...], whole: bool) -> tuple[Module, Function | None]:
        """The module of an edited source, and the kernel in it. Raises RecompileError."""
        subject = self.subject
        assert subject.recompile is not None
        others = () if whole or self.function is None else emptied(subject, self.function, edits)
        module = subject.recompile(edits, others)
        kernel = self._counterpart(module)
        if not others or (
            kernel is not None and same_variables(subject.module, subject.kernel, module, kernel)
        ):
            return module, kernel
        return self._module(edits, True)

    def _counterpart(self, module: Module) -> Function | None:
        """The kernel in an edited source: an edit of its parameters' types renames it."""
        wanted = self.subject.kernel.name
        if wanted in module.functions:
            return module.functions[wanted]
        title = nested_name(wanted)
        before = [k for k in self.subject.module.kernels if nested_name(k.name) == title]
        after = [k for k in module.kernels if nested_name(k.name) == title]
        at = [k.name for k in before].index(wanted)
        return after[at] if len(before) == len(after) else None


def _code(function: Function | None) -> list[object]:
    """What a function does, wherever its lines stand."""
    instructions = function.instructions if function is not None else ()
    return [(i.opcode, i.modifiers, i.operands, i.guard) for i in instructions]


def _supported(coming: Iterator[tuple[int, Trial]]) -> Iterator[Trial]:
    """The trials up to one that meets an instruction which is not simulated."""
    with suppress(UnsupportedInstructionError):
        for _, trial in coming:
            yield trial


def _changes_nothing(variant: Variant) -> bool:
    """Whether it is the original, perhaps to another extent."""
    return isinstance(variant, OtherLaunch) and replace(variant, scope=None) == OtherLaunch()


def _launch(variant: Variant) -> OtherLaunch:
    if isinstance(variant, OtherLaunch):
        return variant
    return variant.launch if isinstance(variant, SourceEdit) else OtherLaunch()


def _with(launch, other: OtherLaunch, module: Module):  # type: ignore[no-untyped-def]
    given = dict(other.values)
    shared = launch.dynamic_shared if other.shared is None else other.shared
    shared += (shared // other.spread if other.spread else 0) + other.more
    if other.parted is not None:
        launch = _with_fields(launch, other.parted)
    return replace(
        launch,
        block=other.block or launch.block,
        grid=other.grid or launch.grid,
        dynamic_shared=shared,
        copied=tuple(
            (variable, number)
            for name, number in other.copied
            for variable in module.variables
            if variable_name(variable) == name
        ),
        arguments=tuple(
            Scalar(given[number]) if number in given else _limited(argument, other.limit)
            for number, argument in enumerate(launch.arguments)
        ),
    )


def _with_fields(launch: Launch, fields: Fields) -> Launch:
    """A launch whose array of structures is an array for each field.

    Raises RecompileError where nobody says how long it is.
    """
    array = launch.arguments[fields.parameter]
    size = array.size or 0 if isinstance(array, Buffer) else 0
    if not isinstance(array, Buffer) or not size or size % fields.step:
        raise RecompileError("how many structures there are is not known")
    array = replace(array, element=fields.element)
    count = size // fields.step
    each = tuple(replace(array, size=count * size) for _, size in fields.places)
    pointers = Aggregate(
        bytes(8 * len(each)), tuple((8 * at, field) for at, field in enumerate(each))
    )
    arguments = list(launch.arguments)
    arguments[fields.parameter] = pointers
    parted = Parted(fields.parameter, array, fields.step, fields.places)
    return replace(launch, arguments=tuple(arguments), parted=parted)


def _limited(argument: Argument, limit: int) -> Argument:
    """An argument, of which made-up integers in memory are below a limit, if there is one."""
    if not limit or not isinstance(argument, Buffer):
        return argument
    return replace(argument, limit=min(argument.limit, limit))


def constant_edits(function: FunctionSource, values: Mapping[int, int | float]) -> tuple[Edit, ...]:
    """Edits that make parameters constants: each gets another name, and its own is a constant.

    Raises RecompileError for a parameter without a name.
    """
    edits, lines = [], []
    for index, value in sorted(values.items()):
        parameter = function.parameters[index]
        if parameter.name_span is None:
            raise RecompileError(f"parameter {index} has no name")
        passed = f"perflint_{parameter.name}"
        edits.append(Edit(parameter.name_span, passed))
        lines.append(f" constexpr decltype({passed}) {parameter.name} = {value!r};")
    body = function.body
    start = replace(body, column=body.column + 1, end_line=body.line, end_column=body.column + 1)
    return (*edits, Edit(start, "".join(lines)))


def restrict_edits(function: FunctionSource, written: Collection[int]) -> tuple[Edit, ...]:
    """Edits that put `__restrict__` on pointer parameters, and `const` on what is only read."""
    return tuple(_restrictions(function, written))


def _restrictions(function: FunctionSource, written: Collection[int]) -> Iterator[Edit]:
    for index, parameter in enumerate(function.parameters):
        if not parameter.pointer or parameter.name_span is None:
            continue
        if not parameter.restrict:
            yield Edit(parameter.name_span, f"__restrict__ {parameter.name}")
        if not parameter.const and index not in written:
            span = parameter.span
            at = replace(span, end_line=span.line, end_column=span.column)
            yield Edit(at, "const ")
