"""A run that is ended from outside: what was seen is told, and nothing runs on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.run.conftest import compiled

#: Some threads of each block count for ever.
LONG = """
#include <cstdio>
#include <unistd.h>
__global__ void count(int *out, long n) {
  int x = 0;
  if (threadIdx.x < 32)
    for (long i = 0; i < n; i++)
      x = x * 1664525 + i;
  __syncthreads();
  out[threadIdx.x] = x;
}
int main() {
  int *p;
  cudaMalloc(&p, 4096);
  printf("%d\\n", getpid()), fflush(stdout);
  count<<<4, 64>>>(p, 1000000000000);
  return cudaDeviceSynchronize();
}
"""


def _children(process: int) -> set[int]:
    found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return {int(each) for each in found}


def _gone(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_signal_ends_everything(number: signal.Signals, libraries: Path, tmp_path: Path) -> None:
    source = tmp_path / "long.cu"
    source.write_text(LONG)
    program = compiled(source, "-cudart", "shared", "-lineinfo")
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "perflint", "run", "--isolated", "--check", "--no-findings",
               "--output-format", "json", "-o", str(report), str(program)]  # fmt: skip
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as run:
        assert run.stdout is not None
        run.stdout.readline()  # the program is about to launch
        time.sleep(2)
        started = _children(run.pid)
        assert len(started) == 2, started  # the program, and the one that answers it
        os.kill(run.pid, number)
        _, err = run.communicate(timeout=60)
    for _ in range(600):
        if all(_gone(each) for each in started):
            break
        time.sleep(0.1)
    assert all(_gone(each) for each in started)
    if number == signal.SIGKILL:
        return
    assert run.returncode == 128 + number
    line = next(line for line in err.splitlines() if "was interrupted" in line)
    assert (
        "kernel count<<<4, 64>>> was interrupted: 0 of 4 blocks done; 128 threads were at" in line
    )
    assert "long.cu:9" in line or "long.cu:8" in line
    assert f"ended by signal {int(number)}" in err
    assert json.loads(report.read_text()) == []
