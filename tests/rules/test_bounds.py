"""What a rule says that a suspicion costs at most, against what its variants then show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from perflint.lint import judge as judging
from perflint.lint.ruleset import RuleModule
from perflint.lint.verdict import TOO_SMALL
from perflint.rules.case import Case
from perflint.rules.protocol import Suspicion, Trial, Trials, Variant, VariantResult
from tests.rules.test_rules import SOURCES, run

BOUNDED = ("CU701", "CU705")
Run = judging.Run


@pytest.mark.parametrize("path", [p for p in SOURCES if p.parent.name in BOUNDED], ids=str)
def test_no_variant_exceeds_the_bound(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    measure = judging.judge

    def judge(
        rule: RuleModule,
        suspicion: Suspicion,
        original: Trials,
        launch: Sequence[Trial],
        run: Run,
        fixes: bool = True,
    ) -> object:
        if rule.RULE.code in BOUNDED:
            bound: Case = rule.at_most(suspicion, original)  # type: ignore[attr-defined]
            variants = rule.variants(suspicion, original)  # type: ignore[attr-defined]
            case = rule.measure(suspicion, original, tuple(map(run, variants)))
            most = max((each.share for each in bound.figures), default=0.0)
            for each in case.figures:
                if each.counted and each.bad:
                    assert each.share <= most + 1e-9
                    compared.append(each.share)
        return measure(rule, suspicion, original, launch, run, fixes)

    monkeypatch.setattr("perflint.lint.check_kernel.judge", judge)
    monkeypatch.setattr("perflint.work.parallel.FORKS", False)
    run(path)
    assert compared


SMALL = """
__global__ void work(float *out, const float *in, int n, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / w;
    float sum = row;
    for (int k = 0; k < 64; k++)
        for (int j = 0; j < 32; j++) sum = sum * in[k] + in[64 + j];
    if (i < n) out[i] = sum;
}
void launch(float *out, const float *in) { work<<<64, 256>>>(out, in, 64 * 256, 1000); }
"""


def test_what_is_too_small_whatever_a_variant_shows_runs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def variant(variant: Variant, rule: RuleModule, **_: object) -> VariantResult:
        assert rule.RULE.code != "CU705"
        return VariantResult(variant, error="not run")

    monkeypatch.setattr("perflint.lint.check_kernel._variant", variant)
    monkeypatch.setattr("perflint.work.parallel.FORKS", False)
    source = tmp_path / "small.cu"
    source.write_text(SMALL)
    answers = [
        answer
        for account in run(source).accounts
        for each in account.weighed
        if each.code == "CU705"
        for answer in each.answers
    ]
    assert [(each.verdict, each.objection) for each in answers] == [("refuted", TOO_SMALL)]
