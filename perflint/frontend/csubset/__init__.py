"""The source-only front end: kernels of the C subset to PTX text, without a compiler."""

from __future__ import annotations

from perflint.frontend.csubset.driver import compile_file

__all__ = ["compile_file"]
