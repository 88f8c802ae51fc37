"""`python -m tests.grammar.nvrtc [OPTION…] <a.cu >a.ptx`: NVRTC as it is, for PTX to parse."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path


def main() -> int:
    import nvidia

    (root,) = [Path(each) for each in nvidia.__path__][:1]
    libraries = [*root.rglob("libnvrtc.so.*"), *root.rglob("nvrtc64*.dll")]
    library = ctypes.CDLL(str(min(path for path in libraries if "alt" not in path.name)))
    source = sys.stdin.read().encode()
    includes = [f"-I{path}" for path in root.glob("*/include")]
    options = [option.encode() for option in ("-arch=compute_80", *includes, *sys.argv[1:])]
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), source, b"a.cu", 0, None, None)
    failed = library.nvrtcCompileProgram(
        program, len(options), (ctypes.c_char_p * len(options))(*options)
    )
    what = "ProgramLog" if failed else "PTX"
    size = ctypes.c_size_t()
    library[f"nvrtcGet{what}Size"](program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    library[f"nvrtcGet{what}"](program, text)
    print(text.value.decode(), file=sys.stderr if failed else sys.stdout)
    return int(failed != 0)


if __name__ == "__main__":
    sys.exit(main())
