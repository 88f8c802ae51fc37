"""When a confirmed finding is a note: what its change is worth decides (docs/worth.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from perflint.base.floor import Floor
from perflint.cli.commands import run
from perflint.lint.build_finding import Judged
from perflint.lint.judgement import Judgement
from perflint.lint.ruleset import load
from perflint.lint.worth import Together, Worth
from perflint.rules.cache import interference
from perflint.rules.case import Case
from perflint.rules.protocol import Suspicion, Verdict

SAME, LESS = Floor({"lsu": 64.0, "tags": 80.0}), Floor({"lsu": 64.0, "tags": 8.0})
BOUND = Floor({"lsu": 640.0, "tags": 80.0})
SPARED = Floor({"lsu": 640.0, "tags": 8.0})


@pytest.mark.parametrize(
    ("code", "worth", "level"),
    [
        ("CU101", None, "warning"),
        ("CU101", Worth(SAME, LESS), "warning"),
        ("CU101", Worth(BOUND, BOUND, excess=0.5), "warning"),
        ("CU101", Worth(BOUND, BOUND, excess=0.01), "note"),
        # memory moves all of it while the load unit takes the requests
        ("CU101", Worth(BOUND, BOUND, excess=0.5, moved=640), "note"),
        ("CU101", Worth(BOUND, BOUND, excess=0.5, moved=700), "warning"),
        ("CU201", Worth(BOUND, BOUND), "note"),
        ("CU101", Worth(SAME, LESS, excess=0.5, issue=10_000), "warning"),
        ("CU101", Worth(SAME, LESS, excess=0.01, issue=10_000), "note"),
        # little beside all that the kernel computes, which no floor counts
        ("CU102", Worth(SAME, LESS, excess=0.5, issue=10_000), "note"),
        ("CU102", Worth(SAME, LESS, excess=0.5, issue=200), "warning"),
        ("CU102", Worth(SAME, LESS, excess=0.5, atomics=10_000), "note"),
        ("CU201", Worth(SAME, LESS, issue=10_000), "note"),
        ("CU201", Worth(SAME, LESS), "warning"),
        # memory takes longer than shared memory with its conflicts
        ("CU201", Worth(SAME, LESS, memory=10_000), "note"),
        ("CU201", Worth(SAME, LESS, memory=200), "warning"),
        ("CU201", Worth(BOUND, BOUND, together=Together(2, BOUND, BOUND)), "note"),
        ("CU201", Worth(BOUND, BOUND, together=Together(2, LESS, BOUND)), "warning"),
        # the others' changes do as much without it
        ("CU201", Worth(BOUND, BOUND, together=Together(2, LESS, LESS)), "note"),
        # a slip counts by what any unit does without it, or issue, but not beside memory
        ("CU701", Worth(BOUND, SPARED), "warning"),
        ("CU701", Worth(BOUND, SPARED, memory=10_000), "note"),
        ("CU704", Worth(BOUND, BOUND, issue=600, issue_saved=100), "warning"),
        ("CU704", Worth(BOUND, BOUND, issue=600, issue_saved=10), "note"),
        ("CU706", Worth(BOUND, SPARED), "note"),
        # L1 has what is loaded again
        ("CU503", Worth(BOUND, BOUND), "note"),
        ("CU503", Worth(BOUND, BOUND, together=Together(2, LESS, BOUND)), "warning"),
        # what a constant saves is worth something, and nobody has counted what
        ("CU601", Worth(BOUND, BOUND), "warning"),
    ],
)
def test_the_level_of_a_finding(code: str, worth: Worth | None, level: str) -> None:
    [module] = load([code]).kernel
    plan: Any = None
    judgement = Judgement(verdict=Verdict.CONFIRMED, worth=worth)
    assert Judged(module.RULE, Suspicion("load from `a`"), plan, judgement).level == level


@pytest.mark.parametrize(
    ("issue", "left", "level"), [(0, 0.5, "warning"), (10_000, 0.5, "note"), (0, 1.0, "note")]
)
def test_fewer_requests_count_though_another_unit_binds(
    issue: float, left: float, level: str
) -> None:
    [module] = load(["CU102"]).kernel
    plan: Any = None
    suspicion = Suspicion("loads of `a`")
    worth = Worth(SAME, Floor({"lsu": 32.0, "tags": 80.0}), issue=issue)
    case = Case(suspicion, (), left=left)
    judgement = Judgement(verdict=Verdict.CONFIRMED, worth=worth, case=case)
    assert Judged(module.RULE, suspicion, plan, judgement).level == level


def test_what_another_unit_has_less_to_do_is_no_fewer_requests() -> None:
    """Vectors leave as many lines of L1: these are not why shared memory would have less to do."""
    binds = {"lsu": 64.0, "shared_wavefronts": 640.0}
    worth = Worth(Floor({**binds, "l1_bytes": 400.0}), Floor({**binds, "lsu": 48.0, "l1_bytes": 4}))
    assert worth.relief == 16 / 640


PATHS = """
struct State { float price, variance, sum, extra[9]; };

__global__ void paths(State *all, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float price = all[i].price, sum = 0.0f;
    for (int k = 0; k < steps; k++) {
        price = price * 1.0001f + __sinf(price + k);
        sum += __expf(-price);
    }
    all[i].sum = sum;
}

void run(State *all) { paths<<<BLOCKS, 256>>>(all, STEPS); }
"""


@pytest.mark.parametrize(
    ("blocks", "steps", "level"),
    [(1024, 8, "warning"), (1024, 512, "note"), (64, 512, "warning")],
)
def test_memory_moves_all_while_warps_compute(
    blocks: int, steps: int, level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """… with what nobody uses of each structure, in less time than the steps take.

    Where a scheduler has but one warp, none computes while that waits.
    """
    source = PATHS.replace("BLOCKS", str(blocks)).replace("STEPS", str(steps))
    (tmp_path / "paths.cu").write_text(source)
    options = ["--no-cache", "--show-unconfirmed", "--select", "CU104", "--output-format", "json"]
    run(["check", *options, str(tmp_path)])
    assert {each["level"] for each in json.loads(capsys.readouterr().out)} == {level}


ROOTS = """
__global__ void roots(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += 1.0f / sqrtf(in[k * ROW + threadIdx.x ELEMENT]);
    out[i] = sum;
}

void run(float *out, const float *in) { roots<<<256, 64>>>(out, in, 64); }
"""


@pytest.mark.parametrize(
    ("row", "element", "level"), [(64, "", "warning"), (16384, "+ blockIdx.x * 64", "note")]
)
def test_memory_takes_longer_with_a_root_and_without(
    row: int, element: str, level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Blocks that read the same elements compute; where each reads its own, they wait."""
    source = ROOTS.replace("ROW", str(row)).replace("ELEMENT", element)
    (tmp_path / "roots.cu").write_text(source)
    options = ["--no-cache", "--show-unconfirmed", "--select", "CU707", "--output-format", "json"]
    run(["check", *options, str(tmp_path)])
    [found] = json.loads(capsys.readouterr().out)
    assert (found["level"], found["verdict"]) == (level, "confirmed")
    assert any("as long with the edit" in note for note in found["notes"]) == (level == "note")


STAGED = """
__global__ void staged(float *out, const float *points, int n)
{
    __shared__ float x[256], y[256];
    float sum = 0.0f;
    for (int first = 0; first < n; first += 256) {
        x[threadIdx.x] = points[2 * (first + threadIdx.x)];
        y[threadIdx.x] = points[2 * (first + threadIdx.x) + 1];
        __syncthreads();
        for (int k = 0; k < TURNS; k++)
            sum += __expf(x[k] * sum) * y[k];
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
void launch(float *out, const float *points) { staged<<<64, 256>>>(out, points, 1 << 24); }
"""


@pytest.mark.parametrize(("turns", "levels"), [(256, ["note"]), (1, ["warning"])])
def test_a_run_that_was_cut_short_tells_how_little_it_is(
    tmp_path: Path, capsys: Any, turns: int, levels: list[str]
) -> None:
    """Each block loads two scalars a thread, and computes so many times with those of all."""
    source = STAGED.replace("TURNS", str(turns))
    (tmp_path / "k.cu").write_text(source, encoding="utf-8")
    run(["check", "--no-cache", "--select", "CU102", "--show-unconfirmed",
         "--output-format", "json", str(tmp_path)])  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    assert [each["level"] for each in found] == levels
    assert [each["verdict"] for each in found] == ["confirmed"]


TWO = """
__global__ void two(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * 32] = in[i * 32] * 2.0f;
}
void launch(float *out, const float *in) { two<<<64, 256>>>(out, in, 524288); }
"""


def test_findings_of_a_kernel_are_weighed_alone_and_together(tmp_path: Path, capsys: Any) -> None:
    """Of 4 blocks of 8 warps: a request is 8 cycles of the tag stage as it is, and 1 at best.

    A load's words are of one bank of L1, 32 cycles; a store's are not asked for.
    """
    (tmp_path / "two.cu").write_text(TWO, encoding="utf-8")
    run(["check", "--no-cache", "--select", "CU101", "--output-format", "json", str(tmp_path)])
    found = json.loads(capsys.readouterr().out)
    assert [each["location"]["column"] for each in found] == [5, 19]
    banked = {"unit": "l1_bytes", "cycles": 32 * (32 + 1)}
    left = {"unit": "tags", "cycles": 32 * (8 + 1)}
    assert [each["worth"]["after"] for each in found] == [banked, left]
    for each in found:
        assert each["worth"]["before"] == banked
        assert each["worth"]["together"] == {"changes": 2, "unit": "lsu", "cycles": 64}
        told = "with both such places of the kernel mended, 64 (LSU)"
        assert each["worth"]["message"].endswith(told)


TWO_OF_A_KIND = """
__global__ void digits(unsigned *out, const unsigned *keys, const unsigned *values)
{
    __shared__ __align__(16) unsigned counts[128 * 8];
    int t = threadIdx.x;
    for (int d = 0; d < 8; d++)
        counts[t * 8 + d] = 0;
    unsigned sum = 0;
    int first = (blockIdx.x * 128 + t) * 8;
    const unsigned *key = keys + first, *value = values + first;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        counts[t * 8 + (key[k] & 7)] += 1;
        sum += value[k];
    }
#pragma unroll 1
    for (int d = 0; d < 20; d++) {
        uint4 four = ((const uint4 *)counts)[(d * 32 + t) & 255];
        sum ^= four.x ^ four.y ^ four.z ^ four.w;
    }
#pragma unroll 1
    for (int d = 0; d < 24; d++)
        out[(blockIdx.x * 24 + d) * 128 + t] = sum + counts[t * 8 + (d & 7)];
}
void launch(unsigned *out, const unsigned *keys, const unsigned *values)
{
    digits<<<4096, 128>>>(out, keys, values);
}
"""


def test_of_two_of_a_kind_each_counts_where_both_are_left(tmp_path: Path, capsys: Any) -> None:
    """Without its conflicts shared memory takes 2,048 cycles: less than L1 for both arrays as they
    are (2,432), more than for the one whose scalars are left (1,536).
    """
    (tmp_path / "two.cu").write_text(TWO_OF_A_KIND, encoding="utf-8")
    run(
        ["check", "--no-cache", "--select", "CU102,CU201", "--output-format", "json", str(tmp_path)]
    )
    found = json.loads(capsys.readouterr().out)
    vectors = [each for each in found if each["code"] == "CU102"]
    assert [each["level"] for each in vectors] == ["warning", "warning"]
    for each in vectors:
        assert each["worth"]["together"]["cycles"] == 2048
        assert not each["worth"]["message"].startswith("L1")


COMPILED = """
__global__ void two(float *out, float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 16384 + i] = pow(a[k * 16384 + i] - b[i], 2);
}
void launch(float *out, float *a, float *b) { two<<<64, 256>>>(out, a, b, 100); }
"""


def test_compiled_changes_are_weighed_alone_and_together(tmp_path: Path, capsys: Any) -> None:
    """Of 4 blocks of 8 warps, 100 turns: three requests each, of which one goes to before the loop.

    The power is no matter of a unit that binds: it alone moves nothing, and the loads do as much
    without it.
    """
    (tmp_path / "k.cu").write_text(COMPILED, encoding="utf-8")
    run(["check", "--no-cache", "--select", "CU503,CU704", "--show-unconfirmed",
         "--output-format", "json", str(tmp_path)])  # fmt: skip
    found = {each["code"]: each["worth"] for each in json.loads(capsys.readouterr().out)}
    assert found["CU503"]["before"] == {"unit": "lsu", "cycles": 32 * 300}
    assert found["CU503"]["after"] == {"unit": "lsu", "cycles": 32 * 201}
    assert found["CU503"]["together"] == {"changes": 2, "unit": "lsu", "cycles": 32 * 201}
    assert found["CU704"]["after"] == found["CU704"]["before"]
    assert "mended" not in found["CU704"]["message"]


def test_what_each_thread_uses_whole_is_in_l1(tmp_path: Path, capsys: Any) -> None:
    """Arithmetic binds two kernels: of one, what memory brings is all used."""
    source = (Path(__file__).parent / "CU104" / "whole.cu").read_text(encoding="utf-8")
    (tmp_path / "k.cu").write_text(source, encoding="utf-8")
    run(["check", "--no-cache", "--select", "CU104", "--show-unconfirmed",
         "--output-format", "json", str(tmp_path)])  # fmt: skip
    found = {each["kernel"]: each["level"] for each in json.loads(capsys.readouterr().out)}
    assert found == {"turned": "note", "one_field": "warning", "marked": "warning"}


KEPT = """
__global__ void halves(const short *in, float *out)
{
    int first = blockIdx.x * 512 + threadIdx.x * 8 + threadIdx.y;
    float sum = 0.0f;
    for (int i = 0; i < 8; i++)
        sum += in[first + i * 64];
    out[blockIdx.x * 64 + threadIdx.y * 8 + threadIdx.x] = sum;
}

__global__ void quarters(const short *in, float *out)
{
    int first = blockIdx.x * 1024 + threadIdx.x * 16 + threadIdx.y;
    float sum = 0.0f;
    for (int i = 0; i < 8; i++)
        sum += in[first + i * 128];
    out[blockIdx.x * 64 + threadIdx.y * 8 + threadIdx.x] = sum;
}

__global__ void most_parts(const float *slots, float *out)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float sum = slots[5 * i] + slots[5 * i + 1] + slots[5 * i + 2] + slots[5 * i + 3];
    for (int turn = 0; turn < 40; turn++)
        sum = sum * 1.5f + 0.25f;
    out[i] = sum;
}

__global__ void few_parts(const float *slots, float *out)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float sum = slots[5 * i] + slots[5 * i + 1];
    for (int turn = 0; turn < 40; turn++)
        sum = sum * 1.5f + 0.25f;
    out[i] = sum;
}

void launch(const short *in, const float *slots, float *out)
{
    most_parts<<<4096, 256>>>(slots, out);
    few_parts<<<4096, 256>>>(slots, out);
    halves<<<4096, dim3(8, 8)>>>(in, out);
    quarters<<<4096, dim3(8, 8)>>>(in, out);
}
"""


def test_what_l1_keeps_until_it_is_used_is_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.cu").write_text(KEPT)
    told = [
        "--select",
        "CU101,CU104",
        "--show-unconfirmed",
        "--exit-zero",
        "--output-format",
        "json",
    ]
    run(["check", str(tmp_path / "a.cu"), "--isolated", "--no-cache", *told])
    found = json.loads(capsys.readouterr().out)
    assert {each["kernel"]: each["level"] for each in found} == {
        "halves": "note",
        "quarters": "warning",  # half of what each sector holds is nobody's
        "most_parts": "note",  # a fifth
        "few_parts": "warning",
    }
    why = next(each["worth"]["message"] for each in found if each["kernel"] == "halves")
    assert "L1 keeps what the sectors hold" in why


RUNS = """
__global__ void picked_rows(const int *pick, const float *rows, float *out)
{
    __shared__ float tile[32 * ROOM];
    int lane = threadIdx.x, row = pick[blockIdx.x * 32 + lane];
#pragma unroll 1
    for (int k = 0; k < 32; k += 2) {
        tile[k * 32 + lane] = rows[32 * row + k];
        tile[k * 32 + 32 + lane] = rows[32 * row + k + 1];
    }
    __syncwarp();
    float sum = 0.0f;
    for (int turn = 0; turn < 36; turn++)
        for (int k = 0; k < 32; k++)
            sum = sum * tile[k * 32 + (lane ^ turn & 31)] + 0.5f;
    out[blockIdx.x * 32 + lane] = sum;
}

void launch(const int *pick, const float *rows, float *out)
{
    picked_rows<<<4096, 32>>>(pick, rows, out);
}
"""


@pytest.mark.parametrize(("room", "level"), [(192, "note"), (32, "warning")])
def test_lanes_that_share_a_run_make_no_fewer_requests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], room: int, level: str
) -> None:
    """Its pairs could be vectors, but a warp that takes a run together has an element to each lane.

    The less room blocks leave each other, the less of its lines L1 keeps for each.
    """
    (tmp_path / "a.cu").write_text(RUNS.replace("ROOM", str(room)))
    told = ["--select", "CU101", "--show-unconfirmed", "--exit-zero", "--output-format", "json"]
    run(["check", str(tmp_path / "a.cu"), "--isolated", "--no-cache", *told])
    found = json.loads(capsys.readouterr().out)
    assert [each["level"] for each in found] == [level]
    assert "the kernel's floor does not move" in found[0]["worth"]["message"]


ATOMICS = """
__global__ void pairs(const float *points, float *length)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    length[i] = points[2 * i] * points[2 * i + 1];
}

__global__ void scatters(const float *points, float *sums)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float product = points[2 * i] * points[2 * i + 1];
    for (int k = 0; k < 8; k++)
        atomicAdd(&sums[(i * 32 + k) * 8], product);
}

__global__ void adds(const float *points, float *sums, float *squares, float *cubes)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float product = points[2 * i] * points[2 * i + 1];
    atomicAdd(&sums[i], product);
    atomicAdd(&squares[i], product * product);
    atomicAdd(&cubes[i], product * product * product);
}

void launch(const float *points, float *out)
{
    pairs<<<4096, 256>>>(points, out);
    scatters<<<4096, 256>>>(points, out);
    adds<<<4096, 256>>>(points, out, out, out);
}
"""


def test_what_is_little_beside_atomics_is_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.cu").write_text(ATOMICS)
    run(["check", str(tmp_path / "a.cu"), "--isolated", "--no-cache", "--select", "CU102",
         "--show-unconfirmed", "--exit-zero", "--output-format", "json"])  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    assert {each["kernel"]: each["level"] for each in found} == {
        "pairs": "warning",
        "scatters": "note",
        "adds": "note",
    }


THROUGH_SHARED = """
__global__ void joined(float *out, const float *x)
{
    __shared__ float both[512 + 32];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    both[2 * t + (t >> 3)] = x[i];
    __syncthreads();
    both[2 * t + (t >> 3) + 1] = 0.0f;
    __syncthreads();
    for (int k = t; k < 512; k += 256)
        out[blockIdx.x * 512 + k] = both[k + (k >> 4)];
}

__global__ void summed(float *out, const float *x)
{
    __shared__ float own[512 + 32];
    int t = threadIdx.x;
    own[2 * t + (t >> 3)] = x[blockIdx.x * 256 + t];
    own[2 * t + (t >> 3) + 1] = 1.0f;
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < 256; k++)
        sum += own[2 * (t ^ k) + ((t ^ k) >> 3)];
    out[blockIdx.x * 256 + t] = sum;
}

void launch(float *out, const float *x)
{
    joined<<<4096, 256>>>(out, x);
    summed<<<4096, 256>>>(out, x);
}
"""


def test_small_conflicts_beside_what_memory_brings_are_notes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.cu").write_text(THROUGH_SHARED)
    run(["check", str(tmp_path / "a.cu"), "--isolated", "--no-cache", "--select", "CU201",
         "--show-unconfirmed", "--exit-zero", "--output-format", "json"])  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    assert {each["kernel"] for each in found if each["level"] == "warning"} == {"summed"}
    joined = next(each for each in found if each["kernel"] == "joined")
    assert joined["verdict"] == "confirmed"
    assert "for what the blocks touch" in joined["worth"]["message"]


LONG = """
__global__ void expanded(float *out, const float *bodies, int tiles)
{
    __shared__ float own[64 * 7];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int tile = 0; tile < tiles; tile++) {
        __syncthreads();
        for (int k = 0; k < 7; k++)
            own[t * 7 + k] = bodies[((blockIdx.x * tiles + tile) * 64 + t) * 7 + k];
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < 64; i++)
#pragma unroll 1
            for (int n = 0; n < 40; n++)
                sum += __sinf(own[i * 7 + n % 7] * n + sum) * own[i * 7];
    }
    out[blockIdx.x * 64 + t] = sum;
}

__global__ void summed(float *out, const float *field, int layers)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int layer = 0; layer < layers * 64; layer++)
        sum += field[((layer * 4096) + i) * 8];
    out[i] = sum;
}

void launch(float *out, const float *in, int tiles, int layers)
{
    expanded<<<4096, 64>>>(out, in, tiles);
    summed<<<64, 64>>>(out, in, layers);
}
"""


def test_long_kernels_are_weighed_by_the_run_of_smaller_sizes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where that is cut short already the larger one is not made."""
    (tmp_path / "a.cu").write_text(LONG)
    run(["check", str(tmp_path / "a.cu"), "--isolated", "--no-cache", "--select", "CU101",
         "--show-unconfirmed", "--exit-zero", "--output-format", "json"])  # fmt: skip
    found = {each["kernel"]: each for each in json.loads(capsys.readouterr().out)}
    levels = {kernel: each["level"] for kernel, each in found.items()}
    assert levels == {"expanded": "note", "summed": "warning"}
    assert "the run with sizes near 96 was cut short" in found["expanded"]["worth"]["message"]


PARTIAL = """
__global__ void turned(float *out, const float *in, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
        for (int k = 0; k < 32; ++k)
            out[k * rows + row] = in[row * 32 + k];
}
__global__ void scale(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 2.0f * data[i];
}
void launch(float *out, const float *in, float *data)
{
    turned<<<400, 100>>>(out, in, 40000);
    scale<<<400, 40>>>(data, 16000);
}
"""


def test_full_warps_are_no_gain_where_l1_binds(tmp_path: Path, capsys: Any) -> None:
    """The words of a column are of one bank of L1, whichever warps ask for them."""
    (tmp_path / "k.cu").write_text(PARTIAL, encoding="utf-8")
    run(["check", "--no-cache", "--select", "CU403", "--show-unconfirmed",
         "--output-format", "json", str(tmp_path)])  # fmt: skip
    found = {each["kernel"]: each for each in json.loads(capsys.readouterr().out)}
    levels = {kernel: each["level"] for kernel, each in found.items()}
    assert levels == {"turned": "note", "scale": "warning"}
    assert found["turned"]["worth"]["before"]["unit"] == "l1_bytes"
    assert found["scale"]["worth"] is None


MUCH = """
__global__ void much(float *out, const float *state, int turns)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
        sum += state[(warp * 64 + turn % 64) * 32 + lane];
    out[warp * 32 + lane] = sum;
}
void launch(float *out, const float *state, int turns) { much<<<216, 1024>>>(out, state, TURNS); }
"""


@pytest.mark.parametrize(
    ("turns", "remedied", "level"),
    [("turns", True, "warning"), ("turns", False, "note"), ("128", False, "warning")],
)
def test_interference_of_invented_sizes_that_nothing_keeps_is_a_note(
    turns: str, remedied: bool, level: str, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    if not remedied:
        monkeypatch.setattr(interference, "_remedies", lambda *_: ())
    (tmp_path / "k.cu").write_text(MUCH.replace("TURNS", turns), encoding="utf-8")
    run(["check", "--no-cache", "--select", "CU302", "--output-format", "json",
         "--show-unconfirmed", "-j1", str(tmp_path)])  # fmt: skip
    assert [each["level"] for each in json.loads(capsys.readouterr().out)] == [level]


FLOATS = """
__global__ void floats(float *out, const float *in, float step, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += EACH;
    out[i] = sum;
}
void launch(float *out, const float *in) { floats<<<64, 256>>>(out, in, 0.1f, 3.0f, 64); }
"""


@pytest.mark.parametrize(
    ("each", "levels"),
    [
        ("in[(k & 7) * 16384 + i] / scale", ["warning"]),  # its reciprocal is nearly as precise
        ("sinf(k * step)", ["warning"]),  # a table has it as it is
        ("sinf(in[(k & 7) * 16384 + i])", ["note"]),
        ("powf(in[(k & 7) * 16384 + i], scale)", ["note"]),
    ],
)
def test_what_costs_precision_is_a_note(
    tmp_path: Path, capsys: Any, each: str, levels: list[str]
) -> None:
    (tmp_path / "k.cu").write_text(FLOATS.replace("EACH", each), encoding="utf-8")
    run(["check", "--no-cache", "--select", "CU706", "--show-unconfirmed",
         "--output-format", "json", str(tmp_path)])  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    assert [each["level"] for each in found] == levels
    assert [each["verdict"] for each in found] == ["confirmed"]
