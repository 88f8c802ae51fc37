"""## What it does
Finds accesses of shared memory whose lanes want different words of the same bank.

## Why it is slow
Shared memory has 32 banks of 4 bytes; word i lies in bank i mod 32. Lanes that want different words
of one bank are served one after the other, each pass being a *wavefront*. A column of a
`float tile[32][32]` lies in a single bank: 32 wavefronts where one would do.

## Example
```cuda
__global__ void columns(float *out, const float *in)
{
    __shared__ float tile[32][32];
    for (int y = 0; y < 32; y++)
        tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int x = 0; x < 32; x++)
        sum += tile[threadIdx.x][x];
    out[threadIdx.x] = sum;
}

void launch(float *out, const float *in) { columns<<<1, 32>>>(out, in); }
```

## Use instead
```cuda
__global__ void columns(float *out, const float *in)
{
    __shared__ float tile[32][33];
    for (int y = 0; y < 32; y++)
        tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int x = 0; x < 32; x++)
        sum += tile[threadIdx.x][x];
    out[threadIdx.x] = sum;
}

void launch(float *out, const float *in) { columns<<<1, 32>>>(out, in); }
```
One element of padding a row moves each row one bank on.

## How it is confirmed
The kernel is simulated and the wavefronts of each request are counted, with the phases of 64- and
128-bit accesses (two half-warps, four quarter-warps). The golden execution moves the same bytes in
as few wavefronts as those phases allow. The finding is confirmed if the access needs at least 1.5
times the golden wavefronts under every condition tried, and if its excess is at least 5 % of the
kernel's wavefronts, or one of many like parts of a quarter of them. Full-warp requests are judged
where there are any. Without a launch in the source two block shapes are tried, and both must agree.

## When to ignore it
When the access is rare, or when the padding would cost a block of occupancy that matters more.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Shared Memory and Memory Banks",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#shared-memory-and-memory-banks
- Nsight Compute, source counters `memory_l1_wavefronts_shared` and `…_ideal`
- Rosen, "A Visual Approach to Investigating Shared and Global Memory Behavior of CUDA Kernels",
  Computer Graphics Forum 32(3), 2013, section 6
"""

from __future__ import annotations

from collections.abc import Iterator

from perflint.rules import advice
from perflint.rules.decide import decide
from perflint.rules.measure import Measurement, figure, suspicions
from perflint.rules.protocol import (
    REFUTED,
    Evidence,
    Judgement,
    Kernel,
    Results,
    Rule,
    Suspicion,
    Trials,
    Variant,
)

RULE = Rule(
    code="CU201",
    name="shared-bank-conflict",
    summary="Lanes of a warp want different words of one bank of shared memory.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "shared-memory", "bank-conflict"),
    tracers=("AccessCounter",),
)

#: The smallest conflict of a whole warp is 2-way; below 1.5 on average most requests have none.
WORST_RATIO = 1.5


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    return suspicions(kernel, "shared")


def variants(suspicion: Suspicion, original: Trials) -> tuple[Variant, ...]:
    return ()  # the golden execution, the same bytes without conflicts, is counted in the same run


def judge(suspicion: Suspicion, original: Trials, variants: Results) -> Judgement:
    site, kernel = suspicion.site, suspicion.kernel
    decision = decide(site, original, "shared", _bad)
    m, trial = decision.figures, decision.trial
    if m is None or trial is None or kernel is None:
        return REFUTED
    names = kernel.names
    array, label = names.array(site), names.stride(site, trial.run, m.witness)
    return Judgement(
        verdict=decision.verdict,
        reason=decision.reason,
        message=_message(site.kind, array, m),
        label=label,
        evidence=(
            Evidence("wavefronts per request", m.per_request, m.golden_per_request, "wavefronts"),
        ),
        notes=decision.notes,
        help=advice.conflicting(site, m.witness, array),
        witness=names.witness(m.witness, "wavefronts"),
        trial=trial,
        fault=f"{array} {label}",
        minor=decision.minor,
        severity=m.ratio,
    )


def _bad(m: Measurement) -> bool:
    return m.measured >= WORST_RATIO * m.golden


def _message(kind: str, array: str, m: Measurement) -> str:
    measured, golden = figure(m.per_request), figure(m.golden_per_request)
    preposition = "from" if kind == "load" else "to"
    steady = m.ways * m.golden == m.measured  # every request conflicts alike
    degree = f"{m.ways}-way" if steady else f"up to {m.ways}-way"
    article = "an" if degree.startswith(("8", "11", "18")) else "a"
    conflict = f"has {article} {degree} bank conflict" if steady else f"has {degree} bank conflicts"
    return (
        f"{kind} {preposition} {array} {conflict}: {measured} wavefronts per request "
        f"where {golden} would do"
    )
