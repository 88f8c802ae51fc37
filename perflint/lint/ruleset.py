"""The selected rules as code. Found by walking the packages of rules: there is no list to keep."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from importlib import import_module
from typing import Any, Protocol

from perflint.base.records import dataclass
from perflint.lint import rulebook
from perflint.lint.rule_packages import RulebookError, RulePackage
from perflint.rules.case import Case, Decision
from perflint.rules.protocol import Failure, Kernel, Results, Rule, Suspicion, Told, Trials

#: What the file of a rule must provide beside `RULE`, by the rule's subject.
_FUNCTIONS = {"kernel": ("suspect", "measure", "describe"), "failure": ("suspect", "describe")}


class RuleModule(Protocol):
    """What the file of a rule on kernels provides.

    Beside these it may have `variants(suspicion, original)`, golden executions that must run;
    `at_most(suspicion, original)`, the case that no golden execution could exceed, so that none
    need run for what is too small to report even so; and `cures(suspicion, decision)`, variants to
    try for a fix.
    """

    RULE: Rule

    def suspect(self, kernel: Kernel) -> Iterable[Suspicion]: ...

    def measure(self, suspicion: Suspicion, original: Trials, results: Results) -> Case: ...

    def describe(self, suspicion: Suspicion, decision: Decision) -> Told: ...


class FailureRule(Protocol):
    """What the file of a rule on failures provides."""

    RULE: Rule

    def suspect(self, failure: Failure) -> Iterable[Suspicion]: ...

    def describe(self, suspicion: Suspicion) -> Told: ...


@dataclass(frozen=True)
class Ruleset:
    """The rules to run, by what they look at."""

    kernel: tuple[RuleModule, ...]
    failure: tuple[FailureRule, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process imports its own."""
        kept = [rule.RULE.code for rule in self.kernel] + [rule.RULE.code for rule in self.failure]
        return load, (kept,)


def load(codes: Collection[str]) -> Ruleset:
    """Import the rule files of `codes`. Raises RulebookError for one of another distribution."""
    found = [_imported(*where) for where in rulebook.modules(codes).values()]
    return Ruleset(
        tuple(m for m in found if m.RULE.subject == "kernel"),
        tuple(m for m in found if m.RULE.subject == "failure"),
    )


def _imported(module: str, package: RulePackage) -> Any:
    if not package.added_by:
        return import_module(module)
    try:
        loaded: Any = import_module(module)
        wanted = _FUNCTIONS[loaded.RULE.subject]
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise RulebookError(f"{package.whose}{module} cannot be imported: {why}") from error
    if lacking := [name for name in wanted if not callable(getattr(loaded, name, None))]:
        raise RulebookError(f"{package.whose}{module} has no `{lacking[0]}`, which a rule needs")
    from perflint.lint.foreign_rule import guarded  # it imports the simulator, which few need here

    return guarded(loaded, package)
