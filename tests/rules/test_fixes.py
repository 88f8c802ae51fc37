"""Fixes of launches: what the edited host code launches is read again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from perflint.base.edits import apply_edits
from perflint.lint.findings import Finding
from tests.rules.test_rules import lint

FILE = Path(__file__).parent / "CU401" / "relaunched.cu"


@pytest.fixture(scope="module")
def found() -> dict[str, Finding]:
    return {f.kernel or "": f for f in lint(FILE) if f.code == "CU401"}


@pytest.mark.parametrize(
    ("kernel", "written"),
    [
        ("written_out", "written_out<<<dim3(32, 128), dim3(32, 8)>>>"),
        ("rounded_up", "rounded_up<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>"),
        ("named", "dim3 blocks(32, 8), many((w + 32 - 1) / 32, (h + 8 - 1) / 8);"),
        ("in_variables", "in_variables<<<dim3((w + 31) / 32, (h - 1) / 8 + 1), dim3(32, 8)>>>"),
        ("by_members", "own.y = 8;"),
        ("transposed", "#define SIDE 32"),
        ("passed", "passed<<<dim3((many.x + 1) / 2, many.y * 2, many.z), dim3(32, 8)>>>"),
    ],
)
def test_the_host_code_is_edited(found: dict[str, Finding], kernel: str, written: str) -> None:
    fix = found[kernel].fix
    assert fix is not None and not fix.safe
    assert written in apply_edits(FILE.read_text(), fix.edits)


@pytest.mark.parametrize(
    ("kernel", "why"),
    [
        ("unguarded", "the grid would have other threads along x"),
        ("tile_of_both", "it would change the launch of rows_of_tiles at line \\d+"),
    ],
)
def test_what_would_launch_something_else_is_no_fix(
    found: dict[str, Finding], kernel: str, why: str
) -> None:
    assert found[kernel].fix is None
    assert re.fullmatch(why, found[kernel].unfixed)


EXCHANGED = Path(__file__).parent / "CU101" / "exchanged.cu"


def exchanged(kernel: str) -> Finding:
    return next(f for f in lint(EXCHANGED) if f.code == "CU101" and f.kernel == kernel)


@pytest.mark.parametrize(
    ("kernel", "launch"),
    [
        ("scaled", "scaled<<<dim3(32, 64), block>>>(to, from, 512);"),
        ("of_unlike_extents", "of_unlike_extents<<<dim3(16, 64), dim3(32, 8)>>>(to, from);"),
    ],
)
def test_axes_are_exchanged_in_the_kernel_and_its_launch(kernel: str, launch: str) -> None:
    fix = exchanged(kernel).fix
    assert fix is not None and fix.safe
    text = apply_edits(EXCHANGED.read_text(), fix.edits)
    assert launch in text
    assert text.count("threadIdx.") == EXCHANGED.read_text().count("threadIdx.")


def test_axes_that_are_no_better_exchanged_are_left() -> None:
    found = exchanged("transposed")
    assert found.fix is not None and "tile in shared memory" in found.fix.message
    assert found.unfixed == ""  # as many accesses are packed along x: there is nothing to try


def test_a_fix_holds_in_every_world() -> None:
    """In the world that is shown its results are the same bits, in the smaller one they are not."""
    (found,) = lint(Path(__file__).parent / "CU701" / "other_worlds.cu")
    assert found.fix is not None and not found.fix.safe


SKEWED = Path(__file__).parent / "CU201" / "skewed_fixes.cu"


@pytest.fixture(scope="module")
def skewed() -> dict[tuple[str, int], Finding]:
    return {(f.kernel or "", f.place.line): f for f in lint(SKEWED) if f.code == "CU201"}


@pytest.mark.parametrize(
    ("place", "texts"),
    [
        # all arrays with that index, since they share what computes it
        (("sorted", 16), ("k[at ^ ((at >> 5) * 23 & 31)] = b", "v[at ^ ((at >> 5) * 23 & 31)] =")),
        # a function that is given the array, and what the launch says of its size
        (("scan", 37), ("part[at ^ ((at >> 5) * 5 & 31)] = 0;", "__shared__ int data[512];")),
        (
            ("transformed", 69),
            (
                "s[i + (i >> 5)] = in[i];",
                "32 * 64 * sizeof(float) + (32 * 64 * sizeof(float)) / 32>>>",
            ),
        ),
    ],
)
def test_the_index_of_an_array_without_rows_is_skewed_at_each_use(
    skewed: dict[tuple[str, int], Finding], place: tuple[str, int], texts: tuple[str, ...]
) -> None:
    fix = skewed[place].fix
    assert fix is not None and fix.safe == (place[0] != "scan")
    edited = apply_edits(SKEWED.read_text(), fix.edits)
    assert all(text in edited for text in texts)


def test_a_fix_that_changes_another_kernel_says_so(
    skewed: dict[tuple[str, int], Finding],
) -> None:
    fix = skewed["scan", 37].fix
    assert fix is not None and "the edit changes scan_again, too" in fix.message


def test_an_array_with_a_pointer_into_it_is_left_alone(
    skewed: dict[tuple[str, int], Finding],
) -> None:
    assert skewed["pointed", 83].fix is None


MADE = Path(__file__).parent / "CU201" / "made_lengths.cu"


@pytest.mark.parametrize("bounded", [True, False])
def test_reads_beyond_an_array_that_made_up_data_cause_only_make_a_fix_unsafe(
    tmp_path: Path, bounded: bool
) -> None:
    text = MADE.read_text()
    if bounded:
        text = text.replace("(length) length", "(length) min(length, N / 2u)")
    file = tmp_path / "merged.cu"
    file.write_text(text)
    found = [f for f in lint(file) if f.code == "CU201"]
    assert found and all(f.fix is not None and f.fix.safe == bounded for f in found)


DEALT = Path(__file__).parent / "CU101" / "dealt.cu"


@pytest.fixture(scope="module")
def dealt() -> dict[str, Finding]:
    return {f.kernel or "": f for f in lint(DEALT) if f.code == "CU101"}


@pytest.mark.parametrize(
    ("kernel", "head"),
    [
        ("scaled", "int i = t; i < gridDim.x * blockDim.x * per && i < n; i += "),
        ("named", "int i = t; i < min(gridDim.x * blockDim.x * 16, n); i += "),
    ],
)
def test_turns_are_dealt_out_to_neighbouring_threads(
    dealt: dict[str, Finding], kernel: str, head: str
) -> None:
    fix = dealt[kernel].fix
    assert fix is not None and fix.safe and "neighbouring threads" in fix.message
    assert f"for ({head}gridDim.x * blockDim.x)" in apply_edits(DEALT.read_text(), fix.edits)


@pytest.mark.parametrize(
    ("kernel", "why"),
    [
        ("added", "the edited kernel leaves other bytes in memory"),
        ("carried", "the edited kernel leaves other bytes in memory"),
        ("found", ""),
    ],
)
def test_turns_that_hang_on_who_does_them_are_not(
    dealt: dict[str, Finding], kernel: str, why: str
) -> None:
    assert dealt[kernel].fix is None
    assert dealt[kernel].unfixed == why


DYNAMIC = Path(__file__).parent / "CU602" / "dynamic.cu"


def test_an_array_sized_by_the_launch_becomes_a_variable_if_it_has_one_name() -> None:
    found = {f.kernel: f.fix for f in lint(DYNAMIC) if f.code == "CU602"}
    assert found["renamed"] is None
    assert found["own"] is not None and found["own"].safe
    edited = apply_edits(DYNAMIC.read_text(), found["own"].edits)
    assert "    float kept;" in edited and "kept = 2.0f * kept;" in edited


def test_narrow_blocks_are_made_wider_where_their_axes_are_exchanged() -> None:
    source = EXCHANGED.parent / "narrow.cu"
    fixes = [f.fix for f in lint(source) if f.code == "CU101"]
    assert fixes and None not in fixes
    for fix in filter(None, fixes):
        text = apply_edits(source.read_text(), fix.edits)
        assert not fix.safe and fix.message.endswith("in blocks of 16×16")
        assert "#define SIDE 16\n" in text and "row = blockIdx.y * blockDim.y" in text


def test_what_stores_part_is_loaded_once_before() -> None:
    """The stores stay two while a load stands between them."""
    source = Path(__file__).parent / "CU102" / "loaded_once.cu"
    loads, stores = sorted(lint(source), key=lambda f: f.message)
    assert loads.fix is not None and not loads.fix.safe
    text = apply_edits(source.read_text(), loads.fix.edits)
    assert "        const float2 whole = reinterpret_cast<const float2 *>(v)[i];\n" in text
    assert "v[2 * i] = c * whole.x + 1.0f;" in text and "= s * whole.y - 1.0f;" in text
    assert stores.fix is None and stores.unfixed == "the edited kernel costs no less"


TRANSPOSED = Path(__file__).parent / "CU101" / "transposed.cu"


@pytest.fixture(scope="module")
def transposed() -> dict[str, Finding]:
    return {f.kernel or "": f for f in lint(TRANSPOSED) if f.code == "CU101"}


@pytest.mark.parametrize(
    "kernel, lines",
    [
        (
            "rows",
            """\
    __shared__ float tile[16][16 + 1];
    if (x < w && y < h)
        tile[threadIdx.y][threadIdx.x] = 2.0f * in[y * w + x];  // expect: CU101 "16 sectors"
""",
        ),
        (
            "rows",
            """\
    __syncthreads();
    x = blockIdx.x * blockDim.x + threadIdx.y;
    y = blockIdx.y * blockDim.y + threadIdx.x;
    if (x < w && y < h)
        out[x * h + y] = tile[threadIdx.x][threadIdx.y];
""",
        ),
        (
            "columns",
            """\
    if (x < w && y < h) {
        int from = x * h + y;
        tile[threadIdx.y][threadIdx.x] = in[from];  // expect: CU101 "16 sectors"
    }
    __syncthreads();
    {
        const int x = blockIdx.x * blockDim.x + threadIdx.x;
        const int y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x < w && y < h) {
            int to = y * w + x;
            out[to] = tile[threadIdx.x][threadIdx.y];
        }
    }
""",
        ),
        ("braced<float>", "    __shared__ T tile[16][16 + 1];\n"),
        (
            "looped",
            """\
    for (int j = 0; j < SIDE; j += ROWS) {
        x = blockIdx.x * SIDE + threadIdx.y + j;
        y = blockIdx.y * SIDE + threadIdx.x;
        out[x * width + y] = tile[threadIdx.x][threadIdx.y + j];
    }
""",
        ),
    ],
)
def test_a_transposing_copy_goes_through_a_tile(
    transposed: dict[str, Finding], kernel: str, lines: str
) -> None:
    fix = transposed[kernel].fix
    assert fix is not None and fix.safe and "tile in shared memory" in fix.message
    assert lines in apply_edits(TRANSPOSED.read_text(), fix.edits)


@pytest.mark.parametrize("kernel", ["wide", "counted"])
def test_what_has_no_counterpart_stays(transposed: dict[str, Finding], kernel: str) -> None:
    assert transposed[kernel].fix is None


SEQUENTIAL = Path(__file__).parent / "CU901" / "sequential.cu"


@pytest.fixture(scope="module")
def sequential() -> dict[str, Finding]:
    return {f.kernel or "": f for f in lint(SEQUENTIAL) if f.code == "CU901"}


@pytest.mark.parametrize(
    "kernel, lines",
    [
        (
            "tree",
            """\
        if (2 * s * tid < blockDim.x) {  // expect: CU901
            const int at = 2 * s * tid;
            sdata[at] += sdata[at + s];
        }
        __syncthreads();
""",
        ),
        (
            "pairs",
            """\
            const int at = i * (tx + 1) - 1;
            sum[at] = sum[at] + sum[at - i / 2];
            squares[at] = squares[at] + squares[at - i / 2];
""",
        ),
    ],
)
def test_the_first_threads_do_what_every_nth_did(
    sequential: dict[str, Finding], kernel: str, lines: str
) -> None:
    fix = sequential[kernel].fix
    assert fix is not None and fix.safe
    assert lines in apply_edits(SEQUENTIAL.read_text(), fix.edits)


@pytest.mark.parametrize("kernel", ["kept", "indexed"])
def test_what_is_a_threads_own_stays_with_it(sequential: dict[str, Finding], kernel: str) -> None:
    assert sequential[kernel].fix is None


PACKED = Path(__file__).parent / "CU103" / "packed_turns.cu"


@pytest.fixture(scope="module")
def packed() -> dict[str, Finding]:
    return {f.kernel or "": f for f in lint(PACKED) if f.code == "CU103"}


def test_a_turn_writes_a_word_of_what_is_allocated(packed: dict[str, Finding]) -> None:
    fix = packed["laid"].fix
    assert fix is not None and fix.safe
    text = apply_edits(PACKED.read_text(), fix.edits)
    assert "for (int turn = 4 * i; turn < n; turn += 4 * (gridDim.x * blockDim.x)) {" in text
    assert "word[part] = value;" in text and "if (turn + 3 < n)" in text


def test_where_rows_begin_is_the_callers_matter(packed: dict[str, Finding]) -> None:
    fix = packed["rows"].fix
    assert fix is not None and not fix.safe and "must be aligned to 4 bytes" in fix.message
    assert "row[turn + part] = word[part];" in apply_edits(PACKED.read_text(), fix.edits)


def test_a_turn_reads_a_word_of_bytes_that_are_counted(packed: dict[str, Finding]) -> None:
    fix = packed["counted"].fix
    assert fix is not None and fix.safe
    text = apply_edits(PACKED.read_text(), fix.edits)
    assert "for (int turn = 4 * i; turn < n; turn += 4 * (gridDim.x * blockDim.x)) {" in text
    assert "*reinterpret_cast<const unsigned *>(in + turn);" in text
    assert "        atomicAdd(&bins[word[part]], 1);  //" in text
    assert "            for (int i = turn; i < n; ++i)\n" in text
    assert "                atomicAdd(&bins[in[i]], 1);\n" in text


def test_with_few_turns_of_made_up_data_results_are_compared() -> None:
    """A loop that data end is too long for a trial with most that are made up."""
    source = PACKED.parents[1] / "CU201" / "data_ends.cu"
    [found] = [each for each in lint(source) if each.code == "CU201"]
    assert found.fix is not None and found.fix.safe
    assert "__shared__ float tile[32][33];" in apply_edits(source.read_text(), found.fix.edits)


def test_no_index_parts_a_structure() -> None:
    found = lint(PACKED.parents[1] / "CU201" / "structures.cu")
    assert found and not any("skew" in (each.help or "") for each in found)


@pytest.mark.parametrize("kernel", ["carried", "until", "added<unsigned char>"])
def test_turns_that_hang_on_one_another_stay(packed: dict[str, Finding], kernel: str) -> None:
    """Nor may an element be read that no turn would read, or one of any size."""
    assert packed[kernel].fix is None


PARTIAL = Path(__file__).parent / "CU403" / "blocks.cu"


def test_blocks_of_full_warps_have_the_same_threads() -> None:
    """Not where a kernel's own numbers are its block's, or its grid is written at no one place."""
    found = {f.kernel: f.fix for f in lint(PARTIAL) if f.code == "CU403"}
    fixed = {kernel: fix for kernel, fix in found.items() if fix is not None}
    assert fixed.keys() == {"scale", "add", "by_macro"} < found.keys()
    assert not any(fix.safe for fix in fixed.values())
    edited = apply_edits(PARTIAL.read_text(), [e for fix in fixed.values() for e in fix.edits])
    assert "scale<<<125, 128>>>" in edited and "add<<<dim3(225), dim3(128)>>>" in edited
    assert "#define THREADS 128\n" in edited and "by_macro<<<375, THREADS>>>" in edited


PROMISED = Path(__file__).parent / "CU501" / "promised.cu"


def test_what_no_store_changes_is_promised_and_loaded_once() -> None:
    (found,) = (f for f in lint(PROMISED) if f.code == "CU501")
    assert found.fix is not None and not found.fix.safe
    edited = apply_edits(PROMISED.read_text(), found.fix.edits)
    assert "busy(int *data, const int *__restrict__ factor, int times)" in edited
    (other,) = {f.unfixed for f in lint(PROMISED.with_name("filters.cu")) if f.code == "CU501"}
    assert other == "the edited kernel costs no less"


TABLES = Path(__file__).parent / "CU502" / "tables.cu"


@pytest.mark.parametrize(("kernel", "safe"), [("doubles", True), ("by_thread", False)])
def test_a_divergent_table_goes_to_global_memory(kernel: str, safe: bool) -> None:
    """It is unsafe where another kernel has it, which was not run."""
    found = next(f for f in lint(TABLES) if f.code == "CU502" and f.kernel == kernel)
    assert found.fix is not None and found.fix.safe == safe
    assert [edit.replacement for edit in found.fix.edits] == ["__device__"]


def test_an_edit_that_costs_no_less_is_no_fix() -> None:
    found = next(f for f in lint(TABLES) if f.code == "CU502" and f.kernel == "columns")
    assert found.fix is None and found.unfixed == "the edited kernel costs no less"


COPIED = Path(__file__).parent / "CU501" / "copied.cu"


def test_an_array_moves_to_constant_memory_with_its_copy() -> None:
    found = {f.kernel: f.fix for f in lint(COPIED) if f.code == "CU501"}
    fix = found["filter"]
    assert fix is not None and not fix.safe
    edited = apply_edits(COPIED.read_text(), fix.edits)
    for text in (
        "__constant__ float constant_taps[32];\n\n__global__ void filter(",
        "sum += constant_taps[k] * in[k * n + i];",
        "    cudaMemcpy(taps, weights, sizeof(weights), cudaMemcpyHostToDevice);\n"
        "    cudaMemcpyToSymbol(constant_taps, weights, sizeof(weights));\n",
    ):
        assert text in edited
    assert edited.count("constant_taps") == 3
    assert found["handed_on"] is None and found["walked"] is None


PARTED = Path(__file__).parent / "CU201" / "parted.cu"


def test_one_of_several_pointers_into_an_array_gets_another_index() -> None:
    (fix,) = (f.fix for f in lint(PARTED) if f.code == "CU201" and f.kernel == "scan")
    assert fix is not None and not fix.safe
    edited = apply_edits(PARTED.read_text(), fix.edits)
    assert "sums[b + (b >> 5)] += sums[a + (a >> 5)];" in edited
    assert "table[t] = in[t];" in edited and "scan<<<64, 256, 2112>>>" in edited
    assert not any(f.fix for f in lint(PARTED) if f.kernel == "moved_on")


LIMITS = Path(__file__).parent / "CU405" / "limits.cu"


def test_small_blocks_become_larger_ones() -> None:
    found = {f.kernel: f.fix for f in lint(LIMITS) if f.code == "CU405"}
    fix = found["small_blocks"]
    assert fix is not None and not fix.safe
    assert "small_blocks<<<1024, 128>>>(out);" in apply_edits(LIMITS.read_text(), fix.edits)
    # one knows its block by heart, and registers or shared memory are no matter of its size
    assert [name for name, each in found.items() if each is not None] == ["small_blocks"]


NUMBERS = LIMITS.with_name("numbers.cu")


def test_a_grid_follows_the_number_that_its_block_is() -> None:
    found = {f.kernel: f.fix for f in lint(NUMBERS) if f.code == "CU405"}
    edited = {
        kernel: apply_edits(NUMBERS.read_text(), fix.edits) for kernel, fix in found.items() if fix
    }
    # a call may tell another number, of which the grid is computed as well
    assert "const int BY_HAND = 128;" in edited["told_or_by_hand"]
    assert "const int OWN = 128;" in edited["named"]
    assert "plain<<<(n + 128 - 1) / 128, 128>>>(data, n);" in edited["plain"]
    assert "grid_of_its_own" in found and "grid_of_its_own" not in edited


FIELDS = Path(__file__).parent / "CU104" / "fields.cu"


def test_structures_become_an_array_for_each_field() -> None:
    found = {f.kernel: f.fix for f in lint(FIELDS) if f.code == "CU104"}
    fix = found["energy"]
    assert fix is not None and not fix.safe
    edited = apply_edits(FIELDS.read_text(), fix.edits)
    for text in (
        "struct BodyFields {\n    const float *x, *mass;\n};\n\n__global__ void energy(",
        "void energy(float *out, BodyFields bodies, const float *weights, int n)",
        "out[i] = bodies.mass[i] * (bodies.x[i] + weights[i]);",
        "    BodyFields bodies_fields;\n"
        "    cudaMalloc((void **)&bodies_fields.x, n * sizeof(float));\n",
        "    cudaMemcpy2D((void *)bodies_fields.mass, sizeof(float), &host->mass, sizeof(Body), "
        "sizeof(float), n, cudaMemcpyHostToDevice);\n",
        "energy<<<256, 256>>>(out, bodies_fields, weights, n);",
        "    cudaFree((void *)bodies_fields.x);\n    cudaFree((void *)bodies_fields.mass);\n",
    ):
        assert text in edited
    assert found["handed_on"] is None and found["moved"] is None


ROWS = Path(__file__).parent / "CU101" / "rows_together.cu"


def test_a_warp_loads_its_lanes_rows_together() -> None:
    found = {f.kernel: f.fix for f in lint(ROWS) if f.code == "CU101"}
    product, guarded = found["product"], found["guarded"]
    assert product is not None and guarded is not None and not product.safe
    edited = apply_edits(ROWS.read_text(), (*product.edits, *guarded.edits))
    for text in (
        "__shared__ float rows[8][32][8 + 1];",
        "const auto start = row_of * w + first;",
        "sum += rows[warp][lane][part] * x[k];",
        "__shared__ float rows[4][32][8 + 1];",
        "for (int k = first; k < features && k < first + 8; ++k)",
    ):
        assert text in edited
    assert found["own_length"] is None and found["counted"] is None


STRUCTURES = Path(__file__).parent / "CU201" / "structures.cu"


def test_structures_in_shared_memory_get_a_gap() -> None:
    found = [f for f in lint(STRUCTURES) if f.code == "CU201"]
    (fix,) = (f.fix for f in found if f.kernel == "forces")
    assert fix is not None and fix.safe
    assert not any(f.fix for f in found if f.kernel == "by_pointer")
    assert (
        "struct padded_tile : Body { using Body::operator=; int gap[1]; }; "
        "__shared__ padded_tile tile[128];" in apply_edits(STRUCTURES.read_text(), fix.edits)
    )


EXCHANGES = Path(__file__).parent / "CU904"


@pytest.mark.parametrize(
    ("kernel", "texts"),
    [
        # its own store, too: no lane may store before all have loaded
        (
            "unrolled_tail",
            (
                "{ __syncwarp(); const auto passed = part[t] + (part[t + 16]); __syncwarp(); "
                "part[t] = passed; }  // expect",
                "part[t] += part[t + 32];\n",
            ),
        ),
        ("first_lane", ("    __syncwarp(); out[i] = in[i] - first[warp];",)),
        (
            "scan",
            ("{ __syncwarp(); const auto passed = line[0][t + 32] + line[0][t + 32 - step];",),
        ),
        ("one_line", ("const auto passed = part[t] + (part[t + 8]); __syncwarp();",)),
    ],
)
def test_lanes_that_pass_data_on_get_barriers(kernel: str, texts: tuple[str, ...]) -> None:
    path = EXCHANGES / "warps.cu"
    (found,) = (f for f in lint(path) if f.code == "CU904" and f.kernel == kernel)
    assert found.fix is not None and found.fix.safe
    edited = apply_edits(path.read_text(), found.fix.edits)
    assert all(text in edited for text in texts)


def test_a_barrier_that_some_lanes_never_come_to_is_no_fix() -> None:
    (found,) = (f for f in lint(EXCHANGES / "narrow_tail.cu") if f.code == "CU904")
    assert found.fix is None
    assert found.unfixed == "the edited kernel does not come to its end"


CONSTANTS = Path(__file__).parent / "CU601" / "arguments.cu"


def test_an_argument_of_one_value_becomes_a_template_parameter() -> None:
    (found,) = (f for f in lint(CONSTANTS) if f.code == "CU601" and f.kernel == "window")
    assert found.fix is not None and not found.fix.safe
    edited = apply_edits(CONSTANTS.read_text(), found.fix.edits)
    assert "template <int width, int height> __global__ void window(float *out, const" in edited
    assert "    window<5, 3><<<64, 256>>>(out, in, 5, 3, 16384);" in edited


def test_a_kernel_that_is_named_elsewhere_is_no_template() -> None:
    """Its address is taken: a template has none."""
    path = CONSTANTS.with_name("named_elsewhere.cu")
    (found,) = (f for f in lint(path) if f.code == "CU601")
    assert found.fix is None


def test_what_a_device_function_reads_again_is_loaded_before_its_loop() -> None:
    """By the function's name for the array; other elements of it are read beside."""
    path = Path(__file__).parent / "CU106" / "device_function.cu"
    (found,) = (f for f in lint(path) if f.code == "CU106")
    assert found.fix is not None and not found.fix.safe
    edited = apply_edits(path.read_text(), found.fix.edits)
    assert "    const float column_value2 = column[0];\n    for (int y = 1; y < r; y++) {" in edited
    assert "sum -= column_value2;" in edited


CHANNELS = Path(__file__).parent / "CU103" / "channels.cu"


def test_the_channels_of_a_pixel_are_parts_of_one_vector() -> None:
    """Where the pointer comes from a caller, its alignment is the caller's matter."""
    (found,) = (f for f in lint(CHANNELS) if f.code == "CU103" and f.kernel == "gradient")
    assert found.fix is not None and not found.fix.safe
    edited = apply_edits(CHANNELS.read_text(), found.fix.edits)
    assert "reinterpret_cast<uchar4 *>(pixel)->x = x + t;" in edited
    assert "reinterpret_cast<uchar4 *>(pixel)->w = 255;" in edited


def test_a_structure_of_bytes_is_aligned_to_a_word() -> None:
    fixes = [f.fix for f in lint(CHANNELS) if f.code == "CU103" and f.kernel == "copy"]
    assert fixes and all(fix is not None and fix.safe for fix in fixes)
    assert {e.replacement for fix in fixes if fix for e in fix.edits} == {" __align__(4)"}


WRITTEN_OUT = Path(__file__).parent / "CU401" / "written_out.cu"


@pytest.mark.parametrize(
    ("kernel", "texts"),
    [
        (
            "blur",
            ("__shared__ float t[32][34];", "blockIdx.x * 32", "x + 33];", "block(32, 32)"),
        ),
        ("copy", ("copy<32><<<grid, block>>>", "block(32, 32), grid(1024 / 32, 1024 / 32)")),
        ("twice", ("__shared__ float t[8][32];", "blockIdx.y * 8", "block(32, 8)")),
    ],
)
def test_tiles_of_numbers_and_template_arguments_change_along(
    kernel: str, texts: tuple[str, ...]
) -> None:
    found = [f for f in lint(WRITTEN_OUT) if (f.kernel or "").partition("<")[0] == kernel]
    (fix,) = (f.fix for f in found if f.code in ("CU401", "CU402"))
    assert fix is not None
    edited = apply_edits(WRITTEN_OUT.read_text(), fix.edits)
    assert all(text in edited for text in texts)


PAIRED = Path(__file__).parent / "CU901" / "paired.cu"


def test_the_first_threads_have_a_pair_each() -> None:
    found = {f.kernel: f.fix for f in lint(PAIRED) if f.code == "CU901"}
    edited = {
        kernel: [e.replacement for e in fix.edits]
        for kernel, fix in found.items()
        if fix is not None
    }
    assert not any(fix.safe for fix in found.values() if fix is not None)
    lower = "unsigned int lower = 2 * tid - (tid & (j - 1)), partner = lower ^ j;"
    assert edited["sorted_blocks"][:2] == [lower, "(tid < blockDim.x / 2)"]
    assert "turn < count / 2" in edited["in_turns"] and "(mine < count / 2)" in edited["in_turns"]
    assert "counted" in found and "counted" not in edited  # it also counts its exchanges


WALKED = Path(__file__).parent / "CU602" / "walked.cu"


def test_the_turns_of_a_tile_that_a_thread_walks_stay() -> None:
    found = {f.kernel: f.fix for f in lint(WALKED) if f.code == "CU602"}
    fix = found["through_a_tile"]
    assert fix is not None and fix.safe
    assert "float tile[(SIDE + ROWS - 1) / ROWS];" in [e.replacement for e in fix.edits]
    assert found["by_two_steps"] is None  # its turns are not the same ones


def test_elements_of_rows_are_parts_of_vectors() -> None:
    fixes = [f.fix for f in lint(Path(__file__).parent / "CU102" / "rows.cu") if f.code == "CU102"]
    written = [{e.replacement for e in fix.edits} for fix in fixes if fix is not None]
    assert {f"reinterpret_cast<float2 *>(to)[i].{part}" for part in "xy"} in written
    assert {f"reinterpret_cast<const float2 *>(from)[i].{part}" for part in "xy"} in written


DUMPED_ROWS = Path(__file__).parent / "CU901" / "rows.cu"


def test_consecutive_threads_do_what_the_first_of_each_row_did() -> None:
    found = {f.kernel: f.fix for f in lint(DUMPED_ROWS) if f.code == "CU901"}
    fix = found["by_vectors"]
    assert fix is not None and not fix.safe
    text = apply_edits(DUMPED_ROWS.read_text(), fix.edits)
    assert "if ((threadIdx.y * blockDim.x + threadIdx.x) / ((SIDE + 3) / 4) < blockDim.y) {" in text
    assert "(&tile[row][column])" in text and "(&from[(y + row) * width + column])" in text
    assert found["with_its_own"] is None  # it also keeps what is the thread's


def test_structures_are_copied_word_by_word_before_a_barrier() -> None:
    copies = Path(__file__).parent / "CU104" / "word_copies.cu"
    found = {f.kernel: f.fix for f in lint(copies) if f.code == "CU104"}
    fix = found["forces"]
    assert fix is not None and fix.safe
    text = apply_edits(copies.read_text(), fix.edits)
    assert "word < MANY * int(sizeof(Body) / sizeof(long long)); word += THREADS)" in text
    assert text.count("tile[i] = from[i];") == 1
    assert found["own_first"] is None  # a thread goes on with its own before the barrier
