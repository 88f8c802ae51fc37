"""Why a launch's blocks may be no measure: others run beside it, or it is made with other sizes."""

from __future__ import annotations

from perflint.base.patterns import pattern
from perflint.rules.protocol import Kernel, KnownLaunch

#: An element of an array of streams that a variable picks: `streams[i]`, `streams[i % COUNT]`.
_PICKED = pattern(r"[\w.>-]+\s*\[[^\]]*[A-Za-z_][^\]]*\]")


_EXCLUDED = (
    "the values that its grid was read with say that it is not made: it may be made with others"
)


def other_blocks(kernel: Kernel, launch: KnownLaunch) -> str:
    """Why a launch's own blocks may be no measure of what the GPU has to do; "" where they are."""
    return _EXCLUDED if launch.excluded else _one_of_streams(kernel, launch)


def _one_of_streams(kernel: Kernel, launch: KnownLaunch) -> str:
    """That what a launch leaves idle others may take; "" where no stream says so."""
    constructs = kernel.constructs(str(launch.span.path)) if launch.span else None
    written = (x for x in (constructs.launches if constructs else ()) if x.span == launch.span)
    streams = (x.configuration[3].text for x in written if len(x.configuration) > 3)
    found = next((text for text in streams if _PICKED.fullmatch(text.strip())), "")
    return (
        f"it goes into one of several streams (`{found}`): others may run beside it"
        if found
        else ""
    )
