"""An account in words: what became of a suspicion, what was measured, what was objected."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from perflint.lint.account import Answer, Sample, Weighed
from perflint.report.context import number
from perflint.rules.protocol import SMALL_SHARE

_WORLDS = 3  #: runs whose figures are shown one by one


def is_told(weighed: Weighed, *, unconfirmed: bool) -> bool:
    """Whether a finding tells of it; `unconfirmed`: notes on what is undecided are shown."""
    if weighed.fate in ("", "left"):
        return False
    return unconfirmed or weighed.verdict == "confirmed"


def order(weighed: Weighed) -> tuple[object, ...]:
    """What was told first, then what was doubted, then what was refuted for a reason of its own."""
    answer = weighed.answer
    plain = answer is None or answer.objection in ("nothing wasted", "not reached")
    rank = {"confirmed": 0, "undecided": 1}.get(weighed.verdict, 3 if plain else 2)
    return (rank, weighed.lines, weighed.code, weighed.about)


def verdict(weighed: Weighed) -> str:
    """The verdict in a word or two."""
    if weighed.fate == "left":
        return f"left to {weighed.better}"
    if weighed.verdict == "confirmed":
        level = weighed.fate if weighed.fate in ("warning", "error", "note") else ""
        return f"confirmed, {'an' if level == 'error' else 'a'} {level}" if level else "confirmed"
    return weighed.verdict


def reason(weighed: Weighed) -> str:
    """Why: of what is told what it says, else the objection that decided."""
    if weighed.fate == "left":
        return f"{weighed.better} says it better of the same instructions"
    if weighed.verdict == "confirmed":
        return weighed.message
    answer = weighed.answer
    if answer is None:
        return "no run of a launch could tell"
    if answer.objection == SMALL_SHARE:
        return f"{answer.reason}, and a finding asks for {answer.least:.0%}"
    return answer.reason or "no run of a launch could tell"


def objection(weighed: Weighed) -> str:
    """The name of the objection that decided; "" where none did."""
    answer = weighed.answer
    return answer.objection if answer is not None and weighed.verdict != "confirmed" else ""


def measured(weighed: Weighed, answer: Answer, most: int = _WORLDS) -> list[str]:
    """The figures, a line for each run whose differ: the first with their unit."""
    if answer.samples and not any(each.counted for each in answer.samples):
        return ["nothing could be counted"]
    found = [each for each in answer.samples if each.counted]
    by_formula = not found
    found = found or (list(answer.formulas) if answer.proved else [])
    if not found:
        return []
    if len({_figures(each) for each in found}) == 1:
        worlds = "" if len(found) == 1 else ", with all values tried"
        return [f"{_first(found[0], weighed.measures, by_formula)}{worlds}"]
    lines = [
        f"{_first(each, weighed.measures if n == 0 else '', by_formula)}  ({each.world})"
        for n, each in enumerate(found[:most])
    ]
    return lines + [f"{len(found) - most} more runs"] * (len(found) > most)


def _figures(sample: Sample) -> str:
    return f"{figure(sample.measured)} {figure(sample.ideal)} {_share(sample)} {sample.full}"


def _first(sample: Sample, unit: str, by_formula: bool) -> str:
    said = f"{f'{unit} ' if unit else ''}{figure(sample.measured)}, ideal {figure(sample.ideal)}"
    if share := _share(sample):
        said += f"; {share} of the kernel's work"
    if by_formula:
        return f"{said}; by the formula of its address, no run came to it"
    return said if sample.full else f"{said}; no request had all 32 lanes"


def _share(sample: Sample) -> str:
    """The excess as a part of the kernel's work; "" where it is nothing, or not known."""
    known = sample.measured > sample.ideal and 0.0005 <= sample.share < 1
    return f"{sample.share:.1%}" if known else ""


def figure(value: float) -> str:
    """A count: whole from 100 on, else one decimal."""
    return f"{round(value):,}" if abs(value) >= 100 else number(round(float(value), 1))


def briefly(weighed: Weighed) -> str:
    """All of it in a sentence, for where there is a line to say it."""
    answer, why = weighed.answer, reason(weighed)
    said = f"{verdict(weighed)}: {why}" if why else verdict(weighed)
    figures = measured(weighed, answer, 1)[:1] if answer is not None else []
    if figures and weighed.verdict != "confirmed":
        said += f" (measured {figures[0].replace('  (', ', ').rstrip(')')})"
    return said


def grouped(weighed: Sequence[Weighed]) -> list[list[Weighed]]:
    """Those of which the same is to be said are one group, whatever their rules."""
    groups: dict[object, list[Weighed]] = {}
    for each in sorted(weighed, key=order):
        answer = each.answer
        told = answer is not None and each.verdict == "refuted" and answer.samples
        figures = tuple(measured(each, answer)) if told and answer is not None else (each.code,)
        key = (each.verdict, each.about, reason(each), each.measures, figures, each.lines)
        groups.setdefault(key, []).append(each)
    return list(groups.values())


def in_ranges(codes: Collection[str], among: Sequence[str]) -> str:
    """Codes, those that follow each other in `among` as a range: `CU401 to CU405, CU501`."""
    runs: list[list[str]] = []
    before = ""
    for code in among:
        if code in codes:
            if runs and runs[-1][-1] == before:
                runs[-1].append(code)
            else:
                runs.append([code])
        before = code
    shown = (run if len(run) < 3 else [f"{run[0]} to {run[-1]}"] for run in runs)
    return ", ".join(text for run in shown for text in run)
