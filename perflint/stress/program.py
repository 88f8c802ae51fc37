"""`replay.cu`: a program that gives a kernel the arrays of a case, and looks at what it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from perflint.frontend.mangling import nested_name
from perflint.sim.launch import Aggregate, Buffer, Scalar
from perflint.stress.target import Target, file_name
from perflint.stress.variables import LARGEST_VARIABLE, is_open, region_bytes, variables_of

_BEGIN = """\
// {title} with a worst input, written by perflint stress.
//
//     nvcc -arch {arch} -lineinfo -o replay replay.cu && ./replay
//
// Under a profiler: ncu ./replay. Without a GPU: with -cudart shared and, in place of -arch,
// -gencode arch={compute},code={compute}, then perflint run -- ./replay. The order in which a GPU
// runs warps cannot be enforced: a case whose figures hang on it may do better there.
// The arrays are read from the folder that is given, by default the current one.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_runtime.h>

static void replay_check(cudaError_t error, const char *what)
{{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\\n", what, cudaGetErrorString(error));
    std::exit(2);
}}

using replay_bytes = std::vector<unsigned char>;

// The bytes of an array of a .npy file of format 1.0, of which there must be `size`.
static replay_bytes replay_read(const std::string &folder, const char *name, size_t size)
{{
    const std::string path = folder + "/" + name;
    replay_bytes bytes(size), head(10);
    std::FILE *file = std::fopen(path.c_str(), "rb");
    bool fine = file && std::fread(head.data(), 1, 10, file) == 10
        && !std::memcmp(head.data(), "\\x93NUMPY\\x01", 7)
        && !std::fseek(file, 10 + head[8] + 256 * head[9], SEEK_SET)
        && std::fread(bytes.data(), 1, size, file) == size && std::fgetc(file) == EOF;
    if (file)
        std::fclose(file);
    if (!fine) {{
        std::fprintf(stderr, "%s: is no array of %zu bytes\\n", path.c_str(), size);
        std::exit(2);
    }}
    return bytes;
}}

static void *replay_device(const replay_bytes &bytes)
{{
    void *at = nullptr;
    replay_check(cudaMalloc(&at, bytes.size()), "cudaMalloc");
    replay_check(cudaMemcpy(at, bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
    return at;
}}

// Floats may differ by rounding: a GPU adds up atomics in another order, and fuses as ptxas likes.
template <typename T> static bool replay_alike(T a, T b) {{ return a == b; }}
template <typename T> static bool replay_close(T a, T b)
{{
    return a == b || (a != a && b != b) || std::fabs(a - b) <= 1e-4 * (std::fabs(a) + std::fabs(b));
}}
inline bool replay_alike(float a, float b) {{ return replay_close(a, b); }}
inline bool replay_alike(double a, double b) {{ return replay_close(a, b); }}

template <typename T>
static size_t replay_differing(const char *name, const void *at, const replay_bytes &expected)
{{
    replay_bytes bytes(expected.size());
    replay_check(cudaMemcpy(bytes.data(), at, bytes.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    size_t count = 0;
    for (size_t i = 0; i * sizeof(T) < bytes.size(); i++) {{
        T mine, its;
        std::memcpy(&mine, &bytes[i * sizeof(T)], sizeof(T));
        std::memcpy(&its, &expected[i * sizeof(T)], sizeof(T));
        count += !replay_alike(mine, its);
    }}
    if (count)
        std::printf("%s: %zu elements differ from the simulator's\\n", name, count);
    return count;
}}

#ifndef PERFLINT_SOURCE
#define PERFLINT_SOURCE "{source}"
#endif
#define main program_main
#include PERFLINT_SOURCE
#undef main

int main(int argc, char **argv)
{{
    const std::string folder = argc > 1 ? argv[1] : ".";
"""

_ORDER = """\
    // What the kernel leaves depends on the order of its threads, which is another one on a GPU.
    if (wrong)
        std::printf("the order of threads may explain that\\n");
    std::printf("ran\\n");
    return 0;
}
"""
_CHECKED = """\
    std::printf(wrong ? "FAILED\\n" : "ok\\n");
    return wrong ? 1 : 0;
}
"""
_RAN = """\
    std::printf("ran\\n");  // the simulator did not run all blocks: what they leave is not known
    return 0;
}
"""

#: C++'s types of elements, by NumPy's; those of two bytes are compared by their bits.
_TYPES = {"f4": "float", "f8": "double", "f2": "uint16_t"} | {
    f"{kind}{size}": f"{'u' if kind == 'u' else ''}int{8 * size}_t"
    for kind in "iu"
    for size in (1, 2, 4, 8)
}


def why_none(target: Target, file: Path) -> str:
    """Why a case has no program; "" where it can have one."""
    if file.suffix == ".ptx":
        return "the kernel comes as PTX"
    for each in target.launch.arguments:
        if isinstance(each, Aggregate) and each.buffers:
            return "a struct by value holds pointers or textures"
        if not isinstance(each, Aggregate | Buffer | Scalar):
            return "a parameter is a texture"
    for name in held(target):
        if not all(part.isidentifier() for part in nested_name(name)) or name.startswith("_ZZ"):
            return f"the module's variable {name} has no name that a program could write"
    for name, region in variables_of(target.facts, ()).items():
        if is_open(target.facts, name, region) and (region.size or 0) > LARGEST_VARIABLE:
            return f"the module's variable {name} is large, and nothing tells what it holds"
    return ""


def held(target: Target) -> dict[str, np.ndarray]:
    """The bytes of the module's variables that the program's own initialisers do not give."""
    copied = target.subject.symbols.keys() | {each.variable for each in target.launch.symbols}
    symbols = target.launch.symbols
    return {
        name: region_bytes(region)
        for name, region in variables_of(target.facts, symbols).items()
        if name in copied and region.size
    }


def program(
    target: Target,
    arrays: Mapping[str, np.ndarray],
    expected: Mapping[str, np.ndarray],
    variables: Mapping[str, np.ndarray],
    source: str,
    order_matters: bool,
) -> str:
    """The program; `source` is the kernel's file as seen from it."""
    subject, launch = target.subject, target.launch
    compute = subject.arch.replace("sm_", "compute_")
    written = source.replace("\\", "\\\\").replace('"', '\\"')
    out = [
        _BEGIN.format(title=subject.title, arch=subject.arch, compute=compute, source=written),
        *(_symbol(number, name, data) for number, (name, data) in enumerate(variables.items())),
    ]
    given = []
    for number, argument in enumerate(launch.arguments):
        out.append(_argument(target, number, argument, arrays))
        given.append(f"&p{number}" if not isinstance(argument, Aggregate) else f"p{number}")
    grid, block = (", ".join(map(str, each)) for each in (launch.grid, launch.block))
    out.append(f"    void *arguments[] = {{{', '.join(given) or 'nullptr'}}};\n")
    if launch.dynamic_shared > 48 << 10:
        out.append(
            f"    replay_check(cudaFuncSetAttribute((const void *)({_name(target)}), "
            f"cudaFuncAttributeMaxDynamicSharedMemorySize, {launch.dynamic_shared}), "
            '"cudaFuncSetAttribute");\n'
        )
    out.append(
        f"    replay_check(cudaLaunchKernel((const void *)({_name(target)}), dim3({grid}), "
        f'dim3({block}), arguments, {launch.dynamic_shared}, 0), "launch");\n'
        '    replay_check(cudaDeviceSynchronize(), "kernel");\n'
    )
    if expected:
        out.append("    size_t wrong = 0;\n")
    for number, argument in enumerate(launch.arguments):
        if isinstance(argument, Buffer) and argument.name in expected:
            array = expected[argument.name]
            kind = _TYPES[array.dtype.str[1:]]
            out.append(
                f'    wrong += replay_differing<{kind}>("{argument.name}", p{number}, '
                f'replay_read(folder, "expected_{argument.name}.npy", {array.nbytes}));\n'
            )
    out.append(_RAN if not expected else _ORDER if order_matters else _CHECKED)
    return "".join(out)


def _name(target: Target) -> str:
    """The kernel as C++ names it."""
    source, arguments = target.subject.source, target.subject.origin.template_arguments
    name = source.qualified if source else target.subject.origin.kernel
    return name + (f"<{', '.join(arguments)}>" if arguments else "")


def _argument(
    target: Target, number: int, argument: object, arrays: Mapping[str, np.ndarray]
) -> str:
    variable = target.subject.kernel.parameters[number]
    name = f"p{number}"
    match argument:
        case Buffer(name=array):
            read = f'replay_read(folder, "{array}.npy", {arrays[array].nbytes})'
            return f"    void *{name} = replay_device({read});\n"
        case Aggregate(data=data):
            listed = ", ".join(map(str, data))
            return f"    alignas(16) unsigned char {name}[] = {{{listed}}};\n"
        case Scalar(value=value) if variable.type in ("f32", "f64"):
            kind = "float" if variable.type == "f32" else "double"
            return f"    {kind} {name} = {float(value)!r};\n"
        case Scalar(value=value) if variable.type in ("f16", "bf16"):
            bits = int(np.float32(value).view(np.uint32)) >> 16
            if variable.type == "f16":
                bits = int(np.float16(value).view(np.uint16))
            return f"    uint16_t {name} = {bits};\n"
        case Scalar(value=value):
            bits = 8 * variable.size
            return f"    uint{bits}_t {name} = {int(value) & ((1 << bits) - 1)}u;\n"
    raise AssertionError(argument)


def _symbol(number: int, name: str, data: np.ndarray) -> str:
    return (
        f'    replay_bytes s{number} = replay_read(folder, "{symbol_file(name)}", {data.size});\n'
        f"    replay_check(cudaMemcpyToSymbol({'::'.join(nested_name(name))}, s{number}.data(), "
        f'{data.size}), "cudaMemcpyToSymbol");\n'
    )


def symbol_file(name: str) -> str:
    """The file that holds a variable's bytes."""
    return f"symbol_{file_name(name)}.npy"
