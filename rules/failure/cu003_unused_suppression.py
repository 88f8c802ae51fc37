"""## What it does
Finds comments to perflint that silence nothing: the finding is gone, or was never there.

## Why it is slow
It is not. But a comment that outlives its finding hides the next one on that line, and readers take
it for a warning.

## Example
```cuda
__global__ void copy(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x]; // perflint: ignore[CU101] -- rows are short
}
```

## Use instead
```cuda
__global__ void copy(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x];
}
```

## How it is confirmed
The rule that the comment names ran over every kernel of the file, and found nothing where the
comment looks. Nothing is reported for a file that was not analysed completely, of headers that were
not given themselves, and of rules that did not run.

## When to ignore it
When the finding depends on `-D`, `--arch` or a launch that another run gives.

## Options
None.

## References
- perflint's documentation, "Silence a finding"
"""

from __future__ import annotations

from collections.abc import Iterator

from perflint.rules.protocol import (
    Failure,
    Rule,
    Suspicion,
    Told,
)

RULE = Rule(
    code="CU003",
    name="unused-suppression",
    summary="A comment silences a finding that is not there.",
    since="0.1.0",
    status="stable",
    subject="failure",
    tags=("cuda",),
    precision="very-high",
)


def suspect(failure: Failure) -> Iterator[Suspicion]:
    if failure.kind == "unused":
        yield Suspicion(failure.message, failure=failure)


def describe(suspicion: Suspicion) -> Told:
    failure = suspicion.failure
    assert failure is not None
    return Told(
        message=f"`{failure.message}` silences nothing",
        help="take the comment out",
    )
