"""The selected rules as code. Found by walking the `rules` package: there is no list to keep."""

from __future__ import annotations

import pkgutil
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import perflint.rules
from perflint.rules.case import Case, Decision
from perflint.rules.protocol import Failure, Kernel, Results, Rule, Suspicion, Told, Trials


class RuleModule(Protocol):
    """What the file of a rule on kernels provides.

    Beside these it may have `variants(suspicion, original)`, golden executions that must run, and
    `cures(suspicion, decision)`, variants to try for a fix.
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
    """Import the rule files of `codes`; the file of CU101 is named `cu101_….py`."""
    modules: list[Any] = []
    families = [each.name for each in pkgutil.iter_modules(perflint.rules.__path__) if each.ispkg]
    for family in families:
        folders = [f"{path}/{family}" for path in perflint.rules.__path__]
        for info in pkgutil.iter_modules(folders):
            code = info.name.split("_", 1)[0].upper()
            if code in codes:
                modules.append(import_module(f"perflint.rules.{family}.{info.name}"))
    modules.sort(key=_code)
    return Ruleset(
        tuple(m for m in modules if m.RULE.subject == "kernel"),
        tuple(m for m in modules if m.RULE.subject == "failure"),
    )


def _code(module: Any) -> str:
    return str(module.RULE.code)
