"""What kernels are written in: the reports use its words."""

from __future__ import annotations

from typing import Literal

Language = Literal["cuda", "triton", "numba"]
