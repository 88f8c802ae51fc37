"""A rule of another distribution, asked so that what fails in it is told as its own failure."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

from perflint.lint.rule_packages import RulePackage
from perflint.rules.case import Case
from perflint.rules.protocol import Suspicion, Told
from perflint.sim.launch import UnsupportedInstructionError

_OPTIONAL = ("variants", "cures", "passes_over")
#: What the functions of a rule must answer with; of `suspect` each one.
_ANSWERS = {"suspect": Suspicion, "measure": Case, "describe": Told}
#: What says something of the kernel, not of the rule.
_OF_THE_KERNEL = (MemoryError, RecursionError, UnsupportedInstructionError)


class RuleFailedError(Exception):
    """A rule of another distribution raised something, or answered with something else."""


def guarded(module: ModuleType, package: RulePackage) -> SimpleNamespace:
    """The rule of a module, whose functions raise RuleFailedError where they fail."""
    names = [name for name in (*_ANSWERS, *_OPTIONAL) if hasattr(module, name)]
    functions = {name: _guarded(name, module, package) for name in names}
    return SimpleNamespace(RULE=module.RULE, **functions)


def _guarded(name: str, module: ModuleType, package: RulePackage) -> Callable[..., Any]:
    asked, wanted = getattr(module, name), _ANSWERS.get(name)
    whose = f"`{name}` of the rule {module.RULE.code}, which {package.added_by} adds"

    def ask(*arguments: Any) -> Any:
        try:
            found = asked(*arguments)
            if name == "suspect":
                found = tuple(found)
        except _OF_THE_KERNEL:
            raise
        except Exception as error:
            why = " ".join(f"{type(error).__name__}: {error}".split())
            raise RuleFailedError(
                f"{whose}, failed ({why}); tell its authors, and leave it out with "
                f"`--ignore {module.RULE.code}`"
            ) from error
        for each in found if name == "suspect" else (found,):
            if wanted is not None and not isinstance(each, wanted):
                kind = type(each).__name__
                raise RuleFailedError(f"{whose}, answered {kind} where {wanted.__name__} is meant")
        return found

    return ask
