"""What became of a suspicion under one launch: the verdict, and what the rule says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields, replace

from perflint.base.records import dataclass
from perflint.lint.worth import Worth
from perflint.rules.case import Case
from perflint.rules.protocol import BY_DATA, SMALL_SHARE, Told, Trial, Variant, Verdict


@dataclass(frozen=True, eq=False)
class Judgement(Told):
    """The verdict on one suspicion, and what the rule says of it."""

    verdict: Verdict = Verdict.REFUTED
    reason: str = ""  #: why undecided
    trial: Trial | None = field(default=None, repr=False)  #: the run that the figures are of
    objection: str = ""  #: the name of the objection that decided; "": none did
    trail: tuple[tuple[str, str], ...] = ()  #: each objection that was asked, and its answer
    share: float = 1.0  #: of the kernel's work that it wastes
    waste_text: str = ""  #: the share in words
    least: float = 0.0  #: the share that it must waste
    case: Case | None = field(default=None, repr=False)  #: what the rule measured
    untried: bool = False  #: whether there is an edit that may mend it, which nobody asked for
    remedy: Variant | None = None  #: the golden version that was run beside it
    worth: Worth | None = None  #: what no schedule can beat, before and after the change

    #: tries what may mend it; None: nothing does. What the rule says then, and whether there is an
    #: edit that was not tried.
    cure: Callable[[], tuple[Told | None, bool]] | None = field(default=None, repr=False)
    remarks: tuple[str, ...] = ()  #: the engine's own, after the rule's notes

    def with_cures(self) -> Judgement:
        """The same with what came of what may mend it."""
        told, untried = self.cure() if self.cure is not None else (None, False)
        said = {each.name: getattr(told, each.name) for each in fields(Told)} if told else {}
        return replace(self, **said, untried=untried)

    @property
    def minor(self) -> bool:
        """A small part of the kernel's work: worth a word only beside a confirmed one."""
        return self.objection == SMALL_SHARE

    @property
    def behind(self) -> bool:
        """Bad by its formula, though no run came to it: worth a word likewise."""
        case = self.case
        unseen = case is not None and case.proved and not case.figures
        return unseen and self.objection == BY_DATA
