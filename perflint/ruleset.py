"""The selected rules as code. Found by walking the `rules` package: there is no list to keep."""

from __future__ import annotations

import pkgutil
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import perflint.rules
from perflint.rules.protocol import Judgement, Results, Rule, Suspicion, Trials, Variant


class RuleModule(Protocol):
    """What a rule file provides. `suspect` takes a `Kernel` or a `Failure`: RULE.subject says."""

    RULE: Rule

    def suspect(self, subject: Any) -> Iterable[Suspicion]: ...

    def variants(self, suspicion: Suspicion, original: Trials) -> tuple[Variant, ...]: ...

    def judge(self, suspicion: Suspicion, original: Trials, variants: Results) -> Judgement: ...


@dataclass(frozen=True)
class Ruleset:
    """The rules to run, by what they look at."""

    kernel: tuple[RuleModule, ...]
    failure: tuple[RuleModule, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process imports its own."""
        return load, ([rule.RULE.code for rule in (*self.kernel, *self.failure)],)


def load(codes: Collection[str]) -> Ruleset:
    """Import the rule files of `codes`; the file of CU101 is named `cu101_….py`."""
    modules: list[RuleModule] = []
    for info in pkgutil.iter_modules(perflint.rules.__path__):
        code = info.name.split("_", 1)[0].upper()
        if code in codes:
            modules.append(import_module(f"perflint.rules.{info.name}"))
    modules.sort(key=lambda m: m.RULE.code)
    return Ruleset(
        tuple(m for m in modules if m.RULE.subject == "kernel"),
        tuple(m for m in modules if m.RULE.subject == "failure"),
    )
