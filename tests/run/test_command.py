"""`perflint run` as users see it: lines, statuses, reports."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.run.conftest import PROGRAMS, compiled, perflint, perflint_run, ready


def test_errors_are_told_at_their_line(libraries: Path) -> None:
    source = str(PROGRAMS / "exits.cu")
    text = Path(source).read_text().splitlines()
    line = next(n for n, t in enumerate(text, 1) if "= s[63" in t)
    for how, code in (("race", "RT004"), ("bounds", "RT001"), ("uninitialised", "RT003")):
        done = perflint_run("--check", "--output-format", "json", "--select", "CU2", "--",
                            str(ready("exits")), how)  # fmt: skip
        found = json.loads(done.out)
        assert done.status == 1, done.err
        assert {f["code"] for f in found} == {code}, found
        assert {f["location"]["row"] for f in found} == {line}
        assert all(f["filename"].endswith("exits.cu") for f in found)


def test_what_is_initialised_is_no_error(libraries: Path) -> None:
    program = str(ready("initialised"))
    assert perflint_run("--check", "--no-findings", "--", program).status == 0
    done = perflint_run("--check", "--no-findings", "--output-format", "json", "--", program, "x")
    assert done.status == 1
    (found,) = json.loads(done.out)
    assert (found["code"], found["kernel"]) == ("RT003", "copy")


@pytest.mark.parametrize("sample", [(), ("--sample",), ("--trace-budget", "1e-9")])
def test_what_was_not_traced_is_no_error(sample: tuple[str, ...], libraries: Path) -> None:
    done = perflint_run("--check", "--no-findings", *sample, "--", str(ready("initialised")))
    assert done.status == 0, done.out


def test_the_programs_own_status_is_kept(libraries: Path) -> None:
    done = perflint_run("--no-findings", "--", str(ready("exits")), "seven")
    assert (done.status, "ended with status 7" in done.err) == (7, True)
    done = perflint_run("--no-findings", "--", str(ready("exits")), "abort")
    assert done.status == 128 + signal.SIGABRT
    assert "ended by signal 6" in done.err


def test_programs_without_kernels(libraries: Path) -> None:
    done = perflint_run("--no-findings", "--", str(ready("exits")), "none")
    assert done.status == 0
    assert "it has kernels, and called nothing of CUDA's" in done.err
    done = perflint_run("--no-findings", "--", "/bin/true")
    assert done.status == 0
    assert "it called nothing of CUDA's" in done.err


def test_a_function_that_is_not_simulated_tells_its_name_once(libraries: Path) -> None:
    done = perflint_run("--no-findings", "--", str(ready("missing")))
    assert done.status == 0
    assert done.err.count("cudaDeviceGetNvSciSyncAttributes: NvSci would be needed") == 1


def test_work_that_is_not_simulated_is_not_green(libraries: Path) -> None:
    """A program may go on as if the function had done it."""
    done = perflint_run("--no-findings", "--", str(ready("missing")), "more")
    assert done.status == 2
    assert done.err.splitlines()[-1].startswith(
        "perflint: not simulated: cudaMallocMipmappedArray: arrays of several levels"
    )
    assert "cudaIpcGetMemHandle: memory shared with other processes" in done.err
    done = perflint_run("--no-findings", "--allow-unsimulated", "--", str(ready("missing")), "more")
    assert done.status == 0


def test_clusters_are_checked(libraries: Path) -> None:
    done = perflint_run("--check", "--no-findings", "--arch", "sm_90", "--", str(ready("clusters")))
    assert done.status == 0, done.out + done.err
    assert "no races were looked for in ring: blocks of a cluster share their memory" in done.err


def test_a_program_that_is_not_there() -> None:
    done = perflint_run("--", "./no-such-program")
    assert (done.status, done.out) == (2, "")
    assert "no-such-program: there is no such program" in done.err


def test_a_runtime_that_is_linked_in_is_replaced(libraries: Path, tmp_path: Path) -> None:
    program = compiled(PROGRAMS / "memory.cu", name="static")
    (tmp_path / "Makefile").write_text(f"all:\n\t{program}\n")
    for how in (str(program),), ("sh", "-c", f"{program}"), ("make", "-C", str(tmp_path)):
        done = perflint_run("--no-findings", *how)
        assert done.status == 0, done
        assert "1 launch of 1 kernel" in done.err


def test_a_runtime_without_symbols_is_told_with_the_flag_that_helps(libraries: Path) -> None:
    program = compiled(PROGRAMS / "memory.cu", "-Xlinker", "-s", name="stripped")
    done = perflint_run("--", str(program))
    assert done.status == 2
    assert "no symbols; build it with -cudart shared" in done.err


def test_machine_code_only_is_told_with_the_flag_that_helps(libraries: Path) -> None:
    flags = ("-cudart", "shared", "-gencode", "arch=compute_80,code=sm_80")
    program = compiled(PROGRAMS / "memory.cu", *flags, name="sass")
    for how in (str(program),), ("sh", "-c", f"{program}; true"):
        done = perflint_run("--no-findings", "--", *how)
        assert done.status == 2, done
        assert "machine code for sm_80 and no PTX" in done.err
        last = done.err.splitlines()[-1]
        assert last.startswith("perflint: not simulated: 1 kernel and 1 launch of sass: it holds")
        assert "-gencode arch=compute_80,code=compute_80" in last
    done = perflint_run("--no-findings", "--allow-unsimulated", "--", *how)
    assert done.status == 0, done


def test_a_runtime_without_symbols_in_a_child_is_told(libraries: Path, tmp_path: Path) -> None:
    program = compiled(PROGRAMS / "memory.cu", "-Xlinker", "-s", name="stripped")
    (tmp_path / "Makefile").write_text(f"all:\n\t-{program}\n")
    for how in ("sh", "-c", f"{program}; true"), ("make", "-C", str(tmp_path)):
        done = perflint_run("--no-findings", *how)
        assert done.status == 2, done
        last = done.err.splitlines()[-1]
        assert last.startswith("perflint: not simulated: 1 kernel of stripped: it holds"), last
        assert "-cudart shared" in last


def test_options_end_at_the_programs_name() -> None:
    said = "echo $1 $2 $NVCC_APPEND_FLAGS"
    done = perflint("build", "sh", "-c", said, "sh", "-o", "--help")
    assert (done.status, done.out) == (0, "-o --help -cudart shared -lineinfo\n"), done
    done = perflint_run("--no-findings", "sh", "-c", said, "sh", "-q", "--select")
    assert done.out.startswith("-q --select"), done


def test_a_records_place_is_tried_first(libraries: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    record = tmp_path / "no-such-folder" / "launches.zip"
    done = perflint_run("--record", str(record), "touch", str(ran))
    assert (done.status, ran.exists()) == (2, False), done
    assert "there is no directory" in done.err


#: One kernel does what the simulator does not know.
STACK = """
#include <cuda_runtime.h>
__global__ void plain(int *p) { p[threadIdx.x] = 1; }
__global__ void stack(long *p) { asm volatile("stacksave.u64 %0;" : "=l"(p[0])); }
int main() {
  int *p; cudaMalloc(&p, 4096);
  plain<<<1, 32>>>(p);
  stack<<<1, 32>>>((long *)p), stack<<<1, 32>>>((long *)p);
  return 0;
}
"""


def test_a_kernel_that_cannot_be_simulated_is_told(libraries: Path, tmp_path: Path) -> None:
    source = tmp_path / "stack.cu"
    source.write_text(STACK)
    program = compiled(source, "-cudart", "shared")
    done = perflint_run("--no-findings", str(program))
    assert done.status == 2, done
    last = done.err.splitlines()[-1]
    assert last.startswith("perflint: not simulated: 1 kernel and 2 launches of stack: "), last
    assert "stacksave" in last


def test_ptx_for_a_later_gpu_is_told_with_the_option_that_helps(libraries: Path) -> None:
    flags = ("-cudart", "shared", "-gencode", "arch=compute_90,code=compute_90")
    program = compiled(PROGRAMS / "memory.cu", *flags, name="later")
    done = perflint_run("--no-findings", "--", str(program))
    assert "run with --arch sm_90" in done.err
    assert perflint_run("--no-findings", "--arch", "sm_90", "--", str(program)).status == 0


@pytest.mark.parametrize("flags", [("--no-compress",), ("--compress-mode=speed",)])
def test_ptx_however_it_is_packed(flags: tuple[str, ...], libraries: Path) -> None:
    program = compiled(PROGRAMS / "warps.cu", "-cudart", "shared", *flags, name="packed")
    assert perflint_run("--no-findings", "--", str(program)).status == 0


def test_a_simulator_that_dies_ends_the_program(libraries: Path, tmp_path: Path) -> None:
    import os
    import socket

    from perflint.run.server import environment

    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        env = environment(libraries, path)
        with subprocess.Popen([ready("memory")], env=env, stderr=subprocess.PIPE) as program:
            connection, _ = listener.accept()
            connection.close()
            _, err = program.communicate(timeout=30)
    assert program.returncode == 97
    assert b"the simulator has ended; the program ends with it" in err
    alone = subprocess.run(
        [ready("memory")], env={**os.environ, "LD_LIBRARY_PATH": str(libraries)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "perflint run -- PROGRAM" in alone.stderr


def test_a_device_without_room(libraries: Path) -> None:
    done = perflint_run("--no-findings", "--device-memory", "4K", "--", str(ready("memory")))
    assert done.status == 1
    assert "cudaErrorMemoryAllocation" in done.out


def test_findings_rest_on_the_launches_that_happened(libraries: Path, tmp_path: Path) -> None:
    source = tmp_path / "strided.cu"
    source.write_text(
        "#include <cuda_runtime.h>\n"
        "__global__ void strided(float *p, int s) { p[threadIdx.x * s] = 1; }\n"
        "int main(int n, char **) {\n"
        "  float *p; cudaMalloc(&p, 1 << 20);\n"
        "  for (int i = 0; i < 3; i++) strided<<<2, 128>>>(p, n > 1 ? 1 : 32);\n"
        "  return cudaDeviceSynchronize();\n"
        "}\n"
    )
    program = str(compiled(source, "-cudart", "shared", "-lineinfo"))
    done = perflint_run("--select", "CU101", "--", program)
    assert done.status == 1, done.err
    assert "store to `p` touches 32 sectors per request where 4 would do" in done.out
    assert "strided<<<2, 128>>>(s=32)" in done.out
    assert "3 launches, 1 shape" in done.out
    record = tmp_path / "launches.zip"
    done = perflint_run("--select", "CU101", "--record", str(record), "--", program, "packed")
    assert (done.status, done.out) == (0, "No findings in 1 kernel of 1 file.\n")
    # alone, check must assume a stride; with the launch it knows better
    done = perflint("check", "--isolated", "--select", "CU101", str(source))
    assert done.status == 1
    done = perflint(
        "check", "--isolated", "--select", "CU101", "--launches", str(record), str(source)
    )
    assert (done.status, done.out) == (0, "No findings in 1 kernel of 1 file.\n"), done
    done = perflint("check", "--isolated", "--launches", str(source), str(source))
    assert (done.status, "no record of launches" in done.err) == (2, True)


def test_a_record_that_does_not_fit_is_told(libraries: Path, tmp_path: Path) -> None:
    source = tmp_path / "changed.cu"
    text = (
        "#include <cuda_runtime.h>\n"
        'extern "C" __global__ void plain(float *p, int s) { p[threadIdx.x * s] = 1; }\n'
        "__global__ void mangled(float *p, int s) { p[threadIdx.x * s] = 1; }\n"
        "__global__ void gone(float *p) { p[threadIdx.x] = 1; }\n"
        "int main() {\n"
        "  float *p; cudaMalloc(&p, 1 << 20);\n"
        "  plain<<<2, 128>>>(p, 32), mangled<<<2, 128>>>(p, 32), gone<<<1, 32>>>(p);\n"
        "  return cudaDeviceSynchronize();\n"
        "}\n"
    )
    source.write_text(text)
    record = tmp_path / "launches.zip"
    program = str(compiled(source, "-cudart", "shared", "-lineinfo"))
    perflint_run("--no-findings", "--record", str(record), "--", program)

    def told() -> str:
        return perflint("check", "--isolated", "--launches", str(record), str(source)).err

    assert "record" not in told()
    # the size of all parameters is as it was, their order is not
    changed = text.replace("plain(float *p, int s)", "plain(int s, float *p)")
    changed = changed.replace("mangled(float *p, int s)", "mangled(float *p, long s)")
    source.write_text(changed.replace("void gone(", "void renamed("))
    said = told()
    assert "the record's launches of plain do not fit its parameters" in said
    assert "--launches: mangled: launches were recorded with other parameters" in said
    assert "--launches: no file has the recorded gone\n" in said


def test_what_is_hardly_wasted_is_as_in_check(libraries: Path, tmp_path: Path) -> None:
    # one load of 32 sectors among 12 packed requests of 4 sectors each: a third is wasted
    source = tmp_path / "mixed.cu"
    source.write_text(
        "#include <cuda_runtime.h>\n"
        "__global__ void mixed(float *out, const float *in, const float *rows) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  float sum = rows[i * 8];\n"
        "  for (int k = 0; k < 11; k++) sum += in[k * 65536 + i];\n"
        "  out[i] = sum;\n"
        "}\n"
        "int main() {\n"
        "  float *p; cudaMalloc(&p, 1 << 22);\n"
        "  mixed<<<256, 256>>>(p + 720896, p, p);\n"
        "  return cudaDeviceSynchronize();\n"
        "}\n"
    )
    program = str(compiled(source, "-cudart", "shared", "-lineinfo"))
    assert perflint_run("--select", "CU101", "--", program).status == 1
    done = perflint_run("--select", "CU101", "--min-waste", "50", "--", program)
    assert (done.status, "No findings in 1 kernel" in done.out) == (0, True), done
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "perflint.toml").write_text("min-waste = 50\n")
    done = perflint("run", "--config", str(folder / "perflint.toml"), "--select", "CU101", "--",
                    program)  # fmt: skip
    assert (done.status, "No findings in 1 kernel" in done.out) == (0, True), done


#: A vector that all lanes read alike, which another kernel fills; one that is loaded twice.
ARRAYS = """
#include <cuda_runtime.h>
__global__ void fill(float *v) { v[threadIdx.x] = threadIdx.x; }
__global__ void total(float *out, const float *v) {
  float sum = 0;
  for (int k = 0; k < 256; k++) sum += v[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void again(float *out, float *v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 256; k++) {
    out[i] += v[k];
    out[i + 1024] += v[k];
  }
}
int main(int n, char **) {
  float *p, *q;
  cudaMalloc(&p, 1 << 16), cudaMalloc(&q, 1 << 16);
  cudaMemset(p, 0, 1 << 16), cudaMemset(q, 0, 1 << 16);
  if (n > 1) fill<<<1, 256>>>(q);
  total<<<4, 256>>>(p, q);
  again<<<4, 256>>>(p, n > 2 ? p + 4096 : q);
  return cudaDeviceSynchronize();
}
"""


def test_what_passes_between_kernels_is_no_constant(libraries: Path, tmp_path: Path) -> None:
    source = tmp_path / "arrays.cu"
    source.write_text(ARRAYS)
    program = str(compiled(source, "-cudart", "shared", "-lineinfo"))

    def lines(*more: str) -> dict[str, list[int]]:
        done = perflint_run("--select", "CU501", "--show-unconfirmed", "--output-format", "json",
                            "--", program, *more)  # fmt: skip
        found: dict[str, list[int]] = {}
        for each in json.loads(done.out):
            found.setdefault(each["verdict"], []).append(each["location"]["row"])
        return found

    # `again` may write what `total` reads, as far as their parameters show
    assert lines() == {"undecided": [6], "confirmed": [12]}
    source.write_text(ARRAYS.replace("float *out, float *v)", "float *out, const float *v)"))
    program = str(compiled(source, "-cudart", "shared", "-lineinfo"))
    assert lines() == {"confirmed": [6, 12]}
    assert lines("filled") == {"undecided": [6, 12]}


def test_arrays_of_a_recorded_launch_are_known(libraries: Path, tmp_path: Path) -> None:
    source = tmp_path / "arrays.cu"
    source.write_text(ARRAYS)
    program = str(compiled(source, "-cudart", "shared", "-lineinfo"))
    record = tmp_path / "launches.zip"
    for more, found in ((), [12]), (("filled", "overlapping"), []):
        perflint_run("--no-findings", "--record", str(record), "--", program, *more)
        done = perflint("check", "--isolated", "--select", "CU503", "--output-format", "json",
                        "--launches", str(record), str(source))  # fmt: skip
        assert [each["location"]["row"] for each in json.loads(done.out)] == found, done


def test_the_profile_is_of_launches_that_happened(libraries: Path) -> None:
    done = perflint_run("--no-findings", "--profile", "--", str(ready("shared")))
    assert done.status == 0, done.err
    assert "multiply<<<(4, 4, 1), (16, 16, 1), 0>>>, launch 1 of 1 on sm_80" in done.out
    assert "16 of 16 blocks simulated" in done.out
    assert "programs/shared.cu:11       25,088    32.0" in done.out


def test_device_code_of_several_objects(libraries: Path) -> None:
    folder = PROGRAMS / "linked"
    flags = ("-cudart", "shared", "-rdc=true", "-gencode", "arch=compute_80,code=compute_80")
    program = compiled(folder / "main.cu", str(folder / "other.cu"), *flags, name="linked")
    done = perflint_run("--no-findings", "--", str(program))
    assert (done.status, done.out) == (0, ""), done.err
